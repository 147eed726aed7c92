#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The unit suites under the address and undefined-behaviour sanitizers, then under the thread
# sanitizer (the parts that threads share).
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT" || exit 1
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
YES=1 need_packages build test || exit 1
FAILED=0
# What threads share: rings, tables and grace periods of the arena, channels, the control socket,
# commits that are worked out beside the loop.
SHARED=(unit_shm unit_agent_channel unit_agent_plane unit_agent_config)
for preset in ${1:-asan tsan}; do
    echo "== $preset"
    if [ "$preset" = tsan ]; then
        build_preset tsan "${SHARED[@]}" || exit 1
        for program in "${SHARED[@]}"; do
            "build/tsan/bin/$program" --gtest_brief=1 || FAILED=1
        done
    else
        build_preset "$preset" || exit 1
        ctest --test-dir "build/$preset" --output-on-failure -j2 --timeout 300 || FAILED=1
    fi
done
[ "$FAILED" = 0 ] && echo "sanitize: clean"
exit "$FAILED"
