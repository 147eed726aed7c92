// SPDX-License-Identifier: Apache-2.0
// The lossless tree of a configuration text: statements with their values and blocks over the
// tokens, comments and blanks included. Knows no names: what they mean is dsl/model's business.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/syntax/lexer.h"
#include "dsl/syntax/source.h"

namespace raicho::dsl {

/// Tokens [first, last) of Tree::tokens.
struct TokenRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

enum class ValueKind : std::uint8_t { word, text, list };

/// A word, a quoted text (`text` without quotes and escapes) or a list of both.
struct Value {
    ValueKind kind = ValueKind::word;
    Span span;
    std::string text;
    std::vector<Value> items{};
    bool literal = false;  // a text in single quotes
    bool made = false;     // from definitions: `text` is not what stands in the source
};

struct Statement;

/// What stands between braces; the file itself is one without braces.
struct Block {
    Span span;          // with its braces
    TokenRange tokens;  // the same
    std::vector<Statement> statements;
};

enum class Activity : bool { active, inactive };

/// `keyword value value { … };` The keyword is values[0], which is always a word. A statement with
/// the word `inactive` before it says what it says and is not in force.
struct Statement {
    TokenRange tokens;  // from the keyword to before the end (`;`, newline, brace)
    Span span;          // first word to the last value, without the block
    Activity activity = Activity::active;
    std::vector<Value> values;
    std::unique_ptr<Block> block;
    bool sound = true;  // false: a fault in it was reported, its values are not complete
    [[nodiscard]] const Value& keyword() const { return values.front(); }
};

struct Tree {
    std::shared_ptr<const Source> source;
    std::vector<Token> tokens;
    Block root;
};

/// The text again, from the tree: blocks and statements inside, loose tokens between them.
/// print(parse(x)) == x for every x.
[[nodiscard]] std::string print(const Tree& tree);

/// A stretch of a value's text and where it stands in the source (escapes make several).
struct Stretch {
    std::uint32_t text = 0;
    std::uint32_t source = 0;
    std::uint32_t length = 0;
};
/// Where the bytes of value.text stand in the source, in order and without gaps in `text`.
[[nodiscard]] std::vector<Stretch> stretches(const Value& value, const Source& source);

/// `text` as it must be written to be one value: bare when it can be, else in quotes.
[[nodiscard]] std::string quoted_if_needed(std::string_view text);
/// `text` in double quotes with escapes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace raicho::dsl
