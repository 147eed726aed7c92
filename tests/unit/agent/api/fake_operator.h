// SPDX-License-Identifier: Apache-2.0
// An operator's door that remembers what it was asked and answers what it was told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/api/operator_door.h"

namespace raicho::agent::api {

class FakeOperator : public OperatorDoor {
  public:
    std::vector<openflow::FlowMod> asked;
    std::vector<openflow::GroupMod> groups;
    std::vector<openflow::MeterMod> meters;
    EntriesChanged changed{};
    std::vector<std::string> restarted;
    std::optional<openflow::OfpError> error;
    std::size_t matched = 0;
    std::size_t sessions = 0;
    bool no_dataplane = false;

    openflow::OfResult<std::size_t> flow_mod(std::string_view,
                                             const openflow::FlowMod& mod) override {
        if (error) return std::unexpected(*error);
        asked.push_back(mod);
        return matched;
    }
    openflow::OfResult<std::size_t> test_flow(std::string_view,
                                              const openflow::FlowMod&) const override {
        if (error) return std::unexpected(*error);
        return matched;
    }
    openflow::OfResult<EntriesChanged> entry_mod(std::string_view,
                                                 const openflow::GroupMod& mod) override {
        if (error) return std::unexpected(*error);
        groups.push_back(mod);
        return changed;
    }
    openflow::OfResult<EntriesChanged> entry_mod(std::string_view,
                                                 const openflow::MeterMod& mod) override {
        if (error) return std::unexpected(*error);
        meters.push_back(mod);
        return changed;
    }
    std::size_t restart_controllers(std::string_view bridge) override {
        restarted.push_back("controller " + std::string(bridge));
        return sessions;
    }
    Result<void> restart_dataplane() override {
        if (no_dataplane) return fail("the dataplane is not attached");
        restarted.emplace_back("dataplane");
        return {};
    }
    void restart_agent() override { restarted.emplace_back("agent"); }
};

}  // namespace raicho::agent::api
