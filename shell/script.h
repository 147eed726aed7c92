// SPDX-License-Identifier: Apache-2.0
// Lines of a file or pipe. Not libedit's business: it drops bytes that are no UTF-8 in silence,
// here they are named.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "base/handle.h"

namespace raicho::shell {

class ScriptReader {
  public:
    /// `-` is standard input.
    [[nodiscard]] static Result<ScriptReader> open(const std::string& path);
    /// What is typed or pasted at the terminal, up to ^D; it takes not a byte beyond the line that
    /// it gives.
    [[nodiscard]] static Result<ScriptReader> terminal();

    /// The next line without its end; nothing at the end. An error names line and byte of what is
    /// no UTF-8, or a failed read.
    [[nodiscard]] Result<std::optional<std::string>> next();
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Of the line that next() gave last, from 1.
    [[nodiscard]] std::size_t line_number() const { return n_lines_; }

  private:
    ScriptReader(Fd file, std::string name, std::size_t at_once)
        : file_(std::move(file)), name_(std::move(name)), at_once_(at_once) {}

    Fd file_;
    std::string name_;
    std::size_t at_once_;  // bytes
    std::string pending_;
    std::size_t n_lines_ = 0;
    bool at_end_ = false;
};

}  // namespace raicho::shell
