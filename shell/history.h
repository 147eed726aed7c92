// SPDX-License-Identifier: Apache-2.0
// The history file: one line a command, mode 0600. Each command is appended at once, so that two
// shells do not overwrite each other (libedit's own H_SAVE rewrites the whole file).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace raicho::shell {

class HistoryFile {
  public:
    /// An empty path keeps nothing.
    explicit HistoryFile(std::string path) : path_(std::move(path)) {}

    static constexpr std::size_t kMaxLines = 1000;
    /// The last kMaxLines lines, oldest first. A file that has grown far beyond is cut to them.
    [[nodiscard]] std::vector<std::string> load() const;
    /// Failing to write is no reason to disturb: the shell works without.
    void append(std::string_view line) const;

  private:
    std::string path_;
};

/// Whether a line names a secret (password, secret, token, key …) and is not to be written down.
[[nodiscard]] bool holds_secret(std::string_view line);

/// `~/.lagosh_history`, or nothing without a home.
[[nodiscard]] std::string default_history_path();

}  // namespace raicho::shell
