// SPDX-License-Identifier: Apache-2.0
// What the importers' tests share: a flow checker that knows a few words, and reports as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dsl/import/import.h"
#include "tests/unit/dsl/each_text.h"

namespace raicho::dsl {

/// Refuses flows with `gre_key` or `ct(`, and output to a port by a name that is not known.
inline std::optional<FlowFault> judge(std::string_view text, const PortByName& ports) {
    for (const std::string_view word : {"gre_key", "ct("})
        if (const std::size_t at = text.find(word); at != std::string_view::npos)
            return FlowFault{"unknown word", "leave it out", at, word.size()};
    constexpr std::string_view kOutput = "output:p";
    if (const std::size_t at = text.find(kOutput); at != std::string_view::npos) {
        const std::size_t from = at + kOutput.size() - 1;
        const std::string_view name = text.substr(from, text.find(',', from) - from);
        if (!ports(name)) return FlowFault{"unknown port", "", from, name.size()};
    }
    return std::nullopt;
}

inline ImportOptions judged() {
    ImportOptions options;
    options.flows = each_text(judge);
    return options;
}

inline Imported lagopus(std::string text) {
    const ForeignText file{"a.dsl", std::move(text)};
    return import_lagopus({&file, 1}, judged());
}

inline Imported ovs(std::string text) {
    const OvsText file{{"o.txt", std::move(text)}, {}};
    return import_ovs({&file, 1}, judged());
}

/// The text has this line, whatever its depth.
inline bool has_line(const Imported& imported, std::string_view line) {
    for (std::string_view rest = imported.text; !rest.empty();) {
        const std::size_t end = rest.find('\n');
        std::string_view one = rest.substr(0, end);
        one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
        if (one == line) return true;
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return false;
}

}  // namespace raicho::dsl
