# SPDX-License-Identifier: Apache-2.0
"""One case of the suite on one switch: prepare, read back, send, judge. What passes and what fails
is the suite's: the first frame that comes counts, byte for byte; throughput is within 10 %."""

import select
import struct
import time
from dataclasses import dataclass, field

import frames
import openflow
from openflow import Entry, PacketIn, Refused, Silent, sent_entry

REPLY_SECONDS = 3.0
STATS_SECONDS = 1.0  # counters may be that old
REASONS = {0: "no match", 1: "action", 2: "invalid ttl"}


@dataclass
class Failure(Exception):
    """Why a case failed: a line, and lines that show it."""
    reason: str
    lines: list = field(default_factory=list)


class Examiner:
    """`links` are the far ends of ports 1, 2 and 3; `traffic` sends and counts many frames;
    `beside` are flow-mods of flows that lie in the tables beside each case's."""

    def __init__(self, controller, links, traffic, beside=()):
        self.beside = beside
        self.controller = controller
        self.links = links
        self.traffic = traffic

    def examine(self, case):
        """Returns when the case passed, else raises Failure."""
        test = case["tests"][0]
        self.clear()
        for text in case["prerequisite"]:
            self.prepare(bytes.fromhex(text))
        for link in self.links:
            link.drain()
        self.controller.take()
        self.controller.packet_ins.clear()
        if "table-miss" in test:
            self.table_miss(bytes.fromhex(test["ingress"]), test["table-miss"])
        elif "packets" in test:
            self.throughput(test)
        else:
            self.one_frame(test)

    def clear(self):
        """An empty switch, then the one flow that the suite's tool gives to both its switches."""
        c = self.controller
        c.errors.clear()
        c.replies.clear()
        c.send(openflow.DELETE_METERS)
        c.send(openflow.DELETE_GROUPS)
        sent = [c.send(openflow.DELETE_FLOWS), c.send(openflow.PORT_2_TO_CONTROLLER)]
        sent += [c.send(raw) for raw in self.beside]
        try:
            c.barrier(sent)
        except (Refused, Silent) as error:
            raise Failure(f"the switch could not be cleared: {error}") from None

    def prepare(self, raw):
        """Sends a prerequisite and reads it back."""
        c = self.controller
        kind = {openflow.FLOW_MOD: "flow", openflow.GROUP_MOD: "group",
                openflow.METER_MOD: "meter"}[raw[1]]
        try:
            c.barrier([c.send(raw)])
        except (Refused, Silent) as error:
            raise Failure(f"failed to add a {kind}: {error}", [f"    {self.show(kind, raw)}"]) \
                from None
        try:
            if kind == "flow":
                found, wanted = c.flows(), sent_entry(raw)
            elif kind == "meter":
                found, wanted = c.meters(), (*struct.unpack_from("!HI", raw, 10), raw[16:])
            else:
                found, wanted = c.groups(), (raw[10], struct.unpack_from("!I", raw, 12)[0], raw[16:])
        except (Refused, Silent) as error:
            raise Failure(f"the {kind} could not be read back: {error}") from None
        if wanted not in found:
            lines = [f"    sent     {self.show(kind, raw)}"]
            lines += [f"    is there {self.text(entry)}" for entry in found]
            raise Failure(f"added an incorrect {kind}", lines)

    def show(self, kind, raw):
        return str(sent_entry(raw)) if kind == "flow" else f"{kind} {raw[8:].hex()}"

    def text(self, entry):
        if isinstance(entry, Entry):
            return str(entry)
        return " ".join(part.hex() if isinstance(part, bytes) else str(part) for part in entry)

    def one_frame(self, test):
        """A frame in; it, or another, at port 2 or in a packet-in."""
        want_packet_in = "PACKET_IN" in test
        expected = bytes.fromhex(test["PACKET_IN" if want_packet_in else "egress"])
        before = self.port_counters()
        self.links[0].send(bytes.fromhex(test["ingress"]))
        where, frame = self.first_arrival(before)
        if (where == "packet-in") != want_packet_in:
            raise Failure(f"the frame came as {where} in place of "
                          f"{'a packet-in' if want_packet_in else 'port 2'}",
                          frames.side_by_side(expected, frame))
        if frame != expected:
            raise Failure(f"received an incorrect frame ({where})",
                          frames.side_by_side(expected, frame))
        self.nothing_else(expected)

    def port_counters(self):
        try:
            return self.controller.ports()
        except (Refused, Silent) as error:
            raise Failure(f"no port statistics: {error}") from None

    def arrivals(self):
        """Everything that has come: (where, frame)."""
        self.controller.take()
        while self.controller.packet_ins:
            packet_in = PacketIn(self.controller.packet_ins.pop(0))
            if packet_in.reason in (0, 2):
                raise Failure(f"a packet-in with reason {packet_in.reason} "
                              f"({REASONS[packet_in.reason]}) in place of 1 (action)")
            yield "packet-in", packet_in.data
        for port, link in enumerate(self.links[1:], 2):
            while (frame := link.receive()) is not None:
                yield f"port {port}", frame

    def first_arrival(self, before):
        deadline = time.monotonic() + REPLY_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            select.select([self.controller, *self.links[1:]], [], [], left)
            for arrival in self.arrivals():
                return arrival
        after = self.port_counters()
        moved = []
        for port in sorted(after):
            for name, was, now in zip(("received", "sent", "dropped in", "dropped out"),
                                      before.get(port, (0, 0, 0, 0)), after[port]):
                if now != was:
                    moved.append(f"port {port} {name} {now - was}")
        raise Failure(f"nothing came within {REPLY_SECONDS:.0f} s; the switch counted: "
                      f"{', '.join(moved) or 'nothing'}")

    def nothing_else(self, expected):
        """One frame in is one frame out."""
        try:
            self.controller.barrier()
        except (Refused, Silent) as error:
            raise Failure(f"no barrier reply after the frame: {error}") from None
        for where, frame in self.arrivals():
            raise Failure(f"a second frame came ({where})", frames.side_by_side(expected, frame))

    def tables(self):
        try:
            return self.controller.tables()
        except (Refused, Silent) as error:
            raise Failure(f"no table statistics: {error}") from None

    def table_miss(self, frame, listed):
        """In one of the listed tables at least the frame is looked up, in none does it match."""
        before = self.tables()
        self.links[0].send(frame)
        time.sleep(STATS_SECONDS)
        after = self.tables()
        looked_up, seen = [], []
        for table in listed:
            if table not in before or table not in after:
                raise Failure(f"no statistics of table {table}")
            lookups = after[table][0] - before[table][0]
            matches = after[table][1] - before[table][1]
            seen.append(f"table {table}: {lookups} lookups, {matches} matches")
            if lookups > 0:
                looked_up.append(matches)
        if not looked_up or any(looked_up):
            raise Failure(f"table-miss error: {'; '.join(seen)}")

    def throughput(self, test):
        """Packets or bytes of each match within 10 % of what the time lets expect."""
        packets = test["packets"]
        report = self.traffic.run(packets, self.attend)
        wanted_rate, seconds = packets["pktps"], packets["duration_time"]
        summary = (f"sent {report['sent']} frames in {report['seconds']:.2f} s = "
                   f"{report['sent'] / report['seconds']:.1f}/s")
        lines, wrong = [], 0
        for entry in test["throughput"]:
            unit = "kbps" if "kbps" in entry else "pktps"
            got = self.counted(report, entry["match"], unit)
            scale = 1024 if unit == "kbps" else 1
            wanted = entry[unit] * scale * report["seconds"]
            error = (got / wanted - 1) * 100
            lines.append(f"    {entry['match']} expected {entry[unit]} {unit}, measured "
                         f"{got / scale / report['seconds']:.1f} ({error:+.1f} %)")
            wrong += abs(error) > 10
        if report["lost"]:
            raise Failure(f"the runner lost {report['lost']} frames itself, the machine is too busy "
                          f"({summary})", lines)
        held = report["sent"] / report["seconds"] / wanted_rate
        if abs(held - 1) > 0.01 or report["seconds"] > seconds * 1.01:
            raise Failure(f"the sender could not hold {wanted_rate} frames/s, the machine is too "
                          f"busy ({summary})", lines)
        if wrong:
            raise Failure(f"received an unexpected throughput ({summary})", lines)
        return summary

    def attend(self):
        """Waits a little for what the switch wants."""
        if select.select([self.controller], [], [], 0.1)[0]:
            self.controller.take()

    def counted(self, report, match, unit):
        """Packets, or bits, of the classes that the match takes."""
        total = 0
        for row in report["classes"]:
            values = {"in_port": row["port"], "eth_type": row["eth_type"], "ip_dscp": row["dscp"]}
            unknown = set(match) - set(values)
            if unknown:
                raise Failure(f"a throughput match on {', '.join(unknown)}: the runner cannot count it")
            if all(values[name] == value for name, value in match.items()):
                total += row["bytes"] * 8 if unit == "kbps" else row["packets"]
        return total
