# SPDX-License-Identifier: Apache-2.0
"""A learning switch in four tables that says first which pipeline it wants (table features), as
Faucet and others do; to be run by osken-manager:

    osken-manager --ofp-tcp-listen-port 6653 examples/pipeline.py

    0 admission   what may come in at all: no LLDP, no multicast source
    1 source      knows the addresses that were learned, asks the controller about others
    2 destination sends to the port of a learned address
    3 flood       all the rest

The addresses' flows time out by themselves (idle in the source table, and the switch tells:
flow-removed); the controller then takes their destination flow away.
"""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ether_types, ethernet, packet
from os_ken.ofproto import ofproto_v1_3

ADMISSION, SOURCE, DESTINATION, FLOOD = range(4)
NAMES = ("admission", "source", "destination", "flood")
SIZES = (64, 1024, 1024, 16)
IDLE_S = 60


class Pipeline(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.offered = {}  # dpid -> tables that the switch offers
        self.wanted = set()  # dpids that were told which tables we want

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_arrived(self, event):
        datapath = event.msg.datapath
        self.offered[datapath.id] = []
        self.wanted.discard(datapath.id)
        datapath.send_msg(datapath.ofproto_parser.OFPTableFeaturesStatsRequest(datapath, 0, []))

    @set_ev_cls(ofp_event.EventOFPTableFeaturesStatsReply, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def features_are(self, event):
        """The first reply says what the switch can do, the second what it does from now on."""
        message = event.msg
        datapath = message.datapath
        tables = self.offered[datapath.id]
        tables.extend(message.body)
        if message.flags & datapath.ofproto.OFPMPF_REPLY_MORE:
            return
        self.offered[datapath.id] = []
        if datapath.id not in self.wanted:
            self.wanted.add(datapath.id)
            datapath.send_msg(datapath.ofproto_parser.OFPTableFeaturesStatsRequest(
                datapath, 0, [self.shaped(datapath, table) for table in tables[:len(NAMES)]]))
            return
        self.logger.info("switch %016x: tables %s", datapath.id,
                         " ".join(f"{table.name.decode()}:{table.max_entries}" for table in tables))
        self.install(datapath)

    @staticmethod
    def shaped(datapath, table):
        """What the table offers, with our name and size, leading to our later tables only."""
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        table.name = NAMES[table.table_id].encode()  # os-ken knows names as bytes
        table.max_entries = SIZES[table.table_id]
        last = table.table_id == len(NAMES) - 1
        for prop in table.properties:
            if isinstance(prop, parser.OFPTableFeaturePropNextTables):
                prop.table_ids = [n for n in prop.table_ids if n < len(NAMES)]
            elif last and isinstance(prop, parser.OFPTableFeaturePropInstructions):
                prop.instruction_ids = [i for i in prop.instruction_ids
                                        if i.type != proto.OFPIT_GOTO_TABLE]
        return table

    def install(self, datapath):
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        for match in (parser.OFPMatch(eth_type=ether_types.ETH_TYPE_LLDP),
                      parser.OFPMatch(eth_src=("01:00:00:00:00:00", "01:00:00:00:00:00"))):
            self.add_flow(datapath, ADMISSION, 10, match, [])
        to_next = [parser.OFPInstructionGotoTable(n) for n in range(len(NAMES))]
        ask = parser.OFPInstructionActions(
            proto.OFPIT_APPLY_ACTIONS,
            [parser.OFPActionOutput(proto.OFPP_CONTROLLER, proto.OFPCML_NO_BUFFER)])
        flood = parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS,
                                             [parser.OFPActionOutput(proto.OFPP_FLOOD)])
        self.add_flow(datapath, ADMISSION, 0, parser.OFPMatch(), [to_next[SOURCE]])
        self.add_flow(datapath, SOURCE, 0, parser.OFPMatch(), [ask, to_next[DESTINATION]])
        self.add_flow(datapath, DESTINATION, 0, parser.OFPMatch(), [to_next[FLOOD]])
        self.add_flow(datapath, FLOOD, 0, parser.OFPMatch(), [flood])

    @staticmethod
    def add_flow(datapath, table, priority, match, instructions, **more):
        datapath.send_msg(datapath.ofproto_parser.OFPFlowMod(
            datapath=datapath, table_id=table, priority=priority, match=match,
            instructions=instructions, **more))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_arrived(self, event):
        """An address at a port that table 1 does not know: the packet goes on meanwhile."""
        message = event.msg
        datapath = message.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        port = message.match["in_port"]
        address = packet.Packet(message.data).get_protocol(ethernet.ethernet).src
        self.logger.info("switch %016x: %s is at port %d", datapath.id, address, port)
        out = parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS,
                                           [parser.OFPActionOutput(port)])
        self.add_flow(datapath, DESTINATION, 10, parser.OFPMatch(eth_dst=address), [out])
        self.add_flow(datapath, SOURCE, 10, parser.OFPMatch(in_port=port, eth_src=address),
                      [parser.OFPInstructionGotoTable(DESTINATION)], idle_timeout=IDLE_S,
                      flags=proto.OFPFF_SEND_FLOW_REM)

    @set_ev_cls(ofp_event.EventOFPFlowRemoved, MAIN_DISPATCHER)
    def flow_removed(self, event):
        message = event.msg
        datapath = message.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        if message.table_id != SOURCE or message.reason != proto.OFPRR_IDLE_TIMEOUT:
            return
        address, port = message.match["eth_src"], message.match["in_port"]
        self.logger.info("switch %016x: %s is gone from port %d", datapath.id, address, port)
        datapath.send_msg(parser.OFPFlowMod(
            datapath=datapath, table_id=DESTINATION, command=proto.OFPFC_DELETE, out_port=port,
            out_group=proto.OFPG_ANY, match=parser.OFPMatch(eth_dst=address)))

    @set_ev_cls(ofp_event.EventOFPErrorMsg, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def refused(self, event):
        self.logger.error("switch %016x refuses: type %d code %d", event.msg.datapath.id,
                          event.msg.type, event.msg.code)
