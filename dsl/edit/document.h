// SPDX-License-Identifier: Apache-2.0
// A configuration text as statements that can be changed: comments belong to statements, layout is
// made anew when it is printed. What every tool of dsl/edit works on. Neighbours: dsl/syntax/tree.h
// is the lossless tree it is read from, scheme.h says what statements mean.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/edit/refusal.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

/// One statement. Values that were read keep their places in the source they came from.
struct Node {
    std::vector<Value> values;  // the keyword first
    Activity activity = Activity::active;
    bool braces = false;
    bool one_line = false;             // its block stood on one line
    std::vector<Node> nodes{};         // of its block
    std::vector<std::string> above{};  // comments before it; an empty one is an empty line
    std::string beside{};              // comment behind it
    std::uint32_t beside_column = 0;   // where that one began, from 0
    std::string brace_beside{};        // comment behind its {
    std::uint32_t brace_column = 0;
    std::vector<std::string> tail{};  // comments before its }

    [[nodiscard]] const Value& keyword() const { return values.front(); }
};

/// A whole text; `nodes` and `tail` of the root are used.
struct Document {
    std::shared_ptr<const Source> source;
    Node root;
};

/// The text's statements; a text with faults of syntax is refused.
[[nodiscard]] OrRefusal<Document> read_document(std::string text, std::string file);
/// Statements of a tree without faults.
[[nodiscard]] Document to_document(const Tree& tree);

/// The findings as a refusal, with lines of their source. `diagnostics` has failed.
[[nodiscard]] std::unexpected<Refusal> refuse(Diagnostics& diagnostics,
                                              std::size_t command = Refusal::kText);

/// Width that one-line blocks and lists are laid out for.
inline constexpr std::size_t kWidth = 100;

/// Statements laid out from `depth` on, each line with its end.
[[nodiscard]] std::string lay_out(const std::vector<Node>& nodes, std::size_t depth = 0);
/// The whole text laid out.
[[nodiscard]] std::string lay_out(const Document& document);
/// Keyword and values as they are written, without block: `port p1 1`.
[[nodiscard]] std::string head_of(const Node& node);
[[nodiscard]] std::string written(const Value& value);

}  // namespace raicho::dsl
