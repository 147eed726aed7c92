// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/validate.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

namespace {

/// Egress queues of a port at most (shm/queue.h).
constexpr std::size_t kPortQueues = 16;

bool loopback(const Address& address) {
    if (const auto* v4 = std::get_if<Ipv4>(&address)) return v4->bytes[0] == 127;
    Ipv6 one;
    one.bytes[15] = 1;
    return std::get<Ipv6>(address) == one;
}

class Validator {
  public:
    Validator(const Config& config, Diagnostics& diagnostics)
        : config_(config), diagnostics_(diagnostics) {}

    void run() {
        for (const BridgeConfig& b : config_.bridges) bridge(b);
        capacities();
        dataplane();
    }

  private:
    /// Who has claimed something that only one may have.
    struct Claim {
        Place place;
        std::string owner;
    };
    using Claims = std::unordered_map<std::string, Claim>;

    /// `owner` takes `what`; when another one has it, an error on the later of the two.
    void claim(Claims& claims, const std::string& what, const Place& place, std::string owner,
               std::string_view thing) {
        const auto [at, fresh] = claims.try_emplace(what, Claim{place, owner});
        if (fresh) return;
        const Claim& first = at->second;
        const bool swapped = place.line == 0;
        diagnostics_.error(swapped ? first.place : place,
                           format("{} is already used by {}", thing, swapped ? owner : first.owner),
                           where(swapped ? place : first.place));
    }

    [[nodiscard]] std::string where(const Place& place) const {
        if (place.line == 0) return "it is part of the running configuration";
        return format("first defined at {}", diagnostics_.source().where(place.span));
    }

    void bridge(const BridgeConfig& b) {
        if (b.dpid)
            claim(dpids_, format("{}", b.dpid->value()), b.place, format("bridge \"{}\"", b.name),
                  format("datapath id 0x{:x}", b.dpid->value()));
        if (b.local)
            claim(resources_, "interface " + b.name, b.local->place,
                  format("the local interface of bridge \"{}\"", b.name),
                  format("interface \"{}\"", b.name));
        Claims numbers;
        for (const PortConfig& p : b.ports) port(b, p, numbers);
        static_addresses(b);
        if (b.max_flows && b.flows.size() > *b.max_flows)
            diagnostics_.error(b.place, format("bridge \"{}\": {} flows, and max-flows is {}",
                                               b.name, b.flows.size(), *b.max_flows));
        Claims listening;
        for (const ListenConfig& l : b.listens) listen(b, l);
        Claims controllers;
        for (const ControllerConfig& c : b.controllers)
            if (c.backoff_min_ms > c.backoff_max_ms && c.place.line == 0)
                diagnostics_.error(c.place, format("controller {}: backoff-min is larger than "
                                                   "backoff-max",
                                                   to_string(c)));
        if (b.fail_mode == FailMode::standalone && !b.controllers.empty() && !b.flows.empty())
            diagnostics_.warning(
                b.place,
                format("bridge \"{}\": its flows do not act while all controllers are lost",
                       b.name),
                "that is what fail-mode standalone means; secure keeps the flows in force");
    }

    void port(const BridgeConfig& b, const PortConfig& p, Claims& numbers) {
        const std::string owner = format("port \"{}\" of bridge \"{}\"", p.name, b.name);
        claim(names_, p.name, p.place, owner, format("port name \"{}\"", p.name));
        if (p.number)
            claim(numbers, format("{}", p.number->value()), p.place, owner,
                  format("port number {}", p.number->value()));
        if (const std::string what = resource(p); !what.empty())
            claim(resources_, what, p.place, owner, quote_last(what));
        if (p.queues && p.device.kind != DeviceKind::ethdev && p.device.kind != DeviceKind::dpdk &&
            *p.queues > 1)
            diagnostics_.error(p.place,
                               format("port \"{}\": {} ports have one queue", p.name,
                                      device_rows()[static_cast<std::size_t>(p.device.kind)].word),
                               "leave queues out; only ethdev and dpdk ports take it");
        traffic(p);
    }

