// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/build.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "dsl/model/flow.h"
#include "dsl/model/quantity.h"
#include "dsl/model/scope.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

namespace {

constexpr std::size_t kInterfaceName = 15;

class Builder {
  public:
    Builder(const Tree& tree, Config& config, Diagnostics& diagnostics)
        : scopes_(*tree.source, diagnostics), config_(config) {}

    void top(const Block& root) {
        scopes_.read(root, "", nullptr, [&](const Row& r, const Statement& s) { object(r, s); });
    }

  private:
    void object(const Row& r, const Statement& s) {
        switch (r.object) {
            case Object::system: return single(r, s, &config_.system);
            case Object::log: return single(r, s, &config_.log);
            case Object::agent: return single(r, s, &config_.agent);
            case Object::dataplane: return single(r, s, &config_.dataplane);
            case Object::bridge: return bridge(r, s);
            case Object::api: return single(r, s, &config_.api);
            default: ASSERT(false);  // stands inside one of these
        }
    }

    /// An object without a name.
    void single(const Row& r, const Statement& s, void* owner) {
        if (s.values.size() > 1)
            return scopes_.error(s.values[1].span, format("{} takes no name", r.name),
                                 format("write {} {{ ... }}", r.name));
        if (!scopes_.first(format("{}", r.path()), s.span, r.name)) return;
        if (s.block) scopes_.read(*s.block, r.path(), owner, {});
    }

    void bridge(const Row& r, const Statement& s) {
        if (!scopes_.head(r, s, 1)) return;
        const auto name = scopes_.take(parse_key(r, s.values[1]));
        if (!name) return;
        if (!scopes_.first("bridge " + *name, s.span, format("bridge \"{}\"", *name))) return;
        BridgeConfig* b = config_.find_bridge(*name);
        if (b == nullptr) {
            b = &config_.bridges.emplace_back();
            b->name = *name;
        }
        b->place = scopes_.source().place(s.span);
        if (!s.block) return;
        index_ = Index(*b);
        scopes_.read(*s.block, "bridge", b, [&](const Row& row, const Statement& inner) {
            bridge_object(row, inner, *b);
        });
    }

    void bridge_object(const Row& r, const Statement& s, BridgeConfig& b) {
        switch (r.object) {
            case Object::local: return local(r, s, b);
            case Object::port: return port(r, s, b);
            case Object::controller: return controllers(r, s, b);
            case Object::listen: return listen(r, s, b);
            case Object::flow: return flow(r, s, b);
            case Object::mac_table: return mac_table(r, s, b);
            case Object::group: return group(r, s, b);
            case Object::meter: return meter(r, s, b);
            default: ASSERT(false);  // stands somewhere else
        }
    }

    void local(const Row& r, const Statement& s, BridgeConfig& b) {
        if (!b.local) b.local.emplace();
        b.local->place = scopes_.source().place(s.span);
        if (s.values.size() > 1)
            return scopes_.error(s.values[1].span, "local takes no name",
                                 "write local { address 192.168.2.99/24 }");
        if (!scopes_.first(format("bridge {} local", b.name), s.span, r.name)) return;
        if (!s.block) return;
        scopes_.read(*s.block, r.path(), &*b.local, {});
        std::vector<Prefix> once;
        for (const Prefix& p : b.local->addresses)
            if (std::ranges::find(once, p) == once.end()) once.push_back(p);
        b.local->addresses = std::move(once);
    }

    void port(const Row& r, const Statement& s, BridgeConfig& b) {
        if (!scopes_.head(r, s, 2)) return;
        const auto name = scopes_.take(parse_key(r, s.values[1]));
        if (!name) return;
        if (!scopes_.first(format("bridge {} port {}", b.name, *name), s.span,
                           format("port \"{}\"", *name)))
            return;
        const auto [at, added] = index_.ports.try_emplace(*name, b.ports.size());
        if (added) b.ports.emplace_back().name = *name;
        PortConfig& p = b.ports[at->second];
        p.place = scopes_.source().place(s.span);
        if (s.values.size() > 2) {
            const auto number =
                scopes_.take(parse_limited(s.values[2], "port number", {1, port::kMax.value()}));
            if (number) p.number = PortNo(static_cast<std::uint32_t>(*number));
            if (s.block) number_twice(*s.block, s.values[2].span);
        }
        if (s.block)
            scopes_.read(*s.block, r.path(), &p, [&](const Row& row, const Statement& inner) {
                port_object(row, inner, b, p);
            });
        complete_device(p, s.values[1].span);
    }

    /// A number behind the name and another one in the block.
    void number_twice(const Block& block, Span first) {
        for (const Statement& s : block.statements) {
            if (s.keyword().text != "number" || s.activity == Activity::inactive) continue;
            scopes_.error(s.span, "number is given twice",
                          format("first given at {}", scopes_.source().where(first)));
        }
    }

