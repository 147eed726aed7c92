// SPDX-License-Identifier: Apache-2.0
#include "agent/config/transaction.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/text.h"

namespace raicho::agent::config {

namespace {

using dsl::Change;

constexpr std::size_t kUndosATurn = 200;

/// Calls `visit` for each step of one kind.
template <class T, class Visit>
Result<void> each(const std::vector<dsl::AnyStep>& steps, Visit visit) {
    for (const dsl::AnyStep& step : steps)
        if (const T* mine = std::get_if<T>(&step)) TRY(visit(*mine));
    return {};
}

}  // namespace

Transaction::Transaction(Target& target, const dsl::Config& running, const dsl::Config& candidate,
                         Begin begin, const FlowsFound* found, std::vector<std::string> doubted)
    : target_(target),
      running_(running),
      candidate_(candidate),
      begin_(begin),
      found_(found),
      doubted_(std::move(doubted)),
      steps_(dsl::plan(running, candidate)) {
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

Result<void> Transaction::named(Result<void> result, const std::string& object) {
    if (!result) result.error().text = format("{}: {}", object, result.error().text);
    return result;
}

Result<void> Transaction::plan() {
    return plan_entries();
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
    lend_room();
    TRY(bridges(Change::change));
    TRY(changed_ports());
    TRY(changed_locals());
    remove_listens();
    TRY(add_listens());
    return controllers();
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

/// In one go: workers see the old switch or the new one, port by port.
void Transaction::apply() {
    if (Result<void> result = swap_ports(); !result) return abort(std::move(result.error()));
    if (Result<void> result = static_macs(candidate_); !result)
        return abort(std::move(result.error()));
    if (Result<void> result = decide_(); !result) return abort(std::move(result.error()));
    next_bridge_ = entry_changes_.begin();
    next_flow_ = 0;
    remove_some();
}

void Transaction::complete() {
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
    undo_some();
}

void Transaction::undo_some() {
    for (std::size_t left = kUndosATurn; !undo_.empty(); --left) {
        if (left == 0) return target_.soon([self = shared_from_this()] { self->undo_some(); });
        const std::function<void()> undo = std::move(undo_.back());
        undo_.pop_back();
        undo();
    }
    finish_abort();
}

void Transaction::finish_abort() {
    if (--n_reopening_ != 0) return;
    if (swapped_)
        if (const auto back = static_macs(running_); !back) error_.text += "; " + back.error().text;
    std::exchange(done_, nullptr)(std::unexpected(std::move(error_)));
}

}  // namespace raicho::agent::config
