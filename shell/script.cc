// SPDX-License-Identifier: Apache-2.0
#include "shell/script.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.h"
#include "dsl/syntax/utf8.h"
#include "shell/interrupt.h"

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

}  // namespace

Result<ScriptReader> ScriptReader::open(const std::string& path) {
    if (path == "-") {
        const int copy = ::dup(STDIN_FILENO);
        if (copy < 0) return fail_errno("standard input", errno);
        return ScriptReader(Fd(copy), "stdin");
    }
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail_errno(format("cannot open \"{}\"", path), errno);
    return ScriptReader(Fd(file), path);
}

Result<std::optional<std::string>> ScriptReader::next() {
    std::size_t end = pending_.find('\n');
    while (end == std::string::npos && !at_end_) {
        std::array<char, 65536> piece;
        const ssize_t size = ::read(file_.get(), piece.data(), piece.size());
        if (size < 0 && errno == EINTR && !interrupt_requested()) continue;
        if (size < 0) return fail_errno(format("{}: cannot read", name_), errno);
        at_end_ = size == 0;
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
