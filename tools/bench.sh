#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev bench [OPTION...]: forwarding rates on one core beside dpdk-testpmd; see --help. Makes the
# laboratory (namespace, huge pages, clean-up) and the programs, tests/bench/bench.py does the rest.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
BENCH=(/usr/bin/python3 -B "$ROOT/tests/bench/bench.py")
case " $* " in *" -h "* | *" --help "*) exec "${BENCH[@]}" --help ;; esac
lab_private "$0" "$@"
need_packages build demo bench || exit 1
build_preset release "${PROGRAMS[@]}" bench-set >/dev/null || exit 1
lab_open
lab_huge_pages 2000
"${BENCH[@]}" --lab "$LAB" "$@"
STATUS=$?
[ "$STATUS" = 0 ] || { [ ! -f "$LAB/switch.log" ] || tail -n 20 "$LAB/switch.log" >&2; }
exit "$STATUS"
