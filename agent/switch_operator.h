// SPDX-License-Identifier: Apache-2.0
// The API's door to a person who acts like a controller, in production: the live switch.
#pragma once

#include <functional>
#include <utility>

#include "agent/api/operator_door.h"
#include "agent/switch.h"

namespace raicho::agent {

class SwitchOperator final : public api::OperatorDoor {
  public:
    /// `begin_anew` ends the process's work and starts it again. Switch and loop outlive this.
    SwitchOperator(Switch& served, Loop& loop, std::function<void()> begin_anew)
        : switch_(served), loop_(loop), begin_anew_(std::move(begin_anew)) {}

    [[nodiscard]] openflow::OfResult<std::size_t> flow_mod(std::string_view bridge,
                                                           const openflow::FlowMod& mod) override {
        return switch_.flow_by_hand(bridge, mod);
    }
    [[nodiscard]] openflow::OfResult<std::size_t> test_flow(
        std::string_view bridge, const openflow::FlowMod& mod) const override {
        return switch_.test_flow(bridge, mod);
    }
    [[nodiscard]] openflow::OfResult<api::EntriesChanged> entry_mod(
        std::string_view bridge, const openflow::GroupMod& mod) override {
        return changed(switch_.group_by_hand(bridge, mod));
    }
    [[nodiscard]] openflow::OfResult<api::EntriesChanged> entry_mod(
        std::string_view bridge, const openflow::MeterMod& mod) override {
        return changed(switch_.meter_by_hand(bridge, mod));
    }
    std::size_t restart_controllers(std::string_view bridge) override {
        return switch_.end_sessions(bridge, "ended by hand");
    }
    [[nodiscard]] Result<void> restart_dataplane() override { return switch_.stop_dataplane(); }
    void restart_agent() override {
        // The answer to whoever asked goes out first.
        constexpr Time kAnswerTime = kSecond / 20;
        (void)loop_.after(kAnswerTime, begin_anew_);
    }

  private:
    static openflow::OfResult<api::EntriesChanged> changed(
        const openflow::OfResult<ChangedByHand>& done) {
        if (!done) return std::unexpected(done.error());
        return api::EntriesChanged{done->entries, done->flows};
    }

    Switch& switch_;
    Loop& loop_;
    std::function<void()> begin_anew_;
};

}  // namespace raicho::agent
