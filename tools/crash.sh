#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev crash [--long] [crash.py's options]: kill the daemons under traffic and count the loss.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
lab_private "$0" "$@"
KILLS=20
if [ "${1:-}" = --long ]; then
    KILLS=200
    shift
fi
need_packages build demo || exit 1
build_preset release "${PROGRAMS[@]}" lab-traffic >/dev/null || exit 1
BIN=$ROOT/build/release/bin
lab_open
lab_huge_pages 400
host h1 && host h2 || exit 1
cat >"$LAB/switch.conf" <<EOF
bridge br0 {
  fail-mode secure
  port h1-br 1
  port h2-br 2
  controller tcp:127.0.0.1:6653
}
EOF
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$ROOT/tests/crash/crash.py" --bin "$BIN" --rundir "$RUNDIR" --conf "$LAB/switch.conf" \
    --log "$LAB/switch.log" --h1 "$(host_pid h1)" --h2 "$(host_pid h2)" --port 6653 --kills "$KILLS" "$@"
STATUS=$?
[ "$STATUS" = 0 ] || { echo "== the switch's log"; tail -n 20 "$LAB/switch.log"; }
exit "$STATUS"
