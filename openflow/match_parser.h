// SPDX-License-Identifier: Apache-2.0
// The match half of a flow text: protocol words, field names in both spellings, values with masks.
// Neighbours: flow_scan.h has the words, flow_parser.cc puts the halves together.
#pragma once

#include <string_view>
#include <vector>

#include "openflow/flow_scan.h"

namespace raicho::openflow {

/// `tcp` and what it stands for.
struct ProtocolWord {
    std::string_view name;
    std::uint16_t eth_type;
    std::optional<std::uint8_t> ip_proto;
};
[[nodiscard]] const ProtocolWord* protocol_word(std::string_view name);

/// The protocols that a flow names, which decide what `tp_dst` or `nw_src` means in it.
struct FlowProtocol {
    std::optional<std::uint64_t> eth_type;
    std::optional<std::uint64_t> ip_proto;
};

/// Whether the name may stand for a field somewhere.
[[nodiscard]] bool names_field(std::string_view name);
/// Every name of a field and every protocol word, for suggestions.
void append_match_names(std::vector<std::string_view>& names);

/// The field an item's name means in a flow of that protocol; an error names the remedy.
[[nodiscard]] Parsed<Field> field_named(const Item& item, const FlowProtocol& protocol);
/// The value of a set-field: `name` is the word that chose the field, for `dl_vlan` or `nw_tos`.
[[nodiscard]] Parsed<FieldValue> set_value(std::string_view name, Field field, const Word& value,
                                           const PortByName& ports);

/// Collects items, then makes the match.
class MatchParser {
  public:
    explicit MatchParser(const PortByName& ports, FlowRules rules = FlowRules::all)
        : ports_(ports), rules_(rules) {}

    /// Takes a protocol word or a field's item; only its form and eth_type are judged yet.
    [[nodiscard]] Parsed<void> add(const Item& item);
    /// The match, fields in the order of their numbers, prerequisites checked by FlowRules::all.
    [[nodiscard]] Parsed<Match> finish();
    /// Known when finish() has run.
    [[nodiscard]] const FlowProtocol& protocol() const { return protocol_; }

  private:
    struct Placed;
    [[nodiscard]] Parsed<void> note(std::optional<std::uint64_t>& slot, std::uint64_t value,
                                    const Item& item);
    [[nodiscard]] Parsed<void> settle_ip_proto();
    [[nodiscard]] Parsed<std::vector<Placed>> placed_fields() const;

    const PortByName& ports_;
    FlowRules rules_;
    std::vector<Item> items_;
    std::vector<Item> proto_items_;
    FlowProtocol protocol_;
};

}  // namespace raicho::openflow
