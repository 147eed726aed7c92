#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev commit [--long] [commit.py's options]: what a commit promises, on the real switch.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
lab_private "$0" "$@"
LONG=()
if [ "${1:-}" = --long ]; then
    LONG=(--kills 200 --minutes)
    shift
fi
need_packages build demo || exit 1
build_preset release "${PROGRAMS[@]}" lab-traffic raicho-arena-dump >/dev/null || exit 1
lab_open
lab_huge_pages 400
host h1 && host h2 || exit 1
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$ROOT/tests/crash/commit.py" --bin "$ROOT/build/release/bin" \
    --rundir "$RUNDIR" --log "$LAB/switch.log" --h1 "$(host_pid h1)" --h2 "$(host_pid h2)" --port 6653 \
    --listen 6700 "${LONG[@]}" "$@"
STATUS=$?
[ "$STATUS" = 0 ] || { echo "== the switch's log"; tail -n 40 "$LAB/switch.log"; }
exit "$STATUS"
