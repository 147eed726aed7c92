// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/plan.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/model/schema.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

namespace {

// --- restart-bound settings ------------------------------------------------------------------

std::string value_of(const Row& r, const void* object) {
    std::vector<Parsed> values;
    r.access.get(object, values);
    return values.empty() ? std::string(r.fallback) : format_value(r, values.front());
}

std::string_view consequence(Effect effect) {
    return effect == Effect::new_arena
               ? "needs a new arena: stop the switch and start it anew (its flows are lost)"
               : "takes effect when the dataplane starts anew";
}

void restarts(std::string_view path, const void* before, const void* after,
              std::vector<std::string>& out) {
    for (const Row& r : children(path)) {
        if (r.type == Type::block || r.effect == Effect::live) continue;
        const std::string old = value_of(r, before);
        const std::string now = value_of(r, after);
        if (old != now)
            out.push_back(
                format("{} {}: {} -> {} {}", path, r.name, old, now, consequence(r.effect)));
    }
}

Config settings_of(const Config& config) {
    return {config.system, config.agent, config.dataplane, config.log, config.api, {}};
}

// --- lists of named things -------------------------------------------------------------------

std::string key(const PortConfig& p) {
    return p.name;
}
std::string key(const ControllerConfig& c) {
    return to_string(c);
}
std::string key(const ListenConfig& l) {
    return to_string(l);
}

/// Whether the live thing can be changed into the other one.
bool changeable(const PortConfig& a, const PortConfig& b) {
    // an interface that was taken by force only must not be kept without
    const bool let_go =
        a.device.kind == DeviceKind::af_packet && a.force == Force::yes && b.force == Force::no;
    return a.number == b.number && a.device == b.device && a.queues == b.queues && !let_go;
}
/// Only a new interface has an address of the host's choice again.
bool changeable(const LocalConfig& a, const LocalConfig& b) {
    return !a.mac || b.mac;
}
bool changeable(const ControllerConfig&, const ControllerConfig&) {
    return true;
}
bool changeable(const ListenConfig&, const ListenConfig&) {
    return false;
}

struct Steps {
    std::vector<AnyStep> removals;
    std::vector<AnyStep> rest;
};

template <class T>
void compare(const std::string& bridge, const std::vector<T>& before, const std::vector<T>& after,
             Steps& out) {
    std::unordered_map<std::string, const T*> live;
    for (const T& thing : before) live.emplace(key(thing), &thing);
    std::vector<AnyStep> removals;
    std::vector<AnyStep> rest;
    for (const T& thing : after) {
        const auto found = live.find(key(thing));
        if (found == live.end()) {
            rest.push_back(Step<T>{bridge, {}, thing});
            continue;
        }
        const T& old = *found->second;
        if (!(old == thing)) {
            if (changeable(old, thing)) {
                rest.push_back(Step<T>{bridge, old, thing});
            } else {
                removals.push_back(Step<T>{bridge, old, {}});
                rest.push_back(Step<T>{bridge, {}, thing});
            }
        }
        live.erase(found);
    }
    for (const T& thing : before)  // in the order of the configuration, not of the hash
        if (live.contains(key(thing))) removals.push_back(Step<T>{bridge, thing, {}});
    std::ranges::move(removals, std::back_inserter(out.removals));
    std::ranges::move(rest, std::back_inserter(out.rest));
}

void compare_local(const BridgeConfig& before, const BridgeConfig& after, Steps& out) {
    if (before.local == after.local) return;
    LocalStep step{after.name, before.local, after.local};
    if (before.local && after.local && !changeable(*before.local, *after.local)) {
        out.removals.emplace_back(LocalStep{after.name, before.local, {}});
        step.before.reset();
    }
    (step.after ? out.rest : out.removals).emplace_back(std::move(step));
}

// --- text ------------------------------------------------------------------------------------

std::string port_text(const PortConfig& p) {
    const std::string number = p.number ? format(" ({})", p.number->value()) : "";
    return format("port {}{}", p.name, number);
}

struct StepText {
    std::string operator()(const SettingsStep&) const { return "change settings"; }
    std::string operator()(const BridgeStep& s) const {
        return format("{} bridge {}", verb(s.change()), s.bridge);
    }
    std::string operator()(const LocalStep& s) const { return in(s, "local interface"); }
    std::string operator()(const PortStep& s) const { return in(s, port_text(one(s))); }
    std::string operator()(const ControllerStep& s) const {
        return in(s, "controller " + to_string(one(s)));
    }
    std::string operator()(const ListenStep& s) const {
        return in(s, "listen " + to_string(one(s)));
    }

    static std::string_view verb(Change change) {
        switch (change) {
            case Change::create: return "add";
            case Change::change: return "change";
            case Change::remove: return "delete";
        }
        std::unreachable();
    }
    template <class T>
    static const T& one(const Step<T>& s) {
        return s.after ? *s.after : *s.before;
    }
    template <class T>
    static std::string in(const Step<T>& s, const std::string& what) {
        return format("bridge {}: {} {}", s.bridge, verb(s.change()), what);
    }
};

}  // namespace

BridgeConfig own_settings(const BridgeConfig& b) {
    BridgeConfig own;
    own.name = b.name;
    own.dpid = b.dpid;
    own.fail_mode = b.effective_fail_mode();
    own.mac_ageing_s = b.mac_ageing_s;
    own.mac_limit = b.mac_limit;
    own.mac_statics = b.mac_statics;
    own.max_flows = b.max_flows;
    own.max_tables = b.max_tables;
    own.table_template = b.table_template;
    return own;
}

std::vector<AnyStep> plan(const Config& running, const Config& candidate) {
    Steps steps;
    std::vector<AnyStep> out;
    Config before = settings_of(running);
    Config after = settings_of(candidate);
    if (!(before == after)) {
        SettingsStep step{std::move(before), std::move(after), {}};
        restarts("agent", &step.before.agent, &step.after.agent, step.restart);
        restarts("dataplane", &step.before.dataplane, &step.after.dataplane, step.restart);
        out.emplace_back(std::move(step));
    }
    for (const BridgeConfig& b : running.bridges)
        if (candidate.find_bridge(b.name) == nullptr)
            steps.removals.emplace_back(BridgeStep{b.name, b, {}});
    for (const BridgeConfig& b : candidate.bridges) {
        const BridgeConfig* live = running.find_bridge(b.name);
        const BridgeConfig own = own_settings(b);
        if (live == nullptr) {
            steps.rest.emplace_back(BridgeStep{b.name, {}, own});
        } else if (const BridgeConfig old = own_settings(*live); !(old == own)) {
            steps.rest.emplace_back(BridgeStep{b.name, old, own});
        }
        BridgeConfig nothing;
        nothing.name = b.name;
        const BridgeConfig& from = live != nullptr ? *live : nothing;
        compare_local(from, b, steps);
        compare(b.name, from.ports, b.ports, steps);
        compare(b.name, from.controllers, b.controllers, steps);
        compare(b.name, from.listens, b.listens, steps);
    }
    std::ranges::move(steps.removals, std::back_inserter(out));
    std::ranges::move(steps.rest, std::back_inserter(out));
    return out;
}

std::string to_text(const AnyStep& step) {
    return std::visit(StepText{}, step);
}

}  // namespace raicho::dsl
