# SPDX-License-Identifier: Apache-2.0
"""The controller's end of one OpenFlow 1.3 connection, blocking and without a framework, for tests
that need to know exactly when a byte was sent and a reply came. Encoding and decoding are os-ken's.
"""

import socket
import threading
import time

from os_ken.ofproto import ofproto_parser, ofproto_protocol
from os_ken.ofproto import ofproto_v1_3 as ofp
from os_ken.ofproto import ofproto_v1_3_parser as parser

DATAPATH = ofproto_protocol.ProtocolDesc(version=ofp.OFP_VERSION)


def encode(message, xid):
    message.set_xid(xid)
    message.serialize()
    return bytes(message.buf)


def flow_mod(match, out_port, priority=100, command=ofp.OFPFC_ADD, table=0, cookie=0):
    """A flow that outputs to one port (None: no instruction)."""
    instructions = []
    if out_port is not None:
        instructions = [parser.OFPInstructionActions(
            ofp.OFPIT_APPLY_ACTIONS, [parser.OFPActionOutput(out_port, 0)])]
    return parser.OFPFlowMod(DATAPATH, cookie=cookie, table_id=table, command=command,
                             priority=priority, match=parser.OFPMatch(**match),
                             out_port=ofp.OFPP_ANY, out_group=ofp.OFPG_ANY,
                             instructions=instructions)


class PeerGone(Exception):
    """The switch closed the connection."""


class Peer:
    """One connection after its handshake. A thread of its own answers echo requests and keeps
    what else arrives; `wait` hands it out."""

    def __init__(self, sock):
        self.sock = sock
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._xid = 1000
        self._lock = threading.Lock()
        self._arrived = threading.Condition()
        self._messages = []
        self.errors = []
        self.gone = False
        self.send_raw(encode(parser.OFPHello(DATAPATH), 1))
        threading.Thread(target=self._read, daemon=True).start()

    def xid(self):
        self._xid += 1
        return self._xid

    def send_raw(self, data):
        try:
            with self._lock:
                self.sock.sendall(data)
        except OSError as error:
            self.gone = True
            raise PeerGone() from error

    def send(self, message):
        xid = self.xid()
        self.send_raw(encode(message, xid))
        return xid

    def wait(self, xid, seconds=5.0, last=lambda message: True):
        """All messages with this xid up to the one that `last` says is the last."""
        found = []
        deadline = time.monotonic() + seconds
        with self._arrived:
            while True:
                rest = []
                for message in self._messages:
                    (found if message.xid == xid else rest).append(message)
                self._messages = rest
                if found and last(found[-1]):
                    return found
                left = deadline - time.monotonic()
                if self.gone:
                    raise PeerGone()
                if left <= 0:
                    raise TimeoutError(f"no reply to xid {xid} within {seconds} s")
                self._arrived.wait(left)

    def barrier(self, seconds=5.0):
        self.wait(self.send(parser.OFPBarrierRequest(DATAPATH)), seconds)

    def flow_stats(self, seconds=20.0):
        request = parser.OFPFlowStatsRequest(DATAPATH, 0, ofp.OFPTT_ALL, ofp.OFPP_ANY,
                                             ofp.OFPG_ANY, 0, 0, parser.OFPMatch())
        replies = self.wait(self.send(request), seconds,
                            lambda message: not message.flags & ofp.OFPMPF_REPLY_MORE)
        return [entry for reply in replies for entry in reply.body]

    def close(self):
        self.gone = True
        try:
            self.sock.shutdown(socket.SHUT_RDWR)  # close alone waits for the reader's recv
        except OSError:
            pass
        self.sock.close()

    def _read(self):
        buffer = b""
        try:
            while True:
                got = self.sock.recv(1 << 18)
                if not got:
                    break
                buffer += got
                while len(buffer) >= 8:
                    version, kind, length, xid = ofproto_parser.header(buffer)
                    if len(buffer) < length:
                        break
                    self._take(version, kind, length, xid, buffer[:length])
                    buffer = buffer[length:]
        except OSError:
            pass
        with self._arrived:
            self.gone = True
            self._arrived.notify_all()

    def _take(self, version, kind, length, xid, data):
        if kind == ofp.OFPT_ECHO_REQUEST:
            self.send_raw(data[:1] + bytes([ofp.OFPT_ECHO_REPLY]) + data[2:])
            return
        if kind in (ofp.OFPT_HELLO, ofp.OFPT_PACKET_IN):
            return
        message = ofproto_parser.msg(DATAPATH, version, kind, length, xid, data)
        with self._arrived:
            if kind == ofp.OFPT_ERROR:
                self.errors.append(message)
            self._messages.append(message)
            self._arrived.notify_all()


class Listener:
    """Where the switch connects to."""

    def __init__(self, port):
        self.sock = socket.create_server(("127.0.0.1", port), backlog=4)

    def accept(self, seconds):
        self.sock.settimeout(seconds)
        sock, _ = self.sock.accept()
        sock.settimeout(None)
        return Peer(sock)


def connect(port, seconds=5.0):
    """To a passive listener of the switch."""
    return Peer(socket.create_connection(("127.0.0.1", port), timeout=seconds))
