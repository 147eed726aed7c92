#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/dev bench tcp [SECONDS]: one TCP stream of iperf3 between two network namespaces, through
# Raicho and through Open vSwitch's userspace datapath, in one run. Offloads stay as the kernel
# sets them, except in the rows that say otherwise; `ethtool -k` of every end is shown.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$ROOT/tools/setup.sh"
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
lab_private "$0" "$@"
SECS=${1:-5}
need_packages build demo test bench || exit 1
build_preset release "${PROGRAMS[@]}" >/dev/null || exit 1
BIN=$ROOT/build/release/bin
lab_open
lab_huge_pages 400
host h1 10.0.0.1/24 fd00::1/64 && host h2 10.0.0.2/24 fd00::2/64 || exit 1
ip link add mid-a type veth peer name mid-b && echo mid-a >>"$LAB/links"
# Two tags of 4 bytes: Linux refuses a packet socket's frame that is larger than the MTU and one tag.
ip link set mid-a mtu 1508 up && ip link set mid-b mtu 1508 up
FAILED=0

echo "== offloads (nothing was changed)"
for end in h1-br h2-br; do
    echo "$end: $(ethtool -k $end | grep -E '^(tx-checksumming|rx-checksumming|tcp-segmentation-offload|generic-segmentation-offload|generic-receive-offload|tx-checksum-sctp):' | tr -s '\n\t ' ' ')"
done
for end in h1 h2; do
    echo "$end eth0: $(on $end ethtool -k eth0 | grep -E '^(tx-checksumming|rx-checksumming|tcp-segmentation-offload|generic-segmentation-offload|generic-receive-offload):' | tr -s '\n\t ' ' ')"
done

# Mbit/s of one TCP stream from h1 to the address; 0 when nothing came through.
stream() {
    on h2 timeout $((SECS + 10)) iperf3 -s -1 -J >/dev/null 2>&1 &
    wait_until 5 sh -c "nsenter --net=/proc/$(host_pid h2)/ns/net ss -Hltn 'sport = :5201' | grep -q ."
    on h1 timeout $((SECS + 8)) iperf3 -c "$1" -t "$SECS" -J 2>/dev/null >"$LAB/iperf.json"
    on h2 pkill -x iperf3 2>/dev/null
    wait %% 2>/dev/null
    /usr/bin/python3 -c '
import json, sys
try:
    print(round(json.load(open(sys.argv[1]))["end"]["sum_received"]["bits_per_second"] / 1e6))
except (ValueError, KeyError):
    print(0)' "$LAB/iperf.json"
}
row() { # row TEXT V4 V6
    printf '%-52s %8s %8s\n' "$@"
}
reach() { wait_until 10 on h1 ping -c 1 -W 1 10.0.0.2 && wait_until 10 on h1 ping -6 -c 1 -W 1 fd00::2; }
stop() {
    kill -TERM "$1"
    tail --pid="$1" -f /dev/null
}
at_least() { # at_least TEXT MBITS LEAST
    [ "$2" -ge "$3" ] || {
        echo "FAILED: $1: $2 Mbit/s, at least $3 wanted"
        FAILED=1
    }
}

echo "== one TCP stream, $SECS s, Mbit/s"
row "" IPv4 IPv6
printf 'bridge br0 {\n  port h1-br 1\n  port h2-br 2\n}\n' >"$LAB/one.conf"
switch_start "$LAB/one.conf" || exit 1
reach || echo "warning: no ping through raicho"
OURS4=$(stream 10.0.0.2) OURS6=$(stream fd00::2)
row "raicho, af-packet, default offloads" "$OURS4" "$OURS6"
at_least "IPv4" "$OURS4" 2500
at_least "IPv6" "$OURS6" 2500
for end in h1-br h2-br; do ethtool -K $end tso off gso off tx off >/dev/null; done
A=$(stream 10.0.0.2) B=$(stream fd00::2)
row "raicho, tso gso tx off on the switch's side" "$A" "$B"
at_least "IPv4, offloads off on the switch's side" "$A" 2500
at_least "IPv6, offloads off on the switch's side" "$B" 2500
for end in h1-br h2-br; do ethtool -K $end tso on gso on tx on >/dev/null; done
stop "$SWITCH"

# Two bridges: frames travel from one to the other with one or two tags.
tagged_conf() { # tagged_conf PUSH POP
    cat <<EOF
bridge br0 {
  port h1-br 1
  port mid-a 2
  flow "in_port=1 actions=$1,output:2"
  flow "in_port=2 actions=$2,output:1"
}
bridge br1 {
  port mid-b 1
  port h2-br 2
  flow "in_port=1 actions=$2,output:2"
  flow "in_port=2 actions=$1,output:1"
}
EOF
}
TAG="push_vlan:0x8100,set_field:4196->vlan_vid"
tagged_conf "$TAG" pop_vlan >"$LAB/tag.conf"
tagged_conf "$TAG,push_vlan:0x88a8,set_field:4296->vlan_vid" pop_vlan,pop_vlan >"$LAB/tags.conf"
for kind in "tag one" "tags two"; do
    switch_start "$LAB/${kind%% *}.conf" || exit 1
    reach || echo "warning: no ping with ${kind##* } tags"
    A=$(stream 10.0.0.2) B=$(stream fd00::2)
    row "raicho, two bridges, ${kind##* } VLAN tag(s) between them" "$A" "$B"
    at_least "IPv4, ${kind##* } tag(s)" "$A" 2500
    at_least "IPv6, ${kind##* } tag(s)" "$B" 2500
    stop "$SWITCH"
done

BEST4=0 BEST6=0
for kind in "system" "system userspace-tso-enable=true" "afxdp"; do
    read -r type setting <<<"$kind"
    rm -rf "$LAB/ovs"
    ovs_start ${setting:+"$setting"} >/dev/null 2>&1 || { row "ovs, $kind: does not start" - -; continue; }
    ovs_db=$(sed -n '$=' "$LAB/pids")
    for n in 1 2; do ovs -t 10 add-port br0 "h$n-br" -- set interface "h$n-br" type="$type" "ofport_request=$n" >/dev/null 2>&1; done
    ovs-ofctl -O OpenFlow13 add-flow "unix:$OVS_DIR/br0.mgmt" "actions=normal"
    reach
    A=$(stream 10.0.0.2) B=$(stream fd00::2)
    row "ovs userspace, type=$kind" "$A" "$B"
    [ "$A" -gt "$BEST4" ] && BEST4=$A
    [ "$B" -gt "$BEST6" ] && BEST6=$B
    stop "$OVS"
    stop "$(sed -n "$((ovs_db - 1))p" "$LAB/pids")"
done
at_least "IPv4 beside Open vSwitch's best" "$OURS4" $((BEST4 + 1))
at_least "IPv6 beside Open vSwitch's best" "$OURS6" $((BEST6 + 1))
[ "$FAILED" = 0 ] && echo "bench tcp: all right"
exit "$FAILED"
