// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/addr.h"
#include "base/text.h"
#include "dsl/import/device_text.h"
#include "dsl/import/flow_line.h"
#include "dsl/import/import.h"
#include "dsl/import/names.h"
#include "dsl/import/ovs_flow.h"
#include "dsl/import/ovs_read.h"
#include "dsl/model/config.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

namespace {

using std::string_view;
using Node = Outline::Node;

/// `tcp:10.0.0.1:6653`, `ptcp:6654:127.0.0.1`: the parts of a target.
struct Target {
    string_view method;
    string_view rest;
};
Target target_of(string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == string_view::npos) return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

/// A port number out of `text`, the usual one for nothing.
std::optional<std::uint16_t> transport_port(string_view text) {
    if (text.empty()) return kOpenFlowPort;
    const auto n = parse_number(text);
    if (!n || *n == 0 || *n > 0xffff) return std::nullopt;
    return static_cast<std::uint16_t>(*n);
}

/// `HOST[:PORT]`, IPv6 in brackets.
std::optional<ControllerConfig> active_target(string_view rest) {
    ControllerConfig out;
    string_view port;
    if (rest.starts_with('[')) {
        const std::size_t close = rest.find(']');
        if (close == string_view::npos) return std::nullopt;
        out.host = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
        if (!rest.empty() && !rest.starts_with(':')) return std::nullopt;
        port = rest.empty() ? rest : rest.substr(1);
        if (!parse_ipv6(out.host)) return std::nullopt;
    } else {
        const std::size_t colon = rest.find(':');
        out.host = rest.substr(0, colon);
        if (colon != string_view::npos) port = rest.substr(colon + 1);
        if (!parse_ipv4(out.host)) return std::nullopt;  // OVS takes addresses only
    }
    const auto number = transport_port(port);
    if (!number) return std::nullopt;
    out.port = *number;
    return out;
}

/// `[PORT][:ADDRESS]`.
std::optional<ListenConfig> passive_target(string_view rest) {
    ListenConfig out;
    const std::size_t colon = rest.find(':');
    const auto number = transport_port(rest.substr(0, colon));
    if (!number) return std::nullopt;
    out.port = *number;
    out.address = Ipv4{};
    if (colon == string_view::npos) return out;
    string_view host = rest.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (const auto v4 = parse_ipv4(host))
        out.address = *v4;
    else if (const auto v6 = parse_ipv6(host))
        out.address = *v6;
    else
        return std::nullopt;
    return out;
}

bool loopback(const ListenConfig& l) {
    const auto* v4 = std::get_if<Ipv4>(&l.address);
    return v4 != nullptr ? v4->bytes[0] == 127 : to_string(l.address) == "::1";
}

class Writer {
  public:
    Writer(const ImportOptions& options, Outline& out, ImportReport& report)
        : options_(options), out_(out), report_(report) {}

    void write(const std::vector<OvsBridge>& bridges) {
        for (const OvsBridge& b : bridges) bridge(b);
    }

  private:
    void bridge(const OvsBridge& b) {
        const std::string& name = bridges_.take(b.name);
        renamed(b.place, "bridge", b.name, name);
        Node& node = out_.root().add(b.place, "bridge " + name);
        if (b.dpid.value_or(0) != 0 && dpids_.insert(*b.dpid).second)
            node.add(format("dpid 0x{:x}", *b.dpid));
        // Said, because with a controller our default is the other one.
        node.add(b.fail_mode == "secure" ? "fail-mode secure" : "fail-mode standalone");
        node.add("local");
        PortNumbers numbers;
        std::set<std::uint32_t> used;
        for (const OvsPort* p : in_order(b)) port(b, *p, node, numbers, used);
        endpoints_.clear();
        for (const OvsLine& c : b.controllers) controller(c, node);
        flows(b, node, std::move(numbers));
    }

    /// By number, those without one by name at the end; without the bridge's own interface.
    static std::vector<const OvsPort*> in_order(const OvsBridge& b) {
        std::vector<const OvsPort*> ports;
        for (const OvsPort& p : b.ports)
            if (p.name != b.name) ports.push_back(&p);
        const auto number = [&](const OvsPort* p) {
            const auto at = b.numbers.find(p->name);
            return at == b.numbers.end() ? ~std::uint32_t{0} : at->second;
        };
        std::ranges::sort(ports, [&](const OvsPort* x, const OvsPort* y) {
            if (number(x) != number(y)) return number(x) < number(y);
            return natural_less(x->name, y->name);
        });
        return ports;
    }

