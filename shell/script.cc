// SPDX-License-Identifier: Apache-2.0
#include "shell/script.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.h"
#include "dsl/syntax/utf8.h"
#include "shell/interrupt.h"
#include "shell/keys.h"

namespace raicho::shell {

namespace {

/// The byte of the first character that is no UTF-8.
std::optional<std::size_t> bad_byte(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
        const dsl::Character character = dsl::first_character(line.substr(at));
        if (!character.valid) return at;
        at += character.size;
    }
    return std::nullopt;
}

constexpr std::size_t kPiece = 65536;

Result<Fd> standard_input() {
    Fd copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (copy.get() < 0) return fail_errno("standard input", errno);
    return copy;
}

}  // namespace

Result<ScriptReader> ScriptReader::open(const std::string& path) {
    if (path == "-") {
        auto input = standard_input();
        if (!input) return std::unexpected(std::move(input.error()));
        return ScriptReader(std::move(*input), "stdin", kPiece);
    }
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail_errno(format("cannot open \"{}\"", path), errno);
    return ScriptReader(Fd(file), path, kPiece);
}

Result<ScriptReader> ScriptReader::terminal() {
    auto input = standard_input();
    if (!input) return std::unexpected(std::move(input.error()));
    return ScriptReader(std::move(*input), "terminal", 1);
}

Result<std::optional<std::string>> ScriptReader::next() {
    std::size_t end = pending_.find('\n');
    while (end == std::string::npos && !at_end_) {
        std::array<char, kPiece> piece;
        const ssize_t size = ::read(file_.get(), piece.data(), at_once_);
        if (size < 0 && errno == EINTR && !interrupt_requested()) continue;
        if (size < 0) return fail_errno(format("{}: cannot read", name_), errno);
        // A ^D that came while the line editor had the terminal is a byte, not the end of input.
        at_end_ = size == 0 || (at_once_ == 1 && piece.front() == kKeyEndOfFile);
        if (at_end_) break;
        const std::size_t searched = pending_.size();
        pending_.append(piece.data(), static_cast<std::size_t>(size));
        end = pending_.find('\n', searched);
    }
    if (pending_.empty()) return std::nullopt;
    std::string line = pending_.substr(0, end);
    pending_.erase(0, end == std::string::npos ? end : end + 1);
    ++n_lines_;
    if (line.ends_with('\r')) line.pop_back();
    if (const auto at = bad_byte(line))
        return fail(format("{}:{}:{}: byte 0x{:02x} is no UTF-8", name_, n_lines_, *at + 1,
                           static_cast<unsigned char>(line[*at])));
    return line;
}

}  // namespace raicho::shell
