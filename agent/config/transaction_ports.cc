// SPDX-License-Identifier: Apache-2.0
// The ports of a commit: which leave and which come, in an order in which no device is wanted twice
// at once.
#include <algorithm>
#include <set>
#include <utility>

#include "agent/config/transaction.h"
#include "base/text.h"
#include "dsl/model/device.h"

namespace raicho::agent::config {

namespace {

using dsl::Change;

/// What a port keeps others from opening. Sockets on a host interface do not.
std::string exclusive(const dsl::PortConfig& port) {
    return port.device.kind == dsl::DeviceKind::af_packet ? std::string() : dsl::resource(port);
}

}  // namespace

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
    if (entry_changes_.empty()) return apply();
    target_.when_flows_ready([self = shared_from_this()] { self->entries_ready(); });
}

void Transaction::take_out(const OpenPort& p) {
    if (p.port)
        target_.remove_port(p.bridge, p.port->name);
    else
        target_.remove_local(p.bridge);
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

}  // namespace raicho::agent::config
