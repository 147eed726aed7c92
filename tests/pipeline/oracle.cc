// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/oracle.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace raicho::test {
namespace {

using openflow::Action;

bool has_ip(const FrameSpec& s) {
    return s.tags.size() <= 2 && (s.l3 == L3::ipv4 || s.l3 == L3::ipv6);
}

/// Of a meter whose burst is not given: 100 ms of its rate.
constexpr std::int64_t kMeterDepth = 100'000'000;

constexpr int kGroupRank = 999, kOutputRank = 1000;

/// Place in the order of §5.10.
struct Rank {
    int operator()(openflow::PopVlan) const { return 2; }
    int operator()(const openflow::PushVlan&) const { return 5; }
    int operator()(openflow::DecNwTtl) const { return 7; }
    int operator()(const openflow::SetNwTtl&) const { return 8; }
    int operator()(const openflow::SetField& a) const { return 100 + static_cast<int>(a.field); }
    int operator()(const openflow::GroupAction&) const { return kGroupRank; }
    int operator()(const openflow::OutputAction&) const { return kOutputRank; }
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

/// Does one action; false when it does not fit the frame, which ends it.
struct Oracle::Doer {
    Oracle& oracle;
    FrameSpec& spec;
    std::vector<Oracle::Output>& outputs;
    PortNo in_port;

