# all the log objects' attribute
log -debuglevel 0
log -packetdump ""

# all the interface objects' attribute
interface :if1 create -type ethernet-rawsock -device h1-br -mtu 1400
interface :if2 create -type ethernet-rawsock -device h2-br
interface :if3 create -type ethernet-dpdk-phy -port-number 0
interface :if4 create -type ethernet-rawsock -device h3-br
interface :if5 create -type ethernet-dpdk-phy -device eth_af_packet0,iface=h4-br
interface :if6 create -type vxlan -dst-addr 172.16.0.2 -ni 100

# all the port objects' attribute
port :p1 create -interface :if1
port :p2 create -interface :if2
port :p3 create -interface :if3
port :p4 create -interface :if4
port :p5 create -interface :if5
port :p6 create -interface :if6 -policer :limit1

# all the bridge objects' attribute
bridge :lower create -dpid 1 -fail-mode secure -max-flows 4294967295 \
    -port :p1 1 -port :p2 2 -port :p3 3
bridge :upper create -dpid 2 -fail-mode standalone -mactable-ageing-time 60 \
    -port :p4 1 -port :p5 2 -port :p6 3

bridge :lower enable
bridge :upper enable

flow lower add priority=100 dl_type=arp apply_actions=output:flood
flow lower add priority=10 in_port=1 dl_type=0x0800 nw_dst=10.0.0.2/255.255.255.255 apply_actions=output:2
flow lower add priority=10 in_port=2 dl_type=0x0800 nw_dst=10.0.0.1 apply_actions=dec_nw_ttl,output:3
flow lower mod -strict priority=10 in_port=2 dl_type=ip nw_dst=10.0.0.1 apply_actions=output:1
flow lower add priority=5 in_port=3 gre_key=7 apply_actions=output:1
flow lower add table=1 priority=1 apply_actions=output:controller
flow lower del table=1
