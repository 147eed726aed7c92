# Two bridges joined by a pipe, a host at each end.
interface outer1 create -type ethernet-rawsock -device h1-br
interface inner1 create -type ethernet-dpdk-phy -device net_pipe0
interface inner2 create -type ethernet-dpdk-phy -device net_pipe1,attach=net_pipe0
interface outer2 create -type ethernet-rawsock -device h2-br
port outer1 create -interface outer1
port inner1 create -interface inner1
port inner2 create -interface inner2
port outer2 create -interface outer2
bridge left create -dpid 0xa -port outer1 1 -port inner1 2
bridge right create -dpid 0xb -port outer2 1 -port inner2 2
bridge left enable
bridge right enable
flow left add in_port=1 apply_actions=output:2
flow left add in_port=2 apply_actions=output:1
flow right add in_port=1 apply_actions=output:2
flow right add in_port=2 apply_actions=output:1
