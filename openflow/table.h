// SPDX-License-Identifier: Apache-2.0
// What flow tables can do: table-mod and table features as version-neutral values (OF 1.3.5 §7.3.3,
// §7.3.5.5). Part of message.h.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"

namespace raicho::openflow {

/// OFPTC_DEPRECATED_MASK: bits that earlier versions had and that mean nothing any more.
inline constexpr std::uint32_t kDeprecatedTableConfig = 3;

struct TableMod {
    TableId table;  // or kAllTables
    std::uint32_t config = 0;
};

/// ofp_table_feature_prop_type, by its number; each even one has a twin for the table-miss entry.
enum class TablePropertyType : std::uint16_t {
    instructions = 0,
    instructions_miss = 1,
    next_tables = 2,
    next_tables_miss = 3,
    write_actions = 4,
    write_actions_miss = 5,
    apply_actions = 6,
    apply_actions_miss = 7,
    match = 8,
    wildcards = 10,
    write_setfield = 12,
    write_setfield_miss = 13,
    apply_setfield = 14,
    apply_setfield_miss = 15,
    experimenter = 0xfffe,
    experimenter_miss = 0xffff,
};

/// Bit n: ofp_instruction_type n.
struct InstructionSet {
    std::uint32_t bits = 0;
    friend bool operator==(InstructionSet, InstructionSet) = default;
};
struct TableSet {
    std::bitset<kTables> tables;
    friend bool operator==(const TableSet&, const TableSet&) = default;
};
/// Bit n: alternative n of Action.
struct ActionKinds {
    std::uint32_t bits = 0;
    friend bool operator==(ActionKinds, ActionKinds) = default;
};
/// Bit n: match field n of base/fields.h; `masked`: those that carry the mask bit.
struct FieldSet {
    std::uint64_t fields = 0;
    std::uint64_t masked = 0;
    friend bool operator==(FieldSet, FieldSet) = default;
};

/// One property with what it lists: the kind of list follows from the type.
struct TableProperty {
    TablePropertyType type{};
    std::variant<InstructionSet, TableSet, ActionKinds, FieldSet> list;
    friend bool operator==(const TableProperty&, const TableProperty&) = default;
};

/// ofp_table_features.
struct TableFeatures {
    TableId table;
    std::string name;  // 31 bytes travel
    std::uint64_t metadata_match = 0;
    std::uint64_t metadata_write = 0;
    std::uint32_t config = 0;
    std::uint32_t max_entries = 0;
    std::vector<TableProperty> properties;
};

/// Empty: how are the tables? Else: make them so (§7.3.5.5).
struct TableFeaturesRequest {
    std::vector<TableFeatures> tables;
};

}  // namespace raicho::openflow
