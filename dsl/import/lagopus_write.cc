// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/lagopus_write.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "dsl/import/device_text.h"
#include "dsl/import/flow_line.h"
#include "dsl/import/names.h"
#include "dsl/model/config.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

namespace {

using std::string_view;
using Node = Outline::Node;

/// `net_pipe1` and the pipe it is attached to: two ends of one wire.
struct Pipe {
    string_view end;
    string_view peer;
};
std::optional<Pipe> pipe_of(string_view device) {
    if (!device.starts_with("net_pipe") && !device.starts_with("eth_pipe")) return std::nullopt;
    constexpr string_view kAttach = ",attach=";
    const std::size_t at = device.find(kAttach);
    return Pipe{device.substr(0, device.find(',')),
                at == string_view::npos ? string_view{} : device.substr(at + kAttach.size())};
}

class Writer {
  public:
    Writer(const LagopusWorld& world, const ImportOptions& options, Outline& out,
           ImportReport& report)
        : world_(world), options_(options), out_(out), report_(report) {}

    void write() {
        for (const auto& [name, object] : world_.globals) global(object);
        for (const LagopusObject& o : world_.objects) named(o);
        for (const LagopusObject& o : world_.objects)
            if (o.kind == "bridge") bridge(o);
        for (const LagopusObject& o : world_.objects) unused(o);
    }

  private:
    /// Options that are not read below: said when they differ from what Lagopus takes by default.
    void rest(const LagopusObject& object) {
        for (const auto& [name, setting] : object.settings) {
            const LagopusOption* option = find_lagopus_option(object.kind, name);
            if (option == nullptr || option->treatment == Treatment::carried) continue;
            for (const LagopusSetting::Entry& e : setting.entries) {
                if (!e.values.empty() && e.values.front() == option->fallback) continue;
                std::string text = format("{} -{}", object.kind, name);
                for (const std::string& v : e.values) text += " " + v;
                if (option->treatment == Treatment::lost)
                    report_.lost(e.place, std::move(text), std::string(option->why));
                else if (object.name.empty())  // a global command: one note for all of it
                    report_.remark(e.place, object.kind + " means nothing here",
                                   std::string(option->why));
                else
                    report_.remark(e.place, text + " means nothing here", std::string(option->why));
            }
        }
    }

    void global(const LagopusObject& object) {
        rest(object);
        if (object.kind == "snmp" && object.state == LagopusState::enabled)
            report_.lost(object.state_place, "snmp enable", "there is no SNMP agent");
        if (object.kind != "log") return;
        const string_view file = object.value("file");
        const auto level = lagopus_number(object.value("debuglevel", "0"));
        if (file.empty() && level == 0) return;
        Node& log = out_.root().add(object.place, "log");
        if (level != 0) log.add("level debug");
        if (!file.empty()) log.add("file " + quoted_if_needed(file));
    }

    /// Names of bridges and ports, in order of creation, so that the first of two has its own.
    void named(const LagopusObject& o) {
        NameMap& names = o.kind == "bridge" ? bridges_ : ports_;
        if (o.kind != "bridge" && o.kind != "port") return;
        const std::string& name = names.take(o.name);
        if (name != o.name)
            report_.remark(o.place, format("{} \"{}\" is called {} here", o.kind, o.name, name));
        if (o.kind == "port" && interface_of(o) != nullptr)
            if (const auto pipe = pipe_of(interface_of(o)->value("device")))
                pipes_.push_back({std::string(pipe->end), std::string(pipe->peer), name});
    }

    [[nodiscard]] const LagopusObject* interface_of(const LagopusObject& port) const {
        return port.entry("interface") == nullptr
                   ? nullptr
                   : world_.find("interface", world_.full(port.value("interface")));
    }

    void bridge(const LagopusObject& b) {
        Node& node = out_.root().add(b.place, "bridge " + bridges_.take(b.name));
        if (b.state != LagopusState::enabled) {
            node.standing = Standing::commented_out;
            report_.lost(b.state == LagopusState::disabled ? b.state_place : b.place,
                         format("bridge \"{}\" is not enabled: it stands in a comment", b.name));
        }
        dpid(b, node);
        node.add(format("fail-mode {}", b.value("fail-mode", "secure")));
        limits(b, node);
        mac_table(b, node);
        numbers_.clear();
        for (const LagopusSetting::Entry& e : entries(b, "port")) port(e, node);
        endpoints_.clear();
        for (const LagopusSetting::Entry& e : entries(b, "controller")) controller(e, node);
        rest(b);
        flows(b, node);
    }

    static std::vector<LagopusSetting::Entry> entries(const LagopusObject& o, string_view name) {
        const auto at = o.settings.find(name);
        return at == o.settings.end() ? std::vector<LagopusSetting::Entry>{} : at->second.entries;
    }

