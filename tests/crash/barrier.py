#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does a barrier reply mean that the packets obey? Each round turns one flow from port 2 to port 3
or back, sends a barrier, and only after its reply a probe into port 1. A probe that leaves by the
old port is stale. Background flows carry traffic all the while. Works on any switch that connects
to --port and has the interfaces' peers as ports 1, 2 and 3."""

import argparse
import select
import socket
import struct
import sys
import threading
import time

from openflow_peer import Listener, flow_mod, ofp, parser, DATAPATH

ETHERTYPE = 0x88b6
PROBE = bytes.fromhex("020000000301020000000302")
BACKGROUND_FLOWS = 64


def open_interface(name):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE))
    sock.bind((name, ETHERTYPE))
    return sock


def background(name, stop):
    """A few thousand packets a second over flows that never change."""
    sock = open_interface(name)
    frames = [bytes.fromhex(f"0200000004{n:02x}0200000005{n:02x}88b7") + bytes(50)
              for n in range(BACKGROUND_FLOWS)]
    while not stop.is_set():
        for frame in frames:
            try:
                sock.send(frame)
            except OSError:
                pass
        time.sleep(0.01)


def arrives(ingress, outs, number, seconds):
    """Sends the probe of that number; the socket on which it leaves the switch, or None."""
    ingress.send(PROBE + struct.pack("!HI", ETHERTYPE, number) + bytes(46))
    deadline = time.monotonic() + seconds
    while True:
        ready, _, _ = select.select(outs, [], [], max(0, deadline - time.monotonic()))
        if not ready:
            return None
        frame = ready[0].recv(2048)
        if frame[:12] == PROBE and struct.unpack_from("!I", frame, 14)[0] == number:
            return ready[0]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, default=6653)
    options.add_argument("--in", dest="ingress", default="b1")
    options.add_argument("--out", nargs=2, default=["b2", "b3"])
    options.add_argument("--load", default="b4", help="where the background traffic enters")
    options.add_argument("--rounds", type=int, default=10000)
    options.add_argument("--listening-file", help="made once we listen")
    options = options.parse_args()

    listener = Listener(options.port)
    if options.listening_file:
        open(options.listening_file, "w").close()
    peer = listener.accept(30)
    peer.send(parser.OFPFlowMod(DATAPATH, command=ofp.OFPFC_DELETE, table_id=ofp.OFPTT_ALL,
                                out_port=ofp.OFPP_ANY, out_group=ofp.OFPG_ANY))
    for n in range(BACKGROUND_FLOWS):
        peer.send(flow_mod({"in_port": 4, "eth_dst": f"02:00:00:00:04:{n:02x}"}, 3, priority=50))
    peer.barrier()

    ingress = open_interface(options.ingress)
    outs = [open_interface(name) for name in options.out]
    ports = {outs[0]: 2, outs[1]: 3}
    stop = threading.Event()
    load = threading.Thread(target=background, args=(options.load, stop), daemon=True)
    load.start()

    # A switch whose ports are not open yet may answer barriers at once: wait for the first probe.
    peer.send(flow_mod({"in_port": 1, "eth_dst": "02:00:00:00:03:01"}, 2))
    peer.barrier()
    deadline = time.monotonic() + 20
    while not arrives(ingress, outs, 0xffffffff, 0.2):
        if time.monotonic() > deadline:
            print("error: the switch forwards nothing")
            return 2

    stale = lost = 0
    began = time.monotonic()
    for n in range(options.rounds):
        want = 2 + n % 2
        peer.send(flow_mod({"in_port": 1, "eth_dst": "02:00:00:00:03:01"}, want))
        peer.barrier()
        out = arrives(ingress, outs, n, 0.5)
        lost += out is None
        stale += out is not None and ports[out] != want
    seconds = time.monotonic() - began
    stop.set()
    load.join(2)
    if peer.errors:
        print(f"error: the switch answered with {peer.errors[0]}")
        return 2
    print(f"rounds {options.rounds}  stale {stale}  lost {lost}  "
          f"{seconds / options.rounds * 1e6:.0f} us a round")
    return 0 if stale == 0 and lost == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
