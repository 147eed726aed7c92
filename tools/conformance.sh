#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev conformance: builds the switch and runs the public switch-certification suite against it
# (tests/conformance/run.py --help). Exit 3: no patterns there, nothing was run. With --seeded it
# puts bugs into the switch and looks whether the suite notices (seeded.py).
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
cd "$ROOT" || exit 1
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
case " $* " in
    *' --seeded '*)
        need_packages build demo || exit 1
        for word; do
            shift
            [ "$word" = --seeded ] || set -- "$@" "$word"
        done
        exec /usr/bin/python3 -B tests/conformance/seeded.py "$@"
        ;;
    *' --help '* | *' -h '*) exec /usr/bin/python3 -B tests/conformance/run.py --help ;;
    *'ovs '*) need_packages build demo bench || exit 1 ;;
    *) need_packages build demo || exit 1 ;;
esac
build_preset release "${PROGRAMS[@]}" conformance-traffic >/dev/null || exit 1
exec /usr/bin/python3 -B tests/conformance/run.py "$@"
