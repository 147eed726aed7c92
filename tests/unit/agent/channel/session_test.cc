// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/text.h"

namespace raicho::agent {
namespace {

using openflow::ByteVector;

/// A session fed with bytes and read as hex.
class Peer {
  public:
    explicit Peer(SessionConfig config = {}) : session(config, now) {
        session.start(out);
        hello_ = hex_text(out);
        out.clear();
    }
    /// Hands in bytes, whole or in the given pieces; the last step that was not `starved`.
    WireSession::Step feed(std::string_view hex, std::size_t piece = 1 << 20) {
        const ByteVector bytes = *parse_hex(hex);
        WireSession::Step last = WireSession::Step::starved;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            const std::size_t size = std::min(piece, bytes.size() - at);
            std::ranges::copy(std::span(bytes).subspan(at, size), session.space().begin());
            session.received(size, now);
            for (;;) {
                const WireSession::Step step = session.next(out);
                if (step == WireSession::Step::starved) break;
                last = step;
                if (step == WireSession::Step::message) ++messages;
                if (step == WireSession::Step::closed) return last;
            }
        }
        return last;
    }
    std::string answer() {
        std::string text = hex_text(out);
        out.clear();
        return text;
    }
    std::string hello_;
    Time now = 1000 * kSecond;
    WireSession session;
    ByteVector out;
    int messages = 0;
};

constexpr std::string_view kHello13 = "04000010 00000001 00010008 00000010";
constexpr std::string_view kFeatures = "04050008 00000007";

// OF 1.3.5 §7.5.1: our HELLO offers exactly 1.3, with a bitmap.
TEST(Session, GreetsWithVersionBitmapOfOneThree) {
    EXPECT_EQ(Peer().hello_, "04000010000000010001000800000010");
}

struct Offer {
    const char* name;
    const char* hello;
    bool agreed;
};
class Negotiation : public testing::TestWithParam<Offer> {};

// OF 1.3.5 §6.3.1: bitmaps when both sent one, else the lower header version.
TEST_P(Negotiation, FollowsBitmapElseLowerVersion) {
    Peer peer;
    const WireSession::Step step = peer.feed(GetParam().hello);
    EXPECT_EQ(step, GetParam().agreed ? WireSession::Step::up : WireSession::Step::closed);
    if (GetParam().agreed) {
        EXPECT_EQ(peer.answer(), "");
    } else {
        const std::string answer = peer.answer();
        EXPECT_EQ(answer.substr(2, 2), "01") << "an OFPT_ERROR";
        EXPECT_EQ(answer.substr(16, 8), "00000000") << "HELLO_FAILED, INCOMPATIBLE";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Matrix, Negotiation,
    testing::Values(Offer{"plain13", "04000008 00000001", true},
                    Offer{"plain14", "05000008 00000001", true},
                    Offer{"plain15", "06000008 00000001", true},
                    Offer{"plain10", "01000008 00000001", false},
                    Offer{"plain12", "03000008 00000001", false},
                    Offer{"bitmap13", "04000010 00000001 00010008 00000010", true},
                    Offer{"bitmap10to15", "06000010 00000001 00010008 0000007e", true},
                    Offer{"header10bitmap13", "01000010 00000001 00010008 00000012", true},
                    Offer{"bitmap10and15", "06000010 00000001 00010008 00000042", false},
                    Offer{"bitmapNone", "04000010 00000001 00010008 00000000", false},
                    Offer{"unknownElement", "04000010 00000001 00630008 00000001", true},
                    Offer{"damagedElement", "0400000c 00000001 00010063", true}),
    [](const auto& param) { return param.param.name; });

TEST(Session, RefusalNamesBothVersionsAndTheSetting) {
    Peer peer;
    ASSERT_EQ(peer.feed("01000008 00000001"), WireSession::Step::closed);
    const ByteVector bytes = *parse_hex(peer.answer());
    const std::string text(reinterpret_cast<const char*>(bytes.data()) + 12, bytes.size() - 12);
    EXPECT_EQ(bytes[0], std::byte{1}) << "in the version that the peer can read";
    EXPECT_NE(text.find("1.3 (0x04)"), std::string::npos) << text;
    EXPECT_NE(text.find("1.0 (0x01)"), std::string::npos) << text;
    EXPECT_NE(text.find("OFP_VERSIONS"), std::string::npos) << text;
    EXPECT_EQ(peer.session.close_reason(), text);
}

TEST(Session, TellsWhatARefusingPeerSaid) {
    Peer peer;
    // HELLO_FAILED INCOMPATIBLE "no way"
    ASSERT_EQ(peer.feed("04010012 00000001 0000 0000 6e6f20776179"), WireSession::Step::closed);
    EXPECT_NE(peer.session.close_reason().find("\"no way\""), std::string::npos);
    EXPECT_NE(peer.session.close_reason().find("OFPHFC_INCOMPATIBLE"), std::string::npos);
    EXPECT_EQ(peer.answer(), "") << "an error never answers an error";
}

TEST(Session, RefusesAnythingBeforeHello) {
    Peer peer;
    EXPECT_EQ(peer.feed(kFeatures), WireSession::Step::closed);
}

TEST(Session, ReassemblesFramesFromSingleBytes) {
    Peer peer;
    peer.feed(kHello13, 1);
    EXPECT_EQ(peer.feed(std::string(kFeatures) + std::string(kFeatures), 1),
              WireSession::Step::message);
    EXPECT_EQ(peer.messages, 2);
    EXPECT_EQ(peer.session.xid(), 7u);
}

TEST(Session, TakesManyMessagesFromOneRead) {
    Peer peer;
    peer.feed(kHello13);
    std::string many;
    for (int i = 0; i < 5000; ++i) many += kFeatures;
    peer.feed(many, 60000);
    EXPECT_EQ(peer.messages, 5000);
}

TEST(Session, TakesTheLargestMessage) {
    Peer peer;
    peer.feed(kHello13);
    std::string echo = "0402ffff 00000009";  // ECHO_REQUEST of 65,535 bytes
    for (int i = 0; i < 0xffff - 8; ++i) echo += "5a";
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(peer.feed(echo, 20000), WireSession::Step::handled);
        EXPECT_EQ(peer.answer().substr(0, 16), "0403ffff00000009");
    }
}

TEST(Session, AnswersEchoWithItsData) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.feed("0402000c 00000005 cafebabe"), WireSession::Step::handled);
    EXPECT_EQ(peer.answer(), "0403000c00000005cafebabe");
}

