# SPDX-License-Identifier: Apache-2.0
"""The controller's end of one OpenFlow 1.3 connection, no more of the protocol than the suite
needs: requests by xid, packet-ins and errors as they come. Replies are compared as bytes with what
was sent, so nothing here can normalise a difference away."""

import select
import socket
import struct
import time

VERSION = 4
HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY = 0, 1, 2, 3
FEATURES_REQUEST, FEATURES_REPLY, PACKET_IN = 5, 6, 10
FLOW_MOD, GROUP_MOD, METER_MOD = 14, 15, 29
MULTIPART_REQUEST, MULTIPART_REPLY, BARRIER_REQUEST, BARRIER_REPLY = 18, 19, 20, 21
MP_FLOW, MP_TABLE, MP_PORT_STATS, MP_GROUP_DESC, MP_METER_CONFIG, MP_PORT_DESC = 1, 3, 4, 7, 10, 13
ALL = 0xffffffff
CONTROLLER = 0xfffffffd
EMPTY_MATCH = struct.pack("!HH4x", 1, 4)

OXM_NAMES = (
    "in_port in_phy_port metadata eth_dst eth_src eth_type vlan_vid vlan_pcp ip_dscp ip_ecn "
    "ip_proto ipv4_src ipv4_dst tcp_src tcp_dst udp_src udp_dst sctp_src sctp_dst icmpv4_type "
    "icmpv4_code arp_op arp_spa arp_tpa arp_sha arp_tha ipv6_src ipv6_dst ipv6_flabel icmpv6_type "
    "icmpv6_code ipv6_nd_target ipv6_nd_sll ipv6_nd_tll mpls_label mpls_tc mpls_bos pbb_isid "
    "tunnel_id ipv6_exthdr").split()


class Lost(Exception):
    """The switch closed the connection, or never opened it."""


class Refused(Exception):
    """The switch answered with an error message."""

    def __init__(self, kind, code):
        super().__init__(f"OFPErrorMsg[type={kind}, code={code}]")


class Silent(Exception):
    """No reply within the time."""


def message(kind, body=b"", xid=0):
    return struct.pack("!BBHI", VERSION, kind, 8 + len(body), xid) + body


def with_xid(raw, xid):
    return raw[:4] + struct.pack("!I", xid) + raw[8:]


def flow_mod(command, table, priority, match, instructions):
    return message(FLOW_MOD, struct.pack("!QQBBHHHIIIH2x", 0, 0, table, command, 0, 0, priority,
                                         ALL, ALL, ALL, 0) + match + instructions)


def match_in_port(port):
    return struct.pack("!HHII4x", 1, 12, 0x80000004, port)


def apply_output(port, max_len):
    return struct.pack("!HH4xHHIH6x", 4, 24, 0, 16, port, max_len)


DELETE_METERS = message(METER_MOD, struct.pack("!HHI", 2, 0, ALL))
DELETE_GROUPS = message(GROUP_MOD, struct.pack("!HBxI", 2, 0, 0xfffffffc))
DELETE_FLOWS = flow_mod(3, 0xff, 0, EMPTY_MATCH, b"")
PORT_2_TO_CONTROLLER = flow_mod(0, 0, 0x8000, match_in_port(2), apply_output(CONTROLLER, 0xffe5))


def match(*oxms):
    """A match of (field name, value, mask or None), value and mask as hex."""
    fields = b""
    for name, value, mask in oxms:
        body = bytes.fromhex(value + (mask or ""))
        fields += struct.pack("!HBB", 0x8000, OXM_NAMES.index(name) << 1 | (mask is not None),
                              len(body)) + body
    size = 4 + len(fields)
    return struct.pack("!HH", 1, size) + fields + bytes(padded(size) - size)


def padded(size):
    return (size + 7) // 8 * 8


def oxm_text(oxm):
    """One OXM TLV for people."""
    oxm_class, field, size = struct.unpack_from("!HBB", oxm)
    name = OXM_NAMES[field >> 1] if oxm_class == 0x8000 and field >> 1 < len(OXM_NAMES) else oxm[:4].hex()
    value = oxm[4:4 + size].hex()
    return f"{name}={value[:len(value) // 2]}/{value[len(value) // 2:]}" if field & 1 else f"{name}={value}"


