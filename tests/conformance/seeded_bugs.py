# SPDX-License-Identifier: Apache-2.0
"""Bugs to be put into the switch one at a time, each by replacing one piece of one file; the cases
that may notice are named, to be quick. A piece must be in its file exactly once: who changes that
line changes the bug too."""

from dataclasses import dataclass

EDIT = "dataplane/pipeline/edit.cc"
SET_FIELD = "dataplane/pipeline/set_field.cc"
OUTPUT = "dataplane/pipeline/output.h"
RUN = "dataplane/pipeline/run.h"
EXECUTE = "dataplane/pipeline/execute.h"
GROUP = "dataplane/pipeline/group.h"
METER = "dataplane/pipeline/meter.h"


@dataclass(frozen=True)
class Bug:
    """`old` becomes `new` in `file`; `cases` is a regular expression over case names."""
    name: str
    file: str
    old: str
    new: str
    cases: str


STALE_MEMO = """
    static shm::Key seen;
    static std::uint32_t seen_flow = shm::kNoFlow;
    static std::uint32_t seen_at = 0;
    if (n == 1) {
        if (std::memcmp(&seen, keys[0], sizeof seen) == 0 && here_.now_s - seen_at < 2) {
            flows[0] = seen_flow;
        } else {
            seen = *keys[0];
            seen_flow = flows[0];
            seen_at = here_.now_s;
        }
    }
"""