    void renamed(const ForeignPlace& place, string_view what, string_view foreign,
                 string_view ours) {
        if (foreign != ours)
            report_.remark(place, format("{} \"{}\" is called {} here", what, foreign, ours));
    }

    void port(const OvsBridge& b, const OvsPort& p, Node& bridge, PortNumbers& numbers,
              std::set<std::uint32_t>& used) {
        const std::string& name = ports_.take(p.name);
        renamed(p.place, "port", p.name, name);
        const auto number = b.numbers.find(p.name);
        const bool numbered = number != b.numbers.end() && used.insert(number->second).second;
        Node node{numbered ? format("port {} {}", name, number->second) : format("port {}", name),
                  Standing::effective, p.place};
        const auto lose = [&](const ForeignPlace& place, std::string text, std::string help = {}) {
            node.standing = Standing::commented_out;
            report_.lost(place, std::move(text), std::move(help));
        };
        if (!placed_.insert(name).second) lose(p.place, format("port \"{}\" is there twice", name));
        if (p.interfaces.size() > 1) {
            lose(p.place,
                 format("port \"{}\" is a bond of {} interfaces", p.name, p.interfaces.size()),
                 "bonds are not supported by this version");
            for (const OvsInterface& i : p.interfaces) node.comment("interface " + i.name);
        } else if (p.interfaces.empty()) {
            lose(p.place, format("port \"{}\" has no interface", p.name));
        } else {
            const OvsInterface& i = p.interfaces.front();
            const DeviceText device = device_of(i, p.name);
            if (!device.usable())
                lose(i.place, format("port \"{}\": {}", p.name, device.fault));
            else if (!devices_.insert(device.text).second)
                lose(i.place, format("port \"{}\": another port has this device", p.name));
            if (device.text != "af-packet " + name && device.text != "tap " + name)
                node.add("device " + device.text);
            else if (device.text.starts_with("tap"))
                node.add("device tap");
            if (!device.usable() && !i.options_text.empty())
                node.comment("options: " + i.options_text);
        }
        vlan(p, node);
        // An interface of the host's own is down until the host sets it up.
        const bool internal = !p.interfaces.empty() && p.interfaces.front().type == "internal";
        if (!internal && std::ranges::find(b.down, p.name) != b.down.end()) node.add("admin down");
        // Flows may name it; without a number any will do for judging them.
        if (node.standing == Standing::effective)
            numbers[name] = PortNo(numbered ? number->second : 1);
        bridge.block.push_back(std::move(node));
    }

    void vlan(const OvsPort& p, Node& port) {
        if (p.tag.empty() && p.trunks.empty()) return;
        Node& node = port.add(p.vlan_place, "vlan");
        std::string trunks = p.trunks;  // `[10, 20]`
        std::erase_if(trunks, [](char c) { return c == '[' || c == ']'; });
        std::ranges::replace(trunks, ',', ' ');
        if (!p.tag.empty()) node.add(format("{} {}", trunks.empty() ? "access" : "native", p.tag));
        if (!trunks.empty()) node.add(format("trunk [ {} ]", trim(trunks)));
    }

    static std::string option(const OvsInterface& i, string_view key) {
        const auto at = i.options.find(key);
        return at == i.options.end() ? std::string() : at->second;
    }

    DeviceText device_of(const OvsInterface& i, string_view port) {
        if (i.type.empty() || i.type == "system") return device_text("af-packet", i.name);
        if (i.type == "internal" || i.type == "tap") return device_text("tap", i.name);
        if (i.type == "patch") return device_text("patch", option(i, "peer"));
        if (i.type == "dpdk") {
            const std::string devargs = option(i, "dpdk-devargs");
            if (devargs.empty()) return {"dpdk", "it has no dpdk-devargs: which device is it?"};
            return dpdk_device_text(devargs);
        }
        if (i.type == "dpdkvhostuserclient")
            return vhost_device_text(port, option(i, "vhost-server-path"), VhostRole::client);
        if (i.type == "dpdkvhostuser") {
            const std::string socket = "/var/run/openvswitch/" + i.name;
            report_.remark(i.place,
                           format("port \"{}\": its socket {} lies in Open vSwitch's "
                                  "directory, which must be there",
                                  port, socket),
                           "or name another one, here and in the virtual machine");
            return vhost_device_text(port, socket, VhostRole::server);
        }
        const std::string remote = option(i, "remote_ip");
        if (!remote.empty()) return device_text(i.type, remote);
        return {i.type, format("interfaces of type {} are not supported by this version", i.type)};
    }

