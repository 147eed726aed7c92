# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of imported configurations share. Sourced after tools/lab.sh.
BIN=${RAICHO_BIN:-$ROOT/build/dev/bin}
TEXTS=$ROOT/tests/functional/import
FAILED=0
check() { # check TEXT COMMAND...
    local text=$1
    shift
    if "$@"; then echo "ok: $text"; else
        echo "FAILED: $text"
        FAILED=1
    fi
}
pings() { on "$1" ping -q -c 3 -i 0.2 -W 1 "$2" >"$LAB/ping" 2>&1; }
silent() { ! on "$1" ping -q -c 1 -W 1 "$2" >/dev/null 2>&1; }
reaches() { wait_until 15 pings "$1" "$2"; }
mac() { # mac HOST ADDRESS
    on "$1" ip link set eth0 address "$2"
}
# run NAME PORTS ARGUMENT...: starts the switch with raicho's arguments, its ports up.
run() {
    local name=$1 ports=$2
    shift 2
    RUNDIR=$LAB/$name
    lab_start "$BIN/raicho" run --rundir "$RUNDIR" "$@" >"$LAB/$name.out" 2>&1
    SWITCH=$STARTED
    wait_until 30 ports_up "$ports" ||
        { echo "FAILED: $name: its ports do not come up"; tail -n 20 "$LAB/$name.out" "$LAB"/*.log; exit 1; }
}
stop() {
    kill -TERM "$SWITCH"
    wait "$SWITCH"
    check "$1: a clean stop leaves nothing" test ! -e "$RUNDIR"
}
# imported FROM FILE: a configuration in $LAB/FILE.conf and its report in $LAB/FILE.report.
imported() {
    "$BIN/lagosh" import "$1" -o "$LAB/$2.conf" "$TEXTS/$2" 2>"$LAB/$2.report"
}
reported() { grep -qF "$2" "$LAB/$1.report"; }
# finish: the test's exit; when something failed, what was said about it.
finish() {
    if [ "$FAILED" != 0 ]; then tail -n 30 "$LAB"/*.report "$LAB"/*.out; fi
    exit "$FAILED"
}
