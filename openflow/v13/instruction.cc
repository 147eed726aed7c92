// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/parts.h"

namespace raicho::openflow::v13 {
namespace {

/// The body of an instruction's structure; its size was checked against kInstructionRows.
template <class T>
T body_as(Bytes body) {
    T value;
    std::memcpy(&value, body.data(), sizeof value);
    return value;
}

std::unexpected<OfpError> duplicate(const InstructionRow& r) {
    return ofp_error(BadInstruction::dup_inst, std::string(r.name));
}

OfResult<void> decode_list(const InstructionRow& r, Bytes body, std::optional<ActionList>& list) {
    if (list) return duplicate(r);
    return decode_actions(body.subspan(r.size - sizeof(InstructionHeader)), list.emplace());
}

OfResult<void> decode_instruction(const InstructionRow& r, Bytes body, Instructions& into) {
    switch (r.type) {
        case InstructionType::goto_table: {
            if (into.go_to) return duplicate(r);
            const TableId table(body_as<WireGotoTable>(body).table);
            if (table == kAllTables)
                return ofp_error(BadInstruction::bad_table_id, "goto_table:255 is no table");
            into.go_to = table;
            return {};
        }
        case InstructionType::write_metadata: {
            if (into.metadata) return duplicate(r);
            const auto wire = body_as<WireWriteMetadata>(body);
            into.metadata = MetadataWrite{wire.metadata.value(), wire.mask.value()};
            return {};
        }
        case InstructionType::write_actions: return decode_list(r, body, into.write);
        case InstructionType::apply_actions: return decode_list(r, body, into.apply);
        case InstructionType::clear_actions:
            if (into.clear) return duplicate(r);
            into.clear = true;
            return {};
        case InstructionType::meter:
            if (into.meter) return duplicate(r);
            into.meter = MeterId(body_as<WireWord>(body).value.value());
            return {};
        case InstructionType::experimenter: break;
    }
    return ofp_error(BadInstruction::unknown_inst);
}

void header(InstructionType type, std::size_t size, ByteWriter& out) {
    out.put(InstructionHeader{static_cast<std::uint16_t>(type), static_cast<std::uint16_t>(size)});
}

void encode_list(InstructionType type, const ActionList& actions, ByteWriter& out) {
    const std::size_t start = out.offset();
    header(type, 0, out);
    out.zeros(4);
    encode_actions(actions, out);
    out.patch<std::uint16_t>(start + offsetof(InstructionHeader, length),
                             static_cast<std::uint16_t>(out.offset() - start));
}

}  // namespace

OfResult<void> decode_instructions(Bytes bytes, Instructions& instructions) {
    ByteReader in(bytes);
    while (!in.empty()) {
        const auto header = in.pull<InstructionHeader>();
        if (!header)
            return ofp_error(BadInstruction::bad_len, "message ends within an instruction");
        const std::uint16_t type = header->type.value();
        const std::size_t length = header->length.value();
        if (length < 8 || length % 8 != 0)
            return ofp_error(BadInstruction::bad_len, format("instruction length {}", length));
        const auto body = in.take(length - sizeof(InstructionHeader));
        if (!body)
            return ofp_error(BadInstruction::bad_len, "instruction is longer than the message");
        if (type == static_cast<std::uint16_t>(InstructionType::experimenter))
            return ofp_error(BadInstruction::bad_experimenter,
                             "no experimenter's instructions are known");
        if (type == 0 || type > kInstructionRows.size())
            return ofp_error(BadInstruction::unknown_inst, format("instruction type {}", type));
        const InstructionRow& r = kInstructionRows[type - 1u];
        if (length < r.size || (r.tail == Tail::none && length != r.size))
            return ofp_error(BadInstruction::bad_len, format("{}: length {}", r.name, length));
        TRY(decode_instruction(r, *body, instructions));
    }
    return {};
}

void encode_instructions(const Instructions& instructions, ByteWriter& out) {
    if (instructions.meter) {
        header(InstructionType::meter, 8, out);
        out.put(WireWord{instructions.meter->value()});
    }
    if (instructions.apply) encode_list(InstructionType::apply_actions, *instructions.apply, out);
    if (instructions.clear) {
        header(InstructionType::clear_actions, 8, out);
        out.zeros(4);
    }
    if (instructions.write) encode_list(InstructionType::write_actions, *instructions.write, out);
    if (instructions.metadata) {
        header(InstructionType::write_metadata, 24, out);
        out.put(WireWriteMetadata{{}, instructions.metadata->value, instructions.metadata->mask});
    }
    if (instructions.go_to) {
        header(InstructionType::goto_table, 8, out);
        out.put(WireGotoTable{instructions.go_to->value(), {}});
    }
}

}  // namespace raicho::openflow::v13
