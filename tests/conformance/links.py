# SPDX-License-Identifier: Apache-2.0
"""The far ends of the switch's three links: raw frames in place of the suite's tester switch."""

import socket
import struct

SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 1, 8, 23
PACKET_MR_PROMISC = 1
TP_STATUS_VLAN_VALID, TP_STATUS_VLAN_TPID_VALID = 1 << 4, 1 << 6
ETH_P_ALL = 3
SO_RCVBUFFORCE = 33


class Link:
    """A packet socket on one interface."""

    def __init__(self, device):
        self.device = device
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.sock.bind((device, ETH_P_ALL))
        membership = struct.pack("iHH8s", socket.if_nametoindex(device), PACKET_MR_PROMISC, 0, b"")
        self.sock.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership)
        self.sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 4 << 20)
        self.sock.setblocking(False)

    def fileno(self):
        return self.sock.fileno()

    def send(self, frame):
        self.sock.send(frame)

    def receive(self):
        """The next frame, its outer tag where the wire had it; None when there is none."""
        try:
            frame, control, _, _ = self.sock.recvmsg(65536, socket.CMSG_SPACE(20))
        except BlockingIOError:
            return None
        for level, kind, data in control:
            if level == SOL_PACKET and kind == PACKET_AUXDATA:
                status, _, _, _, _, tci, tpid = struct.unpack_from("=IIIHHHH", data)
                if status & TP_STATUS_VLAN_VALID:
                    if not status & TP_STATUS_VLAN_TPID_VALID:
                        tpid = 0x8100
                    frame = frame[:12] + struct.pack("!HH", tpid, tci) + frame[12:]
        return frame

    def drain(self):
        while self.receive() is not None:
            pass
