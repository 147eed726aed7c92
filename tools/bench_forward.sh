#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev bench forward [--replay-driver FILE] [WINDOWS]: the case `forward` of tools/dev bench.
set -u
OPTIONS=()
for word in "$@"; do
    case $word in
        '' | *[!0-9]*) OPTIONS+=("$word") ;;
        *) OPTIONS+=(--windows "$word") ;;
    esac
done
exec "$(dirname "$0")/bench.sh" --case forward "${OPTIONS[@]}"
