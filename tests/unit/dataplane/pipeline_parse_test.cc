// SPDX-License-Identifier: Apache-2.0
// The parser against described frames (OF 1.3.5 §7.2.3.7), and cut off at every byte behind a
// guard page.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "base/be.h"
#include "base/text.h"
#include "dataplane/pipeline/parse.h"
#include "tests/pipeline/frame_spec.h"

namespace raicho::pipeline {
namespace {

using test::FrameSpec, test::L3, test::L4;

/// Memory that ends where it cannot be read.
class Guarded {
  public:
    Guarded() {
        const auto page = static_cast<std::size_t>(getpagesize());
        size_ = 3 * page;
        base_ = static_cast<std::byte*>(mmap(nullptr, size_ + page, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        EXPECT_EQ(mprotect(base_ + size_, page, PROT_NONE), 0);
    }
    ~Guarded() { munmap(base_, size_ + static_cast<std::size_t>(getpagesize())); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    /// A packet of the first `size` bytes whose end is the guard.
    [[nodiscard]] Packet hold(const test::FrameBytes& bytes, std::size_t size) {
        Packet packet;
        packet.data = base_ + size_ - size;
        packet.size = packet.first_size = static_cast<std::uint32_t>(size);
        std::memcpy(packet.data, bytes.data(), size);
        return packet;
    }

  private:
    std::byte* base_;
    std::size_t size_;
};

shm::Key parse_key(const test::FrameBytes& bytes, Layers* layers = nullptr) {
    static Guarded memory;
    shm::Key key;
    const Layers found = parse(memory.hold(bytes, bytes.size()), key);
    if (layers != nullptr) *layers = found;
    return key;
}

std::uint64_t field(const shm::Key& key, Field f) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < shm::place(f).size; ++i)
        value = value << 8 | std::to_integer<std::uint64_t>(key.bytes()[shm::place(f).offset + i]);
    return value;
}

void expect_key(const FrameSpec& spec) {
    const shm::Key got = parse_key(build(spec).bytes);
    const shm::Key want = expected_key(spec);
    for (const FieldRow& r : kFieldRows) {
        const shm::KeyPlace at = shm::place(r.field);
        EXPECT_EQ(std::memcmp(got.bytes() + at.offset, want.bytes() + at.offset, at.size), 0)
            << r.name;
    }
    EXPECT_TRUE(got == want) << hex_text(build(spec).bytes);
}

TEST(Parse, ReadsEveryFieldOfRandomFrames) {
    const std::uint64_t seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; ++i) {
        SCOPED_TRACE(format("seed {} round {}", seed, i));
        expect_key(test::random_spec(random));
        if (HasFailure()) return;
    }
}

TEST(Parse, ReadsLabelsAndServiceTags) {
    FrameSpec spec;
    spec.labels = {0x12345a40, 0x00064140};
    expect_key(spec);
    FrameSpec outer;
    outer.tags = {{0x88a8, 0x6123}};
    outer.itag = 0x40abcdef;
    outer.customer = std::make_shared<FrameSpec>(spec);
    expect_key(outer);
}

TEST(Parse, StopsBehindTwoTags) {
    FrameSpec spec;
    spec.tags = {{0x88a8, 1}, {0x8100, 2}, {0x8100, 3}};
    expect_key(spec);
}

TEST(Parse, LeavesContextFieldsAlone) {
    shm::Key key;
    key.words[4] = 1, key.words[5] = 2, key.words[6] = 3;
    Guarded memory;
    const auto bytes = build(FrameSpec{}).bytes;
    (void)parse(memory.hold(bytes, bytes.size()), key);
    EXPECT_EQ(key.words[4], 1u);
    EXPECT_EQ(key.words[5], 2u);
    EXPECT_EQ(key.words[6], 3u);
}

TEST(Parse, ClearsWhatAnEarlierFrameLeft) {
    shm::Key key;
    key.words.fill(~std::uint64_t{0});
    Guarded memory;
    const auto bytes = build(FrameSpec{}).bytes;
    (void)parse(memory.hold(bytes, bytes.size()), key);
    key.words[4] = key.words[5] = key.words[6] = 0;
    EXPECT_TRUE(key == expected_key(FrameSpec{}));
}

TEST(Parse, NeverReadsPastTheEndAndInventsNothing) {
    const std::uint64_t seed = std::random_device{}();
    std::mt19937_64 random(seed);
    Guarded memory;
    for (int i = 0; i < 300; ++i) {
        FrameSpec spec = test::random_spec(random);
        if (i % 10 == 0) spec.labels = {0x12345a40, 0x00064140};
        if (i % 10 == 1) {
            FrameSpec outer;
            outer.customer = std::make_shared<FrameSpec>(spec);
            spec = outer;
        }
        const auto bytes = build(spec).bytes;
        const shm::Key whole = expected_key(spec);
        for (std::size_t size = 0; size <= bytes.size(); ++size) {
            SCOPED_TRACE(format("seed {} round {} size {} of {}", seed, i, size, bytes.size()));
            shm::Key key;
            const Layers layers = parse(memory.hold(bytes, size), key);
            EXPECT_EQ(layers.type_at == 0, size < 14);
            const auto presence = std::to_integer<unsigned>(key.bytes()[shm::presence::kOffset]);
            EXPECT_EQ((presence & shm::presence::kTransport) != 0,
                      layers.transport != Transport::none);
            EXPECT_EQ((presence & shm::presence::kNetwork) != 0, layers.network != Network::none);
            EXPECT_EQ((presence & shm::presence::kNdOption) != 0, layers.nd_option_at != 0);
            // These depend on where the chain of headers breaks off.
            for (const FieldRow& r : kFieldRows) {
                if (r.field == Field::eth_type || r.field == Field::ip_proto ||
                    r.field == Field::ipv6_exthdr || r.field == Field::vlan_pcp)
                    continue;
                const shm::KeyPlace at = shm::place(r.field);
                const std::array<std::byte, 16> zero{};
                EXPECT_TRUE(
                    std::memcmp(key.bytes() + at.offset, zero.data(), at.size) == 0 ||
                    std::memcmp(key.bytes() + at.offset, whole.bytes() + at.offset, at.size) == 0)
                    << r.name;
            }
            if (HasFailure()) return;
        }
    }
}

TEST(Parse, PaddingIsNoTransportHeader) {
    FrameSpec spec;
    spec.l4 = L4::none;
    spec.proto = 6;
    spec.payload = {1, 2, 3, 4};  // a TCP header cut off by the datagram's end
    spec.padding = 40;
    Layers layers;
    const shm::Key key = parse_key(build(spec).bytes, &layers);
    EXPECT_EQ(layers.transport, Transport::none);
    EXPECT_EQ(field(key, Field::tcp_src), 0u);
    EXPECT_EQ(field(key, Field::ip_proto), 6u);
}

TEST(Parse, BadIpHeadersGiveTypeOnly) {
    auto bytes = build(FrameSpec{}).bytes;
    for (const unsigned first : {0x44u, 0x55u, 0x4fu}) {
        auto bad = bytes;
        bad.resize(60);
        bad[14] = static_cast<std::byte>(first);
        Layers layers;
        const shm::Key key = parse_key(bad, &layers);
        EXPECT_EQ(layers.network, Network::none);
        EXPECT_EQ(field(key, Field::eth_type), 0x0800u);
        EXPECT_EQ(field(key, Field::ip_proto), 0u);
    }
}

TEST(Parse, ArpOfOtherAddressSizesHasNoFields) {
    FrameSpec spec;
    spec.l3 = L3::arp;
    spec.spa = {{1, 2, 3, 4}};
    auto bytes = build(spec).bytes;
    bytes[18] = std::byte{8};
    const shm::Key key = parse_key(bytes);
    EXPECT_EQ(field(key, Field::eth_type), 0x0806u);
    EXPECT_EQ(field(key, Field::arp_spa), 0u);
}

struct ChainCase {
    const char* name;
    std::vector<std::uint8_t> types;
    unsigned bits;
};

// OF 1.3.5 §7.2.3.8 ofp_ipv6exthdr_flags over the order of RFC 8200 §4.1.
TEST(Parse, MarksExtensionHeaders) {
    const std::vector<ChainCase> cases = {
        {"none", {}, 0},
        {"hop", {0}, 0x40},
        {"hop, dest, router, frag, auth, dest", {0, 60, 43, 44, 51, 60}, 0x7c},
        {"dest alone", {60}, 0x08},
        {"dest, dest", {60, 60}, 0x08},
        {"three dests", {60, 60, 60}, 0x88},
        {"two routers", {43, 43}, 0xa0},
        {"router, hop", {43, 0}, 0x160},
        {"auth, router", {51, 43}, 0x124},
        {"frag, dest, router", {44, 60, 43}, 0x138},
    };
    for (const ChainCase& c : cases) {
        SCOPED_TRACE(c.name);
        FrameSpec spec;
        spec.l3 = L3::ipv6;
        for (std::uint8_t type : c.types) {
            test::Extension e{type, std::vector<std::uint8_t>(7, 0)};
            if (type == 51) e.body = std::vector<std::uint8_t>(15, 0), e.body[0] = 2;
            spec.extensions.push_back(e);
        }
        const shm::Key key = parse_key(build(spec).bytes);
        EXPECT_EQ(field(key, Field::ipv6_exthdr), c.bits);
        EXPECT_EQ(field(key, Field::udp_dst), 2000u);
    }
}

TEST(Parse, MarksNoNextAndEncrypted) {
    FrameSpec spec;
    spec.l3 = L3::ipv6;
    spec.l4 = L4::none;
    spec.payload.assign(16, 0);
    spec.proto = 59;
    shm::Key key = parse_key(build(spec).bytes);
    EXPECT_EQ(field(key, Field::ipv6_exthdr), 0x01u);
    EXPECT_EQ(field(key, Field::ip_proto), 59u);
    spec.proto = 50;
    key = parse_key(build(spec).bytes);
    EXPECT_EQ(field(key, Field::ipv6_exthdr), 0x02u);
    EXPECT_EQ(field(key, Field::ip_proto), 50u);
}

TEST(Parse, ReadsTheAddressOptionBehindOthers) {
    FrameSpec spec;
    spec.l3 = L3::ipv6;
    spec.l4 = L4::nd;
    spec.icmp_type = 135;
    spec.payload = {14, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    Layers layers;
    const shm::Key key = parse_key(build(spec).bytes, &layers);
    EXPECT_EQ(field(key, Field::ipv6_nd_sll), 0xaabbccddeeffu);
    EXPECT_EQ(layers.nd_option_at, 14 + 40 + 24 + 8);
}

TEST(Parse, AnOptionOfSizeZeroEndsTheSearch) {
    FrameSpec spec;
    spec.l3 = L3::ipv6;
    spec.l4 = L4::nd;
    spec.icmp_type = 136;
    spec.payload.assign(64, 0);
    const shm::Key key = parse_key(build(spec).bytes);
    EXPECT_EQ(field(key, Field::ipv6_nd_tll), 0u);
}

}  // namespace
}  // namespace raicho::pipeline
