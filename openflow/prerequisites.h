// SPDX-License-Identifier: Apache-2.0
// What is known of the headers of a packet while a match is read and actions run: the state behind
// prerequisites (OF 1.3.5 §7.2.3.8). check.cc refuses by it, the flow parser explains by it.
#pragma once

#include <cstdint>
#include <string_view>

#include "openflow/action.h"
#include "openflow/error.h"
#include "openflow/match.h"

namespace raicho::openflow {

/// Grows with each match field in order, then with each action in order.
class Prerequisites {
  public:
    Prerequisites() = default;
    explicit Prerequisites(const Match& match) {
        for (const MatchField& field : match.fields()) this->match(field);
    }

    /// Whether `needed` holds now. What a pop uncovered is unknown and meets everything.
    [[nodiscard]] bool meets(Prerequisite needed) const;
    /// The match has this field.
    void match(const MatchField& field);
    /// The action has run.
    void apply(const Action& action);

  private:
    /// A header value of the packet: not matched, known, or uncovered by a pop.
    class Header {
      public:
        void set(std::uint64_t value) { state_ = State::known, value_ = value; }
        void uncover() { state_ = State::uncovered; }
        void forget() { state_ = State::absent; }
        [[nodiscard]] bool may_be(std::uint64_t value) const {
            return state_ == State::uncovered || (state_ == State::known && value_ == value);
        }

      private:
        enum class State : std::uint8_t { absent, known, uncovered };
        State state_ = State::absent;
        std::uint64_t value_ = 0;
    };

    void set(Field field, std::uint64_t value);

    bool in_port_ = false;
    Header vlan_;  // 1 = there is a tag
    Header eth_type_;
    Header ip_proto_;
    Header icmpv6_type_;
};

/// check_action(), MATCH_INCONSISTENT where a set-field's prerequisite does not hold in `state`;
/// then the action runs in it.
[[nodiscard]] OfResult<void> check_action(const Action& action, Prerequisites& state);

/// The word of the flow text that provides a prerequisite: `ip` for ipv4, `vlan_vid=…` for vlan;
/// empty for none.
[[nodiscard]] std::string_view remedy(Prerequisite needed);

}  // namespace raicho::openflow
