// SPDX-License-Identifier: Apache-2.0
// The oracle of lookups (OF 1.3.5 §5.3): a linear scan over matches and a packet's field values,
// straight from the specification. Fast tables, templates and the pipeline are compared with it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "openflow/match.h"

namespace raicho::agent {

/// What a packet's headers and pipeline fields say: a field that the packet does not have (tcp_src
/// of an ARP packet) has no value. Always there: in_port, metadata, tunnel_id (0), eth_dst,
/// eth_src, eth_type, and vlan_vid, which is 0 without a tag (OFPVID_NONE).
class FieldValues {
  public:
    FieldValues();

    void set(Field field, const FieldValue& value) { at(field) = value; }
    void set(Field field, std::uint64_t value) { at(field) = openflow::field_value(field, value); }
    void clear(Field field) { at(field).reset(); }
    [[nodiscard]] const std::optional<FieldValue>& get(Field field) const {
        return values_[static_cast<std::size_t>(field)];
    }

  private:
    std::optional<FieldValue>& at(Field field) { return values_[static_cast<std::size_t>(field)]; }
    std::array<std::optional<FieldValue>, kFields> values_;
};

/// Whether the packet has every field of the match with the value it wants under its mask.
[[nodiscard]] bool matches(const openflow::Match& match, const FieldValues& packet);

/// One flow table.
class ReferenceTable {
  public:
    void insert(FlowId flow, std::uint16_t priority, const openflow::Match& match);
    void remove(FlowId flow);
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

    /// The flows of the highest priority that matches, in order of insertion; empty on a miss.
    /// Where there are several (they overlap) the specification leaves open which one acts.
    [[nodiscard]] std::vector<FlowId> lookup(const FieldValues& packet) const;

  private:
    struct Entry {
        FlowId flow;
        std::uint16_t priority = 0;
        openflow::Match match;
    };
    std::vector<Entry> entries_;
};

}  // namespace raicho::agent
