#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a pcap of 64-byte UDP frames (without FCS: 60 bytes) with distinct 5-tuples."""

import argparse
import random
import socket
import struct


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def frame(rng, flow):
    ethernet = bytes.fromhex("020000000002" + "020000000001" + "0800")
    source = socket.inet_aton(f"10.{flow >> 16 & 255}.{flow >> 8 & 255}.{flow & 255}")
    target = struct.pack("!I", 0x0b000000 | rng.getrandbits(24))
    header = struct.pack("!BBHHHBBH", 0x45, 0, 46, flow & 0xffff, 0, 64, 17, 0) + source + target
    header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
    udp = struct.pack("!HHHH", 1024 + flow % 60000, 4789, 26, 0) + bytes(18)
    return ethernet + header + udp


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--flows", type=int, default=1000)
    options.add_argument("--packets", type=int, default=4096)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("file")
    options = options.parse_args()
    rng = random.Random(options.seed)
    frames = [frame(rng, n) for n in range(options.flows)]
    with open(options.file, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for n in range(options.packets):
            data = frames[n % len(frames)]
            out.write(struct.pack("<IIII", 0, n, len(data), len(data)) + data)


if __name__ == "__main__":
    main()
