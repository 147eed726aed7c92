# SPDX-License-Identifier: Apache-2.0
"""Flows of many shapes, above those of the cases and for frames that no case sends. Beside them a
switch cannot look a case's flow up by the shortest way it has for a table of one flow."""

from openflow import flow_mod, match

IPV4, IPV6, ARP = ("eth_type", "0800", None), ("eth_type", "86dd", None), ("eth_type", "0806", None)
TCP = ("ip_proto", "06", None)

SHAPES = (
    *(match(("eth_dst", f"0600000000{n:02x}", None)) for n in range(1, 9)),
    match(("eth_src", "060000000000", "fe0000000000")),
    match(("eth_src", "060000000001", "ff00000000ff"), ("eth_dst", "060000000100", None)),
    match(("in_port", "00000003", None), ("eth_type", "88b5", None)),
    match(("metadata", "1234567890abcdef", None)),
    match(("vlan_vid", "1fff", None)),
    match(("vlan_vid", "1ffe", None), ("vlan_pcp", "07", None)),
    *(match(IPV4, ("ipv4_dst", "cb000000", f"{0xffffffff << 32 - n & 0xffffffff:08x}"))
      for n in (24, 20, 16)),
    match(IPV4, TCP, ("ipv4_src", "cb007109", None), ("tcp_dst", "0009", None)),
    match(IPV4, ("ipv4_src", "cb000009", "ff0000ff")),
    match(IPV6, ("ipv6_dst", "20010db8" + 24 * "0", "ffffffff" + 24 * "0")),
    match(IPV6, TCP, ("tcp_src", "0009", None)),
    match(ARP, ("arp_op", "0009", None)),
    match(("eth_type", "8847", None), ("mpls_label", "000fffff", None)),
    match(("eth_type", "88e7", None), ("pbb_isid", "fffffe", None)),
    match(("tunnel_id", "fedcba9876543210", None)),
)

FLOWS = tuple(flow_mod(0, table, 0xffff, shape, b"") for table in (0, 1) for shape in SHAPES)
