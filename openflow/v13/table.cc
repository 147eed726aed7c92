// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/fields.h"
#include "base/text.h"
#include "openflow/action_table.h"
#include "openflow/v13/entries.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_table.h"

namespace raicho::openflow::v13 {
namespace {

using enum TablePropertyType;

std::unexpected<OfpError> bad(TableFeaturesFailed code, const char* what, std::size_t number) {
    return ofp_error(code, format("table features: {} {}", what, number));
}

/// An id of an instruction or action: 4 bytes, or 8 where the peer pads it (§7.3.5.5.2).
OfResult<std::uint16_t> pull_id(ByteReader& in) {
    const auto id = in.pull<WireTypeLength>();
    if (!id) return bad(TableFeaturesFailed::bad_len, "bytes left of an id:", in.size());
    const std::size_t length = id->length.value();
    constexpr std::size_t kPadded = 8;
    const bool known = length == sizeof(WireTypeLength) || length == kPadded;
    if (!known || !in.take(length - sizeof(WireTypeLength)))
        return bad(TableFeaturesFailed::bad_len, "id of length", length);
    return id->type.value();
}

OfResult<InstructionSet> decode_instruction_ids(ByteReader in) {
    InstructionSet set;
    while (!in.empty()) {
        TRY_ASSIGN(const std::uint16_t type, pull_id(in));
        if (type == 0 || type > kInstructionRows.size())
            return bad(TableFeaturesFailed::bad_argument, "instruction type", type);
        set.bits |= 1u << type;
    }
    return set;
}

OfResult<ActionKinds> decode_action_ids(ByteReader in) {
    ActionKinds kinds;
    while (!in.empty()) {
        TRY_ASSIGN(const std::uint16_t type, pull_id(in));
        std::size_t n = 0;
        while (n < kActions && action_number(n) != type) ++n;
        if (n == kActions) return bad(TableFeaturesFailed::bad_argument, "action type", type);
        kinds.bits |= 1u << n;
    }
    return kinds;
}

OfResult<TableSet> decode_tables(Bytes bytes) {
    TableSet set;
    for (const std::byte table : bytes) {
        const auto n = std::to_integer<std::size_t>(table);
        if (n >= kTables) return bad(TableFeaturesFailed::bad_argument, "next table", n);
        set.tables.set(n);
    }
    return set;
}

OfResult<FieldSet> decode_fields(ByteReader in) {
    FieldSet set;
    while (!in.empty()) {
        const auto oxm = in.pull<OxmHeader>();
        if (!oxm) return bad(TableFeaturesFailed::bad_len, "bytes left of a field:", in.size());
        const std::size_t number = oxm->field_hasmask >> 1;
        if (oxm->oxm_class.value() != kOxmBasic || number >= kFields)
            return bad(TableFeaturesFailed::bad_argument, "match field", number);
        set.fields |= 1ull << number;
        if ((oxm->field_hasmask & 1) != 0) set.masked |= 1ull << number;
    }
    return set;
}

OfResult<TableProperty> decode_property(std::uint16_t type, Bytes body) {
    TableProperty property{.type = static_cast<TablePropertyType>(type), .list = {}};
    switch (property.type) {
        case instructions:
        case instructions_miss: {
            TRY_ASSIGN(property.list, decode_instruction_ids(ByteReader(body)));
            return property;
        }
        case next_tables:
        case next_tables_miss: {
            TRY_ASSIGN(property.list, decode_tables(body));
            return property;
        }
        case write_actions:
        case write_actions_miss:
        case apply_actions:
        case apply_actions_miss: {
            TRY_ASSIGN(property.list, decode_action_ids(ByteReader(body)));
            return property;
        }
        case match:
        case wildcards:
        case write_setfield:
        case write_setfield_miss:
        case apply_setfield:
        case apply_setfield_miss: {
            TRY_ASSIGN(property.list, decode_fields(ByteReader(body)));
            return property;
        }
        case experimenter:
        case experimenter_miss: break;  // no experimenter's properties are known
    }
    return bad(TableFeaturesFailed::bad_type, "property type", type);
}

void put_ids(std::uint32_t bits, ByteWriter& out, auto number_of) {
    for (unsigned n = 0; n < 32; ++n)
        if ((bits >> n & 1) != 0)
            out.put(WireTypeLength{number_of(n), std::uint16_t{sizeof(WireTypeLength)}});
}

struct ListWriter {
    ByteWriter& out;

