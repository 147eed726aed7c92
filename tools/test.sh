#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test: the unit suites (dev build), then each executable of tests/functional, which uses
# real interfaces, namespaces and controllers and takes root. One that exits 77 was not run and
# says why; it counts as neither. Ends with `N passed, N failed`.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT" || exit 1
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
YES=1 need_packages build demo test || exit 1
build_preset dev || exit 1

PASSED=0 FAILED=0
FAILURES=() NOT_RUN=()
LOGS=$ROOT/build/test-logs
mkdir -p "$LOGS"

ctest --test-dir build/dev --output-on-failure -j2 --timeout 120 | tee "$LOGS/unit.log"
# ctest's last lines: "98% tests passed, 3 tests failed out of 150"
read -r failed total < <(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\)/\1 \2/p' "$LOGS/unit.log")
if [ -z "${total:-}" ] || [ "$total" = 0 ]; then
    echo "error: ctest ran no test" >&2
    FAILED=1
else
    # ctest counts a test that skipped itself as passed, and lists it: "  12 - Name (Skipped)".
    while read -r name; do NOT_RUN+=("$name: skipped itself, build/test-logs/unit.log"); done < <(
        sed -n 's/^\t *[0-9]* - \(.*\) (Skipped)$/\1/p' "$LOGS/unit.log")
    PASSED=$((total - failed - ${#NOT_RUN[@]})) FAILED=$failed
    [ "$failed" = 0 ] || FAILURES+=("unit: build/test-logs/unit.log")
fi

export RAICHO_BIN=$ROOT/build/dev/bin
for test in tests/functional/*; do
    if [ ! -f "$test" ] || [ ! -x "$test" ]; then continue; fi
    name=$(basename "$test")
    timeout --kill-after=20 300 "$test" >"$LOGS/$name.log" 2>&1 </dev/null
    status=$?
    if [ "$status" = 0 ]; then
        echo "ok: $name"
        PASSED=$((PASSED + 1))
    elif [ "$status" = 77 ]; then
        NOT_RUN+=("$name: $(head -n 1 "$LOGS/$name.log")")
    else
        echo "FAILED: $name (exit $status); its last lines:"
        tail -n 25 "$LOGS/$name.log"
        FAILED=$((FAILED + 1))
        FAILURES+=("$name: build/test-logs/$name.log; repeat: RAICHO_BIN=build/dev/bin $test")
    fi
done

for name in "${NOT_RUN[@]}"; do echo "NOT RUN: $name"; done
for failure in "${FAILURES[@]}"; do echo "failed: $failure"; done
echo "$PASSED passed, $FAILED failed"
[ "$FAILED" = 0 ]
