// SPDX-License-Identifier: Apache-2.0
// Where the lines of a command go: through the filters behind its `|` to the terminal, its pager
// or a file. A sink that has enough says so, and the source stops fetching.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "shell/parse.h"

namespace raicho::shell {

enum class Want : bool { no_more, more };

class LineSink {
  public:
    virtual ~LineSink() = default;
    /// One line without its end.
    virtual Want line(std::string_view text) = 0;
    /// After the last line, once.
    virtual void end() {}
};

/// The chain of `pipes` in front of `last`; `last` must live longer. pipe_json and pipe_no_more are
/// not its business and skipped. Fails for a pattern that is no regular expression.
[[nodiscard]] std::expected<std::unique_ptr<LineSink>, LineError> make_filters(
    const std::vector<Parsed>& pipes, LineSink& last);

/// Standard output as it is.
class StandardOutput : public LineSink {
  public:
    Want line(std::string_view text) override;
    void end() override;
};

}  // namespace raicho::shell
