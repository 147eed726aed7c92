# SPDX-License-Identifier: Apache-2.0
"""Frames of the group patterns, whose addresses and ports are drawn anew for every packet. The
pattern names the layers that are drawn; all else is the sample's."""

import checksum

LAYERS = ("ethernet", "ipv4", "ipv6", "arp", "tcp")


def frames(sample, random_layers, n, rng):
    """`n` variants of the frame `sample` (untagged) with right checksums."""
    drawn = [text.split("(", 1)[0] for text in random_layers]
    unknown = set(drawn) - set(LAYERS)
    if unknown:
        raise ValueError(f"a random field in {', '.join(sorted(unknown))}: not known how to draw it")
    return [variant(sample, drawn, rng) for _ in range(n)]


def variant(sample, drawn, rng):
    frame = bytearray(sample)
    v4 = frame[12:14] == b"\x08\x00"
    if "ethernet" in drawn:
        frame[0:12] = rng.randbytes(12)
        frame[6] &= 0xfe  # no source is a group address
    if "arp" in drawn:
        frame[28:32] = rng.randbytes(4)
        frame[38:42] = rng.randbytes(4)
    if "ipv4" in drawn:
        frame[26:34] = rng.randbytes(8)
    if "ipv6" in drawn:
        frame[22:54] = rng.randbytes(32)
    tcp = 34 if v4 else 54
    if "tcp" in drawn:
        frame[tcp:tcp + 4] = rng.randbytes(4)
    if {"ipv4", "ipv6", "tcp"} & set(drawn):
        if v4:
            frame[24:26] = bytes(2)
            frame[24:26] = checksum.internet(bytes(frame[14:34])).to_bytes(2, "big")
        end = 14 + int.from_bytes(frame[16:18], "big") if v4 else \
            54 + int.from_bytes(frame[18:20], "big")
        frame[tcp + 16:tcp + 18] = bytes(2)
        message = bytes(frame[tcp:end])
        head = checksum.pseudo_header(bytes(frame[14:54]), 6, len(message))
        frame[tcp + 16:tcp + 18] = checksum.internet(head, message).to_bytes(2, "big")
    return bytes(frame)
