// SPDX-License-Identifier: Apache-2.0
#include "agent/config/transaction.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "dsl/model/device.h"

namespace raicho::agent::config {

namespace {

using dsl::Change;

/// Calls `visit` for each step of one kind.
template <class T, class Visit>
Result<void> each(const std::vector<dsl::AnyStep>& steps, Visit visit) {
    for (const dsl::AnyStep& step : steps)
        if (const T* mine = std::get_if<T>(&step)) TRY(visit(*mine));
    return {};
}

Result<void> named(Result<void> result, const std::string& object) {
    if (!result) result.error().text = format("{}: {}", object, result.error().text);
    return result;
}

/// Whether the flows of a bridge are the same without a look into their texts: then there may be
/// very many, and one more port costs nothing.
bool same_flows(const dsl::BridgeConfig* before, const dsl::BridgeConfig& after) {
    if (before == nullptr || !(before->flows == after.flows)) return false;
    std::unordered_map<std::string_view, std::optional<PortNo>> numbers;
    for (const dsl::PortConfig& p : after.ports) numbers.emplace(p.name, p.number);
    return std::ranges::all_of(before->ports, [&](const dsl::PortConfig& p) {
        const auto now = numbers.find(p.name);
        return now == numbers.end() || now->second == p.number;
    });
}

/// What a port keeps others from opening. Sockets on a host interface do not.
std::string exclusive(const dsl::PortConfig& port) {
    return port.device.kind == dsl::DeviceKind::af_packet ? std::string() : dsl::resource(port);
}

}  // namespace

Transaction::Transaction(Target& target, const dsl::Config& running, const dsl::Config& candidate,
                         Begin begin, const FlowsFound* found)
    : target_(target),
      running_(running),
      candidate_(candidate),
      begin_(begin),
      found_(found),
      steps_(dsl::plan(running, candidate)) {
    // Flows are compared by what they match, not by their text: a port's new number changes them.
    std::erase_if(steps_,
                  [](const dsl::AnyStep& s) { return std::holds_alternative<dsl::FlowStep>(s); });
    for (const dsl::AnyStep& step : steps_) {
        report_.changes.push_back(dsl::to_text(step));
        if (const auto* s = std::get_if<dsl::SettingsStep>(&step))
            report_.notices.insert(report_.notices.end(), s->restart.begin(), s->restart.end());
    }
    if (begin == Begin::start) tell_adopted();
}

/// Adds steps for what is equal on both sides; the report does not show them.
void Transaction::tell_adopted() {
    const auto planned = [&]<class T>(std::type_identity<T>, std::string_view bridge,
                                      std::string_view name) {
        return std::ranges::any_of(steps_, [&](const dsl::AnyStep& s) {
            const T* mine = std::get_if<T>(&s);
            if (mine == nullptr || mine->bridge != bridge) return false;
            if constexpr (std::is_same_v<T, dsl::PortStep>)
                return (mine->after ? mine->after : mine->before)->name == name;
            return true;
        });
    };
    if (std::ranges::none_of(steps_, [](const dsl::AnyStep& s) {
            return std::holds_alternative<dsl::SettingsStep>(s);
        }))
        steps_.emplace_back(dsl::SettingsStep{running_, candidate_, {}});
    for (const dsl::BridgeConfig& b : candidate_.bridges) {
        const dsl::BridgeConfig* live = running_.find_bridge(b.name);
        if (live == nullptr) continue;
        if (!planned(std::type_identity<dsl::BridgeStep>(), b.name, ""))
            steps_.emplace_back(
                dsl::BridgeStep{b.name, dsl::own_settings(*live), dsl::own_settings(b)});
        if (live->local && b.local && !planned(std::type_identity<dsl::LocalStep>(), b.name, ""))
            steps_.emplace_back(dsl::LocalStep{b.name, live->local, b.local});
        for (const dsl::PortConfig& p : b.ports)
            if (const dsl::PortConfig* was = live->find_port(p.name);
                was != nullptr && !planned(std::type_identity<dsl::PortStep>(), b.name, p.name))
                steps_.emplace_back(dsl::PortStep{b.name, *was, p});
    }
}

Result<void> Transaction::plan() {
    TRY(parse_all_flows());
    plan_flows();
    return {};
}

void Transaction::run(Decide decide, Done done) {
    decide_ = std::move(decide);
    done_ = std::move(done);
    if (Result<void> result = before_ports(); !result) return abort(std::move(result.error()));
    open_ports();
}

Result<void> Transaction::before_ports() {
    TRY(settings());
    TRY(bridges(Change::create));
    collect_leaving();
    collect_opens();
    release_devices();
    return {};
}

Result<void> Transaction::after_ports() {
    TRY(bridges(Change::change));
    TRY(changed_ports());
    TRY(changed_locals());
    remove_listens();
    TRY(add_listens());
    return controllers();
}

/// The bridge whose flows the switch has; nothing where it has no such bridge.
const dsl::BridgeConfig* Transaction::flows_of(const std::string& bridge) const {
    const dsl::BridgeConfig* live = running_.find_bridge(bridge);
    return live == nullptr || found_ == nullptr ? live : found_->saved.find_bridge(bridge);
}

const dsl::BridgeConfig* Transaction::doubtful_flows_of(const std::string& bridge) const {
    return found_ == nullptr || !found_->other ? nullptr : found_->other->find_bridge(bridge);
}

Result<void> Transaction::parse_all_flows() {
    const bool doubt = found_ != nullptr && found_->other;
    for (const dsl::BridgeConfig& b : candidate_.bridges) {
        const dsl::BridgeConfig* live = flows_of(b.name);
        const dsl::BridgeConfig* other = doubtful_flows_of(b.name);
        if (same_flows(live, b) && (!doubt || same_flows(other, b))) continue;
        TRY_ASSIGN(flows_after_[b.name], parse_flows(b));
        if (live != nullptr) {
            TRY_ASSIGN(flows_before_[b.name], parse_flows(*live));
        }
        if (other != nullptr) {
            TRY_ASSIGN(flows_other_[b.name], parse_flows(*other));
        }
    }
    return {};
}

Result<void> Transaction::settings() {
    return each<dsl::SettingsStep>(steps_, [&](const dsl::SettingsStep& s) -> Result<void> {
        TRY(named(target_.change_settings(s.before, s.after), "settings"));
        undo_by([this, s] { (void)target_.change_settings(s.after, s.before); });
        return {};
    });
}

Result<void> Transaction::bridges(Change change) {
    return each<dsl::BridgeStep>(steps_, [&](const dsl::BridgeStep& s) -> Result<void> {
        if (s.change() != change) return {};
        const std::string label = format("bridge \"{}\"", s.bridge);
        if (change == Change::create) {
            TRY(named(target_.create_bridge(*s.after), label));
            undo_by([this, name = s.bridge] { target_.delete_bridge(name); });
        } else {
            TRY(named(target_.change_bridge(*s.before, *s.after), label));
            undo_by([this, s] { (void)target_.change_bridge(*s.after, *s.before); });
        }
        return {};
    });
}

/// Ports that are attached and will not be, those of deleted bridges among them.
void Transaction::collect_leaving() {
    for (const dsl::AnyStep& step : steps_) {
        if (const auto* p = std::get_if<dsl::PortStep>(&step)) {
            if (p->change() == Change::remove)
                leaving_.push_back({p->bridge, p->before, {}, {}, {}});
        } else if (const auto* l = std::get_if<dsl::LocalStep>(&step)) {
            if (l->change() == Change::remove)
                leaving_.push_back({l->bridge, {}, l->before, {}, {}});
        } else if (const auto* b = std::get_if<dsl::BridgeStep>(&step)) {
            if (b->change() != Change::remove) continue;
            for (const dsl::PortConfig& port : b->before->ports)
                leaving_.push_back({b->bridge, port, {}, {}, {}});
            if (b->before->local) leaving_.push_back({b->bridge, {}, b->before->local, {}, {}});
        }
    }
}

void Transaction::collect_opens() {
    for (const dsl::AnyStep& step : steps_) {
        if (const auto* p = std::get_if<dsl::PortStep>(&step)) {
            if (p->change() != Change::create) continue;
            opens_.push_back({p->bridge,
                              p->after,
                              {},
                              format("port \"{}\" of bridge \"{}\"", p->after->name, p->bridge),
                              {}});
        } else if (const auto* l = std::get_if<dsl::LocalStep>(&step)) {
            if (l->change() != Change::create) continue;
            opens_.push_back({l->bridge,
                              {},
                              l->after,
                              format("local interface of bridge \"{}\"", l->bridge),
                              {}});
        }
    }
}

/// A device that only one can hold goes from a leaving port to a new one: it must be let go first,
/// and is opened again should the commit fail.
void Transaction::release_devices() {
    std::set<std::string> wanted;
    for (const OpenPort& o : opens_)
        if (o.port)
            wanted.insert(dsl::resource(*o.port));
        else
            wanted.insert("interface " + o.bridge);
    wanted.erase("");
    std::erase_if(leaving_, [&](const OpenPort& p) {
        const std::string held = p.port ? exclusive(*p.port) : "interface " + p.bridge;
        if (held.empty() || !wanted.contains(held)) return false;
        take_out(p);
        undo_by([this, p] { reopen(p); });
        return true;
    });
}

void Transaction::open_ports() {
    if (opens_.empty()) return all_ports_opened();
    n_opening_ = opens_.size();
    const auto self = shared_from_this();
    for (std::size_t i = 0; i < opens_.size(); ++i) {
        const OpenPort& o = opens_[i];
        PortPrepared opened = [self, i](Result<PortSlot> result) {
            self->port_opened(i, std::move(result));
        };
        if (o.port)
            target_.prepare_port(o.bridge, *o.port, std::move(opened));
        else
            target_.prepare_local(o.bridge, *o.local, std::move(opened));
    }
}

void Transaction::port_opened(std::size_t index, Result<PortSlot> result) {
    OpenPort& o = opens_[index];
    if (result) {
        o.slot = *result;
    } else {
        o.error = result.error().text;
        if (error_.text.empty()) {
            error_ = std::move(result.error());
            error_.text = format("{}: {}", o.label, o.error);
        }
    }
    if (--n_opening_ == 0) all_ports_opened();
}

void Transaction::all_ports_opened() {
    for (const OpenPort& o : opens_)
        undo_by([this, &o] {
            if (o.slot) target_.abort_port(*o.slot);
        });
    if (!error_.text.empty()) {
        const auto failed =
            std::ranges::count_if(opens_, [](const OpenPort& o) { return !o.error.empty(); });
        if (failed > 1) error_.text += format(" (and {} more ports failed)", failed - 1);
        return abort(std::move(error_));
    }
    if (Result<void> result = after_ports(); !result) return abort(std::move(result.error()));
    if (flow_changes_.empty()) return apply();
    target_.when_flows_ready([self = shared_from_this()] { self->flows_ready(); });
}

void Transaction::flows_ready() {
    if (Result<void> result = add_flows(); !result) return abort(std::move(result.error()));
    apply();
}

Result<void> Transaction::changed_ports() {
    return each<dsl::PortStep>(steps_, [&](const dsl::PortStep& s) -> Result<void> {
        if (s.change() != Change::change) return {};
        TRY(named(target_.change_port(s.bridge, *s.before, *s.after),
                  format("port \"{}\" of bridge \"{}\"", s.after->name, s.bridge)));
        undo_by([this, s] { (void)target_.change_port(s.bridge, *s.after, *s.before); });
        return {};
    });
}

Result<void> Transaction::changed_locals() {
    return each<dsl::LocalStep>(steps_, [&](const dsl::LocalStep& s) -> Result<void> {
        if (s.change() != Change::change) return {};
        TRY(named(target_.change_local(s.bridge, *s.before, *s.after),
                  format("local interface of bridge \"{}\"", s.bridge)));
        undo_by([this, s] { (void)target_.change_local(s.bridge, *s.after, *s.before); });
        return {};
    });
}

/// An address may go from one bridge to another: all are let go before one is taken.
void Transaction::remove_listens() {
    const auto remove = [&](const std::string& bridge, const dsl::ListenConfig& listen) {
        target_.remove_listen(bridge, listen);
        undo_by([this, bridge, listen] { (void)target_.add_listen(bridge, listen); });
    };
    for (const dsl::AnyStep& step : steps_) {
        if (const auto* l = std::get_if<dsl::ListenStep>(&step)) {
            if (l->change() == Change::remove) remove(l->bridge, *l->before);
        } else if (const auto* b = std::get_if<dsl::BridgeStep>(&step)) {
            if (b->change() != Change::remove) continue;
            for (const dsl::ListenConfig& gone : b->before->listens) remove(b->bridge, gone);
        }
    }
}

Result<void> Transaction::add_listens() {
    return each<dsl::ListenStep>(steps_, [&](const dsl::ListenStep& s) -> Result<void> {
        if (s.change() != Change::create) return {};
        TRY(named(target_.add_listen(s.bridge, *s.after),
                  format("listen {} of bridge \"{}\"", to_string(*s.after), s.bridge)));
        undo_by([this, s] { target_.remove_listen(s.bridge, *s.after); });
        return {};
    });
}

Result<void> Transaction::controllers() {
    return each<dsl::ControllerStep>(steps_, [&](const dsl::ControllerStep& s) -> Result<void> {
        if (s.change() == Change::change) {
            target_.change_controller(s.bridge, *s.before, *s.after);
            undo_by([this, s] { target_.change_controller(s.bridge, *s.after, *s.before); });
        } else if (s.change() == Change::create) {
            TRY(named(target_.add_controller(s.bridge, *s.after),
                      format("controller {} of bridge \"{}\"", to_string(*s.after), s.bridge)));
            undo_by([this, s] { target_.remove_controller(s.bridge, *s.after); });
        }
        return {};
    });
}

void Transaction::plan_flows() {
    for (const dsl::BridgeConfig& b : candidate_.bridges) {
        std::vector<FlowChange> changes =
            compare_flows(flows_before_[b.name], flows_after_[b.name]);
        if (found_ != nullptr && found_->other)
            add_doubtful(changes, flows_before_[b.name], flows_other_[b.name],
                         flows_after_[b.name]);
        for (FlowChange& c : changes) {
            const std::string_view verb = c.before == nullptr  ? "add"
                                          : c.after == nullptr ? "delete"
                                                               : "change";
            report_.changes.push_back(format("bridge {}: {} {}", b.name, verb, c.label));
            flow_changes_.push_back({b.name, std::move(c)});
        }
    }
}

Result<void> Transaction::add_flows() {
    for (const auto& [bridge, c] : flow_changes_) {
        if (c.after == nullptr) continue;
        Result<Undo> added = target_.add_flow(bridge, *c.after);
        if (!added)
            return fail(format("bridge \"{}\": {}: {}", bridge, c.label, added.error().text));
        undo_by(std::move(*added));
    }
    return {};
}

/// Not before the commit is certain: a deleted flow's counters and flow-removed message are gone.
void Transaction::remove_flows() {
    for (const auto& [bridge, c] : flow_changes_)
        if (c.after == nullptr) target_.remove_flow(bridge, strict_delete(*c.before));
}

void Transaction::take_out(const OpenPort& p) {
    if (p.port)
        target_.remove_port(p.bridge, p.port->name);
    else
        target_.remove_local(p.bridge);
}

/// They name ports, which may have changed places.
Result<void> Transaction::static_macs(const dsl::Config& of) {
    for (const dsl::BridgeConfig& b : of.bridges) {
        const dsl::BridgeConfig* other =
            (&of == &candidate_ ? running_ : candidate_).find_bridge(b.name);
        const bool none = b.mac_statics.empty() && (other == nullptr || other->mac_statics.empty());
        if (none && begin_ == Begin::running) continue;
        TRY(named(target_.set_static_macs(b.name, b.mac_statics),
                  format("mac-table of bridge \"{}\"", b.name)));
    }
    return {};
}

Result<void> Transaction::swap_ports() {
    swapped_ = true;
    for (const OpenPort& p : leaving_) {
        if (candidate_.find_bridge(p.bridge) == nullptr) continue;  // goes with its bridge
        take_out(p);
        undo_by([this, p] { reopen(p); });
    }
    for (OpenPort& o : opens_) {
        TRY(named(target_.attach_port(*o.slot), o.label));
        o.slot.reset();
        undo_by([this, &o] { take_out(o); });
    }
    return {};
}

/// In one go: workers see the old switch or the new one, port by port.
void Transaction::apply() {
    if (Result<void> result = swap_ports(); !result) return abort(std::move(result.error()));
    if (Result<void> result = static_macs(candidate_); !result)
        return abort(std::move(result.error()));
    if (Result<void> result = decide_(); !result) return abort(std::move(result.error()));
    remove_flows();
    for (const dsl::AnyStep& step : steps_) {
        if (const auto* c = std::get_if<dsl::ControllerStep>(&step)) {
            if (c->change() == Change::remove) target_.remove_controller(c->bridge, *c->before);
        } else if (const auto* b = std::get_if<dsl::BridgeStep>(&step)) {
            if (b->change() == Change::remove) target_.delete_bridge(b->bridge);
        }
    }
    undo_.clear();
    std::exchange(done_, nullptr)(std::move(report_));
}

void Transaction::abort(Error error) {
    error_ = std::move(error);
    ++n_reopening_;  // keeps finish_abort() away until all undo steps have begun
    while (!undo_.empty()) {
        const std::function<void()> undo = std::move(undo_.back());
        undo_.pop_back();
        undo();
    }
    finish_abort();
}

/// Gives a released device back to its port.
void Transaction::reopen(OpenPort p) {
    ++n_reopening_;
    PortPrepared opened = [self = shared_from_this(), p](Result<PortSlot> result) {
        Result<void> back;
        if (!result)
            back = std::unexpected(std::move(result.error()));
        else if (back = self->target_.attach_port(*result); !back)
            self->target_.abort_port(*result);
        if (!back)
            self->error_.text += format(
                "; {} of bridge \"{}\" could not be opened again: {}",
                p.port ? format("port \"{}\"", p.port->name) : std::string("local interface"),
                p.bridge, back.error().text);
        self->finish_abort();
    };
    if (p.port)
        target_.prepare_port(p.bridge, *p.port, std::move(opened));
    else
        target_.prepare_local(p.bridge, *p.local, std::move(opened));
}

void Transaction::finish_abort() {
    if (--n_reopening_ != 0) return;
    if (swapped_)
        if (const auto back = static_macs(running_); !back) error_.text += "; " + back.error().text;
    std::exchange(done_, nullptr)(std::unexpected(std::move(error_)));
}

}  // namespace raicho::agent::config
