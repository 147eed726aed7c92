// SPDX-License-Identifier: Apache-2.0
// A switch of plain values that does what it is told, writes it down, and fails where it is asked
// to. Ports open when the test says so. It lives longer than an agent: what it does stays when the
// engine goes, and live() says what of it an arena would know.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/config/target.h"
#include "base/text.h"
#include "dsl/model/plan.h"
#include "openflow/text.h"
#include "tests/unit/agent/config/mortal.h"

namespace raicho::agent::config {

enum class Opening : bool { at_once, when_told };

class FakeTarget : public Target {
  public:
    /// Groups and meters that a controller's entries use, `b group 1`.
    std::set<std::string> used;
    std::vector<std::string> calls;
    std::set<std::string> failing;  // calls that fail, as they are written down
    Opening opening = Opening::at_once;
    std::vector<std::function<void()>> waiting;
    Opening turns = Opening::at_once;  // of the loop
    std::size_t n_turns = 0;
    Opening flow_room = Opening::at_once;  // when flows can be added
    dsl::Config adopted;
    Mortal* life = nullptr;  // after its end nothing changes any more

    std::map<std::string, std::size_t> lent;   // room for flows beyond a bridge's share
    std::map<std::string, std::size_t> share;  // flows of a bridge at most

    /// What forwards now: `br0/p1#1 af-packet p1`, `br0 tcp:x:6653`, `br0 flow …`.
    std::set<std::string> state;

    /// Lets the ports that were asked for open, in order.
    void open_waiting() {
        for (const auto& open : std::exchange(waiting, {})) open();
    }

    /// A new agent comes: connections have gone with the old one, prepared ports are taken back.
    void adopt() {
        std::erase_if(state, [](const std::string& s) {
            return s.find(" controller ") != s.npos || s.find(" listen ") != s.npos;
        });
        adopted = arena_;
        prepared_.clear();
        calls.clear();
    }

    dsl::Config live() const override { return adopted; }

