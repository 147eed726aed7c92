// SPDX-License-Identifier: Apache-2.0
// Framing, errors and replies of many messages; byte layouts are in vectors_test.cc.
#include "openflow/codec.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "openflow/text.h"
#include "tests/unit/openflow/vector_file.h"

namespace raicho::openflow {
namespace {

ByteVector encoded(const Message& message) {
    ByteVector bytes;
    encode(message, version::k13, 1, bytes);
    return bytes;
}

/// The messages of a stream of whole ones.
std::vector<Bytes> frames(Bytes stream) {
    std::vector<Bytes> result;
    while (!stream.empty()) {
        const auto header = peek_header(stream);
        result.push_back(stream.first(header->length));
        stream = stream.subspan(header->length);
    }
    return result;
}

TEST(PeekHeader, ReadsWhateverStandsThere) {
    const auto bytes = *parse_hex("ffee0003deadbeef");
    const auto header = peek_header(bytes);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->version, 0xff);
    EXPECT_EQ(header->type, 0xee);
    EXPECT_EQ(header->length, 3);
    EXPECT_EQ(header->xid, 0xdeadbeef);
    EXPECT_FALSE(peek_header(Bytes(bytes).first(7)));
}

TEST(Encode, AppendsBehindWhatIsThere) {
    ByteVector bytes = encoded(BarrierRequest{});
    encode(EchoRequest{}, version::k13, 2, bytes);
    EXPECT_EQ(hex_text(bytes), "04140008000000010402000800000002");
}

TEST(Encode, WritesTheVersionThatWasAsked) {
    ByteVector bytes;
    encode(Hello{}, version::k10, 1, bytes);
    EXPECT_EQ(hex_text(bytes), "0100000800000001");
}

TEST(Encode, CutsDataThatDoesNotFitOneMessage) {  // §7.1: length has 16 bits
    const auto bytes = encoded(EchoReply{ByteVector(70'000)});
    EXPECT_EQ(bytes.size(), 65'535u);
    EXPECT_TRUE(decode(bytes));
}

TEST(MultipartReply, SplitsOnEntryBorders) {  // §7.3.5
    constexpr std::size_t kFlows = 3000;
    std::vector<FlowStats> flows(kFlows);
    for (std::size_t i = 0; i < kFlows; ++i) {
        flows[i].cookie = i;
        ASSERT_TRUE(flows[i].match.add(exact(Field::in_port, i + 1)));
        flows[i].instructions.apply = ActionList{OutputAction{PortNo(2), 0}};
    }
    const auto bytes = encoded(MultipartReply{flows});
    const auto messages = frames(bytes);
    ASSERT_GT(messages.size(), 3u);
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto decoded = decode(messages[i]);
        ASSERT_TRUE(decoded);
        const auto& reply = std::get<MultipartReply>(*decoded);
        EXPECT_EQ(reply.more, i + 1 < messages.size() ? ReplyMore::yes : ReplyMore::no);
        for (const FlowStats& flow : std::get<std::vector<FlowStats>>(reply.body))
            EXPECT_EQ(flow.cookie, next++);
        if (i + 1 < messages.size()) {
            EXPECT_GT(messages[i].size(), 65'000u) << "messages are filled";
        }
        EXPECT_EQ(peek_header(messages[i])->xid, 1u);
    }
    EXPECT_EQ(next, kFlows);
}

TEST(MultipartReply, MorePartsCanFollowTheLast) {
    const auto bytes = encoded(MultipartReply{std::vector<TableStats>(2), ReplyMore::yes});
    const auto decoded = decode(bytes);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<MultipartReply>(*decoded).more, ReplyMore::yes);
}

TEST(FlowMod, TooLargeForAStatsReplyIsRefused) {
    FlowMod mod;
    mod.instructions.apply = ActionList(4088, OutputAction{PortNo(1), 0});
    const auto fits = encoded(mod);
    ASSERT_LT(fits.size(), 65'536u);
    ASSERT_TRUE(decode(fits));
    FlowStats stats;
    stats.instructions = mod.instructions;
    EXPECT_EQ(frames(encoded(MultipartReply{std::vector{stats, stats}})).size(), 2u);
    mod.instructions.clear = true;
    mod.instructions.metadata = MetadataWrite{1, 1};
    mod.instructions.meter = MeterId(1);
    mod.instructions.go_to = TableId(1);
    const auto large = encoded(mod);
    ASSERT_LT(large.size(), 65'536u);
    const auto decoded = decode(large);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(names_of(decoded.error()), "OFPET_BAD_ACTION OFPBAC_TOO_MANY");
}

TEST(Codec, MessageTypesBeyondTheLastAreRefused) {
    for (const unsigned type : {30u, 99u, 255u}) {
        ByteVector bytes = encoded(BarrierRequest{});
        bytes[1] = static_cast<std::byte>(type);
        const auto decoded = decode(bytes);
        ASSERT_FALSE(decoded);
        EXPECT_EQ(names_of(decoded.error()), "OFPET_BAD_REQUEST OFPBRC_BAD_TYPE");
    }
}

// A group has to fit into one entry of a group-desc reply, or it could not be read back.
TEST(Codec, GroupThatNoReplyCouldCarryIsRefused) {
    GroupMod mod;
    mod.buckets.assign(65'504 / 16, Bucket{});
    const auto decoded = decode(encoded(mod));
    ASSERT_TRUE(decoded);
    MultipartReply reply{std::vector<GroupDesc>{{mod.type, mod.group, mod.buckets}}};
    EXPECT_EQ(frames(encoded(reply)).size(), 1u);
    mod.buckets.back().actions = {GroupAction{GroupId(1)}};
    const auto large = encoded(mod);
    ASSERT_LT(large.size(), 65'536u);
    const auto refused = decode(large);
    ASSERT_FALSE(refused);
    EXPECT_EQ(names_of(refused.error()), "OFPET_GROUP_MOD_FAILED OFPGMFC_OUT_OF_BUCKETS");
}

TEST(Codec, QueueConfigThatDoesNotFitIsCut) {  // §7.3.6: the reply has no parts
    const QueueGetConfigReply reply{
        PortNo(1), std::vector<QueueDesc>(3000, {.queue = 1, .port = PortNo(1), .min_rate = 5})};
    const auto decoded = decode(encoded(reply));
    ASSERT_TRUE(decoded);
    EXPECT_GT(std::get<QueueGetConfigReply>(*decoded).queues.size(), 1300u);
}

TEST(MakeError, CarriesTheFirst64Bytes) {  // §7.4.4
    ByteVector offending = encoded(EchoRequest{ByteVector(100, std::byte{7})});
    const auto error = decode(Bytes(offending).first(50));
    ASSERT_FALSE(error);
    const ErrorMsg message = make_error(error.error(), offending);
    EXPECT_EQ(message.type, 1);
    EXPECT_EQ(message.code, 6);
    EXPECT_EQ(hex_text(message.data), hex_text(Bytes(offending).first(64)));
    EXPECT_EQ(make_error(error.error(), Bytes(offending).first(20)).data.size(), 20u);
}

TEST(MakeError, SaysWhyAHelloFailed) {  // §7.5.1
    const OfpError error = ofp_error(HelloFailed::incompatible, "we speak 1.3, you 1.0").error();
    const ErrorMsg message = make_error(error, encoded(Hello{}));
    EXPECT_EQ(to_text(Message(message)),
              "ERROR OFPET_HELLO_FAILED (0) OFPHFC_INCOMPATIBLE (0) "
              "data=\"we speak 1.3, you 1.0\"");
}

TEST(ToText, PutsTheTransactionBehindTheName) {
    EXPECT_EQ(to_text(Message(BarrierRequest{}), 0x5), "BARRIER_REQUEST xid=0x5");
    EXPECT_EQ(to_text(Message(FlowMod{.priority = 1}), 0x5),
              "FLOW_MOD xid=0x5 ADD table=0,priority=1,cookie=0x0 actions=drop");
}

TEST(FieldValues, IntegersGoInAndOut) {
    for (const FieldRow& r : kFieldRows) {
        if (r.size() > 8) continue;
        const FieldValue ones = exact_mask(r.field);
        const std::uint64_t max = r.bits == 64 ? ~0ull : (1ull << r.bits) - 1;
        EXPECT_EQ(to_integer(r.field, ones), max) << r.name;
        EXPECT_EQ(field_value(r.field, max), ones) << r.name;
    }
    EXPECT_EQ(exact(Field::in_port, 3).value, field_value(Field::in_port, 3));
}

}  // namespace
}  // namespace raicho::openflow