    void port_object(const Row& r, const Statement& s, const BridgeConfig& b, PortConfig& p) {
        const std::string owner = format("bridge {} port {}", b.name, p.name);
        if (r.object == Object::vlan) return part(r, s, owner, p.vlan);
        if (r.object == Object::policer) return part(r, s, owner, p.policer);
        const auto id = number_key(r, s, owner);
        if (!id) return;
        auto at = std::ranges::lower_bound(p.egress, *id, {}, &QueueConfig::id);
        if (at == p.egress.end() || at->id != *id) at = p.egress.insert(at, QueueConfig{.id = *id});
        at->place = scopes_.source().place(s.span);
        if (s.block) scopes_.read(*s.block, r.path(), &*at, {});
    }

    /// An object without a name that may be missing.
    template <class T>
    void part(const Row& r, const Statement& s, const std::string& owner, std::optional<T>& slot) {
        if (s.values.size() > 1)
            return scopes_.error(s.values[1].span, format("{} takes no name", r.name),
                                 format("write {} {{ ... }}", r.name));
        if (!scopes_.first(format("{} {}", owner, r.name), s.span, r.name)) return;
        if (!slot) slot.emplace();
        slot->place = scopes_.source().place(s.span);
        if (s.block) scopes_.read(*s.block, r.path(), &*slot, {});
    }

    /// The number behind the keyword of an object that is seen for the first time in `owner`.
    std::optional<std::uint32_t> number_key(const Row& r, const Statement& s,
                                            const std::string& owner) {
        if (!scopes_.head(r, s, 1)) return std::nullopt;
        const auto key = scopes_.take(parse_key(r, s.values[1]));
        if (!key) return std::nullopt;
        const auto number = parse_number(*key);
        if (!scopes_.first(format("{} {} {}", owner, r.name, *number), s.span,
                           format("{} {}", r.name, *number)))
            return std::nullopt;
        return static_cast<std::uint32_t>(*number);
    }

    void mac_table(const Row& r, const Statement& s, BridgeConfig& b) {
        if (s.values.size() > 1)
            return scopes_.error(s.values[1].span, "mac-table takes no name",
                                 "write mac-table { ageing 300s }");
        if (!scopes_.first(format("bridge {} mac-table", b.name), s.span, r.name)) return;
        if (!s.block) return;
        scopes_.read(*s.block, r.path(), &b,
                     [&](const Row& row, const Statement& inner) { static_mac(row, inner, b); });
    }

    void static_mac(const Row& r, const Statement& s, BridgeConfig& b) {
        if (!scopes_.head(r, s, 1)) return;
        const auto key = scopes_.take(parse_key(r, s.values[1]));
        if (!key) return;
        StaticMac entry;
        entry.mac = *parse_mac(*key);
        entry.place = scopes_.source().place(s.span);
        const std::size_t errors = scopes_.n_errors();
        if (s.block) scopes_.read(*s.block, r.path(), &entry, {});
        if (!scopes_.first(format("bridge {} static {}", b.name, *key), s.span,
                           format("static {}", *key)))
            return;
        if (entry.port.empty() && errors == scopes_.n_errors())
            return scopes_.error(s.span, format("static {} has no port", *key),
                                 format("write static {} {{ port p1 }}", *key));
        const auto at = std::ranges::find(b.mac_statics, entry.mac, &StaticMac::mac);
        if (at == b.mac_statics.end())
            b.mac_statics.push_back(std::move(entry));
        else
            *at = std::move(entry);
    }

    /// Whether the statement is a group or meter as text. It has no block.
    bool takes_text(const Row& r, const Statement& s, std::string& text) {
        if (!is_entry_text(r, s.values[1])) return false;
        text = s.values[1].text;
        if (s.block)
            scopes_.error(s.values[1].span,
                          format("a {0} with a block has a number, not a text", r.name),
                          format("write {} {} {{ ... }}, or the text alone", r.name,
                                 entry_number(r, s.values[1]).value_or("1")));
        return true;
    }

    void group(const Row& r, const Statement& s, BridgeConfig& b) {
        const auto id = number_key(r, s, "bridge " + b.name);
        if (!id) return;
        GroupConfig entry{.id = *id, .type = {}, .buckets = {}};
        entry.place = scopes_.source().place(s.span);
        if (takes_text(r, s, entry.text)) return put(b.groups, std::move(entry));
        const std::size_t errors = scopes_.n_errors();
        if (s.block) scopes_.read(*s.block, r.path(), &entry, {});
        if (!entry.type && errors == scopes_.n_errors())
            scopes_.error(s.span, format("group {} has no type", *id),
                          "write type all, select, indirect or ff");
        put(b.groups, std::move(entry));
    }

    void meter(const Row& r, const Statement& s, BridgeConfig& b) {
        const auto id = number_key(r, s, "bridge " + b.name);
        if (!id) return;
        MeterConfig entry;
        entry.id = *id;
        entry.place = scopes_.source().place(s.span);
        if (takes_text(r, s, entry.text)) return put(b.meters, std::move(entry));
        if (s.block) scopes_.read(*s.block, r.path(), &entry, {});
        put(b.meters, std::move(entry));
    }

    /// In the order of ids; one with the same id goes.
    template <class T>
    static void put(std::vector<T>& entries, T entry) {
        const auto at = std::ranges::lower_bound(entries, entry.id, {}, &T::id);
        if (at != entries.end() && at->id == entry.id)
            *at = std::move(entry);
        else
            entries.insert(at, std::move(entry));
    }