    bool changed_by_others(std::string_view) const override { return true; }
    bool has_flow(std::string_view bridge, const openflow::FlowMod& f) const override {
        return state.contains(format("{} -> {}", flow_key(bridge, f), to_text(f.instructions)));
    }
    bool has_group(std::string_view bridge, const openflow::GroupMod& g) const override {
        return state.contains(format("{} group {} is {}", bridge, g.group.value(),
                                     to_text(openflow::GroupDesc{g.type, g.group, g.buckets})));
    }
    bool has_meter(std::string_view bridge, const openflow::MeterMod& m) const override {
        return state.contains(format("{} meter {} is {}", bridge, m.meter.value(),
                                     to_text(openflow::MeterConfig{m.flags, m.meter, m.bands})));
    }
    void lend_room(std::string_view bridge,
                   const std::vector<const openflow::FlowMod*>& leaving) override {
        lent[std::string(bridge)] = leaving.size();
    }
    Result<void> create_bridge(const dsl::BridgeConfig& b) override {
        if (dead()) return {};
        TRY(call("create_bridge " + b.name));
        state.insert(b.name);
        arena_.bridges.push_back(dsl::own_settings(b));
        return {};
    }
    void delete_bridge(std::string_view bridge) override {
        if (dead()) return;
        note(format("delete_bridge {}", bridge));
        std::erase_if(state, [&](const std::string& s) {
            return s == bridge || s.starts_with(format("{}/", bridge)) ||
                   s.starts_with(format("{} ", bridge));
        });
        std::erase_if(arena_.bridges, [&](const auto& b) { return b.name == bridge; });
    }
    Result<void> change_bridge(const dsl::BridgeConfig&, const dsl::BridgeConfig& after) override {
        if (dead()) return {};
        TRY(call("change_bridge " + after.name));
        if (after.max_flows) {
            TRY(within_share(after.name, *after.max_flows, 0));
            share[after.name] = *after.max_flows;
        }
        if (dsl::BridgeConfig* b = arena_.find_bridge(after.name)) {
            b->dpid = after.dpid;
            b->fail_mode = after.fail_mode;
            b->mac_limit = after.mac_limit;
            b->mac_ageing_s = after.mac_ageing_s;
        }
        return {};
    }
    void prepare_port(std::string_view bridge, const dsl::PortConfig& p,
                      PortPrepared done) override {
        prepare({format("{}/{}#{} {}", bridge, p.name, p.number->value(), dsl::device_string(p)),
                 std::string(bridge), p, std::nullopt},
                std::move(done));
    }
    void prepare_local(std::string_view bridge, const dsl::LocalConfig& l,
                       PortPrepared done) override {
        prepare({format("{}/LOCAL", bridge), std::string(bridge), std::nullopt, l},
                std::move(done));
    }
    Result<void> attach_port(PortSlot slot) override {
        if (dead()) return {};
        TRY(call("attach " + prepared_.at(slot).label));
        const Prepared port = take(slot);
        state.insert(port.label);
        dsl::BridgeConfig* b = arena_.find_bridge(port.bridge);
        if (b == nullptr) return {};
        if (port.local) b->local = port.local;
        if (!port.port) return {};
        b->ports.push_back(*port.port);
        b->ports.back().description.clear();  // no arena knows it
        return {};
    }
    void abort_port(PortSlot slot) override {
        if (dead()) return;
        note("abort " + take(slot).label);
    }
    void remove_port(std::string_view bridge, std::string_view port) override {
        if (dead()) return;
        note(format("remove {}/{}", bridge, port));
        remove(format("{}/{}#", bridge, port));
        if (dsl::BridgeConfig* b = arena_.find_bridge(bridge))
            std::erase_if(b->ports, [&](const auto& p) { return p.name == port; });
    }
    void remove_local(std::string_view bridge) override {
        if (dead()) return;
        note(format("remove {}/LOCAL", bridge));
        remove(format("{}/LOCAL", bridge));
        if (dsl::BridgeConfig* b = arena_.find_bridge(bridge)) b->local.reset();
    }
    Result<void> change_port(std::string_view bridge, const dsl::PortConfig&,
                             const dsl::PortConfig& after) override {
        if (dead()) return {};
        TRY(call(format("change_port {}/{}", bridge, after.name)));
        if (dsl::BridgeConfig* b = arena_.find_bridge(bridge))
            for (dsl::PortConfig& p : b->ports)
                if (p.name == after.name) {
                    p = after;
                    p.description.clear();
                }
        return {};
    }
    Result<void> change_local(std::string_view bridge, const dsl::LocalConfig&,
                              const dsl::LocalConfig& after) override {
        if (dead()) return {};
        TRY(call(format("change_local {}", bridge)));
        if (dsl::BridgeConfig* b = arena_.find_bridge(bridge)) b->local = after;
        return {};
    }
    Result<void> set_static_macs(std::string_view bridge,
                                 std::span<const dsl::StaticMac> entries) override {
        if (dead()) return {};
        const std::string prefix = format("{} mac ", bridge);
        if (entries.empty() && std::ranges::none_of(state, [&](const std::string& s) {
                return s.starts_with(prefix);
            }))
            return {};
        TRY(call(format("set_static_macs {}", bridge)));
        remove(prefix);
        for (const dsl::StaticMac& e : entries)
            if (std::ranges::any_of(state, [&](const std::string& s) {
                    return s.starts_with(format("{}/{}#", bridge, e.port));
                }))
                state.insert(format("{}{} {} {}", prefix, to_string(e.mac), e.vlan, e.port));
        return {};
    }
    Result<void> add_controller(std::string_view bridge, const dsl::ControllerConfig& c) override {
        return add(format("{} controller {}", bridge, to_string(c)));
    }
    void remove_controller(std::string_view bridge, const dsl::ControllerConfig& c) override {
        if (dead()) return;
        note(format("remove {} controller {}", bridge, to_string(c)));
        remove(format("{} controller {}", bridge, to_string(c)));
    }
    void change_controller(std::string_view bridge, const dsl::ControllerConfig&,
                           const dsl::ControllerConfig& after) override {
        if (dead()) return;
        note(format("change {} controller {}", bridge, to_string(after)));
    }
    Result<void> add_listen(std::string_view bridge, const dsl::ListenConfig& l) override {
        for (const std::string& s : state)
            if (s.ends_with(" listen " + to_string(l))) return fail("address in use");
        return add(format("{} listen {}", bridge, to_string(l)));
    }
    void remove_listen(std::string_view bridge, const dsl::ListenConfig& l) override {
        if (dead()) return;
        note(format("remove {} listen {}", bridge, to_string(l)));
        remove(format("{} listen {}", bridge, to_string(l)));
    }
    void when_flows_ready(std::function<void()> ready) override {
        if (flow_room == Opening::at_once) return ready();
        waiting.push_back(std::move(ready));
    }
    void soon(std::function<void()> go_on) override {
        ++n_turns;
        if (turns == Opening::at_once) return go_on();
        waiting.push_back(std::move(go_on));
    }
    Result<Undo> add_flow(std::string_view bridge, const openflow::FlowMod& f) override {
        if (dead()) return Undo([] {});
        const std::string key = flow_key(bridge, f);
        TRY(call("add " + key));
        std::string before;
        for (const std::string& s : state)
            if (s.starts_with(key + " ->")) before = s;
        if (const auto most = share.find(std::string(bridge)); most != share.end())
            TRY(within_share(bridge, most->second, before.empty() ? 1 : 0));
        remove(key + " ->");
        state.insert(format("{} -> {}", key, to_text(f.instructions)));
        return Undo([this, key, before] {
            if (dead()) return;
            remove(key + " ->");
            if (!before.empty()) state.insert(before);
        });
    }
    void remove_flow(std::string_view bridge, const openflow::FlowMod& f) override {
        EXPECT_EQ(f.command, openflow::FlowModCommand::remove_strict);
        if (dead()) return;
        note("remove " + flow_key(bridge, f));
        state.erase(format("{} -> {}", flow_key(bridge, f), to_text(f.instructions)));
    }
    Result<Undo> set_group(std::string_view bridge, const openflow::GroupMod& g) override {
        return set(format("{} group {}", bridge, g.group.value()),
                   to_text(openflow::GroupDesc{g.type, g.group, g.buckets}));
    }
    Removal remove_group(std::string_view bridge, const openflow::GroupMod& g) override {
        return unset(format("{} group {}", bridge, g.group.value()),
                     to_text(openflow::GroupDesc{g.type, g.group, g.buckets}));
    }
    Result<Undo> set_meter(std::string_view bridge, const openflow::MeterMod& m) override {
        return set(format("{} meter {}", bridge, m.meter.value()),
                   to_text(openflow::MeterConfig{m.flags, m.meter, m.bands}));
    }
    Removal remove_meter(std::string_view bridge, const openflow::MeterMod& m) override {
        return unset(format("{} meter {}", bridge, m.meter.value()),
                     to_text(openflow::MeterConfig{m.flags, m.meter, m.bands}));
    }
    Result<void> change_settings(const dsl::Config&, const dsl::Config&) override {
        if (dead()) return {};
        return call("change_settings");
    }