    void controller(const OvsLine& line, Node& bridge) {
        const Target target = target_of(line.text);
        if (target.method == "tcp") {
            if (const auto c = active_target(target.rest))
                return endpoint(line, bridge, "controller " + to_string(*c));
        } else if (target.method == "ptcp") {
            if (const auto l = passive_target(target.rest)) {
                const std::string text = "listen " + to_string(*l);
                if (loopback(*l)) return endpoint(line, bridge, text);
                report_.remark(
                    line.place,
                    format("{}: other hosts reach this address and may change flows", line.text),
                    format("listen tcp:127.0.0.1:{} is for this host alone", l->port));
                return endpoint(line, bridge, text + " { allow-remote }");
            }
        } else if (target.method == "ssl" || target.method == "pssl") {
            bridge.comment("controller " + line.text);
            return report_.lost(line.place, format("controller {}", line.text),
                                "connections to controllers are TCP");
        } else if (target.method == "unix" || target.method == "punix") {
            bridge.comment("controller " + line.text);
            return report_.lost(line.place, format("controller {}", line.text),
                                "connections to controllers are TCP; listen tcp:127.0.0.1:6654 is "
                                "for this host alone");
        }
        bridge.comment("controller " + line.text);
        report_.lost(line.place, format("controller {}: not understood", line.text));
    }

    void endpoint(const OvsLine& line, Node& bridge, const std::string& text) {
        const bool listens = text.starts_with("listen");
        const std::string key = text.substr(0, text.find(" {"));
        if (!(listens ? listens_ : endpoints_).insert(key).second)
            return report_.lost(line.place, format("controller {} is there twice", line.text));
        bridge.add(text);
    }

    void flows(const OvsBridge& b, Node& node, PortNumbers numbers) {
        std::string unnumbered;
        for (const OvsPort* p : in_order(b))
            if (!b.numbers.contains(p->name))
                unnumbered += (unnumbered.empty() ? "" : ", ") + p->name;
        const PortRename rename = [&](string_view foreign) -> std::string {
            if (foreign == "LOCAL") return "LOCAL";
            const std::string& name = ports_.take(foreign);
            // A port that stands in a comment can be named by its number alone.
            const auto number = b.numbers.find(foreign);
            if (numbers.contains(name) || number == b.numbers.end()) return name;
            return format("{}", number->second);
        };
        FlowLines lines(options_.flows, node, report_, numbers);
        for (const OvsLine& line : b.flows) {
            const std::string text = ovs_flow_text(line.text, rename);
            if (!unnumbered.empty() && numbers_a_port(text)) {
                report_.lost(line.place,
                             format("bridge \"{}\": its flows use port numbers, and these texts do "
                                    "not say which number has {}",
                                    b.name, unnumbered),
                             format("add the answer of ovs-ofctl show {}", b.name));
                unnumbered.clear();
            }
            lines.add(line.place, text);
        }
    }

    /// `in_port=3` or `output:3`.
    static bool numbers_a_port(string_view text) {
        for (const string_view word : {"in_port=", "output:"})
            for (std::size_t at = text.find(word); at != string_view::npos;
                 at = text.find(word, at + 1)) {
                const std::size_t next = at + word.size();
                if (next < text.size() && text[next] >= '0' && text[next] <= '9') return true;
            }
        return false;
    }

    const ImportOptions& options_;
    Outline& out_;
    ImportReport& report_;
    NameMap bridges_{kLongestBridgeName};
    NameMap ports_{kLongestPortName};
    std::set<std::uint64_t> dpids_;
    std::set<std::string> placed_;
    std::set<std::string> devices_;
    std::set<std::string> endpoints_;
    std::set<std::string> listens_;
};

}  // namespace

Imported import_ovs(std::span<const OvsText> files, const ImportOptions& options) {
    ImportReport report;
    const std::vector<OvsBridge> bridges = read_ovs(files, report);
    Outline outline;
    Writer(options, outline, report).write(bridges);
    std::string text = print_sound(outline, options.flows, report);
    return {std::move(text), report.take_in_order()};
}

}  // namespace raicho::dsl
