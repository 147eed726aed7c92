// SPDX-License-Identifier: Apache-2.0
// What the language's tests share: short ways from text to result, and a stand-in for the flow
// checker (dsl may not see openflow).
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "dsl/model/check.h"
#include "dsl/syntax/parser.h"
#include "tests/unit/dsl/each_text.h"

namespace raicho::dsl {

struct Parsing {
    std::shared_ptr<const Source> source;
    Tree tree;
    std::vector<Diagnostic> diagnostics;
    [[nodiscard]] std::string report() const { return to_text(diagnostics, *source); }
};

inline Parsing parse_text(std::string text) {
    Parsing p;
    p.source = std::make_shared<const Source>("t.conf", std::move(text));
    Diagnostics diagnostics(*p.source);
    p.tree = parse(p.source, diagnostics);
    p.diagnostics = diagnostics.take();
    return p;
}

/// Looks for `output:NAME`, `in_port=NAME` and the word `prioriti`; enough to see offsets travel.
inline FlowChecker toy_checker() {
    return each_text(
        [](std::string_view text, const PortByName& ports) -> std::optional<FlowFault> {
            if (const auto at = text.find("prioriti="); at != std::string_view::npos)
                return FlowFault{"unknown field \"prioriti\"", "did you mean \"priority\"?", at, 8};
            for (const std::string_view key : {"output:", "in_port="}) {
                const std::size_t at = text.find(key);
                if (at == std::string_view::npos) continue;
                const std::size_t begin = at + key.size();
                const std::size_t end = std::min(text.find_first_of(", ", begin), text.size());
                const std::string_view name = text.substr(begin, end - begin);
                if (name.find_first_not_of("0123456789") == std::string_view::npos) continue;
                if (!ports(name))
                    return FlowFault{"unknown port \"" + std::string(name) + "\"", "", begin,
                                     name.size()};
            }
            return std::nullopt;
        });
}

inline Checked check_text(std::string text) {
    return check(std::move(text), "t.conf", toy_checker());
}

inline std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string data(const std::string& name) {
    return std::string(RAICHO_SOURCE_DIR) + "/tests/unit/dsl/data/" + name;
}

}  // namespace raicho::dsl
