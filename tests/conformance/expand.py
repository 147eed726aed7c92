# SPDX-License-Identifier: Apache-2.0
"""Ryu's pattern files into bytes ("expanded"): messages from their JSON by os-ken, packets from
their constructor calls by os-ken's packet library. Run as a program it writes the file that
patterns.py looks for: expand.py RYU/tests/switch/of13 OUT/expanded/of13.json.

SCTP is the runner's own: os-ken's checksum is over a text about the bytes, not the bytes, so with it
no switch could pass the SCTP cases."""

import ast
import json
import os
import re
import sys
from pathlib import Path

import checksum


def import_os_ken():
    try:
        from os_ken.ofproto import ofproto_parser, ofproto_protocol, ofproto_v1_3
        from os_ken.ofproto import ofproto_v1_3_parser  # noqa: F401, registers itself
    except ImportError:
        sys.exit("error: expanding Ryu's pattern files takes os-ken: apt-get install python3-os-ken")
    return ofproto_parser, ofproto_protocol.ProtocolDesc(version=ofproto_v1_3.OFP_VERSION)


class Sctp:
    """What a pattern says of SCTP: a header and data chunks that hold text."""

    def __init__(self, src_port=1, dst_port=1, vtag=0, chunks=()):
        self.head = src_port.to_bytes(2, "big") + dst_port.to_bytes(2, "big") + \
            vtag.to_bytes(4, "big")
        self.body = b"".join(chunk.serialize() for chunk in chunks)

    def serialize(self):
        crc = checksum.crc32c(self.head + bytes(4) + self.body)
        return self.head + crc + self.body


class Ingredients:
    """The names that a packet's strings use, and how each is called."""

    def __init__(self):
        from os_ken.lib.packet import arp, ethernet, icmp, icmpv6, ipv4, ipv6, mpls, pbb, sctp, tcp
        from os_ken.lib.packet import udp, vlan
        self.names = {
            "arp": arp.arp, "ethernet": ethernet.ethernet, "icmp": icmp.icmp, "echo": icmp.echo,
            "dest_unreach": icmp.dest_unreach, "icmpv6": icmpv6.icmpv6, "icmpv6echo": icmpv6.echo,
            "nd_neighbor": icmpv6.nd_neighbor, "nd_option_sla": icmpv6.nd_option_sla,
            "nd_option_tla": icmpv6.nd_option_tla, "ipv4": ipv4.ipv4, "ipv6": ipv6.ipv6,
            "hop_opts": ipv6.hop_opts, "auth": ipv6.auth, "mpls": mpls.mpls, "itag": pbb.itag,
            "sctp": Sctp, "chunk_data": sctp.chunk_data, "tcp": tcp.tcp, "udp": udp.udp,
            "vlan": vlan.vlan, "svlan": vlan.svlan, "bytes": bytes}

    def make(self, text):
        """A layer from its string. Only calls of the names above and literals are understood."""
        return self.value(ast.parse(text, mode="eval").body)

    def value(self, node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.List):
            return [self.value(entry) for entry in node.elts]
        if isinstance(node, ast.BinOp):
            return self.operation(node)
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name == "randint":
                return self.value(node.args[0])  # a sample: the runner draws its own
            if name in ("netaddr.EUI", "netaddr.IPAddress"):
                return Number(self.value(node.args[0]), name)
            if name in self.names:
                arguments = {entry.arg: self.value(entry.value) for entry in node.keywords}
                return self.call(name, [self.value(entry) for entry in node.args], arguments)
        raise ValueError(f"a pattern says \"{ast.unparse(node)}\", which this expander does not know")

    def operation(self, node):
        left, right = self.value(node.left), self.value(node.right)
        operations = {ast.Mult: lambda: left * right, ast.Sub: lambda: left - right,
                      ast.Pow: lambda: left ** right, ast.BitAnd: lambda: left & right,
                      ast.Add: lambda: left + right}
        return operations[type(node.op)]()

    def call(self, name, arguments, named):
        six = name == "ipv6"
        for key, value in named.items():
            if isinstance(value, Number):
                named[key] = value.text(six)
        return self.names[name](*arguments, **named)


