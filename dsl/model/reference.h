// SPDX-License-Identifier: Apache-2.0
// `define NAME VALUE` and `$NAME`: how references are written, and putting values in their place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/syntax/diagnostic.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

/// Whether a text outside single quotes holds `$NAME`, `${NAME}` or `$$` (a plain dollar).
[[nodiscard]] bool has_reference(std::string_view text);
/// `text` so that no `$` in it is a reference.
[[nodiscard]] std::string without_references(std::string_view text);

/// The definitions of a text; they stand at the top, in any order.
class References {
  public:
    explicit References(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// `define NAME VALUE` with its keyword; faults are reported.
    void define(std::span<const Value> statement);
    /// After all of them: a cycle is reported with its chain.
    void resolve_all();
    /// Puts values where a value names definitions; it is marked as made then.
    void resolve(Value& value);
    /// When all is resolved: a warning for each definition that nothing names.
    void warn_unused();

  private:
    enum class State : std::uint8_t { open, busy, done };
    struct Definition {
        std::string name;
        Value value;
        Span span;
        State state = State::open;
        bool used = false;
    };
    void resolve(Definition& definition);
    Definition* find(const Value& value, std::string_view name);
    void resolve_text(Value& value);
    bool spend(std::size_t bytes, Span span);

    Diagnostics& diagnostics_;
    std::map<std::string, Definition, std::less<>> definitions_;
    std::vector<std::string> chain_;
    std::size_t spent_ = 0;  // definitions could double each other
};

/// The same for a whole tree, `define` left in place.
void resolve_references(Tree& tree, Diagnostics& diagnostics);

}  // namespace raicho::dsl
