// SPDX-License-Identifier: Apache-2.0
// The switch for a person who acts like a controller.
#include "agent/switch.h"
#include "base/log.h"
#include "base/text.h"

namespace raicho::agent {

namespace {

/// How many flows a flow-mod replaces, modifies or deletes.
std::size_t n_meant(const Bridge& bridge, const openflow::FlowMod& mod) {
    if (mod.command == openflow::FlowModCommand::add)
        return bridge.flows().find_strict(mod.table, mod.priority, mod.match) ? 1 : 0;
    return bridge.datapath().selected(mod).size();
}

}  // namespace

openflow::OfResult<std::size_t> Switch::flow_by_hand(std::string_view bridge,
                                                     const openflow::FlowMod& mod) {
    Bridge* b = find(bridge);
    ASSERT(b != nullptr);
    TRY_ASSIGN(const std::size_t matched, test_flow(bridge, mod));
    b->note_change_by_others();
    TRY(b->flow_mod(mod));
    return matched;
}

openflow::OfResult<ChangedByHand> Switch::group_by_hand(std::string_view bridge,
                                                        const openflow::GroupMod& mod) {
    const bool all = mod.group == openflow::group::kAll;
    return entry_by_hand(bridge, mod, [&](const Bridge& b) {
        const GroupEntries& groups = b.datapath().groups();
        return all ? groups.descs().size() : std::size_t{groups.desc(mod.group).has_value()};
    });
}

openflow::OfResult<ChangedByHand> Switch::meter_by_hand(std::string_view bridge,
                                                        const openflow::MeterMod& mod) {
    return entry_by_hand(bridge, mod, [&](const Bridge& b) {
        const auto found = b.datapath().meters().configs(mod.meter);
        return found ? found->size() : 0;
    });
}

template <class Mod, class Count>
openflow::OfResult<ChangedByHand> Switch::entry_by_hand(std::string_view bridge, const Mod& mod,
                                                        const Count& count) {
    Bridge* b = find(bridge);
    ASSERT(b != nullptr);
    const bool adds = mod.command == decltype(mod.command)::add;
    const std::size_t entries = adds ? 0 : count(*b);
    const std::size_t flows = b->flows().size();
    b->note_change_by_others();
    TRY(b->change(mod));
    return ChangedByHand{entries, flows - b->flows().size()};
}

openflow::OfResult<std::size_t> Switch::test_flow(std::string_view bridge,
                                                  const openflow::FlowMod& mod) const {
    const Bridge* b = find(bridge);
    ASSERT(b != nullptr);
    TRY(b->datapath().test_flow(mod));
    return n_meant(*b, mod);
}

std::size_t Switch::end_sessions(std::string_view bridge, const std::string& reason) {
    std::size_t ended = 0;
    for (const auto& b : bridges_) {
        if (!bridge.empty() && b->name() != bridge) continue;
        ended += b->channel().n_sessions();
        b->channel().end_sessions(reason);
    }
    return ended;
}

Result<void> Switch::stop_dataplane() {
    ControlClient& control = plane_->control();
    if (!control.attached())
        return fail(format("the dataplane is not attached: {}", control.state_text()),
                    "raicho run or systemd starts it; or start raicho-dataplane");
    control.stop_dataplane([](const Result<void>& heard) {
        if (!heard) LOG(warning, "switch", "dataplane not stopped: {}", heard.error().text);
    });
    return {};
}

}  // namespace raicho::agent
