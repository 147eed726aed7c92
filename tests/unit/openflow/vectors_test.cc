// SPDX-License-Identifier: Apache-2.0
// Each vector decodes to what it says, and every row of the specification's tables has one.
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "openflow/action_table.h"
#include "openflow/codec.h"
#include "openflow/error_table.h"
#include "openflow/text.h"
#include "openflow/v13/parts.h"
#include "openflow/v13/wire_multipart.h"
#include "tests/unit/openflow/vector_file.h"

namespace raicho::openflow {
namespace {

template <class T>
void expect(const Vector& vector, const OfResult<T>& decoded) {
    if (vector.expect == Expect::error) {
        ASSERT_FALSE(decoded) << vector.where << ": " << to_text(*decoded);
        EXPECT_EQ(names_of(decoded.error()), vector.expected)
            << vector.where << ": " << decoded.error().why;
    } else {
        ASSERT_TRUE(decoded) << vector.where << ": " << names_of(decoded.error()) << ": "
                             << decoded.error().why;
        EXPECT_EQ(to_text(*decoded), vector.expected) << vector.where;
    }
}

OfResult<Action> decode_action(Bytes bytes) {
    ActionList actions;
    if (auto decoded = v13::decode_actions(bytes, actions); !decoded)
        return std::unexpected(decoded.error());
    if (auto checked = check_action(actions.at(0)); !checked)
        return std::unexpected(checked.error());
    return actions.at(0);
}

template <class Encode>
void expect_bytes(const Vector& vector, Encode encode) {
    ByteVector bytes;
    encode(bytes);
    EXPECT_EQ(hex_text(bytes), hex_text(vector.bytes)) << vector.where;
}

std::size_t n_texts(const std::vector<Vector>& vectors) {
    return static_cast<std::size_t>(std::ranges::count(vectors, Expect::text, &Vector::expect));
}

TEST(Vectors, MatchFieldsDecodePrintAndEncode) {
    const auto vectors = read_vectors("oxm.txt");
    EXPECT_GT(n_texts(vectors), kFields);
    for (const Vector& vector : vectors) {
        const auto match = decode_match_fields(vector.bytes);
        expect(vector, match);
        if (match) expect_bytes(vector, [&](ByteVector& out) { encode_match_fields(*match, out); });
    }
}

TEST(Vectors, EveryFieldStandsWithAndWithoutMask) {
    std::set<std::pair<Field, HasMask>> seen;
    for (const Vector& vector : read_vectors("oxm.txt"))
        if (const auto match = decode_match_fields(vector.bytes))
            for (const MatchField& field : match->fields())
                seen.emplace(field.field, field.has_mask);
    for (const FieldRow& r : kFieldRows) {
        EXPECT_TRUE(seen.contains({r.field, HasMask::no})) << r.name;
        EXPECT_EQ(seen.contains({r.field, HasMask::yes}), r.maskable == Maskable::yes) << r.name;
    }
}

TEST(Vectors, ActionsDecodePrintAndEncode) {
    for (const Vector& vector : read_vectors("actions.txt")) {
        const auto action = decode_action(vector.bytes);
        expect(vector, action);
        if (action)
            expect_bytes(vector, [&](ByteVector& out) {
                ByteWriter writer(out);
                v13::encode_actions({*action}, writer);
            });
    }
}

TEST(Vectors, EveryActionAndSettableFieldStands) {
    std::set<std::size_t> actions;
    std::set<Field> fields;
    for (const Vector& vector : read_vectors("actions.txt")) {
        const auto action = decode_action(vector.bytes);
        if (!action) continue;
        actions.insert(action->index());
        if (const auto* set = std::get_if<SetField>(&*action)) fields.insert(set->field);
    }
    for (std::size_t i = 0; i < kActions; ++i)
        EXPECT_TRUE(actions.contains(i)) << kActionRows[i].spec_name;
    for (const FieldRow& r : kFieldRows)
        EXPECT_EQ(fields.contains(r.field), r.settable == Settable::yes) << r.name;
}

TEST(Vectors, InstructionsDecodePrintAndEncode) {
    for (const Vector& vector : read_vectors("instructions.txt")) {
        const auto instructions = decode_instructions(vector.bytes);
        expect(vector, instructions);
        if (instructions)
            expect_bytes(vector, [&](ByteVector& out) { encode_instructions(*instructions, out); });
    }
}

TEST(Vectors, EveryInstructionStands) {
    std::set<unsigned> seen;
    for (const Vector& vector : read_vectors("instructions.txt"))
        if (vector.expect == Expect::text && vector.bytes.size() >= 2)
            seen.insert(load_be<std::uint16_t>(vector.bytes.data()));
    for (const auto& r : v13::kInstructionRows)
        EXPECT_TRUE(seen.contains(static_cast<unsigned>(r.type))) << r.name;
}

void expect_messages(const std::string& name) {
    for (const Vector& vector : read_vectors(name)) {
        const auto message = decode(vector.bytes);
        expect(vector, message);
        if (!message) continue;
        const Header header = *peek_header(vector.bytes);
        ByteVector bytes;
        encode(*message, header.version, header.xid, bytes);
        const auto again = decode(bytes);
        ASSERT_TRUE(again) << vector.where << ": " << hex_text(bytes);
        EXPECT_EQ(to_text(*again), vector.expected) << vector.where;
        if (header.type == 0) continue;  // a hello loses the elements that are not understood
        EXPECT_EQ(hex_text(bytes), hex_text(vector.bytes)) << vector.where;
    }
}

TEST(Vectors, MessagesDecodePrintAndEncode) {
    expect_messages("messages.txt");
}

TEST(Vectors, EveryMessageTypeAndMultipartTypeStands) {
    std::set<unsigned> types;
    std::set<std::pair<unsigned, unsigned>> multiparts;
    for (const Vector& vector : read_vectors("messages.txt")) {
        const unsigned type = peek_header(vector.bytes)->type;
        types.insert(type);
        if (type == 18 || type == 19)
            multiparts.emplace(type, load_be<std::uint16_t>(vector.bytes.data() + kHeaderSize));
    }
    for (const auto& r : v13::kMessageRows)
        EXPECT_TRUE(types.contains(static_cast<unsigned>(r.type))) << r.name;
    for (const auto& r : v13::kMultipartRows) {
        EXPECT_TRUE(multiparts.contains({18, static_cast<unsigned>(r.type)})) << r.name;
        EXPECT_TRUE(multiparts.contains({19, static_cast<unsigned>(r.type)})) << r.name;
    }
}

TEST(Vectors, ErrorMessagesPrintTheSpecificationsNames) {
    expect_messages("error_messages.txt");
}

TEST(Vectors, EveryErrorTypeAndCodeStands) {
    std::set<std::pair<unsigned, unsigned>> seen;
    std::set<unsigned> types;
    for (const Vector& vector : read_vectors("error_messages.txt")) {
        const auto message = decode(vector.bytes);
        ASSERT_TRUE(message);
        const auto& error = std::get<ErrorMsg>(*message);
        seen.emplace(error.type, error.code);
        types.insert(error.type);
    }
    for (const ErrorTypeRow& r : kErrorTypeRows)
        EXPECT_TRUE(types.contains(static_cast<unsigned>(r.type))) << r.name;
    for (const ErrorCodeRow& r : kErrorCodeRows)
        EXPECT_TRUE(seen.contains({static_cast<unsigned>(r.type), r.code})) << r.name;
}

TEST(Vectors, BadMessagesGiveTheRightError) {
    for (const Vector& vector : read_vectors("errors.txt")) expect(vector, decode(vector.bytes));
}

}  // namespace
}  // namespace raicho::openflow
