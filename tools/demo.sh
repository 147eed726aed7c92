#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demonstration: two hosts in network namespaces joined by the switch, a real controller, pings,
# iperf3, a look into the flows, and lagosh. See usage() for the options.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"

usage() {
    cat <<'EOF'
usage: tools/dev demo [--once] [--yes] [--standalone] [--no-controller] [--no-huge]
  --once           do not stay in the shell; exit 0 only if every step worked
  --yes            install missing packages without asking
  --standalone     without a controller: the switch learns by itself
  --no-controller  the configuration names a controller, but none runs: shows the loss, exits 1
  --no-huge        do not reserve huge pages
EOF
}

ONCE=0 CONTROLLER=1 STANDALONE=0 HUGE=1 YES=${YES:-0}
for word in "$@"; do
    case $word in
        --once) ONCE=1 ;;
        --yes) YES=1 ;;
        --standalone) STANDALONE=1 CONTROLLER=0 ;;
        --no-controller) CONTROLLER=0 ;;
        --no-huge) HUGE=0 ;;
        --help | -h) usage; exit 0 ;;
        *) echo "error: unknown option \"$word\"" >&2; usage >&2; exit 2 ;;
    esac
done

FAILED=0
step() { printf '\n== %s\n' "$*"; }
check() { # check TEXT COMMAND...
    local text=$1
    shift
    if "$@"; then echo "ok: $text"; else
        echo "FAILED: $text"
        FAILED=1
    fi
}

ping_between() { # ping_between HOST ADDRESS
    on "$1" ping -c 5 -i 0.2 -W 1 "$2"
}

listens_on() { on "$1" ss -Hltn "sport = :$2" | grep -q .; } # listens_on HOST PORT

# Packets counted by the flow that matches in_port=$1 and outputs to $2.
flow_packets() {
    shell -c "show flow" | sed -n "s/.*packet_count=\([0-9]*\).*in_port=$1,.*eth_src=.*actions=output:$2\$/\1/p" | sort -n | tail -n 1
}
flow_counted() { local n; n=$(flow_packets "$1" "$2"); [ "${n:-0}" -ge 5 ]; }
packet_ins_came() {
    local n
    n=$(shell -c "show flow" | sed -n 's/.*priority=0,.*packet_count=\([0-9]*\).*actions=.*CONTROLLER.*/\1/p' | head -n 1)
    [ "${n:-0}" -ge 2 ] && [ "$(grep -c 'packet in' "$LAB/controller.log")" -ge 2 ]
}
learned_both() { [ "$(shell -c "show mac" | grep -Ec '([0-9a-f]{2}:){5}[0-9a-f]{2}')" -ge 2 ]; }

if [ "$(id -u)" != 0 ]; then
    echo "error: namespaces and packet sockets take root: sudo tools/dev demo" >&2
    exit 1
fi
step "packages"
need_packages build demo || exit 1
step "build"
build_preset release "${PROGRAMS[@]}" || exit 1
BIN=$ROOT/build/release/bin

lab_open
[ "$HUGE" = 1 ] && lab_huge_pages 400

step "two hosts"
for name in h1 h2; do
    if [ -e "/sys/class/net/$name-br" ]; then
        echo "error: interface $name-br exists already: does another demo run? (ip link delete $name-br)" >&2
        exit 1
    fi
done
host h1 10.0.0.1/24 && host h2 10.0.0.2/24 || exit 1
echo "h1 10.0.0.1 -- h1-br [ br0 ] h2-br -- h2 10.0.0.2"

PORT=$(free_port 6653)
if [ "$STANDALONE" = 1 ]; then
    cp "$ROOT/conf/standalone.conf" "$LAB/switch.conf"
else
    sed "s/6653/$PORT/" "$ROOT/conf/quickstart.conf" >"$LAB/switch.conf"
fi
if [ "$CONTROLLER" = 1 ]; then
    step "controller (os-ken, examples/learning_switch.py, port $PORT)"
    lab_start osken-manager --ofp-tcp-listen-port "$PORT" --ofp-listen-host 127.0.0.1 \
        "$ROOT/examples/learning_switch.py" >"$LAB/controller.log" 2>&1
    wait_until 30 sh -c "ss -Hltn 'sport = :$PORT' | grep -q ." || {
        tail "$LAB/controller.log" >&2
        exit 1
    }
fi

step "switch"
cat "$LAB/switch.conf"
switch_start "$LAB/switch.conf" || exit 1
check "both ports are up" wait_until 10 ports_up 2
if [ "$CONTROLLER" = 1 ]; then
    check "the controller installed its table-miss entry" \
        wait_until 15 sh -c "'$BIN/lagosh' --rundir '$RUNDIR' -c 'show flow' | grep -q CONTROLLER"
fi

step "ping both ways"
check "h1 reaches h2" ping_between h1 10.0.0.2
check "h2 reaches h1" ping_between h2 10.0.0.1

step "iperf3, 3 seconds"
if [ "$FAILED" = 0 ]; then
    lab_start_on h2 iperf3 -s -1 >/dev/null 2>&1
    wait_until 5 listens_on h2 5201
    check "TCP flows" on h1 iperf3 -c 10.0.0.2 -t 3
fi

step "show flow"
shell -c "show flow" || FAILED=1
step "show port"
shell -c "show port" || FAILED=1
step "checks"
if [ "$STANDALONE" = 1 ]; then
    check "both addresses were learned" learned_both
else
    check "packet-ins came" packet_ins_came
    check "the flow from port 1 to port 2 counted the pings" flow_counted 1 2
    check "the flow from port 2 to port 1 counted the pings" flow_counted 2 1
fi
if [ "$FAILED" != 0 ]; then
    step "what the switch says"
    shell -c "show"
    tail -n 15 "$LAB/switch.log"
fi

if [ "$ONCE" = 0 ] && [ -t 0 ] && [ -t 1 ]; then
    step "lagosh: try \"?\" or \"show\"; \"exit\" ends the demonstration"
    echo "(in another terminal: $BIN/lagosh --rundir $RUNDIR)"
    shell
fi
echo
[ "$FAILED" = 0 ] && echo "demo: every step worked" || echo "demo: FAILED"
exit "$FAILED"
