# SPDX-License-Identifier: Apache-2.0
"""Frames as text for people: every header field a line, checksums judged, two frames side by side.
A decoder of the runner's own, so that a wrong frame is not explained by the switch that made it."""

import difflib
import ipaddress

import checksum

WIDTH = 58

ETHERTYPES = {0x0800: "ipv4", 0x86dd: "ipv6", 0x0806: "arp", 0x8847: "mpls", 0x8848: "mpls",
              0x8100: "vlan", 0x88a8: "svlan", 0x88e7: "itag"}
EXTENSIONS = {0: "hop_opts", 43: "routing", 44: "fragment", 51: "auth", 60: "dst_opts"}


def mac(data):
    return ":".join(f"{b:02x}" for b in data)


class Lines:
    """One frame; `lines` is its text. A header that is cut off ends it."""

    def __init__(self, frame):
        self.frame = frame
        self.lines = []
        self.ethernet(0)

    def say(self, layer, **fields):
        for name, value in fields.items():
            self.lines.append(f"{layer}.{name} {value}")

    def rest(self, at):
        if at < len(self.frame):
            data = self.frame[at:]
            shown = data[:24].hex() + (f".. sum {sum(data) & 0xffff:04x}" if len(data) > 24 else "")
            self.lines.append(f"data {len(data)} bytes {shown}")

    def number(self, at, size):
        return int.from_bytes(self.frame[at:at + size], "big")

    def has(self, at, size, layer):
        if len(self.frame) >= at + size:
            return True
        self.lines.append(f"{layer} CUT OFF after {len(self.frame) - at} of {size} bytes")
        return False

    def ethernet(self, at):
        if self.has(at, 14, "ethernet"):
            self.say("ethernet", dst=mac(self.frame[at:at + 6]), src=mac(self.frame[at + 6:at + 12]))
            self.ethertype(at + 12)

    def ethertype(self, at):
        kind = self.number(at, 2)
        self.lines.append(f"ethertype 0x{kind:04x}")
        name = ETHERTYPES.get(kind)
        getattr(self, name or "rest")(at + 2)

    def vlan(self, at, layer="vlan"):
        if self.has(at, 4, layer):
            tci = self.number(at, 2)
            self.say(layer, vid=tci & 0xfff, pcp=tci >> 13, cfi=tci >> 12 & 1)
            self.ethertype(at + 2)

    def svlan(self, at):
        self.vlan(at, "svlan")

    def itag(self, at):
        if self.has(at, 4, "itag"):
            word = self.number(at, 4)
            self.say("itag", pcp=word >> 29, dei=word >> 28 & 1, uca=word >> 27 & 1,
                     sid=word & 0xffffff)
            self.ethernet(at + 4)

    def mpls(self, at):
        while self.has(at, 4, "mpls"):
            word = self.number(at, 4)
            self.say("mpls", label=word >> 12, tc=word >> 9 & 7, bos=word >> 8 & 1, ttl=word & 255)
            at += 4
            if word >> 8 & 1:
                first = self.frame[at] >> 4 if at < len(self.frame) else 0
                return {4: self.ipv4, 6: self.ipv6}.get(first, self.rest)(at)
        return None

    def arp(self, at):
        if not self.has(at, 28, "arp"):
            return
        f = self.frame
        self.say("arp", op=self.number(at + 6, 2), sha=mac(f[at + 8:at + 14]),
                 spa=ipaddress.ip_address(f[at + 14:at + 18]), tha=mac(f[at + 18:at + 24]),
                 tpa=ipaddress.ip_address(f[at + 24:at + 28]))
        self.rest(at + 28)

    def ipv4(self, at):
        if not self.has(at, 20, "ipv4"):
            return
        f = self.frame
        size = (f[at] & 15) * 4
        total = self.number(at + 2, 2)
        self.say("ipv4", dscp=f[at + 1] >> 2, ecn=f[at + 1] & 3, length=total,
                 ident=self.number(at + 4, 2), fragment=hex(self.number(at + 6, 2)), ttl=f[at + 8],
                 proto=f[at + 9], src=ipaddress.ip_address(f[at + 12:at + 16]),
                 dst=ipaddress.ip_address(f[at + 16:at + 20]),
                 checksum=self.verdict(at + 10, checksum.internet(f[at:at + size])))
        self.transport(f[at + 9], at + size, at, at + max(total, size))

    def ipv6(self, at):
        if not self.has(at, 40, "ipv6"):
            return
        f = self.frame
        word = self.number(at, 4)
        payload = self.number(at + 4, 2)
        self.say("ipv6", dscp=word >> 22 & 63, ecn=word >> 20 & 3, flabel=word & 0xfffff,
                 length=payload, next=f[at + 6], hop_limit=f[at + 7],
                 src=ipaddress.ip_address(f[at + 8:at + 24]),
                 dst=ipaddress.ip_address(f[at + 24:at + 40]))
        proto, here = f[at + 6], at + 40
        while proto in EXTENSIONS and here + 8 <= len(f):
            size = 8 if proto == 44 else (f[here + 1] + 2) * 4 if proto == 51 else (f[here + 1] + 1) * 8
            self.say(EXTENSIONS[proto], next=f[here], bytes=f[here + 1:here + size].hex())
            proto, here = f[here], here + size
        self.transport(proto, here, at, at + 40 + payload)

    def verdict(self, at, sum_over):
        return f"{self.number(at, 2):04x} {'right' if sum_over == 0 else 'WRONG'}"

    def transport(self, proto, at, ip_at, end):
        message = self.frame[at:end]
        names = {6: self.tcp, 17: self.udp, 132: self.sctp, 1: self.icmp, 58: self.icmp}
        decode = names.get(proto)
        if decode is None or len(message) < 8:
            return self.rest(at)
        head = self.frame[ip_at:ip_at + 40]
        total = checksum.internet(checksum.pseudo_header(head, proto, len(message)), message)
        return decode(at, message, total)

    def tcp(self, at, message, total):
        if not self.has(at, 20, "tcp"):
            return
        self.say("tcp", src=self.number(at, 2), dst=self.number(at + 2, 2),
                 seq=self.number(at + 4, 4), flags=hex(self.number(at + 12, 2)),
                 checksum=self.verdict(at + 16, total))
        self.rest(at + 20)

    def udp(self, at, message, total):
        self.say("udp", src=self.number(at, 2), dst=self.number(at + 2, 2),
                 length=self.number(at + 4, 2),
                 checksum=self.verdict(at + 6, total) if any(message[6:8]) else "0000 none")
        self.rest(at + 8)

    def sctp(self, at, message, total):
        if not self.has(at, 12, "sctp"):
            return
        right = checksum.crc32c(message[:8] + bytes(4) + message[12:]) == message[8:12]
        self.say("sctp", src=self.number(at, 2), dst=self.number(at + 2, 2),
                 vtag=self.number(at + 4, 4),
                 crc=f"{message[8:12].hex()} {'right' if right else 'WRONG'}")
        self.rest(at + 12)

    def icmp(self, at, message, total):
        v4 = not any(line.startswith("ipv6.") for line in self.lines)
        if v4:
            total = checksum.internet(message)
        self.say("icmp" if v4 else "icmpv6", type=message[0], code=message[1],
                 checksum=self.verdict(at + 2, total))
        if not v4 and message[0] in (135, 136) and len(message) >= 24:
            self.say("nd", target=ipaddress.ip_address(message[8:24]))
            if len(message) >= 32:
                self.say("nd", option=message[24], address=mac(message[26:32]))
                return self.rest(at + 32)
            return self.rest(at + 24)
        return self.rest(at + 4)


def describe(frame):
    """The lines of a frame."""
    try:
        return Lines(frame).lines
    except (ValueError, IndexError):
        return [f"data {frame.hex()}"]


def side_by_side(expected, received):
    """Two frames in columns, lines that differ marked, then both in hex."""
    left = [f"{len(expected)} bytes"] + describe(expected)
    right = [f"{len(received)} bytes"] + describe(received)
    text = [f"    {'expected':<{WIDTH}}   received"]
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        for k in range(max(i2 - i1, j2 - j1)):
            a = left[i1 + k] if i1 + k < i2 else ""
            b = right[j1 + k] if j1 + k < j2 else ""
            text.append(f"  {'|' if tag == 'equal' else '!'} {a:<{WIDTH}} | {b}".rstrip())
    text.append(f"    expected {expected.hex()}")
    text.append(f"    received {received.hex()}")
    return text
