# SPDX-License-Identifier: Apache-2.0
"""Two ways between two switches, to be run by osken-manager:

    osken-manager --ofp-tcp-listen-port 6653 examples/multipath.py

Each switch has its host at port 1 and the ways to the other one at ports 2 and 3. IP traffic is
spread over both ways by a select group, flow by flow; everything else (ARP) takes the first way
that is up, by a fast-failover group. Both groups watch their ports: when a way goes down the
switch moves the traffic itself, the controller is not asked.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ether_types
from os_ken.ofproto import ofproto_v1_3

HOST, WAYS = 1, (2, 3)
SPREAD, FAILOVER = 1, 2  # groups


class Multipath(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_arrived(self, event):
        datapath = event.msg.datapath
        datapath.send_msg(datapath.ofproto_parser.OFPGroupDescStatsRequest(datapath, 0))

    @set_ev_cls(ofp_event.EventOFPGroupDescStatsReply, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def groups_are(self, event):
        """Groups that are there are left alone, with their counters."""
        datapath = event.msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        present = {group.group_id for group in event.msg.body}
        for group, kind, weight in ((SPREAD, proto.OFPGT_SELECT, 1), (FAILOVER, proto.OFPGT_FF, 0)):
            if group in present:
                continue
            buckets = [parser.OFPBucket(weight=weight, watch_port=way, watch_group=proto.OFPG_ANY,
                                        actions=[parser.OFPActionOutput(way)]) for way in WAYS]
            datapath.send_msg(parser.OFPGroupMod(datapath, proto.OFPGC_ADD, kind, group, buckets))
        self.add_flow(datapath, 2, parser.OFPMatch(in_port=HOST, eth_type=ether_types.ETH_TYPE_IP),
                      parser.OFPActionGroup(SPREAD))
        self.add_flow(datapath, 1, parser.OFPMatch(in_port=HOST), parser.OFPActionGroup(FAILOVER))
        for way in WAYS:
            self.add_flow(datapath, 1, parser.OFPMatch(in_port=way), parser.OFPActionOutput(HOST))
        self.logger.info("switch %016x: groups %s", datapath.id,
                         "kept" if present else "installed")

    @staticmethod
    def add_flow(datapath, priority, match, action):
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        apply = parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS, [action])
        datapath.send_msg(parser.OFPFlowMod(datapath=datapath, priority=priority, match=match,
                                            instructions=[apply]))

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port_changed(self, event):
        port, proto = event.msg.desc, event.msg.datapath.ofproto
        self.logger.info("switch %016x port %d: %s", event.msg.datapath.id, port.port_no,
                         "down" if port.state & proto.OFPPS_LINK_DOWN else "up")

    @set_ev_cls(ofp_event.EventOFPErrorMsg, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def refused(self, event):
        self.logger.error("switch %016x refuses: type %d code %d", event.msg.datapath.id,
                          event.msg.type, event.msg.code)
