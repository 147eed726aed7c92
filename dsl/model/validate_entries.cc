// SPDX-License-Identifier: Apache-2.0
// The texts of flows, groups and meters: has them judged and says where in the source a fault is.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dsl/model/validate.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

namespace {

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

Targets targets_of(const BridgeConfig& b) {
    Targets targets;
    for (const GroupConfig& g : b.groups) targets.groups.push_back(group_text(g));
    for (const MeterConfig& m : b.meters) targets.meters.push_back(m.id);
    for (const PortConfig& p : b.ports)
        for (const QueueConfig& q : p.egress) targets.queues.push_back(q.id);
    targets.n_tables = b.max_tables.value_or(255);
    return targets;
}

/// The entries of one bridge.
class EntryCheck {
  public:
    EntryCheck(const BridgeConfig& bridge, const FlowChecker& checker, Diagnostics& diagnostics)
        : bridge_(bridge),
          names_(bridge),
          judge_(checker(targets_of(bridge),
                         [this](std::string_view name) { return names_.find(name); })),
          diagnostics_(diagnostics) {}
    EntryCheck(const EntryCheck&) = delete;
    EntryCheck& operator=(const EntryCheck&) = delete;

    void run() {
        for (const GroupConfig& g : bridge_.groups) {
            if (!g.type && g.text.empty()) continue;  // that was said
            const std::string text = group_text(g);
            if (const auto fault = judge(EntryKind::group, text))
                diagnostics_.error(within(g.place, text, *fault),
                                   format("group {}: {}", g.id, fault->text), names_.help(*fault));
        }
        for (const MeterConfig& m : bridge_.meters) {
            const std::string text = meter_text(m);
            if (const auto fault = judge(EntryKind::meter, text))
                diagnostics_.error(within(m.place, text, *fault),
                                   format("meter {}: {}", m.id, fault->text), fault->hint);
        }
        for (const FlowConfig& f : bridge_.flows) {
            const auto fault = judge(EntryKind::flow, f.text);
            if (!fault) continue;
            Place place = f.place;
            if (place.line != 0)
                place = diagnostics_.source().place(f.locate(fault->offset, fault->length));
            diagnostics_.error(place, format("flow: {}", fault->text), names_.help(*fault));
        }
    }

  private:
    std::optional<FlowFault> judge(EntryKind kind, std::string_view text) {
        names_.forget();
        return judge_(kind, text);
    }

    /// Where the faulty word stands in the statement; the statement where it stands in other words.
    [[nodiscard]] Place within(const Place& statement, std::string_view text,
                               const FlowFault& fault) const {
        if (statement.line == 0 || fault.length == text.size()) return statement;
        const std::string_view word = text.substr(fault.offset, fault.length);
        std::string_view source = diagnostics_.source().text({statement.span.offset, ~0u});
        // An entry that was written as such a text stands there as it is.
        if (const std::size_t whole = source.substr(0, statement.span.length).find(text);
            whole != std::string_view::npos)
            return diagnostics_.source().place(
                {static_cast<std::uint32_t>(statement.span.offset + whole + fault.offset),
                 static_cast<std::uint32_t>(std::max<std::size_t>(word.size(), 1))});
        // The statement's place is its head; its block ends with the first brace.
        source = source.substr(0, source.find('}'));
        const std::size_t at = source.find(word);
        if (word.empty() || at == std::string_view::npos) return statement;
        return diagnostics_.source().place({static_cast<std::uint32_t>(statement.span.offset + at),
                                            static_cast<std::uint32_t>(word.size())});
    }

    const BridgeConfig& bridge_;
    PortNames names_;
    EntryJudge judge_;
    Diagnostics& diagnostics_;
};

}  // namespace

void validate_entries(const Config& config, const FlowChecker& checker, Diagnostics& diagnostics) {
    if (!checker) return;
    for (const BridgeConfig& b : config.bridges) EntryCheck(b, checker, diagnostics).run();
}

}  // namespace raicho::dsl
