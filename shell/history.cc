// SPDX-License-Identifier: Apache-2.0
#include "shell/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/handle.h"
#include "shell/line.h"

namespace raicho::shell {

namespace {

/// Writes the whole text; false when the file system refuses.
bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

constexpr std::size_t kCutAt = 4 * HistoryFile::kMaxLines;

}  // namespace

std::vector<std::string> HistoryFile::load() const {
    std::vector<std::string> lines;
    if (path_.empty()) return lines;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);)
        if (!line.empty()) lines.push_back(line);
    const std::size_t n_all = lines.size();
    if (n_all > kMaxLines)
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMaxLines));
    if (n_all > kCutAt) {
        const std::string fresh = path_ + ".new";
        const Fd out(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        if (out && write_all(out.get(), text)) std::rename(fresh.c_str(), path_.c_str());
    }
    return lines;
}

void HistoryFile::append(std::string_view line) const {
    if (path_.empty()) return;
    const Fd file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (file) write_all(file.get(), std::string(line) + "\n");  // one write: lines never mix
}

bool holds_secret(std::string_view line) {
    constexpr std::array<std::string_view, 5> kSecret{"password", "passphrase", "secret", "token",
                                                      "private-key"};
    const auto stages = read_line(line);
    if (!stages) return false;
    for (const Stage& stage : *stages)
        for (const Word& word : stage.words)
            if (std::ranges::find(kSecret, word.text) != kSecret.end()) return true;
    return false;
}

std::string default_history_path() {
    const char* home = std::getenv("HOME");
    return home == nullptr || *home == '\0' ? std::string()
                                            : std::string(home) + "/.lagosh_history";
}

}  // namespace raicho::shell