    /// Ports that are open and in no bridge.
    [[nodiscard]] std::size_t n_prepared() const { return prepared_.size(); }

  private:
    struct Prepared {
        std::string label;
        std::string bridge;
        std::optional<dsl::PortConfig> port;
        std::optional<dsl::LocalConfig> local;
    };

    [[nodiscard]] Result<void> within_share(std::string_view bridge, std::size_t most,
                                            std::size_t more) {
        const auto n =
            static_cast<std::size_t>(std::ranges::count_if(state, [&](const std::string& s) {
                return s.starts_with(format("{} flow ", bridge));
            }));
        if (n + more <= most + lent[std::string(bridge)]) return {};
        return fail(format("max-flows {}: too many", most));
    }
    /// Takes a step of the agent's life.
    bool dead() { return life != nullptr && !life->step(); }
    static std::string flow_key(std::string_view bridge, const openflow::FlowMod& f) {
        return format("{} flow {} {} {}", bridge, f.table.value(), f.priority, to_text(f.match));
    }
    void note(std::string what) { calls.push_back(std::move(what)); }
    Result<void> call(const std::string& what) {
        note(what);
        if (failing.contains(what)) return fail("asked to fail");
        return {};
    }
    Result<void> add(const std::string& what) {
        if (dead()) return {};
        TRY(call("add " + what));
        state.insert(what);
        return {};
    }
    Result<Undo> set(const std::string& key, const std::string& text) {
        if (dead()) return Undo([] {});
        TRY(call("set " + key));
        std::string before;
        for (const std::string& s : state)
            if (s.starts_with(key + " is ")) before = s;
        remove(key + " is ");
        state.insert(format("{} is {}", key, text));
        return Undo([this, key, before] {
            if (dead()) return;
            remove(key + " is ");
            if (!before.empty()) state.insert(before);
        });
    }
    Removal unset(const std::string& key, const std::string& text) {
        if (dead()) return Removal::gone;
        note("remove " + key);
        if (used.contains(key)) return Removal::in_use;
        state.erase(format("{} is {}", key, text));
        return Removal::gone;
    }
    void remove(const std::string& prefix) {
        std::erase_if(state, [&](const std::string& s) { return s.starts_with(prefix); });
    }
    void prepare(const Prepared& port, PortPrepared done) {
        const auto open = [this, port, done = std::move(done)] {
            if (dead()) return done(PortSlot(next_++));
            if (auto opened = call("prepare " + port.label); !opened)
                return done(std::unexpected(opened.error()));
            const PortSlot slot(next_++);
            prepared_.emplace(slot, port);
            done(slot);
        };
        if (opening == Opening::at_once)
            open();
        else
            waiting.emplace_back(open);
    }
    Prepared take(PortSlot slot) {
        const auto at = prepared_.find(slot);
        ASSERT(at != prepared_.end());
        Prepared port = at->second;
        prepared_.erase(at);
        return port;
    }

    std::map<PortSlot, Prepared> prepared_;
    dsl::Config arena_;  // what a new agent would find
    std::uint16_t next_ = 0;
};

}  // namespace raicho::agent::config
