#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev bench qos: select groups beside their weights, fast failover by the packets it loses, live
# meters and egress queues beside their rates, each with its goal. Slow meters get their frames over veth; for the
# fast ones a port of the switch makes them itself (net_pcap infinite_rx), since nothing else on a
# small machine offers more than they pass. $RAICHO_BIN, when set, has the programs: nothing is built.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
lab_private "$0" "$@"
if [ $# -gt 0 ]; then
    echo "usage: tools/dev bench qos" >&2
    exit 2
fi
need_packages build demo test bench || exit 1
if [ -n "${RAICHO_BIN:-}" ]; then
    BIN=$(cd "$RAICHO_BIN" && pwd) || exit 1
else
    build_preset release "${PROGRAMS[@]}" port-agent >/dev/null || exit 1
    BIN=$ROOT/build/release/bin
fi
lab_open
lab_huge_pages 400
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
FAILED=0
LINKS=(q1 q2 q3 q4)
for name in "${LINKS[@]}"; do link "$name" || exit 1; done

measure() { # measure WHAT OPTION...
    local what=$1
    shift
    /usr/bin/python3 -B "$ROOT/tests/bench/qos.py" "$what" --switch tcp:127.0.0.1:6654 \
        --lagosh "$BIN/lagosh" --rundir "$RUNDIR" --log "$LAB/switch.log" --links "${LINKS[@]}" "$@" ||
        FAILED=1
}
switch_with() { # switch_with PORTS DEVICE [NAME]: port 1 is of that kind; waits until so many are up
    {
        echo "bridge br0 {"
        echo "  fail-mode secure"
        echo "  listen tcp:127.0.0.1:6654"
        echo "  port ${3:-q1-br} 1 $2"
        local n
        for n in 2 3 4; do echo "  port q$n-br $n"; done
        echo "}"
    } >"$LAB/switch.conf"
    switch_start "$LAB/switch.conf" && wait_until 10 ports_up "$1"
}
stop() {
    kill -TERM "$SWITCH"
    tail --pid="$SWITCH" -f /dev/null
    rm -rf "$RUNDIR"
}
live() { # live NAME UNIT RATE SIZE OFFERED SECONDS
    measure meter --name "meter of $1" --unit "$2" --rate "$3" --size "$4" --offered "$5" --seconds "$6"
}
fast() { # fast NAME UNIT RATE SIZE
    measure pcap --file "$LAB/$4.pcap" --size "$4"
    switch_with 4 "{ device ethdev \"net_pcap0,rx_pcap=$LAB/$4.pcap,infinite_rx=1\" }" source ||
        { echo "FAIL  meter of $1: the switch does not start"; FAILED=1; return; }
    measure meter --name "meter of $1" --unit "$2" --rate "$3" --size "$4" --seconds 6
    stop
}

echo "== $(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg)"
switch_with 4 "" || { tail -n 20 "$LAB/switch.log"; exit 1; }
measure select
measure failover
live "10 kbit/s" kbps 10 125 100 20
live "1 Mbit/s" kbps 1000 1000 500 8
live "50 packets/s" pktps 50 60 500 10
stop
fast "100 k packets/s" pktps 100000 60
fast "1 Gbit/s" kbps 1000000 1514
RAICHO_BIN=$BIN /usr/bin/python3 -B "$ROOT/tests/bench/queues.py" || FAILED=1
[ "$FAILED" = 0 ] && echo "bench qos: every goal reached" || echo "bench qos: FAILED"
exit "$FAILED"
