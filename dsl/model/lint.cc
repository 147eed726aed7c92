// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/lint.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace raicho::dsl {

namespace {

constexpr std::size_t kTables = 255;

/// A flow with its place and what it means.
struct Flow {
    const FlowConfig* config = nullptr;
    FlowFacts facts;
};

std::string bytes(const FieldValue& value) {
    return {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()};
}
FieldValue masked(const FieldValue& value, const FieldValue& mask) {
    FieldValue out;
    for (std::size_t i = 0; i < out.bytes.size(); ++i)
        out.bytes[i] = value.bytes[i] & mask.bytes[i];
    return out;
}
bool within(const FieldValue& mask, const FieldValue& wider) {
    return masked(mask, wider) == mask;
}

/// Flows of one table by the shape of their match, to find one that covers another.
class Cover {
  public:
    void add(const Flow& flow) {
        std::string shape;
        std::string value;
        for (const FlowFacts::Matched& m : flow.facts.match) {
            shape += static_cast<char>(m.field);
            shape += bytes(m.mask);
            value += bytes(masked(m.value, m.mask));
        }
        Shape& s = shapes_[shape];
        if (s.flows.empty()) s.match = flow.facts.match;
        s.flows[value].push_back(&flow);
    }
    /// The flow that takes every packet of `flow` before it, or nullptr.
    [[nodiscard]] const Flow* above(const Flow& flow) const {
        for (const auto& [key, shape] : shapes_) {
            const auto value = shape.project(flow.facts);
            if (!value) continue;
            const auto at = shape.flows.find(*value);
            if (at == shape.flows.end()) continue;
            for (const Flow* other : at->second)
                if (other->facts.priority > flow.facts.priority) return other;
        }
        return nullptr;
    }
    /// A flow before this one with the same match and priority: the later one replaces it.
    [[nodiscard]] const Flow* twin(const Flow& flow) const {
        for (const auto& [key, shape] : shapes_) {
            if (shape.match.size() != flow.facts.match.size()) continue;
            const auto value = shape.project(flow.facts);
            if (!value || !shape.same_masks(flow.facts)) continue;
            const auto at = shape.flows.find(*value);
            if (at == shape.flows.end()) continue;
            for (const Flow* other : at->second)
                if (other != &flow && other->facts.priority == flow.facts.priority) return other;
        }
        return nullptr;
    }

  private:
    struct Shape {
        std::vector<FlowFacts::Matched> match;
        std::unordered_map<std::string, std::vector<const Flow*>> flows;

        static const FlowFacts::Matched* find(const FlowFacts& facts, Field field) {
            const auto at = std::ranges::find(facts.match, field, &FlowFacts::Matched::field);
            return at == facts.match.end() ? nullptr : &*at;
        }
        /// The flow's values under the shape's masks, when it fixes all those bits.
        [[nodiscard]] std::optional<std::string> project(const FlowFacts& facts) const {
            std::string out;
            for (const FlowFacts::Matched& m : match) {
                const FlowFacts::Matched* own = find(facts, m.field);
                if (own == nullptr || !within(m.mask, own->mask)) return std::nullopt;
                out += bytes(masked(own->value, m.mask));
            }
            return out;
        }
        [[nodiscard]] bool same_masks(const FlowFacts& facts) const {
            return std::ranges::all_of(match, [&](const FlowFacts::Matched& m) {
                const FlowFacts::Matched* own = find(facts, m.field);
                return own != nullptr && own->mask == m.mask;
            });
        }
    };
    std::map<std::string, Shape> shapes_;
};

class Linter {
  public:
    Linter(const Config& config, const FlowFactsOf& facts, Diagnostics& diagnostics)
        : config_(config), facts_(facts), diagnostics_(diagnostics) {}

    void run() {
        for (const BridgeConfig& b : config_.bridges) bridge(b);
    }

  private:
    void warning(const Place& place, std::string text, std::string help = {}) {
        diagnostics_.warning(place, std::move(text), std::move(help));
    }
    [[nodiscard]] std::string where(const Place& place) const {
        return place.line == 0 ? std::string() : diagnostics_.source().where(place.span);
    }
    static std::string called(const Flow& flow) {
        const FlowConfig& f = *flow.config;
        return f.name.empty() ? "this flow" : format("flow \"{}\"", f.name);
    }

    void bridge(const BridgeConfig& b) {
        mtus(b);
        const std::vector<Flow> flows = read(b);
        if (flows.empty()) return;
        std::array<Cover, kTables> tables;
        for (const Flow& f : flows) tables[f.facts.table].add(f);
        for (const Flow& f : flows) shadowed(f, tables[f.facts.table]);
        jumps(b, flows);
        miss(b, flows);
        unused_ports(b, flows);
    }

