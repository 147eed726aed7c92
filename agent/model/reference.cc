// SPDX-License-Identifier: Apache-2.0
#include "agent/model/reference.h"

#include <algorithm>

namespace raicho::agent {

FieldValues::FieldValues() {
    for (const Field field : {Field::in_port, Field::metadata, Field::tunnel_id, Field::eth_dst,
                              Field::eth_src, Field::eth_type, Field::vlan_vid})
        at(field) = FieldValue{};
}

bool matches(const openflow::Match& match, const FieldValues& packet) {
    return std::ranges::all_of(match.fields(), [&](const openflow::MatchField& wanted) {
        const std::optional<FieldValue>& value = packet.get(wanted.field);
        if (!value) return false;
        for (std::size_t i = 0; i < value->bytes.size(); ++i) {
            const std::byte difference = value->bytes[i] ^ wanted.value.bytes[i];
            if ((difference & wanted.mask.bytes[i]) != std::byte{0}) return false;
        }
        return true;
    });
}

void ReferenceTable::insert(FlowId flow, std::uint16_t priority, const openflow::Match& match) {
    entries_.push_back({flow, priority, match});
}

void ReferenceTable::remove(FlowId flow) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.flow == flow; });
}

std::vector<FlowId> ReferenceTable::lookup(const FieldValues& packet) const {
    std::vector<FlowId> best;
    std::uint16_t priority = 0;
    for (const Entry& entry : entries_) {
        if (!matches(entry.match, packet)) continue;
        if (best.empty() || entry.priority > priority) best.clear();
        if (best.empty()) priority = entry.priority;
        if (entry.priority == priority) best.push_back(entry.flow);
    }
    return best;
}

}  // namespace raicho::agent
