// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/random_parts.h"

#include <algorithm>

#include "tests/pipeline/slow_frame.h"

namespace raicho::test {

using openflow::Action, openflow::ActionList, openflow::HasMask, openflow::Instructions,
    openflow::Match, openflow::MatchField;

RandomParts::RandomParts(std::uint64_t seed, std::size_t n)
    : random_(seed),
      changes_protocol_(random_() % 8 == 0),
      one_kind_(random_() % 2 == 0),
      ports_first_(random_() % 4 == 0) {
    while (frames_.size() < n) add_frames();
}

/// A frame, its neighbour (so that priorities and masks matter), and now and then a piece of it.
void RandomParts::add_frames() {
    FrameSpec spec = kind_ ? *kind_ : random_spec(random_);
    if (one_kind_ && !kind_) kind_ = spec;
    if (kind_)
        spec.dst.bytes[5] = random_() % 4, spec.dst4.bytes[3] = random_() % 4,
        spec.dport = static_cast<std::uint16_t>(random_() % 4), spec.ttl = 9;
    if (spec.sum == Sum::partial) spec.sum = Sum::complete;
    if (random_() % 5 == 0) {
        for (auto labels = 1 + random_() % 3; labels > 0; --labels)
            spec.labels.push_back(static_cast<std::uint32_t>(
                (random_() & 0xfffffeff) | (labels == 1 && random_() % 8 != 0 ? 0x100 : 0)));
        if (random_() % 4 == 0) spec.label_type = 0x8848;
    }
    const auto put = [&](const FrameSpec& s) {
        if (random_() % 8 == 0) {
            FrameSpec outer;
            outer.dst = s.src, outer.itag = static_cast<std::uint32_t>(random_()) & 0xe0ffffff;
            if (random_() % 2 == 0) outer.tags = {{0x88a8, static_cast<std::uint16_t>(random_())}};
            outer.customer = std::make_shared<FrameSpec>(s);
            return frames_.push_back(build(outer).bytes);
        }
        frames_.push_back(build(s).bytes);
    };
    put(spec);
    spec.dport ^= 1, spec.dst.bytes[5] ^= 1, spec.dst4.bytes[3] ^= 8;
    if (spec.l3 == L3::ipv4 && spec.l4 != L4::none && random_() % 2 == 0) {
        spec.later_fragment = true, spec.fragment = 0x0010;
        spec.payload.resize(std::max<std::size_t>(spec.payload.size(), 30));
    }
    put(spec);
    if (random_() % 6 == 0) {
        FrameBytes cut = frames_.back();
        cut.resize(14 + random_() % (cut.size() - 13));
        frames_.push_back(cut);
    }
}

Match RandomParts::port_match() {
    Match match;
    const bool added = match.add(openflow::exact(Field::in_port, std::uint64_t{1} + random_() % 4));
    ASSERT(added);
    return match;
}

Instructions RandomParts::one_output() {
    Instructions i;
    i.apply = {openflow::OutputAction{PortNo(1 + random_() % 4u)}};
    return i;
}

Match RandomParts::match() {
    Match match;
    if (random_() % 12 == 0) return match;
    const auto values = SlowFrame(frame()).fields(PortNo(1 + random_() % 4u), random_() & 3);
    std::vector<Field> fields;
    for (const FieldRow& r : kFieldRows)
        if (values.get(r.field) && r.field != Field::in_phy_port && random_() % 6 == 0)
            fields.push_back(r.field);
    const auto want = [&](Field f) {
        if (values.get(f) && std::ranges::find(fields, f) == fields.end()) fields.push_back(f);
    };
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Prerequisite p = row(fields[i]).prerequisite;
        if (p == Prerequisite::vlan) want(Field::vlan_vid);
        if (p == Prerequisite::nd || p == Prerequisite::nd_solicit || p == Prerequisite::nd_advert)
            want(Field::icmpv6_type);
        if (p >= Prerequisite::ip) want(Field::eth_type);
        if (p >= Prerequisite::tcp && p <= Prerequisite::nd_advert) want(Field::ip_proto);
    }
    for (Field f : fields) {
        MatchField m{f, HasMask::no, *values.get(f), openflow::exact_mask(f)};
        if (row(f).maskable == Maskable::yes && f != Field::vlan_vid && random_() % 2 == 0) {
            m.has_mask = HasMask::yes;
            // Prefixes and masks with gaps.
            const bool gaps = random_() % 3 == 0;
            for (std::size_t i = 0; i < row(f).size(); ++i)
                m.mask.bytes[i] &= gaps                    ? static_cast<std::byte>(random_())
                                   : i < row(f).size() / 2 ? std::byte{0xff}
                                                           : std::byte{0xf0};
            for (std::size_t i = 0; i < 16; ++i) m.value.bytes[i] &= m.mask.bytes[i];
        }
        if (!match.add(m)) ASSERT(false);
    }
    return match;
}

GroupId RandomParts::above(std::uint32_t id) {
    return GroupId(id + 1 + static_cast<std::uint32_t>(random_() % (kGroups - id)));
}

