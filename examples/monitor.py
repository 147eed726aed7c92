# SPDX-License-Identifier: Apache-2.0
"""Asks every switch for all of its statistics once a second and says what it learned; to be run by
osken-manager (or ryu-manager) beside the application that makes the switch forward:

    osken-manager examples/learning_switch.py examples/monitor.py

A line a second and switch: how many of the questions were answered, how many flows, groups and
meters there are, how busy the tables were; then a line for each port that had traffic.
"""

try:
    from os_ken.base import app_manager
    from os_ken.controller import ofp_event
    from os_ken.controller.handler import (DEAD_DISPATCHER, MAIN_DISPATCHER, HANDSHAKE_DISPATCHER,
                                           CONFIG_DISPATCHER, set_ev_cls)
    from os_ken.lib import hub
    from os_ken.ofproto import ofproto_v1_3
    APP = app_manager.OSKenApp
except ImportError:
    from ryu.base import app_manager
    from ryu.controller import ofp_event
    from ryu.controller.handler import (DEAD_DISPATCHER, MAIN_DISPATCHER, HANDSHAKE_DISPATCHER,
                                        CONFIG_DISPATCHER, set_ev_cls)
    from ryu.lib import hub
    from ryu.ofproto import ofproto_v1_3
    APP = app_manager.RyuApp

PERIOD_S = 1

# What a round asks for, by the name that os-ken's replies have.
QUESTIONS = ("DescStats", "FlowStats", "AggregateStats", "TableStats", "TableFeaturesStats",
             "PortStats", "PortDescStats", "QueueStats", "GroupStats", "GroupDescStats",
             "GroupFeaturesStats", "MeterStats", "MeterConfigStats", "MeterFeaturesStats")


def requests(datapath):
    """One request of each kind, for all there is."""
    parser, proto = datapath.ofproto_parser, datapath.ofproto
    everything = (0, proto.OFPTT_ALL, proto.OFPP_ANY, proto.OFPG_ANY, 0, 0, parser.OFPMatch())
    arguments = {
        "FlowStats": everything,
        "AggregateStats": everything,
        "TableFeaturesStats": (0, []),
        "PortStats": (0, proto.OFPP_ANY),
        "QueueStats": (0, proto.OFPP_ANY, proto.OFPQ_ALL),
        "GroupStats": (0, proto.OFPG_ALL),
        "MeterStats": (0, proto.OFPM_ALL),
        "MeterConfigStats": (0, proto.OFPM_ALL),
    }
    return [getattr(parser, f"OFP{kind}Request")(datapath, *arguments.get(kind, (0,)))
            for kind in QUESTIONS]


class Round:
    """The answers to one second's questions."""

    def __init__(self, number):
        self.number = number
        self.answered = {}  # kind -> entries, of replies that are complete
        self.parts = {}

    def take(self, kind, message):
        """Keeps a part of a reply; True when it was the last part of the last reply."""
        body = message.body
        self.parts.setdefault(kind, []).extend(body if isinstance(body, list) else [body])
        if not message.flags & message.datapath.ofproto.OFPMPF_REPLY_MORE:
            self.answered[kind] = self.parts.pop(kind)
        return len(self.answered) == len(QUESTIONS)


class Monitor(APP):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.datapaths = {}  # dpid -> datapath
        self.rounds = {}     # dpid -> the round under way
        self.ports = {}      # (dpid, port) -> its counters a round ago
        self.number = 0
        hub.spawn(self.ask)

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def switch_changed(self, event):
        datapath = event.datapath
        if event.state == MAIN_DISPATCHER:
            self.datapaths[datapath.id] = datapath
        elif self.datapaths.get(datapath.id) is datapath:
            del self.datapaths[datapath.id]
            self.rounds.pop(datapath.id, None)

    def ask(self):
        while True:
            self.number += 1
            for dpid, datapath in list(self.datapaths.items()):
                late = self.rounds.get(dpid)
                if late is not None:
                    missing = sorted(set(QUESTIONS) - set(late.answered))
                    self.logger.warning("switch %016x round %d: no answer to %s", dpid, late.number,
                                        " ".join(missing))
                self.rounds[dpid] = Round(self.number)
                for request in requests(datapath):
                    datapath.send_msg(request)
            hub.sleep(PERIOD_S)

    def take(self, kind, message):
        dpid = message.datapath.id
        under_way = self.rounds.get(dpid)
        if under_way is not None and under_way.take(kind, message):
            del self.rounds[dpid]
            self.report(dpid, under_way.number, under_way.answered)

    def report(self, dpid, number, answers):
        aggregate = answers["AggregateStats"][0]
        lookups = sum(table.lookup_count for table in answers["TableStats"])
        matched = sum(table.matched_count for table in answers["TableStats"])
        self.logger.info(
            "switch %016x round %d: %d of %d answered flows=%d packets=%d groups=%d meters=%d "
            "queues=%d lookups=%d matched=%d", dpid, number, len(answers), len(QUESTIONS),
            aggregate.flow_count, aggregate.packet_count, len(answers["GroupStats"]),
            len(answers["MeterStats"]), len(answers["QueueStats"]), lookups, matched)
        for port in answers["PortStats"]:
            now = (port.rx_packets, port.tx_packets, port.rx_bytes, port.tx_bytes)
            before = self.ports.get((dpid, port.port_no), now)
            self.ports[dpid, port.port_no] = now
            if now != before:
                self.logger.info(
                    "switch %016x port %d: received %d packets sent %d, in all %d and %d", dpid,
                    port.port_no, now[0] - before[0], now[1] - before[1], now[0], now[1])

    @set_ev_cls(ofp_event.EventOFPErrorMsg,
                [HANDSHAKE_DISPATCHER, CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def refused(self, event):
        message = event.msg
        self.logger.error("switch %016x refuses: type %d code %d", message.datapath.id or 0,
                          message.type, message.code)


def _handler(kind):
    @set_ev_cls(getattr(ofp_event, f"EventOFP{kind}Reply"), MAIN_DISPATCHER)
    def handler(self, event):
        self.take(kind, event.msg)
    return handler


for _kind in QUESTIONS:
    setattr(Monitor, f"answer_{_kind}", _handler(_kind))
