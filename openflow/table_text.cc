// SPDX-License-Identifier: Apache-2.0
#include "openflow/table_text.h"

#include <array>
#include <utility>

#include "base/fields.h"
#include "base/text.h"
#include "openflow/action_table.h"
#include "openflow/message_parts.h"

namespace raicho::openflow {
namespace {

/// By ofp_instruction_type.
constexpr std::array<std::string_view, 7> kInstructionNames{
    "", "goto_table", "write_metadata", "write_actions", "apply_actions", "clear_actions", "meter"};

std::string_view name_of(TablePropertyType type) {
    using enum TablePropertyType;
    switch (type) {
        case instructions: return "instructions";
        case instructions_miss: return "instructions_miss";
        case next_tables: return "next_tables";
        case next_tables_miss: return "next_tables_miss";
        case write_actions: return "write_actions";
        case write_actions_miss: return "write_actions_miss";
        case apply_actions: return "apply_actions";
        case apply_actions_miss: return "apply_actions_miss";
        case match: return "match";
        case wildcards: return "wildcards";
        case write_setfield: return "write_setfield";
        case write_setfield_miss: return "write_setfield_miss";
        case apply_setfield: return "apply_setfield";
        case apply_setfield_miss: return "apply_setfield_miss";
        case experimenter: return "experimenter";
        case experimenter_miss: return "experimenter_miss";
    }
    return "unknown";
}

/// Names joined by commas in brackets.
class Brackets {
  public:
    void add(std::string_view name) {
        if (text_.size() > 1) text_ += ',';
        text_ += name;
    }
    [[nodiscard]] std::string text() && { return std::move(text_) + ']'; }

  private:
    std::string text_ = "[";
};

}  // namespace

std::string list_text(InstructionSet set) {
    Brackets list;
    for (unsigned n = 0; n < 32; ++n)
        if ((set.bits >> n & 1) != 0)
            list.add(n < kInstructionNames.size() ? kInstructionNames[n] : "unknown");
    return std::move(list).text();
}

std::string list_text(const TableSet& set) {
    Brackets list;
    for (std::size_t n = 0; n < kTables; ++n) {
        if (!set.tables.test(n)) continue;
        std::size_t last = n;
        while (last + 1 < kTables && set.tables.test(last + 1)) ++last;
        list.add(last == n ? format("{}", n) : format("{}-{}", n, last));
        n = last;
    }
    return std::move(list).text();
}

std::string list_text(ActionKinds kinds) {
    Brackets list;
    for (std::size_t n = 0; n < kActions; ++n)
        if ((kinds.bits >> n & 1) != 0) list.add(kActionRows[n].name);
    return std::move(list).text();
}

std::string list_text(FieldSet set) {
    Brackets list;
    for (const FieldRow& r : kFieldRows) {
        const auto n = std::to_underlying(r.field);
        if ((set.fields >> n & 1) == 0) continue;
        list.add(std::string(r.name) + ((set.masked >> n & 1) != 0 ? "/mask" : ""));
    }
    return std::move(list).text();
}

std::string table_features_text(const TableFeatures& f) {
    std::string text = format(
        "table={},name={},metadata_match=0x{:x},metadata_write=0x{:x},config=0x{:x},"
        "max_entries={}",
        f.table.value(), quoted(f.name), f.metadata_match, f.metadata_write, f.config,
        f.max_entries);
    for (const TableProperty& property : f.properties)
        text += format(",{}={}", name_of(property.type),
                       std::visit([](const auto& list) { return list_text(list); }, property.list));
    return text;
}

}  // namespace raicho::openflow
