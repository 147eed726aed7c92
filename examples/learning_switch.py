# SPDX-License-Identifier: Apache-2.0
"""A learning switch for OpenFlow 1.3, to be run by osken-manager (or ryu-manager).

    osken-manager --ofp-tcp-listen-port 6653 examples/learning_switch.py

It behaves as Ryu's simple_switch_13: a table-miss entry sends unknown traffic here; each packet
teaches on which port its source lives; once the destination is known, a flow on
in_port, eth_src and eth_dst lets the switch forward by itself.
"""

try:
    from os_ken.base import app_manager
    from os_ken.controller import ofp_event
    from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
    from os_ken.lib.packet import ether_types, ethernet, packet
    from os_ken.ofproto import ofproto_v1_3
    APP = app_manager.OSKenApp
except ImportError:
    from ryu.base import app_manager
    from ryu.controller import ofp_event
    from ryu.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
    from ryu.lib.packet import ether_types, ethernet, packet
    from ryu.ofproto import ofproto_v1_3
    APP = app_manager.RyuApp


class LearningSwitch(APP):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = {}  # (dpid, Ethernet address) -> port it was last seen on

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_arrived(self, event):
        datapath = event.msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        self.logger.info("switch %016x connected", datapath.id)
        to_controller = parser.OFPActionOutput(proto.OFPP_CONTROLLER, proto.OFPCML_NO_BUFFER)
        self.add_flow(datapath, 0, parser.OFPMatch(), [to_controller])

    @staticmethod
    def add_flow(datapath, priority, match, actions):
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        apply = parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS, actions)
        datapath.send_msg(parser.OFPFlowMod(datapath=datapath, priority=priority, match=match,
                                            instructions=[apply]))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_arrived(self, event):
        message = event.msg
        datapath = message.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        in_port = message.match["in_port"]
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        if frame is None or frame.ethertype == ether_types.ETH_TYPE_LLDP:
            return
        self.logger.info("packet in %016x port %s %s -> %s", datapath.id, in_port, frame.src,
                         frame.dst)
        self.ports[datapath.id, frame.src] = in_port
        out_port = self.ports.get((datapath.id, frame.dst), proto.OFPP_FLOOD)
        actions = [parser.OFPActionOutput(out_port)]
        if out_port != proto.OFPP_FLOOD:
            match = parser.OFPMatch(in_port=in_port, eth_dst=frame.dst, eth_src=frame.src)
            self.add_flow(datapath, 1, match, actions)
        datapath.send_msg(parser.OFPPacketOut(
            datapath=datapath, buffer_id=proto.OFP_NO_BUFFER, in_port=in_port, actions=actions,
            data=message.data))