    /// What a port does with its packets beside forwarding.
    void traffic(const PortConfig& p) {
        if (p.vlan && p.vlan->access && (p.vlan->native || !p.vlan->trunk.empty()))
            diagnostics_.error(
                p.vlan->place, format("port \"{}\": access beside trunk or native", p.name),
                "an access port is in one VLAN and carries no tags: leave the others "
                "out, or leave access out");
        if (p.policer && p.policer->rate_bps == 0)
            diagnostics_.error(p.policer->place, format("port \"{}\": policer has no rate", p.name),
                               "write policer { rate 10M }");
        if (p.egress.size() > kPortQueues)
            diagnostics_.error(p.egress[kPortQueues].place,
                               format("port \"{}\": {} queues, and there is room for {}", p.name,
                                      p.egress.size(), kPortQueues));
        if (p.max_rate_bps && p.egress.empty())
            diagnostics_.error(p.place,
                               format("port \"{}\": max-rate shares out what queues send, and the "
                                      "port has none",
                                      p.name),
                               "add queue 0");
        std::uint64_t promised = 0;
        for (const QueueConfig& q : p.egress) {
            promised += q.min_rate_bps.value_or(0);
            if (q.max_rate_bps && q.min_rate_bps.value_or(0) > *q.max_rate_bps)
                diagnostics_.error(q.place,
                                   format("port \"{}\": queue {}: min-rate is larger than max-rate",
                                          p.name, q.id));
        }
        if (p.max_rate_bps && promised > *p.max_rate_bps)
            diagnostics_.error(p.place,
                               format("port \"{}\": its queues get {} bit/s at least, and max-rate "
                                      "is {} bit/s",
                                      p.name, promised, *p.max_rate_bps),
                               "lower the min-rates, or raise max-rate");
    }

    void static_addresses(const BridgeConfig& b) {
        for (const StaticMac& m : b.mac_statics) {
            if (b.find_port(m.port) != nullptr) continue;
            std::vector<std::string_view> names;
            for (const PortConfig& p : b.ports) names.push_back(p.name);
            const auto near = did_you_mean(m.port, names);
            diagnostics_.error(m.place,
                               format("static {}: bridge \"{}\" has no port \"{}\"",
                                      raicho::to_string(m.mac), b.name, m.port),
                               near ? format("did you mean \"{}\"?", *near) : std::string());
        }
    }

    /// `interface eth0` as `interface "eth0"`.
    static std::string quote_last(std::string_view what) {
        const std::size_t blank = what.find(' ');
        return format("{} \"{}\"", what.substr(0, blank), what.substr(blank + 1));
    }

    void listen(const BridgeConfig& b, const ListenConfig& l) {
        claim(listens_, to_string(l), l.place, format("bridge \"{}\"", b.name),
              format("address {}", to_string(l)));
        if (loopback(l.address) || l.allow_remote == AllowRemote::yes) return;
        diagnostics_.error(
            l.place,
            format("listen {}: whoever reaches this address could change flows", to_string(l)),
            format("listen on tcp:127.0.0.1:{}, or say that it is meant: listen {} "
                   "{{ allow-remote }}",
                   l.port, to_string(l)));
    }

    void capacities() {
        std::size_t ports = 0;
        for (const BridgeConfig& b : config_.bridges) ports += b.ports.size() + (b.local ? 1 : 0);
        if (config_.bridges.size() > config_.agent.max_bridges)
            diagnostics_.error(config_.bridges[config_.agent.max_bridges].place,
                               format("{} bridges, and there is room for {}",
                                      config_.bridges.size(), config_.agent.max_bridges),
                               "raise agent max-bridges");
        if (ports > config_.agent.max_ports)
            diagnostics_.error(
                config_.bridges.back().place,
                format("{} ports, and there is room for {}", ports, config_.agent.max_ports),
                "raise agent max-ports");
    }

    void dataplane() {
        const DataplaneConfig& d = config_.dataplane;
        const std::size_t workers = d.workers ? *d.workers : d.cores.size();
        if (workers > config_.agent.max_workers)
            diagnostics_.error(Place{},
                               format("dataplane: {} workers, and there is room for {}", workers,
                                      config_.agent.max_workers),
                               "raise agent max-workers");
        if (d.workers && !d.cores.empty() && *d.workers > d.cores.size())
            diagnostics_.error(Place{},
                               format("dataplane: {} workers on {} cores", workers, d.cores.size()),
                               "name a core for each worker, or leave one of the two out");
    }

    const Config& config_;
    Diagnostics& diagnostics_;
    Claims dpids_;
    Claims names_;
    Claims resources_;
    Claims listens_;
};

}  // namespace

void validate(const Config& config, Diagnostics& diagnostics) {
    Validator(config, diagnostics).run();
}

}  // namespace raicho::dsl
