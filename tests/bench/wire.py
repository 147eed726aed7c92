# SPDX-License-Identifier: Apache-2.0
"""The little of OpenFlow 1.3 that a benchmark says, over any stream socket: messages made elsewhere
sent as they are, barriers, flow statistics as a map from cookie to packets."""

import select
import socket
import struct
import time

HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY = 0, 1, 2, 3
MULTIPART_REQUEST, MULTIPART_REPLY, BARRIER_REQUEST, BARRIER_REPLY = 18, 19, 20, 21
ANY = 0xffffffff
NAMES = {(4, 8): " (OFPBMC_BAD_MASK)", (5, 1): " (OFPFMFC_TABLE_FULL)"}


class Refused(Exception):
    """The switch answered a message with an error."""


class Connection:
    def __init__(self, address, seconds=20):
        """`address`: (host, port), or the path of a Unix socket; waits until somebody listens."""
        deadline = time.monotonic() + seconds
        while True:
            family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
            self.sock = socket.socket(family)
            try:
                self.sock.connect(address)
                break
            except OSError:
                self.sock.close()
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self.sock.setblocking(False)
        self.buffer = bytearray()
        self.xid = 0x40000000
        self._exchange(self._message(HELLO, b""), lambda kind, xid: kind == HELLO)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def _message(self, kind, body):
        self.xid += 1
        return struct.pack("!BBHI", 4, kind, 8 + len(body), self.xid) + body

    def _exchange(self, data, last, seconds=300):
        """Sends while it reads; the first message that `last` is true of once all is sent."""
        data, deadline = memoryview(data), time.monotonic() + seconds
        while True:
            for kind, xid, message in self._whole_messages():
                if kind == ERROR:
                    what, code = struct.unpack_from("!HH", message, 8)
                    raise Refused(f"refused message {xid} with OFPT_ERROR type {what} code {code}"
                                  f"{NAMES.get((what, code), '')}")
                if kind == ECHO_REQUEST:
                    self.sock.send(message[:1] + bytes([ECHO_REPLY]) + message[2:])
                elif not data and last(kind, xid):
                    return message
            if time.monotonic() > deadline:
                raise TimeoutError(f"no answer within {seconds} s")
            readable, writable, _ = select.select(
                [self.sock], [self.sock] if data else [], [], 1)
            if writable:
                data = data[self.sock.send(data[:1 << 18]):]
            if readable:
                chunk = self.sock.recv(1 << 20)
                if not chunk:
                    raise ConnectionError("the switch closed the connection")
                self.buffer += chunk

    def _whole_messages(self):
        """Takes them from the buffer one by one."""
        while len(self.buffer) >= 8:
            _, kind, length, xid = struct.unpack_from("!BBHI", self.buffer)
            if len(self.buffer) < length:
                return
            message = bytes(self.buffer[:length])
            del self.buffer[:length]
            yield kind, xid, message

    def install(self, messages):
        """Sends them and a barrier; seconds until its reply."""
        barrier = self._message(BARRIER_REQUEST, b"")
        xid, began = self.xid, time.monotonic()
        self._exchange(messages + barrier,
                       lambda kind, got: kind == BARRIER_REPLY and got == xid)
        return time.monotonic() - began

    def flow_packets(self, table=0xff):
        """Cookie to packets."""
        body = struct.pack("!HH4xB3xII4xQQ", 1, 0, table, ANY, ANY, 0, 0) + struct.pack("!HH4x", 1, 4)
        request = self._message(MULTIPART_REQUEST, body)
        xid, more, packets = self.xid, True, {}
        while more:  # one reply after the other: the last says so itself
            message = self._exchange(
                request, lambda kind, got: kind == MULTIPART_REPLY and got == xid)
            request = b""
            more = struct.unpack_from("!H", message, 10)[0] & 1
            at = 16
            while at < len(message):
                length, = struct.unpack_from("!H", message, at)
                cookie, count = struct.unpack_from("!QQ", message, at + 24)
                packets[cookie] = count
                at += length
        return packets
