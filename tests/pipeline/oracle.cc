// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/oracle.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace raicho::test {
namespace {

using openflow::Action;

bool has_ip(const FrameSpec& s) {
    return s.tags.size() <= 2 && (s.l3 == L3::ipv4 || s.l3 == L3::ipv6);
}

/// Does one action; false when it does not fit the frame, which ends it.
struct Doer {
    FrameSpec& spec;
    std::vector<Oracle::Output>& outputs;
    PortNo in_port;

    bool operator()(const openflow::OutputAction& a) const {
        if (a.port == in_port) return true;
        FrameBytes bytes = build(spec).bytes;
        if (bytes.size() < 60) bytes.resize(60);
        outputs.push_back({a.port.value(), std::move(bytes)});
        return true;
    }
    bool operator()(const openflow::PushVlan& a) const {
        const auto tci =
            static_cast<std::uint16_t>(spec.tags.empty() ? 0 : spec.tags[0].tci & 0xefff);
        spec.tags.insert(spec.tags.begin(), {a.ethertype, tci});
        return true;
    }
    bool operator()(openflow::PopVlan) const {
        if (spec.tags.empty()) return false;
        spec.tags.erase(spec.tags.begin());
        return true;
    }
    bool operator()(openflow::DecNwTtl) const {
        if (!has_ip(spec) || spec.ttl <= 1) return false;
        --spec.ttl;
        return true;
    }
    bool operator()(const openflow::SetNwTtl& a) const {
        if (!has_ip(spec)) return false;
        spec.ttl = a.ttl;
        return true;
    }
    bool operator()(const openflow::SetField& a) const {
        const std::byte* v = a.value.bytes.data();
        const bool seen = spec.tags.size() <= 2;
        switch (a.field) {
            case Field::eth_dst: std::memcpy(spec.dst.bytes.data(), v, 6); return true;
            case Field::eth_src: std::memcpy(spec.src.bytes.data(), v, 6); return true;
            case Field::vlan_vid:
                if (spec.tags.empty()) return false;
                spec.tags[0].tci = static_cast<std::uint16_t>(
                    (spec.tags[0].tci & 0xf000) | (openflow::to_integer(a.field, a.value) & 0xfff));
                return true;
            case Field::ipv4_dst:
                if (!seen || spec.l3 != L3::ipv4) return false;
                std::memcpy(spec.dst4.bytes.data(), v, 4);
                return true;
            case Field::tcp_dst:
            case Field::udp_dst:
                if (seen && has_ip(spec) && spec.later_fragment) return true;
                if (!has_ip(spec) || spec.l4 != (a.field == Field::tcp_dst ? L4::tcp : L4::udp))
                    return false;
                spec.dport = static_cast<std::uint16_t>(openflow::to_integer(a.field, a.value));
                return true;
            default: ASSERT(false);
        }
    }
    template <class Other>
    bool operator()(const Other&) const {
        ASSERT(false);
    }
};

/// Place in the order of §5.10.
struct Rank {
    int operator()(openflow::PopVlan) const { return 2; }
    int operator()(const openflow::PushVlan&) const { return 5; }
    int operator()(openflow::DecNwTtl) const { return 7; }
    int operator()(const openflow::SetNwTtl&) const { return 8; }
    int operator()(const openflow::SetField& a) const { return 100 + static_cast<int>(a.field); }
    int operator()(const openflow::OutputAction&) const { return 1000; }
    template <class Other>
    int operator()(const Other&) const {
        ASSERT(false);
    }
};
int set_rank(const Action& action) {
    return std::visit(Rank{}, action);
}

/// Names the fields of each header to `take`.
template <class Take>
void take_headers(const FrameSpec& spec, const Take& take) {
    using enum Field;
    take({eth_dst, eth_src, eth_type, vlan_vid});
    if (!spec.tags.empty()) take({vlan_pcp});
    if (spec.tags.size() > 2) return;
    if (spec.l3 == L3::arp) take({arp_op, arp_spa, arp_tpa, arp_sha, arp_tha});
    if (!has_ip(spec)) return;
    take({ip_dscp, ip_ecn, ip_proto});
    if (spec.l3 == L3::ipv4) take({ipv4_src, ipv4_dst});
    if (spec.l3 == L3::ipv6) take({ipv6_src, ipv6_dst, ipv6_flabel, ipv6_exthdr});
    if (spec.later_fragment) return;  // no transport header
    switch (spec.l4) {
        case L4::none: break;
        case L4::tcp: take({tcp_src, tcp_dst}); break;
        case L4::udp: take({udp_src, udp_dst}); break;
        case L4::sctp: take({sctp_src, sctp_dst}); break;
        case L4::icmpv4: take({icmpv4_type, icmpv4_code}); break;
        case L4::icmpv6: take({icmpv6_type, icmpv6_code}); break;
        case L4::nd:
            take({icmpv6_type, icmpv6_code});
            if (spec.icmp_code != 0) break;
            take({ipv6_nd_target});
            if (spec.nd_address) take({spec.icmp_type == 135 ? ipv6_nd_sll : ipv6_nd_tll});
            break;
    }
}

}  // namespace

agent::FieldValues field_values(const FrameSpec& spec, PortNo in_port, std::uint64_t metadata) {
    const shm::Key key = expected_key(spec);
    agent::FieldValues values;
    const auto take = [&](std::initializer_list<Field> fields) {
        for (Field f : fields) {
            FieldValue value;
            std::memcpy(value.bytes.data(), key.bytes() + shm::place(f).offset, shm::place(f).size);
            if (f == Field::vlan_pcp) value.bytes[0] &= std::byte{shm::presence::kVlanPcp};
            values.set(f, value);
        }
    };
    values.set(Field::in_port, in_port.value());
    values.set(Field::in_phy_port, in_port.value());
    values.set(Field::metadata, metadata);
    take_headers(spec, take);
    return values;
}

void Oracle::add(FlowId id, TableId table, std::uint16_t priority, const openflow::Match& match,
                 const openflow::Instructions& instructions) {
    tables_[table.value()].insert(id, priority, match);
    flows_[id] = {instructions, 0};
}

void Oracle::remove(FlowId id, TableId table) {
    tables_[table.value()].remove(id);
    flows_.erase(id);
}

std::vector<Oracle::Output> Oracle::run(const FrameSpec& frame, PortNo in_port) {
    FrameSpec spec = frame;
    std::vector<Output> outputs;
    std::uint64_t metadata = 0;
    std::map<int, Action> set;
    const Doer doer{spec, outputs, in_port};
    for (unsigned table = 0;;) {
        const auto hits = tables_[table].lookup(field_values(spec, in_port, metadata));
        if (hits.empty()) return outputs;
        ASSERT(hits.size() == 1);
        Flow& flow = flows_.at(hits[0]);
        ++flow.packets;
        const openflow::Instructions& i = flow.instructions;
        if (i.apply)
            for (const Action& action : *i.apply)
                if (!std::visit(doer, action)) return outputs;
        if (i.clear) set.clear();
        if (i.write)
            for (const Action& action : *i.write) set.insert_or_assign(set_rank(action), action);
        if (i.metadata)
            metadata = (metadata & ~i.metadata->mask) | (i.metadata->value & i.metadata->mask);
        if (!i.go_to) break;
        table = i.go_to->value();
    }
    if (!set.contains(1000)) return outputs;
    for (const auto& [rank, action] : set)
        if (!std::visit(doer, action)) return outputs;
    return outputs;
}

}  // namespace raicho::test
