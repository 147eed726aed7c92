#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev fuzz [NAME] [SECONDS]: each libFuzzer target from its committed seeds; reports
# executions and coverage, stops at a finding and says how to repeat it.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT" || exit 1
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
YES=1 need_packages build test || exit 1
NAME=all SECONDS_EACH=60
for word in "$@"; do
    case $word in *[!0-9]*) NAME=$word ;; *) SECONDS_EACH=$word ;; esac
done
build_preset fuzz fuzzers || exit 1
FOUND=0 RAN=0
for target in build/fuzz/bin/fuzz_*; do
    name=$(basename "$target")
    name=${name#fuzz_}
    [ "$NAME" = all ] || [ "$NAME" = "$name" ] || continue
    seeds=tests/fuzz/seeds/$name
    [ -d "$seeds" ] || seeds=tests/fuzz/seeds/${name%%_*} # the two openflow_* share theirs
    corpus=build/fuzz/corpus/$name
    mkdir -p "$corpus" "$seeds"
    RAN=$((RAN + 1))
    echo "== $name ($SECONDS_EACH s)"
    if ! LLVM_PROFILE_FILE=build/fuzz/$name.profraw "$target" -max_total_time="$SECONDS_EACH" \
        -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" -rss_limit_mb=4096 -timeout=10 \
        "$corpus" "$seeds" >"build/fuzz/$name.log" 2>&1; then
        tail -n 30 "build/fuzz/$name.log"
        echo "FOUND: $name; repeat with $target build/fuzz/$name-*"
        FOUND=$((FOUND + 1))
        continue
    fi
    grep -E 'stat::number_of_executed_units|DONE' "build/fuzz/$name.log"
    llvm-profdata-19 merge -o "build/fuzz/$name.profdata" "build/fuzz/$name.profraw" &&
        llvm-cov-19 report "$target" -instr-profile="build/fuzz/$name.profdata" \
            openflow dsl dataplane/pipeline shm 2>/dev/null | awk '/\.cc|^TOTAL/ {print "  " $1, $10}'
done
# What the codec's two targets reached together just now, of the codec alone.
if [ "$NAME" = all ] && [ "$FOUND" = 0 ]; then
    llvm-profdata-19 merge -o build/fuzz/codec.profdata build/fuzz/openflow_{decode,roundtrip}.profraw
    llvm-cov-19 report build/fuzz/bin/fuzz_openflow_roundtrip -object build/fuzz/bin/fuzz_openflow_decode \
        -instr-profile=build/fuzz/codec.profdata openflow/v13 openflow/codec.cc openflow/match.cc 2>/dev/null |
        awk '/^TOTAL/ {print "codec: line coverage " $10 " of " $8 " lines"}'
fi
[ "$RAN" -gt 0 ] || { echo "error: no fuzz target \"$NAME\"" >&2; exit 2; }
echo "fuzz: $RAN targets, $FOUND with findings"
[ "$FOUND" = 0 ]
