#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev bench forward [--replay-driver FILE] [WINDOWS]: one port-to-port flow, 64-byte frames, one
# core, beside dpdk-testpmd io and mac on the same devices in the same run. Without net_replay the
# source is net_pcap with infinite_rx and the sink net_null; the output says which.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
lab_private "$0" "$@"
DRIVER='' WINDOWS=10
while [ $# -gt 0 ]; do
    case $1 in
        --replay-driver) DRIVER=$(realpath "$2"); shift ;;
        *[!0-9]*) echo "error: unknown option \"$1\"" >&2; exit 2 ;;
        *) WINDOWS=$1 ;;
    esac
    shift
done
need_packages build demo bench || exit 1
build_preset release "${PROGRAMS[@]}" >/dev/null || exit 1
BIN=$ROOT/build/release/bin
lab_open
lab_huge_pages 1024
CORE=$(($(nproc) - 1))
PCAP=$LAB/frames.pcap
/usr/bin/python3 "$ROOT/tests/bench/frames.py" --flows 1000 "$PCAP" || exit 1

PMDS=$(dirname "$(find /usr/lib -path '*/dpdk/pmds-*/librte_net_null.so*' -print -quit)")
if [ -n "$DRIVER" ]; then
    SOURCE="net_replay0,pcap=$PCAP" SINK=net_replay1 NAME=net_replay
    PLUGIN=(-d "$DRIVER" -d "$PMDS")
else
    SOURCE="net_pcap0,rx_pcap=$PCAP,infinite_rx=1" SINK=net_null1,no-rx=1 NAME="net_pcap infinite_rx -> net_null"
    PLUGIN=()
fi
echo "device: $NAME; core $CORE; 64-byte frames, 1000 flows in the traffic; $WINDOWS windows of 0.5 s"
echo "cycles: TSC of the forwarding thread's own CPU time"
printf '%-14s %10s %10s %10s %10s\n' who median min max cycles

measure() { # measure NAME PID COUNTER_COMMAND...: windows over a counter of forwarded packets
    local who=$1 pid=$2
    shift 2
    /usr/bin/python3 "$ROOT/tests/bench/windows.py" --who "$who" --pid "$pid" --windows "$WINDOWS" -- "$@"
}

testpmd() { # testpmd MODE
    rm -f "$LAB/pmd.in"
    mkfifo "$LAB/pmd.in"
    exec 7<>"$LAB/pmd.in" # both ways: opening one end alone would wait for the other
    lab_start sh -c 'exec stdbuf -oL "$@" <"$0"' "$LAB/pmd.in" dpdk-testpmd -l "0,$CORE" --no-pci --in-memory --file-prefix "lab$$" --no-telemetry "${PLUGIN[@]}" \
        --vdev "$SOURCE" --vdev "$SINK" -- -i --nb-cores=1 --forward-mode="$1" --total-num-mbufs=65536 \
        >"$LAB/pmd.out" 2>&1
    local pid=$STARTED
    echo start >&7
    wait_until 10 grep -q 'forwarding packets' "$LAB/pmd.out"
    sleep 1
    measure "testpmd-$1" "$pid" "$ROOT/tests/bench/testpmd_tx.sh" "$LAB/pmd.in" "$LAB/pmd.out"
    echo quit >&7
    exec 7>&-
    tail --pid="$pid" -f /dev/null
}

testpmd io
testpmd mac

cat >"$LAB/switch.conf" <<EOF
dataplane { workers 1; cores [ $CORE ]; profile busy${DRIVER:+; driver "$DRIVER"} }
bridge br0 {
  fail-mode secure
  port in 1 { device ethdev "$SOURCE" }
  port out 2 { device ethdev "$SINK" }
  flow "in_port=1 actions=output:2"
}
EOF
switch_start "$LAB/switch.conf" || exit 1
sleep 1
DATAPLANE=$(cat "$RUNDIR/dataplane.pid")
measure raicho "$DATAPLANE" "$BIN/lagosh" --rundir "$RUNDIR" -j -c "show port out"
shell -c "show port"
