// SPDX-License-Identifier: Apache-2.0
#include "agent/model/tables.h"

#include <algorithm>
#include <bitset>
#include <utility>

#include "base/error.h"
#include "base/fields.h"
#include "base/text.h"

namespace raicho::agent {
namespace {

using openflow::ActionKinds;
using openflow::FieldSet;
using openflow::InstructionSet;
using openflow::ofp_error;
using openflow::OfResult;
using openflow::TableFeatures;
using openflow::TableFeaturesFailed;
using openflow::TableProperty;
using openflow::TablePropertyType;
using openflow::TableSet;

// Bits by ofp_instruction_type (§7.2.4).
constexpr std::uint32_t kGoto = 1u << 1;
constexpr std::uint32_t kMeter = 1u << 6;
constexpr std::uint32_t kWriteMetadataToClear = 0b111100;
constexpr std::uint32_t kTableConfig = openflow::kDeprecatedTableConfig;

/// The bit of an alternative of Action.
template <class A>
constexpr std::uint32_t action_bit() {
    return 1u << openflow::Action(A{}).index();
}

template <class Wanted, class Masked>
FieldSet fields(Wanted wanted, Masked masked) {
    FieldSet set;
    for (const FieldRow& r : kFieldRows) {
        if (!wanted(r)) continue;
        const auto bit = 1ull << std::to_underlying(r.field);
        set.fields |= bit;
        if (masked(r)) set.masked |= bit;
    }
    return set;
}

/// What a table can do, in the order in which the properties are sent.
std::vector<TableProperty> properties(TableId table, const TableAbility& ability,
                                      const std::bitset<kTables>& present) {
    using enum TablePropertyType;
    TableSet next;
    for (std::size_t n = table.value() + 1u; n < kTables; ++n)
        if (present.test(n)) next.tables.set(n);
    const InstructionSet instruction_set{kWriteMetadataToClear | (next.tables.any() ? kGoto : 0) |
                                         (ability.meters ? kMeter : 0)};
    std::uint32_t kinds = (1u << std::variant_size_v<openflow::Action>)-1;
    if (!ability.groups) kinds &= ~action_bit<openflow::GroupAction>();
    const auto any = [](const FieldRow&) { return true; };
    const auto none = [](const FieldRow&) { return false; };
    const auto maskable = [](const FieldRow& r) { return r.maskable == Maskable::yes; };
    const auto settable = [](const FieldRow& r) { return r.settable == Settable::yes; };
    return {{instructions, instruction_set},          {next_tables, next},
            {write_actions, ActionKinds{kinds}},      {apply_actions, ActionKinds{kinds}},
            {match, fields(any, maskable)},           {wildcards, fields(any, none)},
            {write_setfield, fields(settable, none)}, {apply_setfield, fields(settable, none)}};
}

/// The type whose list a _miss twin has too.
TablePropertyType plain(TablePropertyType type) {
    using enum TablePropertyType;
    switch (type) {
        case instructions_miss: return instructions;
        case next_tables_miss: return next_tables;
        case write_actions_miss: return write_actions;
        case apply_actions_miss: return apply_actions;
        case write_setfield_miss: return write_setfield;
        case apply_setfield_miss: return apply_setfield;
        case instructions:
        case next_tables:
        case write_actions:
        case apply_actions:
        case match:
        case wildcards:
        case write_setfield:
        case apply_setfield:
        case experimenter:
        case experimenter_miss: break;
    }
    return type;
}

bool covers(InstructionSet able, InstructionSet wanted) {
    return (wanted.bits & ~able.bits) == 0;
}
bool covers(const TableSet& able, const TableSet& wanted) {
    return (wanted.tables & ~able.tables).none();
}
bool covers(ActionKinds able, ActionKinds wanted) {
    return (wanted.bits & ~able.bits) == 0;
}
bool covers(FieldSet able, FieldSet wanted) {
    return (wanted.fields & ~able.fields) == 0 && (wanted.masked & ~able.masked) == 0;
}

/// A mask bit says something about match fields only; some peers set it in other lists too.
TableProperty without_idle_masks(TableProperty property) {
    auto* fields = std::get_if<FieldSet>(&property.list);
    if (fields != nullptr && property.type != TablePropertyType::match) fields->masked = 0;
    return property;
}

OfResult<void> check_property(TableId table, const TableProperty& wanted,
                              const std::vector<TableProperty>& able) {
    const auto mine = std::ranges::find(able, plain(wanted.type), &TableProperty::type);
    ASSERT(mine != able.end());
    const bool covered = std::visit(
        [&](const auto& list) {
            const auto* own = std::get_if<std::remove_cvref_t<decltype(list)>>(&mine->list);
            return own != nullptr && covers(*own, list);
        },
        without_idle_masks(wanted).list);
    if (covered) return {};
    return ofp_error(TableFeaturesFailed::bad_argument,
                     format("table {}: property {} asks for more than tables can do", table.value(),
                            std::to_underlying(wanted.type)));
}

OfResult<void> check_table(const TableFeatures& wanted, const TableAbility& ability,
                           const std::bitset<kTables>& present) {
    const unsigned table = wanted.table.value();
    if ((wanted.config & ~kTableConfig) != 0)
        return ofp_error(TableFeaturesFailed::bad_argument,
                         format("table {}: unknown config 0x{:x}", table, wanted.config));
    if (wanted.max_entries > ability.max_entries)
        return ofp_error(TableFeaturesFailed::bad_argument,
                         format("table {}: {} entries of at most {}", table, wanted.max_entries,
                                ability.max_entries));
    const std::vector<TableProperty> able = properties(wanted.table, ability, present);
    for (auto p = wanted.properties.begin(); p != wanted.properties.end(); ++p) {
        if (std::find_if(wanted.properties.begin(), p, [&](const TableProperty& earlier) {
                return earlier.type == p->type;
            }) != p)
            return ofp_error(
                TableFeaturesFailed::bad_type,
                format("table {}: property {} twice", table, std::to_underlying(p->type)));
        TRY(check_property(wanted.table, *p, able));
    }
    return {};
}

}  // namespace

std::vector<TableFeatures> table_features(const TableAbility& ability, const Plane& plane) {
    std::vector<std::pair<TableId, TableSetup>> tables;
    std::bitset<kTables> present;
    for (std::size_t n = 0; n < ability.n_tables; ++n) {
        const TableId table{static_cast<std::uint8_t>(n)};
        TableSetup setup = plane.table_setup(table);
        if (setup.removed) continue;
        present.set(n);
        tables.emplace_back(table, std::move(setup));
    }
    std::vector<TableFeatures> features;
    for (auto& [table, setup] : tables)
        features.push_back(
            {.table = table,
             .name = std::move(setup.name),
             .metadata_match = ~0ull,
             .metadata_write = ~0ull,
             .config = 0,
             .max_entries = setup.max_entries != 0 ? setup.max_entries : ability.max_entries,
             .properties = properties(table, ability, present)});
    return features;
}

OfResult<void> set_table_features(const std::vector<TableFeatures>& wanted,
                                  const TableAbility& ability, Plane& plane) {
    std::bitset<kTables> present;
    for (const TableFeatures& table : wanted) {
        const std::size_t n = table.table.value();
        if (n >= ability.n_tables || present.test(n))
            return ofp_error(
                TableFeaturesFailed::bad_table,
                format("table {}: {}", n, n < ability.n_tables ? "listed twice" : "no table"));
        present.set(n);
    }
    for (const TableFeatures& table : wanted) TRY(check_table(table, ability, present));
    for (std::size_t n = 0; n < ability.n_tables; ++n)
        if (!present.test(n))
            plane.set_table_setup(TableId{static_cast<std::uint8_t>(n)},
                                  {.removed = true, .name = {}, .max_entries = 0});
    for (const TableFeatures& table : wanted) {
        const bool whole = table.max_entries == ability.max_entries;
        plane.set_table_setup(
            table.table,
            {.removed = false, .name = table.name, .max_entries = whole ? 0 : table.max_entries});
    }
    return {};
}

OfResult<void> modify_table(const openflow::TableMod& mod, const Targets& targets) {
    if (mod.table != kAllTables && !targets.has(mod.table))
        return ofp_error(openflow::TableModFailed::bad_table, targets.why_no(mod.table));
    if ((mod.config & ~kTableConfig) != 0)
        return ofp_error(openflow::TableModFailed::bad_config,
                         format("unknown config bits 0x{:x}", mod.config & ~kTableConfig));
    return {};
}

}  // namespace raicho::agent
