// SPDX-License-Identifier: Apache-2.0
// Tab and `?`: what may stand at the cursor, with live names and files filled in. Pure text: the
// terminal shows it and edits its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/parse.h"

namespace raicho::shell {

/// One possibility.
struct Candidate {
    enum class Form : bool { to_quote, as_it_stands };  // quoted where it must be, or already so
    std::string text;
    std::string help;
    Form form = Form::to_quote;
};

struct Completion {
    std::vector<Candidate> candidates;
    /// What to put in the place of the bytes from `begin` to the cursor; empty = nothing to add.
    std::string replacement;
    std::size_t begin = 0;
};

/// For Tab: the words and names that begin with the word under way.
[[nodiscard]] Completion complete(std::string_view text, Modes mode, NameSource& names);

/// Paths of files that begin with `partial`; directories end with a slash.
[[nodiscard]] std::vector<std::string> files_beginning_with(std::string_view partial);

/// For `?`: lines to print below, placeholders and `<Enter>` included; or what is wrong already.
[[nodiscard]] std::vector<std::string> help_lines(std::string_view text, Modes mode,
                                                  NameSource& names);

}  // namespace raicho::shell
