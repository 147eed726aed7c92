// SPDX-License-Identifier: Apache-2.0
// The line editor: prompt, history, Tab and `?`. terminal.cc is the only file that sees libedit,
// and knows its traps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "shell/columns.h"
#include "shell/complete.h"

namespace raicho::shell {

/// `name note mark`: `lab>`, `lab*#`, `lab[confirm:9m34s]#`.
struct Prompt {
    std::string name;  // shown as far as the locale can
    std::string note{};
    std::string mark = ">";
    friend bool operator==(const Prompt&, const Prompt&) = default;
};

/// What came to pass while the line waits for keys.
struct Tick {
    std::string notice{};            // lines to show above, empty for none
    std::optional<Prompt> prompt{};  // a new one
};

/// What the editor asks of the shell; the argument is the line up to the cursor.
struct EditHooks {
    std::function<Completion(std::string_view)> complete;
    std::function<std::vector<std::string>(std::string_view)> help;
    /// Called every second while a line of commands waits for keys.
    std::function<Tick()> tick{};
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

    /// One line of commands, which goes into the history.
    [[nodiscard]] EditResult read(const Prompt& prompt);
    /// Puts a question on a line of its own; only `yes`, or a beginning of it, is a yes.
    [[nodiscard]] bool ask(const std::string& question);
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
