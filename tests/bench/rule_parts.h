// SPDX-License-Identifier: Apache-2.0
// Words to write rules with: matches, actions, flow-mods, and 60-byte frames of a flow.
#pragma once

#include <initializer_list>
#include <utility>

#include "tests/bench/rule_set.h"

namespace raicho::bench {

struct Masked {
    Field field{};
    std::uint64_t value = 0;
    std::uint64_t mask = ~0ull;  // all ones: exact
};

/// Leaves out what has a mask of zero.
[[nodiscard]] openflow::Match match(std::initializer_list<Masked> fields);
[[nodiscard]] openflow::Action set_field(Field field, std::uint64_t value);
[[nodiscard]] inline openflow::Action output() {
    return openflow::OutputAction{kOut, 0};
}

/// Numbers flow-mods by their cookies on the way to `take`.
class Numbered {
  public:
    explicit Numbered(const Take& take) : take_(take) {}

    void flow(unsigned table, unsigned priority, const openflow::Match& match,
              openflow::Instructions instructions);
    /// Applies the actions; the usual rule.
    void flow(unsigned table, unsigned priority, const openflow::Match& match,
              openflow::ActionList actions) {
        flow(table, priority, match, openflow::Instructions{.apply = std::move(actions)});
    }
    /// The same and goes on with another table.
    void flow_to(unsigned table, unsigned priority, const openflow::Match& match,
                 openflow::ActionList actions, unsigned next);
    void group(openflow::GroupMod group) { take_(std::move(group)); }

  private:
    const Take& take_;
    std::uint64_t number_ = 0;
};

[[nodiscard]] Mac mac(std::uint64_t value);
[[nodiscard]] Ipv4 ipv4(std::uint32_t value);
/// Ones in front, of 32 bits.
[[nodiscard]] constexpr std::uint32_t prefix_mask(unsigned length) {
    return length == 0 ? 0 : ~0u << (32 - length);
}

/// Fills the payload up to a frame of 60 bytes.
[[nodiscard]] test::FrameSpec of_60_bytes(test::FrameSpec spec);

}  // namespace raicho::bench