/// Mostly of fields that some frame has: what does not fit ends the packet.
openflow::SetField RandomParts::set_field() {
    const auto values = SlowFrame(frame()).fields(PortNo(1), 0);
    const bool any = random_() % 6 == 0;
    for (;;) {
        const FieldRow& r = kFieldRows[random_() % kFields];
        const Field f = r.field;
        const bool sctp = f == Field::sctp_src || f == Field::sctp_dst;
        if (r.settable == Settable::no || (changes_protocol_ ? sctp : f == Field::ip_proto))
            continue;
        if (!any && !values.get(f)) continue;
        FieldValue value;
        if (r.bits > 64) {
            for (std::byte& b : value.bytes) b = static_cast<std::byte>(random_());
            return {f, value};
        }
        std::uint64_t number = random_() >> (64 - r.bits);
        if (f == Field::vlan_vid) number |= kVlanPresent;
        if (f == Field::ip_proto) number = pick<std::uint64_t>({1, 6, 17, 58, 99});
        if (f == Field::eth_type)
            number = pick<std::uint64_t>({0x0800, 0x86dd, 0x0806, 0x8847, 0x88e7, 0x8100, 0x88b5});
        if (f == Field::icmpv6_type) number = pick<std::uint64_t>({135, 136, 128});
        if (f == Field::icmpv6_code) number = random_() % 2;
        return {f, openflow::field_value(f, number)};
    }
}

/// Mostly set-fields: there are many.
Action RandomParts::edit() {
    const auto ttl = [&] { return static_cast<std::uint8_t>(random_()); };
    switch (random_() % 20) {
        case 0: return openflow::PushVlan{pick<std::uint16_t>({0x8100, 0x88a8})};
        case 1:
        case 2: return openflow::PopVlan{};
        case 3: return openflow::PushMpls{pick<std::uint16_t>({0x8847, 0x8848})};
        case 4: return openflow::PopMpls{pick<std::uint16_t>({0x0800, 0x86dd, 0x8847, 0x88b5})};
        case 5: return openflow::PopPbb{};
        case 6: return openflow::DecNwTtl{};
        case 7: return openflow::SetNwTtl{ttl()};
        case 8: return openflow::DecMplsTtl{};
        case 9: return openflow::SetMplsTtl{ttl()};
        case 10: return openflow::CopyTtlOut{};
        case 11: return openflow::CopyTtlIn{};
        case 12: return openflow::SetQueue{1};
        default: return set_field();
    }
}

Action RandomParts::exit() {
    switch (random_() % 12) {
        case 0: return openflow::OutputAction{port::kController, openflow::kWholePacket};
        case 1: return openflow::OutputAction{port::kController, 70};
        case 2: return openflow::OutputAction{port::kInPort};
        case 3: return openflow::OutputAction{pick({port::kAll, port::kFlood})};
        case 4:
        case 5: return openflow::GroupAction{above(0)};
        default: return openflow::OutputAction{PortNo(1 + random_() % 4u)};
    }
}

ActionList RandomParts::list() {
    ActionList list;
    for (auto n = random_() % 4; n > 0; --n) list.push_back(random_() % 2 == 0 ? exit() : edit());
    return list;
}

Instructions RandomParts::instructions(unsigned table) {
    Instructions i;
    if (random_() % 3 == 0) i.meter = MeterId(1 + table);
    if (random_() % 2 == 0) i.apply = list();
    // Eighteen bytes of room each: one to a list of the first tables is as many as always fit.
    if (i.apply && table < 2 && random_() % 8 == 0) i.apply->push_back(openflow::PushPbb{});
    i.clear = random_() % 8 == 0;
    if (random_() % 2 == 0) i.write = list();
    if (i.write && random_() % 8 == 0) i.write->push_back(openflow::PushPbb{});
    if (random_() % 4 == 0) i.metadata = openflow::MetadataWrite{random_() & 3, 3};
    if (table + 1 < kTables && random_() % 2 == 0)
        i.go_to = TableId(static_cast<std::uint8_t>(table + 1 + random_() % (kTables - 1 - table)));
    return i;
}

std::pair<openflow::GroupType, openflow::Buckets> RandomParts::group(std::uint32_t id) {
    const auto type = static_cast<openflow::GroupType>(random_() % 4);
    openflow::Buckets buckets(type == openflow::GroupType::indirect ? 1 : random_() % 4);
    for (openflow::Bucket& bucket : buckets) {
        if (type == openflow::GroupType::select)
            bucket.weight = static_cast<std::uint16_t>(random_() % 4);
        for (auto n = random_() % 4; n > 0; --n) {
            Action action = random_() % 2 == 0 ? exit() : edit();
            if (auto* group = std::get_if<openflow::GroupAction>(&action)) {
                if (id == kGroups) continue;
                group->group = above(id);
            }
            bucket.actions.push_back(action);
        }
        if (type == openflow::GroupType::fast_failover || random_() % 4 == 0) {
            if (random_() % 3 != 0) bucket.watch_port = PortNo(2 + random_() % 4u);
            if (random_() % 3 == 0 && id < kGroups) bucket.watch_group = above(id);
        }
    }
    return {type, buckets};
}

RandomMeter RandomParts::meter() {
    const bool packets = random_() % 2 == 0;
    const std::uint32_t base = packets ? pick({100u, 125u, 250u}) : pick({8u, 16u, 20u, 40u});
    RandomMeter meter;
    meter.flags = packets ? openflow::meter_flag::kPktps : openflow::meter_flag::kKbps;
    const bool bursts = random_() % 3 == 0;
    if (bursts) meter.flags |= openflow::meter_flag::kBurst;
    const auto burst = [&] { return static_cast<std::uint32_t>(bursts ? random_() % 8 : 0); };
    meter.bands = {{.type = openflow::BandType::drop, .rate = 4 * base, .burst_size = burst()},
                   {.type = openflow::BandType::dscp_remark,
                    .rate = 2 * base,
                    .burst_size = burst(),
                    .prec_level = static_cast<std::uint8_t>(random_() % 3)}};
    if (random_() % 3 == 0) meter.bands.pop_back();
    if (random_() % 2 == 0) std::ranges::reverse(meter.bands);
    return meter;
}

}  // namespace raicho::test
