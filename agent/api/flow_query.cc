// SPDX-License-Identifier: Apache-2.0
#include "agent/api/flow_query.h"

#include <algorithm>
#include <string>

#include "base/fields.h"

namespace raicho::agent::api {

namespace {

FieldValue mask_of(const openflow::MatchField& field) {
    return field.has_mask == openflow::HasMask::yes ? field.mask
                                                    : openflow::exact_mask(field.field);
}

/// Whether some value satisfies both.
bool meet(const openflow::MatchField& a, const openflow::MatchField& b) {
    const FieldValue mask_a = mask_of(a);
    const FieldValue mask_b = mask_of(b);
    for (std::size_t i = 0; i < mask_a.bytes.size(); ++i)
        if (((a.value.bytes[i] ^ b.value.bytes[i]) & mask_a.bytes[i] & mask_b.bytes[i]) !=
            std::byte{0})
            return false;
    return true;
}

}  // namespace

std::expected<FlowSelection, openflow::FlowTextError> read_selection(
    std::string_view fields, const openflow::PortByName& ports) {
    // The same words as in a flow; its actions are of no interest.
    auto mod = openflow::parse_flow(std::string(fields) + " actions=drop", ports,
                                    openflow::FlowRules::spelling);
    if (!mod) return std::unexpected(std::move(mod.error()));
    FlowSelection selection{filter_of(*mod), mod->match};
    const bool names_table = fields.find("table=") != std::string_view::npos;
    if (!names_table) selection.filter.table = kAllTables;
    selection.filter.out_port = mod->out_port;
    selection.filter.out_group = mod->out_group;
    selection.filter.cookie = mod->cookie;
    const bool names_cookie = fields.find("cookie=") != std::string_view::npos;
    selection.filter.cookie_mask = !names_cookie           ? 0
                                   : mod->cookie_mask != 0 ? mod->cookie_mask
                                                           : ~std::uint64_t{0};
    return selection;
}

bool agrees(const FlowSelection& selection, const FlowStore& store, FlowId flow) {
    if (selection.filter.table != kAllTables && store.head(flow).table != selection.filter.table)
        return false;
    if (!passes(selection.filter, store, flow)) return false;
    if (selection.match.empty()) return true;
    const openflow::Match match = store.match(flow);
    return std::ranges::all_of(selection.match.fields(), [&](const openflow::MatchField& wanted) {
        const openflow::MatchField* has = match.find(wanted.field);
        return has != nullptr && meet(*has, wanted);
    });
}

}  // namespace raicho::agent::api