    std::vector<Flow> read(const BridgeConfig& b) const {
        std::vector<Flow> out;
        if (!facts_) return out;
        std::unordered_map<std::string_view, PortNo> numbers;
        for (const PortConfig& p : b.ports)
            if (p.number) numbers.emplace(p.name, *p.number);
        const PortByName by_name = [&](std::string_view name) -> std::optional<PortNo> {
            const auto at = numbers.find(name);
            if (at == numbers.end()) return std::nullopt;
            return at->second;
        };
        for (const FlowConfig& f : b.flows)
            if (auto facts = facts_(f.text, by_name); facts && facts->table < kTables)
                out.push_back({&f, std::move(*facts)});
        return out;
    }

    void shadowed(const Flow& flow, const Cover& cover) {
        if (const Flow* other = cover.above(flow))
            return warning(flow.config->place,
                           format("{} is never reached: a flow of priority {} takes all of its "
                                  "packets",
                                  called(flow), other->facts.priority),
                           "the other one is at " + where(other->config->place));
        const Flow* twin = cover.twin(flow);
        if (twin == nullptr || twin->config > flow.config) return;
        warning(flow.config->place,
                format("{} replaces one of the same table, priority and match", called(flow)),
                "the other one is at " + where(twin->config->place));
    }

    void jumps(const BridgeConfig& b, const std::vector<Flow>& flows) {
        std::array<bool, kTables> reached{};
        reached[0] = true;
        for (const Flow& f : flows) {
            if (!f.facts.goto_table) continue;
            if (*f.facts.goto_table <= f.facts.table)
                warning(f.config->place,
                        format("{} goes from table {} back to table {}", called(f), f.facts.table,
                               *f.facts.goto_table),
                        "a packet may only go to a table with a higher number");
            else if (*f.facts.goto_table < kTables)
                reached[*f.facts.goto_table] = true;
        }
        if (!alone(b)) return;  // a controller may add what leads there
        std::array<bool, kTables> told{};
        for (const Flow& f : flows)
            if (!reached[f.facts.table] && !std::exchange(told[f.facts.table], true))
                warning(f.config->place, format("no flow leads to table {}", f.facts.table),
                        format("a flow of a lower table must say goto_table:{}", f.facts.table));
    }

    /// Nobody but this configuration makes flows.
    static bool alone(const BridgeConfig& b) { return b.controllers.empty() && b.listens.empty(); }

    void miss(const BridgeConfig& b, const std::vector<Flow>& flows) {
        if (b.controllers.empty() || b.effective_fail_mode() != FailMode::secure) return;
        if (std::ranges::any_of(flows, [](const Flow& f) {
                return f.facts.table == 0 && f.facts.priority == 0 && f.facts.match.empty();
            }))
            return;
        warning(
            b.controllers.front().place,
            format("bridge \"{}\" has no table-miss entry: its controllers see no packet unless "
                   "they add one",
                   b.name),
            "flow miss { priority 0; actions CONTROLLER }");
    }

    void unused_ports(const BridgeConfig& b, const std::vector<Flow>& flows) {
        if (!alone(b) || b.effective_fail_mode() != FailMode::secure) return;
        if (std::ranges::any_of(flows, [](const Flow& f) { return f.facts.every_port; })) return;
        for (const PortConfig& p : b.ports) {
            const bool used = std::ranges::any_of(flows, [&](const Flow& f) {
                return std::ranges::find(f.facts.ports, *p.number) != f.facts.ports.end();
            });
            if (!used)
                warning(p.place,
                        format("port \"{}\" is in no flow: nothing is sent to it", p.name));
        }
    }

    void mtus(const BridgeConfig& b) {
        const PortConfig* largest = nullptr;
        for (const PortConfig& p : b.ports)
            if (p.mtu && (largest == nullptr || *p.mtu > *largest->mtu)) largest = &p;
        if (largest == nullptr) return;
        for (const PortConfig& p : b.ports)
            if (p.mtu && *p.mtu < *largest->mtu)
                warning(p.place,
                        format("port \"{}\" has mtu {} and port \"{}\" mtu {}: larger packets are "
                               "dropped between them",
                               p.name, *p.mtu, largest->name, *largest->mtu));
    }

    const Config& config_;
    const FlowFactsOf& facts_;
    Diagnostics& diagnostics_;
};

}  // namespace

void lint(Checked& checked, const FlowFactsOf& facts) {
    Diagnostics diagnostics(*checked.source);
    for (const Diagnostic& d : checked.diagnostics)
        diagnostics.warning({d.span, d.line, d.column}, d.text, d.help);
    Config numbered = checked.config;
    assign_port_numbers(numbered, {});
    Linter(numbered, facts, diagnostics).run();
    checked.diagnostics = diagnostics.take();
}

}  // namespace raicho::dsl
