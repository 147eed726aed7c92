// SPDX-License-Identifier: Apache-2.0
// The line editor: prompt, history, Tab and `?`. terminal.cc is the only file that sees libedit,
// and knows its traps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "shell/columns.h"
#include "shell/complete.h"

namespace raicho::shell {

/// What the editor asks of the shell; the argument is the line up to the cursor.
struct EditHooks {
    std::function<Completion(std::string_view)> complete;
    std::function<std::vector<std::string>(std::string_view)> help;
};

enum class EditEvent : std::uint8_t { line, interrupted, end };
struct EditResult {
    EditEvent event = EditEvent::end;
    std::string line{};  // without its end
};

class Terminal {
  public:
    /// Standard input and output must be a terminal. History is loaded from `history_file` and
    /// appended to it; an empty path keeps none.
    [[nodiscard]] static Result<std::unique_ptr<Terminal>> open(EditHooks hooks,
                                                                std::string history_file,
                                                                Colours colours);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// One line. `name` is the prompt's, shown as far as the locale can: `name> `.
    [[nodiscard]] EditResult read(std::string_view name);
    /// The last `limit` lines, oldest first.
    [[nodiscard]] std::vector<std::string> history(std::size_t limit) const;

  private:
    struct Impl;
    explicit Terminal(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Sets the locale from the environment; where that is not UTF-8, C.UTF-8. Call once, first.
void choose_locale();

}  // namespace raicho::shell