    /// A device without a name is the interface of the port's name.
    void complete_device(PortConfig& p, Span name) {
        DeviceConfig& d = p.device;
        if (!d.name.empty() || (d.kind != DeviceKind::af_packet && d.kind != DeviceKind::tap))
            return;
        d.name = p.name;
        if (p.name.size() > kInterfaceName)
            scopes_.error(name,
                          format("port \"{}\": no interface can have a name that long", p.name),
                          "name its interface: device af-packet <interface>");
    }

    void controllers(const Row& r, const Statement& s, BridgeConfig& b) {
        if (!scopes_.head(r, s, 1)) return;
        const Value& value = s.values[1];
        if (value.kind == ValueKind::list && value.items.empty())
            return scopes_.error(value.span, "controller: the list is empty",
                                 format("write controller {}", head_text(r.object)));
        ControllerConfig settings;
        bool settled = false;
        const auto one = [&](const Value& v) {
            const auto endpoint = scopes_.take(parse_endpoint(v));
            if (!endpoint) return;
            ControllerConfig key;
            key.host = endpoint->host;
            key.port = endpoint->port;
            const std::string name = to_string(key);
            if (!scopes_.first(format("bridge {} controller {}", b.name, name), v.span,
                               format("controller {}", name)))
                return;
            auto at = std::ranges::find_if(b.controllers, [&](const ControllerConfig& c) {
                return c.host == key.host && c.port == key.port;
            });
            if (at == b.controllers.end()) at = b.controllers.insert(at, key);
            at->place = scopes_.source().place(v.span);
            if (!s.block) return;
            if (!std::exchange(settled, true)) {  // the block is read once, for all of the list
                settings = *at;
                scopes_.read(*s.block, r.path(), &settings, {});
                if (settings.backoff_min_ms > settings.backoff_max_ms)
                    scopes_.error(s.block->span, "backoff-min is larger than backoff-max",
                                  format("backoff-max is {}s when it is left out", 8));
            }
            at->probe_ms = settings.probe_ms;
            at->backoff_min_ms = settings.backoff_min_ms;
            at->backoff_max_ms = settings.backoff_max_ms;
            at->source = settings.source;
            at->auxiliary = settings.auxiliary;
        };
        if (value.kind != ValueKind::list) return one(value);
        for (const Value& item : value.items) one(item);
    }

    void listen(const Row& r, const Statement& s, BridgeConfig& b) {
        if (!scopes_.head(r, s, 1)) return;
        const auto good = scopes_.take(parse_key(r, s.values[1]));
        if (!good) return;
        const auto endpoint = parse_endpoint(s.values[1]);
        ListenConfig key;
        if (const auto v4 = parse_ipv4(endpoint->host))
            key.address = *v4;
        else
            key.address = *parse_ipv6(endpoint->host);
        key.port = endpoint->port;
        const std::string name = to_string(key);
        if (!scopes_.first("listen " + name, s.values[1].span, format("listen {}", name))) return;
        auto at = std::ranges::find_if(b.listens, [&](const ListenConfig& l) {
            return l.address == key.address && l.port == key.port;
        });
        if (at == b.listens.end()) at = b.listens.insert(at, key);
        at->place = scopes_.source().place(s.values[1].span);
        if (s.block) scopes_.read(*s.block, r.path(), &*at, {});
    }

    void flow(const Row& r, const Statement& s, BridgeConfig& b) {
        if (!scopes_.head(r, s, s.values.size())) return;  // read_flow() judges the rest
        std::optional<FlowConfig> f = read_flow(s, scopes_);
        if (!f) return;
        f->place = scopes_.source().place(s.span);
        const std::string key = f->name.empty() ? f->text : "name " + f->name;
        if (!scopes_.first(format("bridge {} flow {}", b.name, key), s.values[1].span,
                           f->name.empty() ? "this flow" : format("flow \"{}\"", f->name)))
            return;
        const auto [at, added] = index_.flows.try_emplace(key, b.flows.size());
        if (added)
            b.flows.push_back(std::move(*f));
        else
            b.flows[at->second] = std::move(*f);
    }

    /// Ports and flows of the bridge that is being read, by name: there may be very many.
    struct Index {
        std::unordered_map<std::string, std::size_t> ports;
        std::unordered_map<std::string, std::size_t> flows;
        Index() = default;
        explicit Index(const BridgeConfig& b) {
            for (std::size_t i = 0; i < b.ports.size(); ++i) ports.emplace(b.ports[i].name, i);
            for (std::size_t i = 0; i < b.flows.size(); ++i) {
                const FlowConfig& f = b.flows[i];
                flows.emplace(f.name.empty() ? f.text : "name " + f.name, i);
            }
        }
    };

    Scopes scopes_;
    Config& config_;
    Index index_;
};

}  // namespace

void build(const Tree& tree, Config& config, Diagnostics& diagnostics) {
    Builder(tree, config, diagnostics).top(tree.root);
}

}  // namespace raicho::dsl
