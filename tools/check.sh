#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The linters, as CI and the commit hook run them. --fix formats; --tidy adds clang-tidy (slow).
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT" || exit 1
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
FIX=0 TIDY=0
for word in "$@"; do
    case $word in
        --fix) FIX=1 ;;
        --tidy) TIDY=1 ;;
        *) echo "error: unknown option \"$word\"" >&2; exit 2 ;;
    esac
done
YES=1 need_packages test || exit 1

mapfile -t SOURCES < <(git ls-files -co --exclude-standard '*.cc' '*.h')
mapfile -t SCRIPTS < <(git ls-files -co --exclude-standard 'tools/*.sh' 'tests/*.sh' tools/dev .ci/run)
mapfile -t PYTHON < <(git ls-files -co --exclude-standard '*.py')

if [ "$FIX" = 1 ]; then
    clang-format-19 -i "${SOURCES[@]}"
    exit
fi

FAILED=0
lint() { # lint NAME COMMAND...
    local name=$1
    shift
    if "$@"; then echo "ok: $name"; else
        echo "FAILED: $name" >&2
        FAILED=$((FAILED + 1))
    fi
}

no_long_files() {
    wc -l "${SOURCES[@]}" "${SCRIPTS[@]}" "${PYTHON[@]}" | awk '
        $2 != "total" && $1 > 600 { print $2 ": " $1 " lines, 600 are the limit: split it by noun"; bad = 1 }
        END { exit bad }'
}
spdx_everywhere() {
    awk 'FNR <= 3 && /SPDX-License-Identifier: Apache-2.0/ { has[FILENAME] = 1 }
        FNR == 3 { nextfile }
        END {
            for (i = 1; i < ARGC; i++) if (!(ARGV[i] in has)) { print ARGV[i] ": no SPDX line"; bad = 1 }
            exit bad
        }' "${SOURCES[@]}" "${SCRIPTS[@]}" "${PYTHON[@]}"
}
pragma_once() {
    local without
    without=$(git ls-files -co --exclude-standard '*.h' | xargs grep -L '^#pragma once')
    [ -z "$without" ] || { echo "$without: no #pragma once"; return 1; }
}
no_loose_todo() { ! git grep -nE '\b(TODO|FIXME|XXX|HACK)\b' -- '*.cc' '*.h' '*.py' '*.sh' ':!tools/check.sh' | grep -v 'TODO(#[0-9]'; }
tidy() {
    cmake --preset tidy >/dev/null && git ls-files '*.cc' | grep -v '^tests/fuzz' |
        xargs -P 2 -n 4 clang-tidy-19 -p build/tidy --quiet
}

lint "format" clang-format-19 --dry-run -Werror "${SOURCES[@]}"
lint "layers" python3 tools/check_layers.py
lint "shellcheck" shellcheck "${SCRIPTS[@]}"
lint "python compiles" python3 -m compileall -q "${PYTHON[@]}"
lint "seeded bugs apply" python3 -B tests/conformance/seeded.py --check
lint "spelling" codespell --ignore-words tools/codespell-ignore.txt \
    --skip 'build,.git,*.hex,tests/fuzz/seeds,tests/unit/openflow/vectors' --quiet-level 3
lint "SPDX" spdx_everywhere
lint "#pragma once" pragma_once
lint "file length" no_long_files
lint "no TODO without an issue" no_loose_todo
[ "$TIDY" = 0 ] || lint "clang-tidy" tidy
[ "$FAILED" = 0 ] && echo "check: all right" || echo "check: $FAILED failed" >&2
[ "$FAILED" = 0 ]
