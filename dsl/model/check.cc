// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/check.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "dsl/model/build.h"
#include "dsl/model/reference.h"
#include "dsl/model/validate.h"
#include "dsl/syntax/parser.h"

namespace raicho::dsl {

namespace {

void forget_places(Config& config) {
    for (BridgeConfig& b : config.bridges) {
        b.place = {};
        if (b.local) b.local->place = {};
        for (PortConfig& p : b.ports) {
            p.place = {};
            if (p.vlan) p.vlan->place = {};
            if (p.policer) p.policer->place = {};
            for (QueueConfig& q : p.egress) q.place = {};
        }
        for (ControllerConfig& c : b.controllers) c.place = {};
        for (ListenConfig& l : b.listens) l.place = {};
        for (FlowConfig& f : b.flows) f.place = {};
        for (GroupConfig& g : b.groups) g.place = {};
        for (MeterConfig& m : b.meters) m.place = {};
        for (StaticMac& m : b.mac_statics) m.place = {};
    }
}

/// A check's result that is one error without a place.
Checked refused(std::string file, std::string text, std::string help = {}) {
    Checked out;
    out.source = std::make_shared<const Source>(std::move(file), "");
    Diagnostics diagnostics(*out.source);
    diagnostics.error(Place{}, std::move(text), std::move(help));
    out.n_errors = 1;
    out.diagnostics = diagnostics.take();
    return out;
}

/// Moves what was found in `prefix + text + suffix` to where it stands in `text`; what lies before
/// it belongs to no place.
void shift(Checked& out, std::size_t prefix, std::string text) {
    const auto before = static_cast<std::uint32_t>(prefix);
    auto source = std::make_shared<const Source>(out.source->file(), std::move(text));
    const auto size = static_cast<std::uint32_t>(source->text().size());
    for (Diagnostic& d : out.diagnostics) {
        if (d.line == 0) continue;
        if (d.span.offset < before) {
            d.line = d.column = 0;
            continue;
        }
        d.span.offset = std::min(d.span.offset - before, size);
        const Position at = source->position(d.span.offset);
        d.line = at.line;
        d.column = at.column;
    }
    out.source = std::move(source);
}

}  // namespace

bool Checked::ok() const {
    return std::ranges::none_of(diagnostics,
                                [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string Checked::report() const {
    std::string out = to_text(diagnostics, *source);
    if (n_errors > kMaxDiagnostics)
        out += format("{}: {} errors, the first {} are shown\n", source->file(), n_errors,
                      kMaxDiagnostics);
    return out;
}

Checked check_merge(const Config& base, std::string text, std::string file,
                    const FlowChecker& flows, const FileReader& files) {
    if (text.size() > kMaxTextSize)
        return refused(std::move(file),
                       format("{} bytes are too large for a configuration", text.size()),
                       format("at most {} bytes", kMaxTextSize));
    Checked out;
    const auto source = std::make_shared<Source>(std::move(file), std::move(text));
    out.source = source;
    out.config = base;
    forget_places(out.config);
    Diagnostics diagnostics(*source);
    Tree tree = parse(source, diagnostics);
    include_files(tree, source, files, diagnostics);
    resolve_references(tree, diagnostics);
    build(tree, out.config, diagnostics);
    validate(out.config, diagnostics);
    Config numbered = out.config;
    assign_port_numbers(numbered, {});
    validate_entries(numbered, flows, diagnostics);
    out.n_errors = diagnostics.n_errors();
    out.diagnostics = diagnostics.take();
    return out;
}

Checked check_config(Config config, const FlowChecker& flows) {
    return check_merge(config, "", "configuration", flows);
}

Checked check(std::string text, std::string file, const FlowChecker& flows,
              const FileReader& files) {
    return check_merge({}, std::move(text), std::move(file), flows, files);
}

Checked check_add_port(const Config& base, std::string_view bridge, std::string_view name,
                       std::string options, const FlowChecker& flows) {
    constexpr std::string_view kFile = "port";
    const BridgeConfig* known = base.find_bridge(bridge);
    if (known == nullptr) {
        std::vector<std::string_view> names;
        for (const BridgeConfig& b : base.bridges) names.push_back(b.name);
        const auto near = did_you_mean(bridge, names);
        return refused(std::string(kFile), format("bridge \"{}\" is not defined", bridge),
                       near            ? format("did you mean \"{}\"?", *near)
                       : names.empty() ? "no bridge is defined"
                                       : format("defined here: {}", fmt::join(names, ", ")));
    }
    if (known->find_port(name) != nullptr)
        return refused(std::string(kFile),
                       format("port \"{}\" is in bridge \"{}\" already", name, bridge));
    const std::string_view said = trim(options);
    const bool whole = said.empty() || said.front() == '{' || (said[0] >= '0' && said[0] <= '9');
    const std::string prefix =
        format("bridge {} {{ port {} {}", bridge, quoted_if_needed(name), whole ? "" : "{ ");
    Checked out =
        check_merge(base, prefix + options + (whole ? "\n}" : "\n}\n}"), std::string(kFile), flows);
    shift(out, prefix.size(), std::move(options));
    return out;
}

Checked check_file(const std::string& path, const FlowChecker& flows) {
    auto text = read_file(path);
    if (!text) return refused(path, std::move(text.error()));
    return check(std::move(*text), path, flows, disk_files());
}

}  // namespace raicho::dsl
