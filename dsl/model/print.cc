// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/print.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/model/reference.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

namespace {

class Printer {
  public:
    std::string take() { return std::move(out_); }

    void top(const Config& config) {
        single("system", &config.system);
        single("log", &config.log);
        single("agent", &config.agent);
        single("dataplane", &config.dataplane);
        single("api", &config.api);
        std::vector<const BridgeConfig*> bridges;
        for (const BridgeConfig& b : config.bridges) bridges.push_back(&b);
        std::ranges::sort(bridges, natural_less, &BridgeConfig::name);
        for (const BridgeConfig* b : bridges) bridge(*b);
    }

    void bridge(const BridgeConfig& b) {
        if (!out_.empty()) out_ += '\n';
        open("bridge " + b.name);
        settings("bridge", &b);
        mac_table(b);
        if (b.local) object("local", "bridge local", &*b.local);
        std::vector<const PortConfig*> ports;
        for (const PortConfig& p : b.ports) ports.push_back(&p);
        std::ranges::sort(ports, natural_less, &PortConfig::name);
        for (const PortConfig* p : ports) port(*p);
        for (const ControllerConfig& c : b.controllers)
            object("controller " + to_string(c), "bridge controller", &c);
        for (const ListenConfig& l : b.listens)
            object("listen " + to_string(l), "bridge listen", &l);
        for (const MeterConfig& m : b.meters) entry("meter", m);
        for (const GroupConfig& g : b.groups) entry("group", g);
        for (const FlowConfig& f : b.flows) flow(f);
        close();
    }

  private:
    void line(std::string_view text) {
        out_.append(depth_ * 4, ' ');
        out_ += text;
        out_ += '\n';
    }
    void open(std::string_view head) {
        line(format("{} {{", head));
        ++depth_;
    }
    void close() {
        --depth_;
        line("}");
    }

    /// Settings of the object that are not the default, in the order of the table.
    std::vector<std::string> setting_lines(std::string_view path, const void* object) {
        std::vector<std::string> lines;
        for (const Row& r : children(path)) {
            if (r.type == Type::block) continue;
            std::vector<Parsed> values;
            r.access.get(object, values);
            for (const Parsed& v : values) {
                const std::string text = format_value(r, v);
                lines.push_back(text.empty() ? std::string(r.name) : format("{} {}", r.name, text));
            }
        }
        return lines;
    }
    void settings(std::string_view path, const void* object) {
        for (const std::string& l : setting_lines(path, object)) line(l);
    }
    /// With braces when there is something to put into them.
    void object(std::string_view head, std::string_view path, const void* object) {
        const std::vector<std::string> lines = setting_lines(path, object);
        if (lines.empty()) return line(head);
        open(head);
        for (const std::string& l : lines) line(l);
        close();
    }
    /// An object at the top, left out when it says nothing.
    void single(std::string_view name, const void* object) {
        const std::vector<std::string> lines = setting_lines(name, object);
        if (lines.empty()) return;
        open(name);
        for (const std::string& l : lines) line(l);
        close();
    }

    void mac_table(const BridgeConfig& b) {
        const std::vector<std::string> lines = setting_lines("bridge mac-table", &b);
        if (lines.empty() && b.mac_statics.empty()) return;
        open("mac-table");
        for (const std::string& l : lines) line(l);
        for (const StaticMac& m : b.mac_statics)
            object("static " + raicho::to_string(m.mac), "bridge mac-table static", &m);
        close();
    }

    void port(PortConfig p) {
        const bool by_name =
            p.device.kind == DeviceKind::af_packet || p.device.kind == DeviceKind::tap;
        if (by_name && p.device.name == p.name) p.device.name.clear();
        std::string head = "port " + p.name;
        if (p.number) head += format(" {}", p.number->value());
        p.number.reset();
        const std::vector<std::string> lines = setting_lines("bridge port", &p);
        if (lines.empty() && !p.vlan && !p.policer && p.egress.empty()) return line(head);
        open(head);
        for (const std::string& l : lines) line(l);
        if (p.vlan) object("vlan", "bridge port vlan", &*p.vlan);
        if (p.policer) object("policer", "bridge port policer", &*p.policer);
        for (const QueueConfig& q : p.egress)
            object(format("queue {}", q.id), "bridge port queue", &q);
        close();
    }

    template <class Entry>
    void entry(std::string_view what, const Entry& e) {
        if (e.text.empty())
            object(format("{} {}", what, e.id), format("bridge {}", what), &e);
        else
            line(format("{} {}", what, quoted(without_references(e.text))));
    }

    void flow(const FlowConfig& f) {
        if (f.parts)
            object("flow " + f.name, "bridge flow", &*f.parts);
        else
            line("flow " + quoted(without_references(f.text)));
    }

    std::string out_;
    std::size_t depth_ = 0;
};

}  // namespace

std::string print(const Config& config) {
    Printer printer;
    printer.top(config);
    return printer.take();
}

std::string print(const BridgeConfig& bridge) {
    Printer printer;
    printer.bridge(bridge);
    return printer.take();
}

}  // namespace raicho::dsl
