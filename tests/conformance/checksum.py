# SPDX-License-Identifier: Apache-2.0
"""The Internet checksum (RFC 1071) and SCTP's CRC32c (RFC 9260 appendix A), the plain way: the
runner's own, so that it does not believe the switch's."""


def internet(*parts):
    """Of the parts one behind the other, each padded to an even size; 0 over a right checksum."""
    total = 0
    for part in parts:
        if len(part) & 1:
            part = part + b"\0"
        total += sum(int.from_bytes(part[i:i + 2], "big") for i in range(0, len(part), 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def pseudo_header(ip_header, proto, size):
    """What stands in front of a TCP, UDP or ICMPv6 message in its sum; `ip_header` is IPv4 or 6."""
    if ip_header[0] >> 4 == 4:
        return ip_header[12:20] + bytes([0, proto]) + size.to_bytes(2, "big")
    return ip_header[8:40] + size.to_bytes(4, "big") + bytes([0, 0, 0, proto])


def crc32c(data):
    """The four bytes as they stand in an SCTP header."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return (crc ^ 0xffffffff).to_bytes(4, "little")
