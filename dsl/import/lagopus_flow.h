// SPDX-License-Identifier: Apache-2.0
// `flow BRIDGE add|mod|del …` of the ancestor: entries of one bridge as its commands leave them
// (OF 1.3.5 §6.4), and each as ovs-ofctl text.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/import/report.h"

namespace raicho::dsl {

/// A value under its mask, as wide as the widest field; text that is neither number nor address
/// compares as text.
struct LagopusMatchValue {
    std::string text;  // as written
    unsigned __int128 value = 0;
    unsigned __int128 mask = 0;
    bool numeric = false;
};

struct LagopusFlow {
    ForeignPlace place;
    std::uint8_t table = 0;
    std::uint16_t priority = 0;
    std::uint64_t cookie = 0;
    std::uint16_t idle_timeout = 0;
    std::uint16_t hard_timeout = 0;
    bool send_flow_rem = false;
    std::vector<std::pair<std::string, LagopusMatchValue>> match;  // in order of writing
    std::map<std::string, std::string> instructions;               // name -> value

    /// `table=0,priority=10,in_port=1 actions=output:2`.
    [[nodiscard]] std::string text() const;
};

/// A flow command after its bridge: `add in_port=1 apply_actions=output:2`.
struct LagopusFlowCommand {
    enum class Verb : std::uint8_t { add, modify, remove };
    Verb verb = Verb::add;
    bool strict = false;
    bool all_tables = false;
    LagopusFlow flow;
    std::optional<std::uint64_t> cookie_mask;
    std::optional<std::string> out_port;
    std::optional<std::string> out_group;
};

/// Reads the words after the bridge; the error says which word is wrong.
[[nodiscard]] std::expected<LagopusFlowCommand, std::string> read_lagopus_flow(
    const ForeignPlace& place, std::span<const std::string> words);

/// Carries a command out on the bridge's flows; how many entries it touched.
[[nodiscard]] std::size_t apply(const LagopusFlowCommand& command, std::vector<LagopusFlow>& flows);

}  // namespace raicho::dsl