    bool operator()(const openflow::OutputAction& a) const {
        if (a.port == in_port || oracle.down.contains(a.port.value())) return true;
        FrameBytes bytes = build(spec).bytes;
        if (bytes.size() < 60) bytes.resize(60);
        outputs.push_back({a.port.value(), std::move(bytes)});
        return true;
    }
    bool operator()(const openflow::GroupAction& a) const {
        oracle.run_group(a.group, spec, in_port, outputs);
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
    const Doer doer{*this, spec, outputs, in_port};
    for (unsigned table = 0;;) {
        const auto hits = tables_[table].lookup(field_values(spec, in_port, metadata));
        if (hits.empty()) return outputs;
        ASSERT(hits.size() == 1);
        Flow& flow = flows_.at(hits[0]);
        ++flow.packets;
        const openflow::Instructions& i = flow.instructions;
        if (i.meter && !within(meters_.at(*i.meter), spec)) return outputs;
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
    if (set.contains(kGroupRank)) set.erase(kOutputRank);
    if (!set.contains(kGroupRank) && !set.contains(kOutputRank)) return outputs;
    for (const auto& [rank, action] : set)
        if (!std::visit(doer, action)) return outputs;
    return outputs;
}

// --- groups and meters ------------------------------------------------------------------------

void Oracle::set_group(GroupId id, openflow::GroupType type, const openflow::Buckets& buckets) {
    Group& group = groups_[id];
    group.type = type;
    group.buckets = buckets;
    group.bucket_packets.assign(buckets.size(), 0);
}

bool Oracle::live(openflow::GroupType type, const openflow::Bucket& bucket) const {
    const auto up = [&](PortNo port) { return port.value() <= 4 && !down.contains(port.value()); };
    const bool names =
        bucket.watch_port != port::kAny || bucket.watch_group != openflow::group::kAny;
    if (names)
        return (bucket.watch_port != port::kAny && up(bucket.watch_port)) ||
               (bucket.watch_group != openflow::group::kAny && live(bucket.watch_group));
    if (type == openflow::GroupType::fast_failover) return true;
    // As live as where it sends: its group, else its last output.
    const openflow::OutputAction* last = nullptr;
    for (const Action& action : bucket.actions) {
        if (const auto* group = std::get_if<openflow::GroupAction>(&action))
            return live(group->group);
        if (const auto* output = std::get_if<openflow::OutputAction>(&action)) last = output;
    }
    return last == nullptr || up(last->port);
}

bool Oracle::live(GroupId id) const {
    const Group& group = groups_.at(id);
    return std::ranges::any_of(group.buckets, [&](const auto& b) { return live(group.type, b); });
}

void Oracle::run_bucket(Group& group, std::size_t bucket, FrameSpec spec, PortNo in_port,
                        std::vector<Output>& outputs) {
    ++group.bucket_packets[bucket];
    std::map<int, Action> set;
    for (const Action& action : group.buckets[bucket].actions)
        set.insert_or_assign(set_rank(action), action);
    if (set.contains(kGroupRank)) set.erase(kOutputRank);
    const Doer doer{*this, spec, outputs, in_port};
    for (const auto& [rank, action] : set)
        if (!std::visit(doer, action)) return;
}

void Oracle::run_group(GroupId id, const FrameSpec& spec, PortNo in_port,
                       std::vector<Output>& outputs) {
    Group& group = groups_.at(id);
    ++group.packets;
    const auto is_live = [&](std::size_t i) { return live(group.type, group.buckets[i]); };
    const std::size_t n = group.buckets.size();
    using enum openflow::GroupType;
    switch (group.type) {
        case all:
            for (std::size_t i = 0; i < n; ++i) run_bucket(group, i, spec, in_port, outputs);
            return;
        case indirect:
            if (n != 0) run_bucket(group, 0, spec, in_port, outputs);
            return;
        case fast_failover:
            for (std::size_t i = 0; i < n; ++i)
                if (is_live(i)) return run_bucket(group, i, spec, in_port, outputs);
            return;
        case select: break;
    }
    const bool fragment =
        spec.later_fragment || (spec.l3 == L3::ipv4 && (spec.fragment & 0x2000) != 0) ||
        (spec.l3 == L3::ipv6 &&
         std::ranges::any_of(spec.extensions, [](const auto& e) { return e.type == 44; }));
    const bool seen = spec.tags.size() <= 2;
    const std::uint64_t hash =
        shm::select_hash(secret_, expected_key(spec), id.value(),
                         fragment && seen ? shm::HashPorts::no : shm::HashPorts::yes);
    const bool weighted =
        std::ranges::any_of(group.buckets, [](const auto& b) { return b.weight != 0; });
    const auto weight = [&](std::size_t i) -> std::uint64_t {
        return weighted ? group.buckets[i].weight : 1;
    };
    /// The bucket in whose part of the whole `part` of 2^32 lies.
    const auto pick = [&](std::uint64_t part, const auto& counts) {
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < n; ++i) total += counts(i) ? weight(i) : 0;
        std::uint64_t point = part * total >> 32;
        for (std::size_t i = 0; i < n; ++i) {
            if (!counts(i)) continue;
            if (point < weight(i)) return i;
            point -= weight(i);
        }
        return n;
    };
    std::size_t chosen = pick(hash >> 32, [](std::size_t) { return true; });
    if (chosen != n && !is_live(chosen)) chosen = pick(hash & 0xffffffff, is_live);
    if (chosen != n) run_bucket(group, chosen, spec, in_port, outputs);
}

void Oracle::set_meter(MeterId id, std::uint16_t flags, const openflow::MeterBands& bands) {
    Meter& meter = meters_[id];
    const std::int64_t full = static_cast<std::int64_t>(now_ns) - kMeterDepth;
    meter = {flags, bands, std::vector(bands.size(), full),
             std::vector<std::uint64_t>(bands.size())};
}

bool Oracle::within(Meter& meter, FrameSpec& spec) const {
    const bool packets = (meter.flags & openflow::meter_flag::kPktps) != 0;
    // A kbit/s is 125 bytes/s.
    const std::int64_t amount = packets ? 1 : static_cast<std::int64_t>(build(spec).bytes.size());
    const auto now = static_cast<std::int64_t>(now_ns);
    for (std::size_t i = 0; i < meter.bands.size(); ++i) {
        const std::int64_t per_s = std::int64_t{meter.bands[i].rate} * (packets ? 1 : 125);
        const std::int64_t cost = amount * 1'000'000'000 / per_s;
        // Tokens in the nanoseconds that bring them; of a shallow bucket two packets' at most.
        const std::int64_t tokens =
            std::min(now - meter.spent_ns[i], std::max(kMeterDepth, 2 * cost));
        if (tokens >= std::min(cost, kMeterDepth)) {
            meter.spent_ns[i] = now - tokens + cost;
            continue;
        }
        ++meter.acted[i];
        if (meter.bands[i].type == openflow::BandType::drop) return false;
        const unsigned precedence = spec.dscp >> 1 & 3, service = spec.dscp >> 3;
        if (has_ip(spec) && service >= 1 && service <= 4 && precedence != 0 && (spec.dscp & 1) == 0)
            spec.dscp = static_cast<std::uint8_t>(
                service << 3 | std::min(3u, precedence + meter.bands[i].prec_level) << 1);
        return true;
    }
    return true;
}

}  // namespace raicho::test