    void dpid(const LagopusObject& b, Node& node) {
        const LagopusSetting::Entry* e = b.entry("dpid");
        const auto number = e == nullptr ? std::nullopt : lagopus_number(e->values.front());
        if (number.value_or(0) == 0) {
            report_.remark(e == nullptr ? b.place : e->place,
                           format("bridge \"{}\" has no -dpid: it gets one made of the machine-id "
                                  "and its name",
                                  b.name));
            return;
        }
        const bool fresh = dpids_.insert(*number).second;
        if (!fresh)
            report_.lost(e->place, format("bridge \"{}\": another bridge has -dpid {} already",
                                          b.name, e->values.front()));
        node.add(format("dpid 0x{:x}", *number),
                 fresh ? Standing::effective : Standing::commented_out);
    }

    void limits(const LagopusObject& b, Node& node) {
        if (const auto* e = b.entry("max-flows"); e != nullptr && e->values.front() != "4294967295")
            node.add(e->place, format("max-flows {}", e->values.front()));
        if (const auto* e = b.entry("max-tables"); e != nullptr && e->values.front() != "255")
            node.add(e->place, format("max-tables {}", e->values.front()));
    }

    void mac_table(const LagopusObject& b, Node& bridge) {
        Node table{"mac-table", Standing::effective, b.place, {}};
        if (b.value("mactable-ageing-time", "300") != "300")
            table.add(format("ageing {}", *lagopus_number(b.value("mactable-ageing-time"))));
        if (b.value("mactable-max-entries", "8192") != "8192")
            table.add(format("limit {}", *lagopus_number(b.value("mactable-max-entries"))));
        for (const LagopusSetting::Entry& e : entries(b, "mactable-entry")) static_mac(b, e, table);
        if (!table.block.empty()) bridge.block.push_back(std::move(table));
    }

    void static_mac(const LagopusObject& b, const LagopusSetting::Entry& entry, Node& table) {
        const std::string what = format("bridge -mactable-entry {}", fmt::join(entry.values, " "));
        const auto number = parse_number(entry.values.back());
        for (const LagopusSetting::Entry& p : entries(b, "port")) {
            if (!number || parse_number(p.values.back()) != number) continue;
            Node& node = table.add(entry.place, format("static {}", entry.values.front()));
            node.add(format("port {}", ports_.take(world_.full(p.values.front()))));
            return;
        }
        report_.lost(entry.place, what, "the bridge has no port of that number");
    }

    void port(const LagopusSetting::Entry& entry, Node& bridge) {
        const LagopusObject* p = world_.find("port", world_.full(entry.values.front()));
        if (p == nullptr)
            return report_.lost(entry.place,
                                format("there is no port \"{}\"", entry.values.front()));
        const auto number = parse_number(entry.values[1]);
        if (!number || *number == 0 || *number > raicho::port::kMax.value())
            return report_.lost(
                entry.place,
                format("port \"{}\": \"{}\" is no OpenFlow port number", p->name, entry.values[1]));
        if (!placed_.insert(p->name).second)
            return report_.lost(entry.place, format("port \"{}\" is in a bridge already", p->name));
        if (!numbers_.insert(*number).second)
            return report_.lost(entry.place,
                                format("port \"{}\": number {} is taken", p->name, *number));
        const std::string& name = ports_.take(p->name);
        Node node{format("port {} {}", name, *number), Standing::effective, p->place};
        const auto lose = [&](const ForeignPlace& place, std::string text, std::string help = {}) {
            node.standing = Standing::commented_out;
            report_.lost(place, std::move(text), std::move(help));
        };
        const LagopusObject* interface = interface_of(*p);
        if (interface == nullptr) {
            lose(p->place, format("port \"{}\" has no interface", p->name));
        } else {
            const DeviceText device = device_of(*interface, name);
            if (!device.usable())
                lose(interface->place, format("port \"{}\": {}", p->name, device.fault));
            else if (!device.text.empty() && !devices_.insert(device.text).second)
                lose(interface->place,
                     format("port \"{}\": another port has this device", p->name));
            if (!device.text.empty() && device.text != "af-packet " + name)
                node.add("device " + device.text);
            mtu(*interface, node);
            rest(*interface);
            if (p->state == LagopusState::disabled || interface->state == LagopusState::disabled)
                node.add("admin down");
        }
        rest(*p);
        bridge.block.push_back(std::move(node));
    }

    DeviceText device_of(const LagopusObject& interface, const std::string& port) const {
        const string_view type = interface.value("type");
        const string_view device = interface.value("device");
        if (type == "ethernet-rawsock") {
            if (device.empty()) return {"", "its interface has no -device"};
            return device_text("af-packet", device);
        }
        if (!type.starts_with("ethernet-dpdk"))
            return {format("{} {}", type, device.empty() ? "?" : device),
                    format("{} interfaces dropped every packet in Lagopus", type)};
        if (device.empty())
            return {"", format("DPDK's number {} does not say which device it is; write device "
                               "dpdk PCI-ADDRESS",
                               interface.value("port-number", "0"))};
        if (const auto pipe = pipe_of(device)) {
            for (const PipeEnd& other : pipes_)
                if (other.port != port && (other.end == pipe->peer || other.peer == pipe->end))
                    return device_text("patch", other.port);
            return {"", format("no port has the other end of {}", pipe->end)};
        }
        return dpdk_device_text(device);
    }

