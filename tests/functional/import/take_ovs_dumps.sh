#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets a live Open vSwitch up as three labs and keeps what its tools print: the texts beside this
# script, which the import test reads. Run it by hand to take them anew (as root).
#     tests/functional/import/take_ovs_dumps.sh
set -u
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../../.." && pwd)
# shellcheck source=tools/lab.sh
. "$ROOT/tools/lab.sh"
lab_private "$0" "$@"
lab_open

bridge() { # bridge NAME DPID: a user-space bridge
    ovs -t 20 add-br "$1" -- set bridge "$1" datapath_type=netdev fail-mode=secure \
        protocols=OpenFlow10,OpenFlow13 "other-config:datapath-id=$2"
}
port() { # port BRIDGE NAME NUMBER [SETTING...]
    local bridge=$1 name=$2 number=$3
    shift 3
    ovs -t 20 add-port "$bridge" "$name" -- set interface "$name" "ofport_request=$number" "$@"
}
flows() { # flows BRIDGE: from standard input, as an operator would add them
    ovs-ofctl add-flows "$1" -
}
# keep FILE COMMAND...: a transcript of the commands, each before its answer.
keep() {
    local file=$HERE/$1 command
    shift
    for command in "$@"; do
        echo "\$ $command"
        # shellcheck disable=SC2086
        case $command in
            ovs-vsctl*) ovs ${command#ovs-vsctl } ;;
            *) $command ;;
        esac
    done >"$file"
    echo "$file: $(wc -l <"$file") lines"
}

# The DPDK edition, for vhost ports; it starts with huge pages only.
lab_huge_pages 400
mkdir "$LAB/bin"
ln -s /usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk "$LAB/bin/ovs-vswitchd"
PATH=$LAB/bin:$PATH
ovs_start dpdk-init=true dpdk-socket-mem=256 || { tail "$OVS_DIR"/*.log; exit 1; }
ovs del-br br0

# A NAT lab: two hosts, the bridge's own interface as their gateway, an outside host behind
# addresses that flows rewrite; one host's addresses are translated by connection tracking.
for name in h1 h2 out; do host "$name" 10.0.0.9/24; done
bridge nat0 00000000000000aa
port nat0 h1-br 1
port nat0 h2-br 2
port nat0 out-br 3
flows nat0 <<'EOF'
table=0,priority=100,arp actions=NORMAL
table=0,priority=60,ip,in_port=2,nw_src=10.0.0.12,nw_dst=192.0.2.0/24 actions=ct(commit,zone=1,nat(src=192.0.2.12)),output:3
table=0,priority=50,ip,in_port=1,nw_src=10.0.0.11,nw_dst=192.0.2.0/24 actions=dec_ttl,mod_nw_src:192.0.2.11,mod_dl_src:02:00:00:00:aa:01,mod_dl_dst:02:00:00:00:aa:ff,output:3
table=0,priority=50,ip,in_port=3,nw_dst=192.0.2.11 actions=dec_ttl,mod_nw_dst:10.0.0.11,load:0x02000000aa02->NXM_OF_ETH_SRC[],load:0x020000000011->NXM_OF_ETH_DST[],output:1
table=0,priority=40,cookie=0x1a,ip,nw_dst=10.0.0.1 actions=LOCAL
table=0,priority=10,in_port=LOCAL actions=NORMAL
table=0,priority=5,ip actions=resubmit(,1)
table=1,priority=10,tcp,tp_dst=22 actions=drop
table=1,priority=0 actions=NORMAL
EOF
keep ovs-nat.txt "ovs-vsctl show" "ovs-ofctl show nat0" "ovs-ofctl dump-flows nat0"
ovs del-br nat0

# One end of a VXLAN pair: two tenants' hosts, a tunnel to the other end, a controller, a manager.
bridge vx1 0000000000000101
port vx1 h1-br 1
port vx1 h2-br 2
port vx1 vx0 10 type=vxlan options:remote_ip=172.16.0.2 options:key=flow options:dst_port=4789
ovs set port h2-br tag=20
ovs set-controller vx1 tcp:127.0.0.1:26999 ptcp:26998:127.0.0.1
ovs set-manager ptcp:26997:127.0.0.1
flows vx1 <<'EOF'
priority=20,in_port=1,dl_dst=02:00:00:00:00:12 actions=output:2
priority=20,in_port=2,dl_dst=02:00:00:00:00:11 actions=output:1
priority=20,arp,in_port=1 actions=output:2,set_field:0x64->tun_id,output:10
priority=20,arp,in_port=2 actions=output:1
priority=10,in_port=1 actions=set_field:0x64->tun_id,output:10
priority=10,tun_id=0x64,in_port=10 actions=output:1
EOF
keep ovs-vxlan.txt "ovs-vsctl show" "ovs-ofctl -O OpenFlow13 show vx1" \
    "ovs-ofctl -O OpenFlow13 dump-flows vx1"
ovs del-manager
ovs del-br vx1

# A vhost lab: two virtual machines, an uplink, a second bridge behind a patch; flows by names.
bridge vms 0000000000000201
bridge edge 0000000000000202
port vms vm1 1 type=dpdkvhostuserclient options:vhost-server-path=/tmp/raicho-import/vm1.sock
port vms vm2 2 type=dpdkvhostuser
port vms out-br 3
port vms to-edge 4 type=patch options:peer=to-vms
port edge to-vms 1 type=patch options:peer=to-edge
port edge h1-br 2
port edge mgmt0 3 type=internal
flows vms <<'EOF'
priority=10,in_port=1 actions=output:3
priority=10,in_port=3,dl_dst=02:00:00:00:00:31 actions=output:1
priority=10,arp,in_port=3 actions=output:1,output:2,output:4
priority=5 actions=NORMAL
EOF
flows edge <<'EOF'
priority=10,dl_vlan=0xffff,in_port=2 actions=mod_vlan_vid:30,output:1
priority=10,dl_vlan=30,in_port=1 actions=strip_vlan,output:2
priority=1 actions=enqueue:3:1
EOF
keep ovs-vhost.txt "ovs-vsctl show" "ovs-ofctl show vms" "ovs-ofctl show edge" \
    "ovs-ofctl --names dump-flows vms" "ovs-ofctl dump-flows edge"
