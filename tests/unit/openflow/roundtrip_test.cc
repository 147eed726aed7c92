// SPDX-License-Identifier: Apache-2.0
// Random messages survive encode and decode, random flows survive print and parse.
#include <gtest/gtest.h>

#include "base/text.h"
#include "openflow/codec.h"
#include "openflow/text.h"
#include "tests/unit/openflow/random_flow.h"

namespace raicho::openflow {
namespace {

constexpr std::uint64_t kSeed = 20130625;  // the day of OF 1.3.2; printed where a case fails

TEST(RoundTrip, RandomMessagesDecodeToThemselves) {
    RandomFlow random(kSeed);
    for (int i = 0; i < 20'000; ++i) {
        const Message message = random.message();
        ByteVector bytes;
        encode(message, version::k13, 7, bytes);
        const auto decoded = decode(bytes);
        ASSERT_TRUE(decoded) << "seed " << kSeed << " message " << i << ": " << decoded.error().why
                             << " " << to_text(message);
        ASSERT_EQ(to_text(*decoded), to_text(message)) << "seed " << kSeed << " message " << i;
        ByteVector again;
        encode(*decoded, version::k13, 7, again);
        ASSERT_EQ(again, bytes) << "seed " << kSeed << " message " << i;
    }
}

TEST(RoundTrip, RandomFlowModsAreEqualValues) {
    RandomFlow random(kSeed + 1);
    for (int i = 0; i < 5'000; ++i) {
        const FlowMod mod = random.flow_mod();
        ByteVector bytes;
        encode(mod, version::k13, 7, bytes);
        const auto decoded = decode(bytes);
        ASSERT_TRUE(decoded);
        const auto& back = std::get<FlowMod>(*decoded);
        ASSERT_EQ(back.match, mod.match);
        ASSERT_EQ(back.instructions, mod.instructions);
        ASSERT_EQ(back.buffer_id, mod.buffer_id);
        ASSERT_EQ(back.out_port, mod.out_port);
    }
}

TEST(RoundTrip, RandomFlowsParseFromTheirText) {
    RandomFlow random(kSeed + 2, Spell::text);
    for (int i = 0; i < 20'000; ++i) {
        const Match match = random.match();
        const Instructions instructions = random.instructions(match);
        const std::string text = to_text(match) + " actions=" + to_text(instructions);
        const auto parsed = parse_flow(text, {});
        ASSERT_TRUE(parsed) << "seed " << kSeed + 2 << ": " << text << ": " << parsed.error().text;
        ASSERT_EQ(parsed->match, match) << text;
        ASSERT_EQ(parsed->instructions, instructions) << text;
    }
}

TEST(RoundTrip, EveryCutAndEveryChangedByteIsDecodedSafely) {
    RandomFlow random(kSeed + 3);
    for (int i = 0; i < 300; ++i) {
        ByteVector bytes;
        encode(random.message(), version::k13, 7, bytes);
        for (std::size_t size = kHeaderSize; size < bytes.size(); ++size) {
            ByteVector cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
            store_be<std::uint16_t>(cut.data() + 2, static_cast<std::uint16_t>(size));
            static_cast<void>(decode(cut));
        }
        for (std::size_t at = kHeaderSize; at < bytes.size(); ++at) {
            ByteVector changed = bytes;
            changed[at] ^= std::byte{0xff};
            if (const auto decoded = decode(changed)) static_cast<void>(to_text(*decoded));
        }
    }
}

}  // namespace
}  // namespace raicho::openflow