    void operator()(InstructionSet set) const {
        put_ids(set.bits, out, [](unsigned n) { return static_cast<std::uint16_t>(n); });
    }
    void operator()(const TableSet& set) const {
        for (unsigned n = 0; n < kTables; ++n)
            if (set.tables.test(n)) out.put(static_cast<std::uint8_t>(n));
    }
    void operator()(ActionKinds kinds) const {
        put_ids(kinds.bits, out, [](unsigned n) { return action_number(n); });
    }
    void operator()(FieldSet set) const {
        for (const FieldRow& r : kFieldRows) {
            const unsigned n = std::to_underlying(r.field);
            if ((set.fields >> n & 1) == 0) continue;
            const unsigned mask = set.masked >> n & 1;
            out.put(OxmHeader{kOxmBasic, static_cast<std::uint8_t>(n << 1 | mask),
                              static_cast<std::uint8_t>(r.size() << mask)});
        }
    }
};

}  // namespace

OfResult<TableMod> decode_table_mod(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireTableMod>(in));
    return TableMod{TableId(wire.table), wire.config.value()};
}

void encode(const TableMod& mod, MessageWriter& out) {
    out.put(WireTableMod{mod.table.value(), {}, mod.config});
}

OfResult<TableFeatures> decode_entry(ByteReader& in, EntryOf<TableFeatures>) {
    const auto wire = in.pull<WireTableFeatures>();
    if (!wire) return bad(TableFeaturesFailed::bad_len, "bytes left of a table:", in.size());
    const std::size_t length = wire->length.value();
    auto body = take_body<WireTableFeatures>(in, length);
    if (!body || length % 8 != 0) return bad(TableFeaturesFailed::bad_len, "entry length", length);
    TableFeatures features{.table = TableId(wire->table),
                           .name = text_of(wire->name),
                           .metadata_match = wire->metadata_match.value(),
                           .metadata_write = wire->metadata_write.value(),
                           .config = wire->config.value(),
                           .max_entries = wire->max_entries.value(),
                           .properties = {}};
    while (!body->empty()) {
        const auto header = body->pull<WireTypeLength>();
        const std::size_t size = header ? header->length.value() : 0;
        const auto list = header ? take_body<WireTypeLength>(*body, size) : std::nullopt;
        if (!list) return bad(TableFeaturesFailed::bad_len, "property length", size);
        static_cast<void>(body->take(std::min(padded(size) - size, body->size())));
        TRY_ASSIGN(auto property, decode_property(header->type.value(), list->rest()));
        features.properties.push_back(std::move(property));
    }
    return features;
}

void encode_entry(const TableFeatures& features, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireTableFeatures{.length = {},
                              .table = features.table.value(),
                              .pad = {},
                              .name = chars_of<32>(features.name),
                              .metadata_match = features.metadata_match,
                              .metadata_write = features.metadata_write,
                              .config = features.config,
                              .max_entries = features.max_entries});
    for (const TableProperty& property : features.properties) {
        const std::size_t at = out.offset();
        out.put(WireTypeLength{std::to_underlying(property.type), std::uint16_t{0}});
        std::visit(ListWriter{out}, property.list);
        patch_length(out, at, offsetof(WireTypeLength, length));
        out.pad(at, 8);
    }
    patch_length(out, start, offsetof(WireTableFeatures, length));
}

}  // namespace raicho::openflow::v13
