// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/flow_line.h"

#include "base/text.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

namespace {

bool printable(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~')
            return false;
    return true;
}

}  // namespace

void FlowLines::add(const ForeignPlace& place, const std::string& text) {
    if (!seen_.insert(text).second) return;
    std::optional<FlowFault> fault;
    if (!printable(text)) {
        fault = FlowFault{"it has bytes that no flow text can have", "", 0, 1};
    } else if (checker_) {
        const PortByName by_name = [this](std::string_view name) -> std::optional<PortNo> {
            const auto at = ports_.find(name);
            if (at == ports_.end()) return std::nullopt;
            return at->second;
        };
        fault = checker_({}, by_name)(EntryKind::flow, text);
    }
    Outline::Node node{"flow " + quoted(text), Standing::effective, place};
    if (fault) {
        node.standing = Standing::commented_out;
        std::string shown = text;
        constexpr std::size_t kShown = 300;
        if (shown.size() > kShown) shown = shown.substr(0, kShown) + "…";
        report_.lost(place, format("flow: {}: {}", fault->text, printable(shown) ? shown : "?"),
                     fault->hint);
    }
    bridge_.block.push_back(std::move(node));
}

}  // namespace raicho::dsl