class Number:
    """An address given as a number."""

    def __init__(self, value, kind):
        self.value, self.kind = value, kind

    def text(self, six):
        if self.kind == "netaddr.EUI":
            return ":".join(f"{b:02x}" for b in self.value.to_bytes(6, "big"))
        if six:
            data = self.value.to_bytes(16, "big").hex()
            return ":".join(data[i:i + 4] for i in range(0, 32, 4))
        return ".".join(str(b) for b in self.value.to_bytes(4, "big"))


def frame(layers, ingredients):
    """The bytes of a packet, built from its last layer outwards. os-ken wants to know of each layer
    the one around it, for the pseudo header."""
    made = [ingredients.make(text) for text in layers]
    data = bytearray()
    for i in range(len(made) - 1, -1, -1):
        layer = made[i]
        if isinstance(layer, (bytes, bytearray)):
            data = bytearray(layer) + data
        elif isinstance(layer, Sctp):
            data = bytearray(layer.serialize()) + data
        else:
            around = made[i - 1] if i > 0 else None
            head = layer.serialize(data, around)
            data = bytearray(head) + data
    return bytes(data)


def packets(ingress, ingredients):
    """The "packets" of a throughput case."""
    given = ingress["packets"]
    drawn = [text for text in given["data"] if "randint" in text]
    found = {"data": frame(given["data"], ingredients).hex(),
             "pktps": given.get("pktps", 1000), "duration_time": given.get("duration_time", 30)}
    if drawn:
        found["random"] = drawn
    return found


def throughput(entries):
    found = []
    for entry in entries:
        match = {tlv["OXMTlv"]["field"]: tlv["OXMTlv"]["value"]
                 for tlv in entry["OFPMatch"]["oxm_fields"]}
        unit = "kbps" if "kbps" in entry else "pktps"
        found.append({"match": match, unit: entry[unit]})
    return found


def expand_test(test, ingredients):
    if isinstance(test["ingress"], dict):
        return {"packets": packets(test["ingress"], ingredients),
                "throughput": throughput(test["egress"]["throughput"])}
    found = {"ingress": frame(test["ingress"], ingredients).hex()}
    for outcome in ("egress", "PACKET_IN"):
        if outcome in test:
            found[outcome] = frame(test[outcome], ingredients).hex()
    if "table-miss" in test:
        found["table-miss"] = test["table-miss"]
    return found


class Messages:
    """A prerequisite's JSON to the message's bytes."""

    def __init__(self):
        self.parser, self.datapath = import_os_ken()

    def bytes_of(self, message):
        name, fields = next(iter(message.items()))
        # The suite's default for what nobody says, where os-ken's is another.
        if name == "OFPFlowMod":
            fields = {"out_port": 0, "out_group": 0, **fields}
        made = self.parser.ofp_msg_from_jsondict(self.datapath, {name: fields})
        made.set_xid(0)
        made.serialize()
        return bytes(made.buf)


def directory(folder):
    """All cases of the pattern files below `folder`, by name."""
    folder = Path(folder)
    messages, ingredients = Messages(), Ingredients()
    cases = {}
    for path in sorted(folder.rglob("*.json")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        entries = [entry for entry in json.loads(path.read_text(encoding="utf-8"))
                   if isinstance(entry, dict)]
        for number, case in enumerate(entries, 1):
            cases[f"{name}#{number:03d}"] = {
                "description": re.sub(r"\s+", " ", case["description"]),
                "prerequisite": [messages.bytes_of(m).hex() for m in case["prerequisite"]],
                "tests": [expand_test(test, ingredients) for test in case["tests"]]}
    return cases


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: expand.py RYU/tests/switch/of13 OUT/expanded/of13.json")
    out = Path(sys.argv[2])
    cases = directory(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_suffix(f".part{os.getpid()}")
    part.write_text(json.dumps(cases), encoding="utf-8")
    part.rename(out)
    print(f"{out}: {len(cases)} cases")


if __name__ == "__main__":
    main()