BUGS = (
    Bug("a TTL is decremented by two", EDIT, "static_cast<std::uint8_t>(value - 1)",
        "static_cast<std::uint8_t>(value - 2)", "action/24_DEC"),
    Bug("the IPv4 checksum does not follow the TTL", EDIT, "delta.apply(ttl.ipv4 + 10);", "",
        "action/2[34]_.*IPv4"),
    Bug("copy_ttl_in copies outwards", EDIT, "write_ttl(inner, octet(outer.at));",
        "write_ttl(outer, octet(inner.at));", "action/12"),
    Bug("push_vlan forgets the tag that it covers", EDIT,
        "l.n_vlans > 0 ? load_be", "l.n_vlans > 9 ? load_be", "action/17"),
    Bug("push_vlan always writes 0x8100", EDIT,
        "store_be<std::uint16_t>(packet.data + kAddresses, type);\n"
        "    store_be<std::uint16_t>(packet.data + kAddresses + 2, tci & 0xefffu);",
        "store_be<std::uint16_t>(packet.data + kAddresses, std::uint16_t{0x8100});\n"
        "    store_be<std::uint16_t>(packet.data + kAddresses + 2, tci & 0xefffu);", "action/17"),
    Bug("push_mpls copies no label", EDIT, "& ~0x100u;", "& 0xffu;", "action/19_PUSH_MPLS_m"),
    Bug("pop_mpls does not parse again", EDIT,
        "close_gap(*frame.packet, l.network_at, kTag);\n    reparse(frame);",
        "close_gap(*frame.packet, l.network_at, kTag);", "match/11_IPV4_SRC#"),
    Bug("pop_pbb leaves the I-TAG", EDIT, "static_cast<std::uint16_t>(l.network_at + 4)",
        "static_cast<std::uint16_t>(l.network_at)", "action/27"),
    Bug("push_pbb copies no addresses", EDIT,
        "std::memcpy(packet.data, packet.data + kItag, kAddresses);",
        "std::memset(packet.data, 0, kAddresses);", "action/26"),
    Bug("set vlan_vid clears the priority", SET_FIELD, "Needs::vlan, Sums::none, 2, 0, 0x0fff",
        "Needs::vlan, Sums::none, 2, 0, 0xffff", "action/25_SET_FIELD/06"),
    Bug("no transport checksum follows a set-field", SET_FIELD, "if (covered) update_transport(",
        "if (covered && at == 0) update_transport(", "action/25_SET_FIELD/1[1-6]"),
    Bug("the ICMPv6 checksum does not follow", SET_FIELD,
        "case Transport::icmpv6: return delta.apply(field);", "case Transport::icmpv6: return;",
        "action/25_SET_FIELD/(29|3[0-3])"),
    Bug("SCTP keeps its old CRC", SET_FIELD, "packet.checksum = Checksum::partial;", "",
        "action/25_SET_FIELD/1[78]_SCTP"),
    Bug("tunnel_id is forgotten", SET_FIELD, "if (spot.base == Base::key) {\n        frame.key.set",
        "if (spot.base == Base::key) {\n        if (value == nullptr) frame.key.set",
        "(action/25_SET_FIELD/38|match/38)"),
    Bug("a frame below 60 bytes leaves unpadded", "dataplane/pipeline/packet.h",
        "if (size >= kMinFrame) [[likely]]", "if (size >= 14) [[likely]]", "/(19|20)_ICMPV4"),
    Bug("each frame leaves twice", OUTPUT,
        "    sink_.sent(f, PortSlot(out.slot), *packet);\n    io_.send(PortSlot(out.slot), packet);\n}",
        "    if (Packet* twin = io_.clone(*packet)) io_.send(PortSlot(out.slot), twin);\n"
        "    sink_.sent(f, PortSlot(out.slot), *packet);\n    io_.send(PortSlot(out.slot), packet);\n}",
        "action/00"),
    Bug("packet-ins are cut at 64 bytes", OUTPUT, "std::min(head.total_size, max_size)",
        "std::min(head.total_size, 64u)", "match/00"),
    Bug("a packet-in of an action says that nothing matched", OUTPUT,
        "origin == Origin::miss ? shm::PuntReason::no_match", "origin != Origin::miss ? "
        "shm::PuntReason::no_match", "match/00"),
    Bug("a miss counts as a match", RUN, "counters.matched += matched;",
        "counters.matched += flows.size();",
        "match/00"),
    Bug("lookups are not counted", RUN, "counters.lookups += flows.size();", "", "match/00"),
    Bug("a barrier leaves old flows in a cache", RUN,
        "    find(table, std::span(keys).first(n), std::span(flows).first(n));\n",
        "    find(table, std::span(keys).first(n), std::span(flows).first(n));\n" + STALE_MEMO,
        "action/"),
    Bug("metadata is written as zero", EXECUTE, "(words[0] & words[1])", "(words[0] & 0)",
        "match/02"),
    Bug("an authentication header is taken for ESP", "dataplane/pipeline/parse.cc",
        "order.saw(kAuth, 4)", "order.saw(kEsp, 5)", "match/39"),
    Bug("a mask matches exactly", "agent/compiler/match_key.cc",
        "|= field.mask.bytes[i];", "|= std::byte{0xff};", "match/03_ETH_DST_Mask"),
    Bug("flow statistics tell another priority", "agent/model/multipart.cc",
        ".priority = head.priority,", ".priority = 1,", "action/00"),
    Bug("a group of type all has one bucket only", GROUP,
        "if (type == shm::GroupType::all) return every_bucket(f, buckets, origin, after);",
        "if (type == shm::GroupType::all)\n"
        "            return every_bucket(f, buckets.first(1), origin, after);", "group/00_ALL#001"),
    Bug("every bucket of a select group weighs the same", GROUP,
        "const auto chosen = std::ranges::upper_bound(buckets, point, {}, &shm::BucketRow::weight_end);",
        "const auto chosen = buckets.begin() + static_cast<std::ptrdiff_t>(point % buckets.size());",
        "group/01_SELECT_Weight_IP#001"),
    Bug("select does not look at Ethernet addresses", "shm/hash.h",
        "take(w[2], w[3] & ~kEcnByte);", "static_cast<void>(kEcnByte);",
        "group/01_SELECT_Ether#00[13]"),
    Bug("a meter lets 15 % too much through", "agent/compiler/arena_meter_store.cc",
        "shm::band_cost(flags, sent.rate);", "shm::band_cost(flags, sent.rate) * 100 / 115;",
        "meter/01_DROP_00_KBPS_00_1M#00[12]"),
    Bug("a meter of packets counts bytes", METER,
        "body.counts_packets() ? cost.packets : cost.bytes", "cost.bytes",
        "meter/01_DROP_01_PKTPS_00_100#00[12]"),
    Bug("a band that remarks drops", METER, "if (band->type == shm::BandType::drop) return kill",
        "if (band->rate != 0) return kill", "meter/02_DSCP_REMARK_00_KBPS_00_1M#00[12]"),
    Bug("a band that remarks does nothing", METER, "remark(f, *band);", "",
        "meter/02_DSCP_REMARK_01_PKTPS_00_100#00[12]"),
)
