// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/validate.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

namespace {

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

/// Port names and numbers of one bridge, and the name that was asked for in vain.
class PortNames {
  public:
    explicit PortNames(const BridgeConfig& bridge) : bridge_(bridge) {
        for (const PortConfig& p : bridge.ports)
            if (p.number) numbers_.emplace(p.name, *p.number);
    }
    std::optional<PortNo> find(std::string_view name) {
        if (const auto at = numbers_.find(name); at != numbers_.end()) return at->second;
        missing_ = name;
        return std::nullopt;
    }
    void forget() { missing_.clear(); }
    /// What to say when the fault is about a port name that is not there.
    [[nodiscard]] std::string help(const FlowFault& fault) const {
        if (missing_.empty() || fault.text.find(missing_) == std::string::npos) return fault.hint;
        std::vector<std::string_view> names;
        for (const PortConfig& p : bridge_.ports) names.push_back(p.name);
        std::ranges::sort(names, natural_less);
        if (names.empty()) return format("bridge \"{}\" has no ports", bridge_.name);
        if (names.size() > kListed) names.resize(kListed);
        return suggest(missing_, names, "defined here");
    }

  private:
    static constexpr std::size_t kListed = 12;
    const BridgeConfig& bridge_;
    std::map<std::string, PortNo, std::less<>> numbers_;
    std::string missing_;
};

}  // namespace

void validate(const Config& config, Diagnostics& diagnostics) {
    Validator(config, diagnostics).run();
}

void validate_flows(const Config& config, const FlowChecker& flows, Diagnostics& diagnostics) {
    if (!flows) return;
    for (const BridgeConfig& b : config.bridges) {
        PortNames names(b);
        const PortByName by_name = [&](std::string_view name) { return names.find(name); };
        for (const FlowConfig& f : b.flows) {
            names.forget();
            const std::optional<FlowFault> fault = flows(f.text, by_name);
            if (!fault) continue;
            Place place = f.place;
            if (place.line != 0)
                place = diagnostics.source().place(f.locate(fault->offset, fault->length));
            diagnostics.error(place, format("flow: {}", fault->text), names.help(*fault));
        }
    }
}

}  // namespace raicho::dsl
