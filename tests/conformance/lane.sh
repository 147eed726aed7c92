#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lane.sh raicho|ovs BIN WORKERS EXTRA_CONFIG [EXAMINER_OPTIONS...]: one switch with three links in a
# network namespace of its own, and an examiner that reads cases on standard input and answers on
# standard output (lane.py). Ends, and leaves nothing, when its input ends. Started by run.py,
# several at once.
set -u
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
lab_private "$0" "$@"
KIND=$1 BIN=$2 WORKERS=$3 EXTRA=$4
shift 4
exec 3<&0
lab_open
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
for n in 1 2 3; do link "c$n" || exit 1; done

PYTHONDONTWRITEBYTECODE=1 setpriv --pdeathsig TERM /usr/bin/python3 "$ROOT/tests/conformance/lane.py" \
    --traffic "$BIN/conformance-traffic" --log "$LAB/switch.log" --listening "$LAB/listening" "$@" <&3 &
EXAMINER=$!
wait_until 20 test -e "$LAB/listening" || { echo "error: the examiner did not start" >&2; exit 1; }

case $KIND in
    raicho)
        cat >"$LAB/switch.conf" <<EOF
agent { max-flows 4096 }
dataplane { workers $WORKERS }
bridge br0 {
  fail-mode secure
  port c1-br 1
  port c2-br 2
  port c3-br 3
  controller tcp:127.0.0.1:6653
  $EXTRA
}
EOF
        switch_start "$LAB/switch.conf" || { kill "$EXAMINER"; exit 1; }
        ;;
    ovs)
        ovs_start flow-limit=0 || { cat "$OVS_DIR/vswitchd.out" >&2; kill "$EXAMINER"; exit 1; }
        for n in 1 2 3; do ovs -t 10 add-port br0 "c$n-br" -- set interface "c$n-br" "ofport_request=$n"; done
        ovs -t 10 set-controller br0 tcp:127.0.0.1:6653 -- set bridge br0 other_config:disable-in-band=true
        ;;
    *) echo "error: which switch is \"$KIND\"?" >&2; kill "$EXAMINER"; exit 2 ;;
esac
wait "$EXAMINER"
