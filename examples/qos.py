# SPDX-License-Identifier: Apache-2.0
"""Quality of service for a switch that forwards by itself (NORMAL), to be run by osken-manager:

    osken-manager --ofp-tcp-listen-port 6653 examples/qos.py

Table 0 says what a packet is worth, table 1 forwards it. Traffic to the UDP ports of METERED is
held to a rate by a meter; traffic to those of QUEUED leaves through an egress queue of the port,
where the switch has one of that number. Meters that are as they should be are left alone, with
their counters, so that the controller can be started again at any time.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ether_types, in_proto
from os_ken.ofproto import ofproto_v1_3

METERED = {5001: (1, 2000), 5002: (2, 500)}  # UDP port: (meter, kbit/s)
QUEUED = {5003: 1, 5004: 2}                  # UDP port: queue


class QualityOfService(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_arrived(self, event):
        datapath = event.msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        forward = [parser.OFPActionOutput(proto.OFPP_NORMAL)]
        self.add_flow(datapath, 1, 0, parser.OFPMatch(),
                      [parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS, forward)])
        self.add_flow(datapath, 0, 0, parser.OFPMatch(), [parser.OFPInstructionGotoTable(1)])
        datapath.send_msg(parser.OFPMeterConfigStatsRequest(datapath, 0, proto.OFPM_ALL))
        datapath.send_msg(parser.OFPQueueGetConfigRequest(datapath, proto.OFPP_ANY))

    @staticmethod
    def add_flow(datapath, table, priority, match, instructions):
        datapath.send_msg(datapath.ofproto_parser.OFPFlowMod(
            datapath=datapath, table_id=table, priority=priority, match=match,
            instructions=instructions))

    @staticmethod
    def to_udp_port(datapath, number):
        return datapath.ofproto_parser.OFPMatch(eth_type=ether_types.ETH_TYPE_IP,
                                                ip_proto=in_proto.IPPROTO_UDP, udp_dst=number)

    @set_ev_cls(ofp_event.EventOFPMeterConfigStatsReply, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def meters_are(self, event):
        datapath = event.msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        present = {meter.meter_id: [band.rate for band in meter.bands] for meter in event.msg.body}
        for udp_port, (meter, rate) in METERED.items():
            if present.get(meter) != [rate]:
                command = proto.OFPMC_MODIFY if meter in present else proto.OFPMC_ADD
                datapath.send_msg(parser.OFPMeterMod(
                    datapath, command, proto.OFPMF_KBPS | proto.OFPMF_STATS, meter,
                    [parser.OFPMeterBandDrop(rate=rate, burst_size=0)]))
            self.add_flow(datapath, 0, 10, self.to_udp_port(datapath, udp_port),
                          [parser.OFPInstructionMeter(meter), parser.OFPInstructionGotoTable(1)])
        self.logger.info("switch %016x: meters %s", datapath.id,
                         "kept" if present else "installed")

    @set_ev_cls(ofp_event.EventOFPQueueGetConfigReply, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def queues_are(self, event):
        datapath = event.msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        present = {queue.queue_id for queue in event.msg.queues}
        for udp_port, queue in QUEUED.items():
            if queue in present:
                to_queue = [parser.OFPActionSetQueue(queue)]
                self.add_flow(datapath, 0, 10, self.to_udp_port(datapath, udp_port),
                              [parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS, to_queue),
                               parser.OFPInstructionGotoTable(1)])
        self.logger.info("switch %016x: queues %s", datapath.id, sorted(present) or "none")

    @set_ev_cls(ofp_event.EventOFPErrorMsg, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def refused(self, event):
        self.logger.error("switch %016x refuses: type %d code %d", event.msg.datapath.id,
                          event.msg.type, event.msg.code)
