// SPDX-License-Identifier: Apache-2.0
#include "agent/config/texts.h"

#include <utility>

#include "agent/config/flow_check.h"
#include "base/text.h"
#include "dsl/edit/edit.h"
#include "dsl/edit/forms.h"
#include "dsl/edit/include.h"
#include "dsl/syntax/tree.h"

namespace raicho::agent::config {

namespace {

/// Commands that write down the numbers of ports that `said` does not number.
std::vector<std::string> numbering(const dsl::Config& said, const dsl::Config& numbered) {
    std::vector<std::string> commands;
    for (const dsl::BridgeConfig& b : said.bridges) {
        const dsl::BridgeConfig* with = numbered.find_bridge(b.name);
        for (const dsl::PortConfig& p : b.ports) {
            if (p.number) continue;
            commands.push_back(format("set bridge {} port {} number {}",
                                      dsl::quoted_if_needed(b.name), dsl::quoted_if_needed(p.name),
                                      with->find_port(p.name)->number->value()));
        }
    }
    return commands;
}

}  // namespace

std::expected<Candidate, CommitFailure> candidate_of(const std::string& text,
                                                     const std::string& file,
                                                     const dsl::Config& running,
                                                     const dsl::FileReader& files) {
    dsl::Checked checked = dsl::check(text, file, flow_checker(), files);
    if (!checked.ok()) return std::unexpected(failure_of(std::move(checked)));
    Candidate candidate{{}, checked.config, std::move(checked.diagnostics)};
    dsl::assign_port_numbers(candidate.config, running);
    auto whole = dsl::expand(text, file, files);
    if (!whole) return std::unexpected(failure_of(std::move(whole.error())));
    auto canonical = dsl::convert(*whole, file, dsl::Form::conf, dsl::Form::conf);
    if (!canonical) return std::unexpected(failure_of(std::move(canonical.error())));
    const std::vector<std::string> commands = numbering(checked.config, candidate.config);
    if (commands.empty()) {
        candidate.text = std::move(*canonical);
        return candidate;
    }
    auto numbered = dsl::edit(*canonical, commands);
    if (!numbered) return std::unexpected(failure_of(std::move(numbered.error())));
    candidate.text = std::move(*numbered);
    return candidate;
}

}  // namespace raicho::agent::config