// OF 1.3.5 §7.4.4.2: BAD_VERSION; the stream goes on behind it.
TEST(Session, AnswersWrongVersionAndGoesOn) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.feed("01050008 00000003"), WireSession::Step::handled);
    EXPECT_EQ(peer.answer().substr(0, 24), "040100140000000300010000");
    EXPECT_EQ(peer.feed(kFeatures), WireSession::Step::message);
}

TEST(Session, SaysWhichRequestItRefusedAndWhy) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.feed("04630008 00000003"), WireSession::Step::handled);
    EXPECT_TRUE(peer.session.trouble().starts_with(
        "refused message type 99 (xid 3): OFPET_BAD_REQUEST (1), OFPBRC_BAD_TYPE (1)"))
        << peer.session.trouble();
    const auto request = *parse_hex("040e0038 00000007");
    peer.session.refused(7, openflow::ofp_error(openflow::FlowModFailed::overlap, "with x").error(),
                         request);
    EXPECT_EQ(peer.session.trouble(),
              "refused FLOW_MOD (xid 7): OFPET_FLOW_MOD_FAILED (5), OFPFMFC_OVERLAP (3): with x");
}

TEST(Session, ASilenceThatIsOursCostsProbesButNotTheSession) {
    WireSession session({.probe_interval = kSecond}, 0);
    openflow::ByteVector out;
    const auto hello = *parse_hex(kHello13);
    std::ranges::copy(hello, session.space().begin());
    session.received(hello.size(), 0);
    ASSERT_EQ(session.next(out), WireSession::Step::up);
    for (Time now = kSecond; now <= 10 * kSecond; now += kSecond) {
        session.excuse(now);
        session.tick(now, out);
    }
    EXPECT_EQ(session.state(), WireSession::State::up);
    EXPECT_EQ(out.size(), 5 * 8u) << "an echo request each second time";
}

TEST(Session, NeverAnswersAnErrorNotEvenOfAnotherVersionOrADamagedOne) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.feed("0101000c 00000003 0001 0001"), WireSession::Step::handled);
    EXPECT_NE(peer.session.trouble().find("OFPBRC_BAD_TYPE"), std::string::npos)
        << peer.session.trouble();
    EXPECT_EQ(peer.feed("04010009 00000003 00"), WireSession::Step::handled);
    EXPECT_EQ(peer.answer(), "");
}

