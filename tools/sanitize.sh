#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The unit suites under the address and undefined-behaviour sanitizers, then under the thread
# sanitizer (the parts that threads share: shm and the channels).
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT" || exit 1
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
YES=1 need_packages build test || exit 1
FAILED=0
for preset in ${1:-asan tsan}; do
    build_preset "$preset" || exit 1
    case $preset in tsan) only=(-R '^(Qsbr|Ring|Arena|FlowTable|Tables|Channel|Session|Mac)') ;; *) only=() ;; esac
    echo "== $preset"
    ctest --test-dir "build/$preset" --output-on-failure -j2 --timeout 300 "${only[@]}" || FAILED=1
done
[ "$FAILED" = 0 ] && echo "sanitize: clean"
exit "$FAILED"