def match_text(match):
    size = struct.unpack_from("!H", match, 2)[0]
    found, at = [], 4
    while at + 4 <= size:
        end = at + 4 + match[at + 3]
        found.append(oxm_text(match[at:end]))
        at = end
    return ",".join(found) or "any"


class Entry:
    """A flow of a flow-mod or of flow statistics, as far as the suite compares it."""

    def __init__(self, table, priority, idle, hard, cookie, rest):
        self.head = (table, priority, idle, hard, cookie)
        size = struct.unpack_from("!H", rest, 2)[0]
        self.match = rest[:size]  # the fields in their order and their length; no padding
        self.instructions = []
        at = padded(size)
        while at + 4 <= len(rest):
            kind, length = struct.unpack_from("!HH", rest, at)
            self.instructions.append((kind, rest[at:at + max(length, 4)]))
            at += max(length, 4)
        self.instructions.sort(key=lambda entry: entry[0])

    def __eq__(self, other):
        return (self.head, self.match, self.instructions) == \
            (other.head, other.match, other.instructions)

    def __str__(self):
        table, priority, idle, hard, cookie = self.head
        return (f"table={table} priority={priority} idle={idle} hard={hard} cookie={cookie:#x} "
                f"match={match_text(self.match)} "
                f"instructions={' '.join(raw.hex() for _, raw in self.instructions)}")


def sent_entry(raw):
    """Of a flow-mod."""
    cookie, _, table, _, idle, hard, priority = struct.unpack_from("!QQBBHHH", raw, 8)
    return Entry(table, priority, idle, hard, cookie, raw[48:])


