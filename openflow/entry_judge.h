// SPDX-License-Identifier: Apache-2.0
// Judges the texts of a configured bridge's flows, groups and meters as its datapath would judge a
// controller's messages of the same content. lagosh and the agent both ask here, so that what one
// accepts the other does. Neighbours: text.h and mod_parser.h parse, target_check.h has the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "openflow/message.h"
#include "openflow/targets.h"
#include "openflow/text.h"

namespace raicho::openflow {

/// What a configuration says that a bridge has.
struct ConfiguredTargets {
    std::vector<std::string> groups;  // texts as parse_group() reads them
    std::vector<std::uint32_t> meters;
    std::vector<std::uint32_t> queues;  // of any port
    std::size_t n_tables = 255;
};

class EntryJudge {
  public:
    /// A group that does not parse is there for those who name it: its own fault is told once.
    EntryJudge(const ConfiguredTargets& has, PortByName ports);

    // Nothing: it is good.
    [[nodiscard]] std::optional<FlowTextError> flow(std::string_view text) const;
    [[nodiscard]] std::optional<FlowTextError> group(std::string_view text) const;
    [[nodiscard]] std::optional<FlowTextError> meter(std::string_view text) const;

  private:
    struct Has final : Targets {
        std::map<GroupId, Buckets> groups;
        std::set<MeterId> meters;
        std::set<std::uint32_t> queues;
        std::size_t n_tables = 0;

        [[nodiscard]] bool has(GroupId group) const override { return groups.contains(group); }
        [[nodiscard]] bool has(MeterId meter) const override { return meters.contains(meter); }
        [[nodiscard]] bool has(TableId table) const override { return table.value() < n_tables; }
        [[nodiscard]] bool has_queue(std::uint32_t queue) const override {
            return queues.contains(queue);
        }
        [[nodiscard]] Buckets buckets(GroupId group) const override { return groups.at(group); }
    };
    [[nodiscard]] std::optional<FlowTextError> fault_of(const FlowMod& flow,
                                                        std::string_view text) const;

    PortByName ports_;
    Has has_;
};

}  // namespace raicho::openflow
