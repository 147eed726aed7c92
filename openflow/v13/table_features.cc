// SPDX-License-Identifier: Apache-2.0
#include "openflow/table_features.h"

#include <utility>

#include "base/fields.h"
#include "openflow/action_table.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow {
namespace {

using namespace v13;

/// ofp_table_feature_prop_type; the _MISS twins are left out: they are the same (§7.3.5.5.2).
enum class Property : std::uint16_t {
    instructions = 0,
    next_tables = 2,
    write_actions = 4,
    apply_actions = 6,
    match = 8,
    wildcards = 10,
    write_setfield = 12,
    apply_setfield = 14,
};

//  0  2  length   2  1  table   3  5  pad   8 32  name   40  8  metadata_match
// 48  8  metadata_write   56  4  config   60  4  max_entries
struct WireTableFeatures {
    Be16 length;
    std::uint8_t table;
    Pad<5> pad;
    std::array<char, 32> name;
    Be64 metadata_match;
    Be64 metadata_write;
    Be32 config;
    Be32 max_entries;
};
static_assert(kWireLayout<WireTableFeatures, 64>);

// Property, instruction and action ids have one header: type and length.
struct WireTypeLength {
    Be16 type;
    Be16 length;
};
static_assert(kWireLayout<WireTypeLength, 4>);

/// Appends a property around what `fill` writes.
template <class Fill>
void put_property(Property type, ByteWriter& out, Fill fill) {
    const std::size_t start = out.offset();
    out.put(WireTypeLength{std::to_underlying(type), std::uint16_t{0}});
    fill();
    out.patch<std::uint16_t>(start + offsetof(WireTypeLength, length),
                             static_cast<std::uint16_t>(out.offset() - start));
    out.pad(start, 8);
}

void put_numbers(std::uint32_t bits, ByteWriter& out, auto number_of) {
    for (unsigned n = 0; n < 32; ++n)
        if ((bits >> n & 1) != 0)
            out.put(WireTypeLength{number_of(n), std::uint16_t{sizeof(WireTypeLength)}});
}

void put_fields(ByteWriter& out, auto wanted, auto masked) {
    for (const FieldRow& r : kFieldRows) {
        if (!wanted(r)) continue;
        const unsigned mask = masked(r) ? 1 : 0;
        out.put(OxmHeader{
            kOxmBasic, static_cast<std::uint8_t>(unsigned{std::to_underlying(r.field)} << 1 | mask),
            static_cast<std::uint8_t>(r.size() << mask)});
    }
}

void put_table(const TableFeatures& table, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireTableFeatures{.length = std::uint16_t{0},
                              .table = table.table.value(),
                              .pad = {},
                              .name = {},
                              .metadata_match = ~std::uint64_t{0},
                              .metadata_write = ~std::uint64_t{0},
                              .config = std::uint32_t{0},
                              .max_entries = table.max_entries});
    put_property(Property::instructions, out, [&] {
        put_numbers(table.instructions, out,
                    [](unsigned n) { return static_cast<std::uint16_t>(n); });
    });
    put_property(Property::next_tables, out, [&] {
        for (unsigned t = table.table.value() + 1u; t < kTables; ++t)
            out.put(static_cast<std::uint8_t>(t));
    });
    for (const Property property : {Property::write_actions, Property::apply_actions})
        put_property(property, out, [&] {
            put_numbers(table.actions, out, [](unsigned n) { return action_number(n); });
        });
    const auto any = [](const FieldRow&) { return true; };
    const auto no_mask = [](const FieldRow&) { return false; };
    const auto maskable = [](const FieldRow& r) { return r.maskable == Maskable::yes; };
    const auto settable = [](const FieldRow& r) { return r.settable == Settable::yes; };
    put_property(Property::match, out, [&] { put_fields(out, any, maskable); });
    put_property(Property::wildcards, out, [&] { put_fields(out, any, no_mask); });
    for (const Property property : {Property::write_setfield, Property::apply_setfield})
        put_property(property, out, [&] { put_fields(out, settable, no_mask); });
    out.patch<std::uint16_t>(start + offsetof(WireTableFeatures, length),
                             static_cast<std::uint16_t>(out.offset() - start));
}

}  // namespace

std::vector<UnservedMultipart> encode_table_features(std::span<const TableFeatures> tables) {
    constexpr std::size_t kRoom = kMaxMessage - sizeof(WireHeader) - sizeof(WireMultipart);
    const auto type = std::to_underlying(MultipartType::table_features);
    std::vector<UnservedMultipart> parts{{.type = type}};
    for (const TableFeatures& table : tables) {
        ByteVector entry;
        ByteWriter out(entry);
        put_table(table, out);
        if (parts.back().body.size() + entry.size() > kRoom) parts.push_back({.type = type});
        parts.back().body.insert(parts.back().body.end(), entry.begin(), entry.end());
    }
    return parts;
}

}  // namespace raicho::openflow
