// SPDX-License-Identifier: Apache-2.0
#include "shell/render_ovs.h"

#include <array>

#include "base/fields.h"
#include "base/text.h"

namespace raicho::shell {

namespace {

/// Other names than the table of fields gives for ovs-ofctl.
struct NameRow {
    std::string_view ours;
    std::string_view ovs;
};
constexpr std::array<NameRow, 2> kActionNames{{
    {"dec_nw_ttl", "dec_ttl"},
    {"set_nw_ttl", "mod_nw_ttl"},
}};

std::string_view ovs_field(std::string_view name) {
    for (const FieldRow& row : kFieldRows)
        if (row.name == name) return row.ovs_name.empty() ? row.name : row.ovs_name;
    return name;
}

/// vlan_vid is 13 bits in both, but we write the VLAN of a tagged packet alone.
std::string ovs_vlan(std::string_view value) {
    constexpr std::uint64_t kPresent = 0x1000;
    const auto vid = parse_number(value);
    if (!vid || value.starts_with("0x")) return std::string(value);
    return format("0x{:x}", *vid | kPresent);
}

std::string ovs_item(std::string_view item) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) return std::string(item);
    const std::string_view name = item.substr(0, equals);
    const std::string_view value = item.substr(equals + 1);
    if (name == "vlan_vid") return "vlan_vid=" + ovs_vlan(value);
    return format("{}={}", ovs_field(name), value);
}

std::string ovs_action(std::string_view action) {
    constexpr std::string_view kSetField = "set_field:";
    constexpr std::string_view kArrow = "->";
    constexpr std::string_view kMplsTtl = "set_mpls_ttl:";
    if (action.starts_with(kSetField)) {
        const std::size_t arrow = action.rfind(kArrow);
        if (arrow == std::string_view::npos) return std::string(action);
        const std::string_view name = action.substr(arrow + kArrow.size());
        const std::string_view value = action.substr(kSetField.size(), arrow - kSetField.size());
        if (name == "vlan_vid") return format("set_field:{}->vlan_vid", ovs_vlan(value));
        return format("set_field:{}->{}", value, ovs_field(name));
    }
    if (action.starts_with(kMplsTtl))
        return format("set_mpls_ttl({})", action.substr(kMplsTtl.size()));
    const std::size_t colon = action.find(':');
    for (const NameRow& row : kActionNames)
        if (action.substr(0, colon) == row.ours)
            return std::string(row.ovs) +
                   (colon == std::string_view::npos ? "" : std::string(action.substr(colon)));
    return std::string(action);
}

/// Each part between commas and parentheses by `translate`, these as they are.
template <class Translate>
std::string each_part(std::string_view text, Translate translate) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = text.find_first_of(",()");
        const std::string_view part = text.substr(0, end);
        if (!part.empty()) out += translate(part);
        text.remove_prefix(part.size());
        if (text.empty()) break;
        out += text.front();
        text.remove_prefix(1);
    }
    return out;
}

}  // namespace

std::string ovs_match(std::string_view match) {
    return each_part(match, ovs_item);
}

std::string ovs_actions(std::string_view actions) {
    return each_part(actions, ovs_action);
}

}  // namespace raicho::shell
