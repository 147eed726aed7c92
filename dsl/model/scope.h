// SPDX-License-Identifier: Apache-2.0
// Reading the statements of one block by the schema: settings go to the object's members, objects
// to the caller. Also what every object's reader needs: duplicates, heads, faults.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dsl/model/schema.h"
#include "dsl/model/value.h"
#include "dsl/syntax/diagnostic.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

using OnObject = std::function<void(const Row&, const Statement&)>;
/// Statements of a block by their rows, in the order of the text.
using OnSetting = std::function<void(const Row&, const Statement&)>;

class Scopes {
  public:
    Scopes(const Source& source, Diagnostics& diagnostics)
        : source_(source), diagnostics_(diagnostics) {}

    [[nodiscard]] const Source& source() const { return source_; }
    void error(Span span, std::string text, std::string help = {}) {
        diagnostics_.error(span, std::move(text), std::move(help));
    }

    [[nodiscard]] std::size_t n_errors() const { return diagnostics_.n_errors(); }

    /// Reads a block: settings into `owner` (the struct of that path), objects to `on_object`.
    /// `on_setting` is told of every setting that was taken.
    void read(const Block& block, std::string_view path, void* owner, const OnObject& on_object,
              const OnSetting& on_setting = {});

    /// Whether the thing `key` is seen for the first time; else an error that says where it is
    /// defined. `what` names it for people.
    bool first(const std::string& key, Span span, std::string_view what);

    /// Checks the number of values after an object's keyword: at least one, at most `most`.
    bool head(const Row& row, const Statement& statement, std::size_t most);

    /// The value, or nothing after its fault was reported.
    template <class T>
    std::optional<T> take(ValueResult<T> result) {
        if (result) return std::move(*result);
        diagnostics_.error(result.error().span, std::move(result.error().text),
                           std::move(result.error().help));
        return std::nullopt;
    }

    /// Whether the switch can do it; else an error.

  private:
    void setting(const Row& row, const Statement& statement, void* owner);
    void unknown(std::string_view path, const Statement& statement);
    [[nodiscard]] std::string help_for_unknown(std::string_view path,
                                               const Statement& statement) const;

    const Source& source_;
    Diagnostics& diagnostics_;
    std::unordered_map<std::string, Span> seen_;
};

}  // namespace raicho::dsl