    void mtu(const LagopusObject& interface, Node& node) {
        const LagopusSetting::Entry* e = interface.entry("mtu");
        const auto mtu = e == nullptr ? std::nullopt : lagopus_number(e->values.front());
        if (!mtu || *mtu == 1500) return;
        if (*mtu < 68)
            return report_.lost(e->place,
                                format("interface -mtu {}: less than any link takes", *mtu));
        node.add(format("mtu {}", *mtu));
    }

    void controller(const LagopusSetting::Entry& entry, Node& bridge) {
        const LagopusObject* c = world_.find("controller", world_.full(entry.values.front()));
        if (c == nullptr)
            return report_.lost(entry.place,
                                format("there is no controller \"{}\"", entry.values.front()));
        const LagopusObject* channel =
            c->entry("channel") == nullptr
                ? nullptr
                : world_.find("channel", world_.full(c->value("channel")));
        if (channel == nullptr)
            return report_.lost(c->place, format("controller \"{}\" has no channel", c->name));
        ControllerConfig endpoint;
        endpoint.host = channel->value("dst-addr", "127.0.0.1");
        endpoint.port = static_cast<std::uint16_t>(
            lagopus_number(channel->value("dst-port", "6633")).value_or(6633));
        const std::string target = to_string(endpoint);
        std::string why;
        ForeignPlace place = c->place;
        if (channel->value("protocol", "tcp") != "tcp") {
            why =
                format("controller \"{}\" speaks TLS: connections to controllers are TCP", c->name);
            place = channel->entry("protocol")->place;
        } else if (c->value("connection-type", "main") != "main") {
            why = format(
                "controller \"{}\" is an auxiliary connection: one connection serves a "
                "controller",
                c->name);
        } else if (c->state == LagopusState::disabled) {
            why = format("controller \"{}\" is not enabled", c->name);
            place = c->state_place;
        } else if (endpoint.port == 0) {
            why = format("controller \"{}\": port 0 cannot be connected to", c->name);
        } else if (!endpoints_.insert(target).second) {
            why = format("controller \"{}\": the bridge has {} already", c->name, target);
        }
        if (!why.empty()) report_.lost(place, why);
        Node& node = bridge.add(c->place, "controller " + target,
                                why.empty() ? Standing::effective : Standing::commented_out);
        if (const auto* e = c->entry("role"); e != nullptr && e->values.front() != "equal")
            report_.lost(e->place, format("controller -role {}", e->values.front()),
                         "a controller is equal until it asks for another role");
        if (const auto* e = channel->entry("local-addr");
            e != nullptr && e->values.front() != "0.0.0.0" && e->values.front() != "::")
            node.add(e->place, format("source {}", e->values.front()));
        rest(*c);
        rest(*channel);
    }

    void flows(const LagopusObject& b, Node& node) {
        const auto at = world_.flows.find(b.name);
        if (at == world_.flows.end()) return;
        FlowLines lines(options_.flows, node, report_);
        for (const LagopusFlow& f : at->second) lines.add(f.place, f.text());
    }

    /// What no bridge has a part in says nothing in our text.
    void unused(const LagopusObject& o) {
        if (o.kind == "port" && !placed_.contains(o.name))
            report_.remark(o.place, format("port \"{}\" is in no bridge", o.name));
        if (o.kind == "queue" || o.kind == "policer" || o.kind == "policer-action") {
            report_.lost(o.place, format("{} \"{}\"", o.kind, o.name),
                         o.kind == "queue" ? "write queue N { max-rate ... } into its port"
                                           : "policers had no effect in Lagopus either");
        }
    }

    struct PipeEnd {
        std::string end;
        std::string peer;
        std::string port;
    };

    const LagopusWorld& world_;
    const ImportOptions& options_;
    Outline& out_;
    ImportReport& report_;
    NameMap bridges_{kLongestBridgeName};
    NameMap ports_{kLongestPortName};
    std::vector<PipeEnd> pipes_;
    std::set<std::uint64_t> dpids_;
    std::set<std::string> placed_;   // ports
    std::set<std::string> devices_;  // of all bridges
    std::set<std::uint64_t> numbers_;
    std::set<std::string> endpoints_;
};

}  // namespace

void write_lagopus(const LagopusWorld& world, const ImportOptions& options, Outline& out,
                   ImportReport& report) {
    Writer(world, options, out, report).write();
}

}  // namespace raicho::dsl
