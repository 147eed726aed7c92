// SPDX-License-Identifier: Apache-2.0
// Actions that edit a packet, against frames built anew from the changed description: bytes, key
// and checksums must be those of the new frame (OF 1.3.5 §5.12).
#include "dataplane/pipeline/edit.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/be.h"
#include "base/text.h"
#include "tests/pipeline/fake_io.h"
#include "tests/pipeline/frame_spec.h"

namespace raicho::pipeline {
namespace {

using test::FrameSpec, test::L3, test::L4, test::Sum;

struct Made {
    test::FakeIo io;
    Frame frame;
    explicit Made(const FrameSpec& spec) {
        const test::Built built = build(spec);
        frame.packet = io.make(built.bytes);
        if (spec.sum == Sum::partial && built.transport_at != 0) {
            frame.packet->checksum = Checksum::partial;
            frame.packet->csum_start = static_cast<std::uint16_t>(built.transport_at);
            frame.packet->csum_offset = static_cast<std::uint16_t>(built.csum_offset);
        }
        reparse(frame);
    }
    [[nodiscard]] test::FrameBytes bytes() const { return io.bytes(*frame.packet); }
};

/// SCTP's checksum is left to the output when a port was set: blank it in both.
void blank_sctp(test::FrameBytes& bytes, const FrameSpec& spec, std::size_t transport_at) {
    if (spec.l4 == L4::sctp && transport_at != 0)
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(transport_at) + 8, 4, std::byte{});
}

void expect_frame(const Made& made, const FrameSpec& after, std::string_view what) {
    const test::Built built = build(after);
    test::FrameBytes want = built.bytes, got = made.bytes();
    if (made.frame.packet->checksum == Checksum::partial && made.frame.packet->csum_offset == 8) {
        blank_sctp(want, after, built.transport_at);
        blank_sctp(got, after, built.transport_at);
    }
    EXPECT_EQ(hex_text(got), hex_text(want)) << what;
    EXPECT_TRUE(made.frame.key == expected_key(after)) << what << ": the key went out of step";
    if (made.frame.packet->checksum == Checksum::partial) {
        EXPECT_EQ(made.frame.packet->csum_start, built.transport_at) << what;
    }
    // The layers are those of a fresh parse.
    shm::Key key;
    const Layers fresh = parse(*made.frame.packet, key);
    const Layers& kept = made.frame.layers;
    EXPECT_EQ(kept.type_at, fresh.type_at) << what;
    EXPECT_EQ(kept.network_at, fresh.network_at) << what;
    EXPECT_EQ(kept.transport_at, fresh.transport_at) << what;
    EXPECT_EQ(kept.proto_at, fresh.proto_at) << what;
    EXPECT_EQ(kept.nd_option_at, fresh.nd_option_at) << what;
    EXPECT_EQ(kept.n_vlans, fresh.n_vlans) << what;
    EXPECT_EQ(kept.network, fresh.network) << what;
    EXPECT_EQ(kept.transport, fresh.transport) << what;
}

template <std::size_t N>
std::array<std::byte, 16> value(const std::array<std::uint8_t, N>& bytes) {
    std::array<std::byte, 16> out{};
    std::memcpy(out.data(), bytes.data(), N);
    return out;
}
template <class T>
std::array<std::byte, 16> number(T v) {
    std::array<std::byte, 16> out{};
    store_be<T>(out.data(), v);
    return out;
}

/// One action: how it is done to the packet and to the description, and when it fits.
struct Step {
    std::string_view name;
    std::function<EditResult(Frame&)> edit;
    std::function<void(FrameSpec&)> model;
    std::function<bool(const FrameSpec&)> fits;
};

using Random = std::mt19937_64;

template <std::size_t N>
std::array<std::uint8_t, N> random_array(Random& random) {
    std::array<std::uint8_t, N> a;
    for (auto& b : a) b = static_cast<std::uint8_t>(random());
    return a;
}

bool always(const FrameSpec&) {
    return true;
}
bool is_ip(const FrameSpec& s) {
    return s.l3 == L3::ipv4 || s.l3 == L3::ipv6;
}
bool is_v4(const FrameSpec& s) {
    return s.l3 == L3::ipv4;
}
bool is_v6(const FrameSpec& s) {
    return s.l3 == L3::ipv6;
}
bool is_arp(const FrameSpec& s) {
    return s.l3 == L3::arp;
}
bool tagged(const FrameSpec& s) {
    return !s.tags.empty();
}
auto has(L4 l4) {
    return [l4](const FrameSpec& s) { return is_ip(s) && s.l4 == l4 && !s.later_fragment; };
}
bool is_fragment(const FrameSpec& s) {
    if (s.l3 == L3::ipv4) return (s.fragment & 0x3fff) != 0;
    return std::ranges::any_of(s.extensions, [](const auto& e) { return e.type == 44; });
}

Step set_step(std::string_view name, Field field, std::array<std::byte, 16> bytes,
              std::function<void(FrameSpec&)> model, std::function<bool(const FrameSpec&)> fits) {
    return {name, [=](Frame& f) { return set_field(f, field, bytes.data()); }, std::move(model),
            std::move(fits)};
}

std::vector<Step> set_steps(Random& random) {
    const auto mac = random_array<6>(random);
    const auto v4 = random_array<4>(random);
    const auto v6 = random_array<16>(random);
    const auto u16 = static_cast<std::uint16_t>(random());
    const auto u8 = static_cast<std::uint8_t>(random());
    std::vector<Step> steps;
    auto add = [&](std::string_view name, Field field, auto bytes, auto model, auto fits) {
        steps.push_back(set_step(name, field, bytes, model, fits));
    };
    using enum Field;
    add("eth_dst", eth_dst, value(mac), [=](FrameSpec& s) { s.dst = {mac}; }, always);
    add("eth_src", eth_src, value(mac), [=](FrameSpec& s) { s.src = {mac}; }, always);
    add(
        "vlan_vid", vlan_vid, number(static_cast<std::uint16_t>(u16 | 0x1000)),
        [=](FrameSpec& s) {
            s.tags[0].tci = static_cast<std::uint16_t>((s.tags[0].tci & 0xf000) | (u16 & 0xfff));
        },
        tagged);
    add(
        "vlan_pcp", vlan_pcp, number(static_cast<std::uint8_t>(u8 & 7)),
        [=](FrameSpec& s) {
            s.tags[0].tci = static_cast<std::uint16_t>((s.tags[0].tci & 0x1fff) | (u8 & 7) << 13);
        },
        tagged);
    add(
        "ip_dscp", ip_dscp, number(static_cast<std::uint8_t>(u8 & 63)),
        [=](FrameSpec& s) { s.dscp = u8 & 63; }, is_ip);
    add(
        "ip_ecn", ip_ecn, number(static_cast<std::uint8_t>(u8 & 3)),
        [=](FrameSpec& s) { s.ecn = u8 & 3; }, is_ip);
    add("ipv4_src", ipv4_src, value(v4), [=](FrameSpec& s) { s.src4 = {v4}; }, is_v4);
    add("ipv4_dst", ipv4_dst, value(v4), [=](FrameSpec& s) { s.dst4 = {v4}; }, is_v4);
    add("ipv6_src", ipv6_src, value(v6), [=](FrameSpec& s) { s.src6 = {v6}; }, is_v6);
    add("ipv6_dst", ipv6_dst, value(v6), [=](FrameSpec& s) { s.dst6 = {v6}; }, is_v6);
    add(
        "ipv6_flabel", ipv6_flabel, number(std::uint32_t{u16} << 4),
        [=](FrameSpec& s) { s.flow_label = std::uint32_t{u16} << 4; }, is_v6);
    for (const auto& [protocol, src, dst] :
         {std::tuple{L4::tcp, tcp_src, tcp_dst}, std::tuple{L4::udp, udp_src, udp_dst},
          std::tuple{L4::sctp, sctp_src, sctp_dst}}) {
        const auto fits = [l4 = protocol](const FrameSpec& s) {
            return has(l4)(s) && !(l4 == L4::sctp && is_fragment(s));
        };
        add("source port", src, number(u16), [=](FrameSpec& s) { s.sport = u16; }, fits);
        add("destination port", dst, number(u16), [=](FrameSpec& s) { s.dport = u16; }, fits);
    }
    add(
        "icmpv4_type", icmpv4_type, number(u8), [=](FrameSpec& s) { s.icmp_type = u8; },
        has(L4::icmpv4));
    add(
        "icmpv4_code", icmpv4_code, number(u8), [=](FrameSpec& s) { s.icmp_code = u8; },
        has(L4::icmpv4));
    add(
        "icmpv6_code", icmpv6_code, number(u8), [=](FrameSpec& s) { s.icmp_code = u8; },
        [](const FrameSpec& s) { return has(L4::icmpv6)(s) || has(L4::nd)(s); });
    add(
        "icmpv6_type", icmpv6_type, number(std::uint8_t{129}),
        [=](FrameSpec& s) { s.icmp_type = 129; }, has(L4::icmpv6));
    add("arp_op", arp_op, number(u16), [=](FrameSpec& s) { s.arp_op = u16; }, is_arp);
    add("arp_spa", arp_spa, value(v4), [=](FrameSpec& s) { s.spa = {v4}; }, is_arp);
    add("arp_tpa", arp_tpa, value(v4), [=](FrameSpec& s) { s.tpa = {v4}; }, is_arp);
    add("arp_sha", arp_sha, value(mac), [=](FrameSpec& s) { s.sha = {mac}; }, is_arp);
    add("arp_tha", arp_tha, value(mac), [=](FrameSpec& s) { s.tha = {mac}; }, is_arp);
    add(
        "nd_target", ipv6_nd_target, value(v6), [=](FrameSpec& s) { s.nd_target = {v6}; },
        [](const FrameSpec& s) { return has(L4::nd)(s) && s.icmp_code == 0; });
    add(
        "nd link address", ipv6_nd_sll, value(mac), [=](FrameSpec& s) { s.nd_address = {mac}; },
        [](const FrameSpec& s) {
            return has(L4::nd)(s) && s.icmp_code == 0 && s.nd_address.has_value();
        });
    return steps;
}

std::vector<Step> tag_and_ttl_steps(Random& random) {
    const auto ttl = static_cast<std::uint8_t>(random());
    const std::uint16_t type = random() % 2 != 0 ? 0x8100 : 0x88a8;
    std::vector<Step> steps;
    steps.push_back({"push_vlan", [=](Frame& f) { return push_vlan(f, type); },
                     [=](FrameSpec& s) {
                         const std::uint16_t tci =
                             s.tags.empty() ? std::uint16_t{0} : s.tags[0].tci & 0xefff;
                         s.tags.insert(s.tags.begin(), {type, tci});
                     },
                     always});
    steps.push_back(
        {"pop_vlan", pop_vlan, [](FrameSpec& s) { s.tags.erase(s.tags.begin()); }, tagged});
    steps.push_back({"set_nw_ttl", [=](Frame& f) { return set_nw_ttl(f, ttl); },
                     [=](FrameSpec& s) { s.ttl = ttl; }, is_ip});
    steps.push_back({"dec_nw_ttl", dec_nw_ttl, [](FrameSpec& s) { --s.ttl; },
                     [](const FrameSpec& s) { return is_ip(s) && s.ttl > 1; }});
    return steps;
}

TEST(Edit, RandomActionsGiveTheFramesOfTheirDescriptions) {
    const std::uint64_t seed = std::random_device{}();
    Random random(seed);
    for (int i = 0; i < 1000; ++i) {
        FrameSpec spec = test::random_spec(random);
        Made made(spec);
        expect_frame(made, spec, "before");
        for (int step = 0; step < 6; ++step) {
            std::vector<Step> steps = set_steps(random);
            for (Step& s : tag_and_ttl_steps(random)) steps.push_back(std::move(s));
            const Step& action = steps[random() % steps.size()];
            SCOPED_TRACE(format("seed {} round {} step {}: {}", seed, i, step, action.name));
            // Another type would make another option of the same bytes.
            if (action.name == "icmpv6_type" && spec.l4 == L4::nd) continue;
            // Behind a third tag nothing is seen.
            const bool hidden = spec.tags.size() > 2;
            const bool outer = action.name.starts_with("eth") || action.name.starts_with("vlan") ||
                               action.name.ends_with("_vlan");
            if ((!hidden || outer) && action.fits(spec)) {
                action.model(spec);
                EXPECT_EQ(action.edit(made.frame), EditResult::done);
            } else {
                const bool later = action.name.find("port") != std::string_view::npos ||
                                   action.name.find("icmp") != std::string_view::npos ||
                                   action.name.starts_with("nd");
                const EditResult result = action.edit(made.frame);
                if (!(later && spec.later_fragment)) {
                    EXPECT_NE(result, EditResult::done);
                }
            }
            expect_frame(made, spec, action.name);
            if (HasFailure()) return;
        }
    }
}

TEST(Edit, AZeroUdpChecksumStaysZero) {
    FrameSpec spec;
    spec.sum = Sum::absent;
    Made made(spec);
    spec.src4 = {{1, 2, 3, 4}};
    EXPECT_EQ(set_field(made.frame, Field::ipv4_src, value(spec.src4.bytes).data()),
              EditResult::done);
    expect_frame(made, spec, "ipv4_src");
}

TEST(Edit, AComputedZeroUdpChecksumIsSentAsOnes) {
    FrameSpec spec;
    // The port that makes the sum all ones is what the checksum is without it.
    spec.dport = 0;
    const test::Built built = build(spec);
    spec.dport = load_be<std::uint16_t>(built.bytes.data() + built.transport_at + 6);
    FrameSpec before = spec;
    before.dport = 7;
    Made made(before);
    EXPECT_EQ(set_field(made.frame, Field::udp_dst, number(spec.dport).data()), EditResult::done);
    expect_frame(made, spec, "udp_dst");
    EXPECT_EQ(load_be<std::uint16_t>(made.bytes().data() + 14 + 20 + 6), 0xffff);
}

TEST(Edit, TtlOfOneExpires) {
    for (const L3 l3 : {L3::ipv4, L3::ipv6}) {
        FrameSpec spec;
        spec.l3 = l3;
        spec.ttl = 1;
        Made made(spec);
        EXPECT_EQ(dec_nw_ttl(made.frame), EditResult::expired);
        expect_frame(made, spec, "unchanged");
    }
}

TEST(Edit, LabelsArePushedSetAndPopped) {
    FrameSpec spec;
    spec.tags = {{0x8100, 5}};
    spec.ttl = 33;
    Made made(spec);
    EXPECT_EQ(push_mpls(made.frame, 0x8847), EditResult::done);
    spec.labels = {0x100 | 33};  // behind the tag; TTL of IP, bottom of stack
    expect_frame(made, spec, "push");
    EXPECT_EQ(set_field(made.frame, Field::mpls_label, number(std::uint32_t{0x54321}).data()),
              EditResult::done);
    EXPECT_EQ(set_field(made.frame, Field::mpls_tc, number(std::uint8_t{5}).data()),
              EditResult::done);
    spec.labels = {0x54321b00 | 33};
    expect_frame(made, spec, "set");
    EXPECT_EQ(push_mpls(made.frame, 0x8848), EditResult::done);
    spec.label_type = 0x8848;
    spec.labels = {0x54321a00 | 33, 0x54321b00 | 33};
    expect_frame(made, spec, "push over a label");
    EXPECT_EQ(dec_mpls_ttl(made.frame), EditResult::done);
    EXPECT_EQ(copy_ttl_in(made.frame), EditResult::done);
    spec.labels = {0x54321a00 | 32, 0x54321b00 | 32};
    expect_frame(made, spec, "copy inwards");
    EXPECT_EQ(set_mpls_ttl(made.frame, 9), EditResult::done);
    EXPECT_EQ(copy_ttl_out(made.frame), EditResult::done);
    expect_frame(made, spec, "copy outwards");
    EXPECT_EQ(pop_mpls(made.frame, 0x8847), EditResult::done);
    spec.label_type = 0x8847;
    spec.labels.erase(spec.labels.begin());
    expect_frame(made, spec, "pop");
    EXPECT_EQ(copy_ttl_in(made.frame), EditResult::done);
    spec.ttl = 32;
    expect_frame(made, spec, "copy into IP");
    EXPECT_EQ(pop_mpls(made.frame, 0x0800), EditResult::done);
    spec.labels.clear();
    expect_frame(made, spec, "pop the last");
    EXPECT_EQ(pop_mpls(made.frame, 0x0800), EditResult::unfit);
}

/// IP within IP: the inner one's bytes are the outer one's payload.
FrameSpec tunnelled(L3 outer, L3 inner, std::uint8_t outer_ttl, std::uint8_t inner_ttl) {
    FrameSpec carried;
    carried.l3 = inner, carried.ttl = inner_ttl;
    FrameSpec spec;
    spec.l3 = outer, spec.ttl = outer_ttl, spec.l4 = L4::none;
    spec.proto = inner == L3::ipv4 ? 4 : 41;
    const test::FrameBytes bytes = build(carried).bytes;
    for (std::size_t i = 14; i < bytes.size(); ++i)
        spec.payload.push_back(std::to_integer<std::uint8_t>(bytes[i]));
    return spec;
}

TEST(Edit, TtlIsCopiedBetweenIpInIp) {
    for (const L3 outer : {L3::ipv4, L3::ipv6})
        for (const L3 inner : {L3::ipv4, L3::ipv6}) {
            Made in(tunnelled(outer, inner, 9, 64));
            EXPECT_EQ(copy_ttl_in(in.frame), EditResult::done);
            EXPECT_EQ(hex_text(in.bytes()), hex_text(build(tunnelled(outer, inner, 9, 9)).bytes));
            Made out(tunnelled(outer, inner, 9, 64));
            EXPECT_EQ(copy_ttl_out(out.frame), EditResult::done);
            EXPECT_EQ(hex_text(out.bytes()),
                      hex_text(build(tunnelled(outer, inner, 64, 64)).bytes));
            // A lie about what is inside is left alone.
            FrameSpec lie = tunnelled(outer, inner, 9, 64);
            lie.payload[0] ^= 0x20;
            Made other(lie);
            EXPECT_EQ(copy_ttl_in(other.frame), EditResult::unfit);
        }
    FrameSpec plain;
    Made made(plain);
    EXPECT_EQ(copy_ttl_out(made.frame), EditResult::unfit);
}

TEST(Edit, ServiceTagsWrapAndUnwrapTheWholeFrame) {
    FrameSpec customer;
    customer.tags = {{0x8100, 0x6007}};
    customer.sum = Sum::partial;
    Made made(customer);
    EXPECT_EQ(push_pbb(made.frame, 0x88e7), EditResult::done);
    FrameSpec spec;
    spec.dst = customer.dst, spec.src = customer.src;
    spec.customer = std::make_shared<FrameSpec>(customer);
    spec.itag = 0x60000000;  // the priority of the customer's tag
    expect_frame(made, spec, "push");
    EXPECT_EQ(set_field(made.frame, Field::pbb_isid, number(std::uint32_t{0x12345600}).data()),
              EditResult::done);
    spec.itag = 0x60123456;
    expect_frame(made, spec, "isid");
    EXPECT_EQ(push_vlan(made.frame, 0x88a8), EditResult::done);
    spec.tags = {{0x88a8, 0}};
    expect_frame(made, spec, "backbone tag");
    EXPECT_EQ(pop_pbb(made.frame), EditResult::done);
    expect_frame(made, customer, "pop");
}

TEST(Edit, WithoutHeadroomNothingIsPushed) {
    FrameSpec spec;
    Made made(spec);
    made.frame.packet->headroom = 3;
    EXPECT_EQ(push_vlan(made.frame, 0x8100), EditResult::unfit);
    EXPECT_EQ(push_mpls(made.frame, 0x8847), EditResult::unfit);
    EXPECT_EQ(push_pbb(made.frame, 0x88e7), EditResult::unfit);
    expect_frame(made, spec, "unchanged");
}

TEST(Edit, TypeAndProtocolChangeWhatIsSeen) {
    FrameSpec spec;
    Made made(spec);
    EXPECT_EQ(set_field(made.frame, Field::ip_proto, number(std::uint8_t{253}).data()),
              EditResult::done);
    EXPECT_EQ(made.frame.layers.transport, Transport::none);
    EXPECT_EQ(set_field(made.frame, Field::eth_type, number(std::uint16_t{0x88b5}).data()),
              EditResult::done);
    EXPECT_EQ(made.frame.layers.network, Network::none);
    // Back again: the IPv4 checksum must be right.
    EXPECT_EQ(set_field(made.frame, Field::eth_type, number(std::uint16_t{0x0800}).data()),
              EditResult::done);
    EXPECT_EQ(set_field(made.frame, Field::ip_proto, number(std::uint8_t{17}).data()),
              EditResult::done);
    expect_frame(made, spec, "and back");
}

TEST(Edit, AChangedProtocolCorrectsTheSumWhereTheOldOneKeepsIt) {
    for (const L3 network : {L3::ipv4, L3::ipv6})
        for (const L4 transport : {L4::tcp, L4::udp})
            for (const Sum sum : {Sum::complete, Sum::partial})
                for (const bool extension : {false, true}) {
                    FrameSpec spec;
                    spec.l3 = network, spec.l4 = transport, spec.sum = sum;
                    if (extension) spec.extensions = {{60, {0, 1, 4, 0, 0, 0, 0}}};
                    spec.payload.assign(15, 0xab);
                    Made made(spec);
                    const std::uint8_t other = transport == L4::tcp ? 17 : 6;
                    EXPECT_EQ(set_field(made.frame, Field::ip_proto, number(other).data()),
                              EditResult::done);
                    spec.proto = other;
                    EXPECT_EQ(hex_text(made.bytes()), hex_text(build(spec).bytes));
                }
}

TEST(Edit, TunnelIdLivesInTheKeyOnly) {
    FrameSpec spec;
    Made made(spec);
    const auto before = made.bytes();
    EXPECT_EQ(set_field(made.frame, Field::tunnel_id, number(std::uint64_t{77}).data()),
              EditResult::done);
    EXPECT_EQ(made.bytes(), before);
    EXPECT_EQ(load_be<std::uint64_t>(made.frame.key.bytes() + 48), 77u);
}

}  // namespace
}  // namespace raicho::pipeline
