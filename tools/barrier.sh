#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev barrier [ROUNDS]: does a barrier reply mean that the packets obey? Raicho with one and
# with two workers must show `stale 0`; the same program on Open vSwitch shows that it can fail.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
lab_private "$0" "$@"
ROUNDS=${1:-10000}
need_packages build demo bench || exit 1
build_preset release "${PROGRAMS[@]}" >/dev/null || exit 1
BIN=$ROOT/build/release/bin
lab_open
lab_huge_pages 400
for n in 1 2 3 4; do link "b$n" || exit 1; done

examine() { # examine TEXT: runs the program; the switch connects when it likes
    rm -f "$LAB/listening"
    PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$ROOT/tests/crash/barrier.py" --rounds "$ROUNDS" \
        --listening-file "$LAB/listening" >"$LAB/barrier.out" 2>&1 &
    EXAMINER=$!
    wait_until 10 test -e "$LAB/listening"
}
result() { # result TEXT
    wait "$EXAMINER"
    local status=$?
    echo "$1  $(cat "$LAB/barrier.out")"
    return "$status"
}
stop() { # stop PID
    kill -TERM "$1"
    tail --pid="$1" -f /dev/null
}

FAILED=0
for workers in 1 2; do
    cat >"$LAB/switch.conf" <<EOF
dataplane { workers $workers }
bridge br0 {
  fail-mode secure
  port b1-br 1
  port b2-br 2
  port b3-br 3
  port b4-br 4
  controller tcp:127.0.0.1:6653
}
EOF
    examine
    switch_start "$LAB/switch.conf" || exit 1
    result "raicho, $workers worker(s):" || FAILED=1
    stop "$SWITCH"
done

examine
ovs_start flow-limit=200000 || { cat "$OVS_DIR/vswitchd.out"; exit 1; }
for n in 1 2 3 4; do ovs -t 10 add-port br0 "b$n-br" -- set interface "b$n-br" "ofport_request=$n"; done
ovs -t 10 set-controller br0 tcp:127.0.0.1:6653
result "Open vSwitch:      " && {
    echo "FAILED: the examiner saw nothing stale on Open vSwitch, so it proves nothing"
    FAILED=1
}
exit "$FAILED"