TEST(Session, HelloFailedEndsASessionThatIsUp) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.feed("01010012 00000001 0000 0000 6e6f20776179"), WireSession::Step::closed);
    EXPECT_NE(peer.session.close_reason().find("\"no way\""), std::string::npos);
    EXPECT_EQ(peer.answer(), "");
}

TEST(Session, HasRoomForWhatIsReadAndThrownAwayAfterItsEnd) {
    Peer peer;
    peer.feed(kHello13);
    std::string bad = "04050007 00000003";
    for (int i = 8; i < 128 * 1024; ++i) bad += "00";
    EXPECT_EQ(peer.feed(bad, 128 * 1024), WireSession::Step::closed);
    EXPECT_FALSE(peer.session.space().empty());
}

// OF 1.3.5 §7.4.4.2: BAD_LEN; nobody knows where the next message begins.
TEST(Session, AnswersAndClosesAtALengthBelowTheHeader) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.feed("04050007 00000003"), WireSession::Step::closed);
    EXPECT_EQ(peer.answer().substr(0, 24), "040100140000000300010006");
}

TEST(Session, AnswersADecodingErrorWithItsXid) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.feed("04630008 000000aa"), WireSession::Step::handled) << "unknown type 0x63";
    EXPECT_EQ(peer.answer().substr(0, 24), "04010014000000aa00010001") << "BAD_REQUEST BAD_TYPE";
}

TEST(Session, IgnoresASecondHello) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.feed("06000008 00000002"), WireSession::Step::handled);
    EXPECT_EQ(peer.answer(), "");
}

TEST(Session, SurvivesGarbage) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 500; ++round) {
        Peer peer;
        if (round % 2 == 0) peer.feed(kHello13);
        ByteVector bytes(random() % 3000);
        for (std::byte& b : bytes) b = static_cast<std::byte>(random());
        for (std::size_t at = 0; at + 4 < bytes.size() && round % 4 < 2; at += 64) {
            bytes[at] = std::byte{4};  // plausible frames of 64 bytes
            bytes[at + 2] = std::byte{0};
            bytes[at + 3] = std::byte{64};
        }
        peer.feed(hex_text(bytes), 1 + random() % 700);
    }
}

// OF 1.3.5 §6.4: 5 s of silence, one echo request, 5 s more: dead.
TEST(Session, ProbesASilentPeerOnceAndThenGivesUp) {
    Peer peer;
    peer.feed(kHello13);
    EXPECT_EQ(peer.session.deadline(), peer.now + 5 * kSecond);
    peer.session.tick(peer.now + 5 * kSecond - 1, peer.out);
    EXPECT_EQ(peer.answer(), "");
    peer.now += 5 * kSecond;
    peer.session.tick(peer.now, peer.out);
    EXPECT_EQ(peer.answer().substr(0, 8), "04020008");
    peer.session.tick(peer.now + 5 * kSecond - 1, peer.out);
    EXPECT_EQ(peer.answer(), "");
    EXPECT_EQ(peer.session.state(), WireSession::State::up);
    peer.session.tick(peer.now + 5 * kSecond, peer.out);
    EXPECT_EQ(peer.session.state(), WireSession::State::closed);
    EXPECT_EQ(peer.answer(), "");
}

TEST(Session, AnyByteOfThePeerIsASignOfLife) {
    Peer peer;
    peer.feed(kHello13);
    peer.now += 5 * kSecond;
    peer.session.tick(peer.now, peer.out);
    peer.now += 4 * kSecond;
    peer.feed("0403000800000002");
    peer.session.tick(peer.now + 4 * kSecond, peer.out);
    EXPECT_EQ(peer.session.state(), WireSession::State::up);
    EXPECT_EQ(peer.session.deadline(), peer.now + 5 * kSecond);
}

TEST(Session, ProbeIntervalIsConfigurableAndZeroMeansNever) {
    Peer quick({.probe_interval = kSecond});
    quick.feed(kHello13);
    EXPECT_EQ(quick.session.deadline(), quick.now + kSecond);
    Peer never({.probe_interval = 0});
    never.feed(kHello13);
    EXPECT_EQ(never.session.deadline(), kNever);
}

TEST(Session, ClosesWithoutAHello) {
    Peer peer;
    EXPECT_EQ(peer.session.deadline(), peer.now + 10 * kSecond);
    peer.session.tick(peer.now + 10 * kSecond, peer.out);
    EXPECT_EQ(peer.session.state(), WireSession::State::closed);
    EXPECT_NE(peer.session.close_reason().find("no HELLO"), std::string::npos);
}

}  // namespace
}  // namespace raicho::agent
