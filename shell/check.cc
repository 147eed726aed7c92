// SPDX-License-Identifier: Apache-2.0
#include "shell/check.h"

#include <algorithm>

#include "base/text.h"
#include "dsl/model/checker_by.h"
#include "openflow/entry_judge.h"

namespace raicho::shell {

dsl::FlowChecker flow_checker() {
    return dsl::checker_by<openflow::EntryJudge>();
}

void write_lines(std::string_view text, LineSink& out) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (const std::string_view line : split(text, '\n'))
        if (out.line(line) == Want::no_more) return;
}

std::expected<void, Failure> check_file(const std::string& path, LineSink& out) {
    const dsl::Checked checked = dsl::check_file(path, flow_checker());
    if (!checked.ok())
        return std::unexpected(
            Failure{ExitCode::refused, format("{}: refused", path), {}, 0, 0, checked.report()});
    if (const std::string warnings = checked.report(); !warnings.empty())
        write_lines(warnings, out);
    std::size_t n_ports = 0;
    for (const dsl::BridgeConfig& bridge : checked.config.bridges) n_ports += bridge.ports.size();
    const std::size_t n_bridges = checked.config.bridges.size();
    out.line(format("{}: good, {} bridge{}, {} port{}", path, n_bridges, n_bridges == 1 ? "" : "s",
                    n_ports, n_ports == 1 ? "" : "s"));
    return {};
}

}  // namespace raicho::shell