class Controller:
    """Listens; `accept` waits for the switch, `request` for a reply."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", port), backlog=4)
        self.sock = None
        self.version = None

    def accept(self, seconds):
        """A new connection's handshake."""
        self.listener.settimeout(seconds)
        try:
            self.sock, _ = self.listener.accept()
        except TimeoutError:
            raise Lost(f"the switch did not connect within {seconds} s") from None
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.setblocking(False)
        self.buffer = b""
        self.next_xid = 1
        self.replies, self.errors, self.packet_ins = {}, [], []
        self.send(message(HELLO))
        self.wait(self.send(message(FEATURES_REQUEST)), FEATURES_REPLY)

    def ports_up(self):
        """Numbers of the ports with a link."""
        found = set()
        for raw in self.entries(MP_PORT_DESC, b"", 64):
            config, state = struct.unpack_from("!II", raw, 32)
            if not config & 1 and not state & 1:  # OFPPC_PORT_DOWN, OFPPS_LINK_DOWN
                found.add(struct.unpack_from("!I", raw)[0])
        return found

    def fileno(self):
        return self.sock.fileno()

    def close(self):
        if self.sock is not None:
            self.sock.close()
            self.sock = None

    def send(self, raw):
        """Sends with an xid of its own, which is returned."""
        self.next_xid += 1
        data = memoryview(with_xid(raw, self.next_xid))
        while data:
            try:
                data = data[self.sock.send(data):]
            except BlockingIOError:
                select.select([], [self.sock], [], 1)
            except OSError as error:
                raise Lost(f"the connection ended: {error}") from None
        return self.next_xid

    def take(self):
        """Reads what has come; nothing is waited for."""
        while True:
            try:
                got = self.sock.recv(1 << 18)
            except BlockingIOError:
                return
            except OSError as error:
                raise Lost(f"the connection ended: {error}") from None
            if not got:
                raise Lost("the switch closed the connection")
            self.buffer += got
            while len(self.buffer) >= 8:
                version, kind, size, xid = struct.unpack_from("!BBHI", self.buffer)
                if size < 8:
                    raise Lost(f"a message of {size} bytes: {self.buffer[:16].hex()}")
                if len(self.buffer) < size:
                    break
                self.dispatch(version, kind, xid, self.buffer[:size])
                self.buffer = self.buffer[size:]

    def dispatch(self, version, kind, xid, raw):
        if kind == ECHO_REQUEST:
            self.send_reply(raw)
        elif kind == HELLO:
            self.version = version
        elif kind == ERROR:
            self.errors.append((xid, *struct.unpack_from("!HH", raw, 8)))
        elif kind == PACKET_IN:
            self.packet_ins.append(raw)
        elif kind in (FEATURES_REPLY, MULTIPART_REPLY, BARRIER_REPLY):
            self.replies.setdefault(xid, []).append((kind, raw))

    def send_reply(self, echo):
        self.sock.setblocking(True)
        self.sock.sendall(echo[:1] + bytes([ECHO_REPLY]) + echo[2:])
        self.sock.setblocking(False)

    def wait(self, xid, kind, also=(), seconds=3.0):
        """The whole reply (all its parts). An error for it or for an xid in `also` is raised."""
        deadline = time.monotonic() + seconds
        while True:
            for error_xid, error_type, code in self.errors:
                if error_xid == xid or error_xid in also:
                    raise Refused(error_type, code)
            parts = self.replies.get(xid, [])
            if parts and (kind != MULTIPART_REPLY or
                          not struct.unpack_from("!H", parts[-1][1], 10)[0] & 1):
                del self.replies[xid]
                return [raw for _, raw in parts]
            left = deadline - time.monotonic()
            if left <= 0:
                raise Silent(f"no reply within {seconds:.0f} s")
            if select.select([self.sock], [], [], left)[0]:
                self.take()

    def barrier(self, also=()):
        self.wait(self.send(message(BARRIER_REQUEST)), BARRIER_REPLY, also)

    def multipart(self, kind, body):
        """The bodies of a multipart reply, joined."""
        xid = self.send(message(MULTIPART_REQUEST, struct.pack("!HH4x", kind, 0) + body))
        return b"".join(raw[16:] for raw in self.wait(xid, MULTIPART_REPLY))

    def entries(self, kind, body, size=None):
        """A multipart reply cut into entries: of `size` bytes, or led by their own length."""
        data = self.multipart(kind, body)
        found = []
        while data:
            n = size or struct.unpack_from("!H", data)[0]
            if n < 8 or n > len(data):
                raise Silent(f"a multipart entry of {n} bytes where {len(data)} are left")
            found.append(data[:n])
            data = data[n:]
        return found

    def flows(self):
        body = struct.pack("!B3xII4xQQ", 0xff, ALL, ALL, 0, 0) + EMPTY_MATCH
        found = []
        for raw in self.entries(MP_FLOW, body):
            table = raw[2]
            priority, idle, hard = struct.unpack_from("!HHH", raw, 12)
            cookie = struct.unpack_from("!Q", raw, 24)[0]
            found.append(Entry(table, priority, idle, hard, cookie, raw[48:]))
        return found

    def tables(self):
        """Table number -> (lookups, matches)."""
        return {raw[0]: struct.unpack_from("!QQ", raw, 8) for raw in self.entries(MP_TABLE, b"", 24)}

    def ports(self):
        """Port number -> (received, sent, rx dropped, tx dropped)."""
        found = {}
        for raw in self.entries(MP_PORT_STATS, struct.pack("!I4x", ALL), 112):
            port = struct.unpack_from("!I", raw)[0]
            rx, tx = struct.unpack_from("!QQ", raw, 8)
            found[port] = (rx, tx, *struct.unpack_from("!QQ", raw, 40))
        return found

    def meters(self):
        """(flags, meter, bands) of each."""
        return [(*struct.unpack_from("!HI", raw, 2), raw[8:])
                for raw in self.entries(MP_METER_CONFIG, struct.pack("!I4x", ALL))]

    def groups(self):
        """(type, group, buckets) of each."""
        return [(raw[2], struct.unpack_from("!I", raw, 4)[0], raw[8:])
                for raw in self.entries(MP_GROUP_DESC, b"")]


class PacketIn:
    """A packet-in's parts."""

    def __init__(self, raw):
        self.total, self.reason, self.table, self.cookie = struct.unpack_from("!HBBQ", raw, 12)
        match_size = struct.unpack_from("!H", raw, 26)[0]
        self.data = raw[24 + padded(match_size) + 2:]
