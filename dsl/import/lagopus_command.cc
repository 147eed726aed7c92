// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/lagopus_command.h"

#include "base/text.h"

namespace raicho::dsl {

namespace {

bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// The words of a line; nothing when a quote is not closed.
std::optional<std::vector<std::string>> words_of(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool escape = c == '\\' && i + 1 < line.size() &&
                            (line[i + 1] == '"' || line[i + 1] == '\'' || line[i + 1] == '\\');
        if (escape) {
            word += line[++i];
            begun = true;
        } else if (quote != 0) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            begun = true;
        } else if (!blank(c)) {
            word += c;
            begun = true;
        } else if (begun) {
            words.push_back(std::move(word));
            word.clear();
            begun = false;
        }
    }
    if (quote != 0) return std::nullopt;
    if (begun) words.push_back(std::move(word));
    return words;
}

std::string_view without_return(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

}  // namespace

std::vector<LagopusCommand> read_lagopus(const ForeignText& text, ImportReport& report) {
    std::vector<LagopusCommand> commands;
    const std::vector<std::string_view> lines = split(text.text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const ForeignPlace place{text.name, i + 1};
        std::string line(without_return(lines[i]));
        if (trim(line).starts_with('#')) continue;
        while (line.ends_with('\\') && i + 1 < lines.size()) {
            line.back() = ' ';
            line += without_return(lines[++i]);
        }
        auto words = words_of(line);
        if (!words)
            report.lost(place, "a quote is not closed");
        else if (!words->empty())
            commands.push_back({place, std::move(*words)});
    }
    return commands;
}

std::optional<std::uint64_t> lagopus_number(std::string_view text) {
    constexpr std::string_view kSuffixes = "kmgtp";
    if (const auto plain = parse_number(text)) return plain;
    std::uint64_t step = 1000;
    if (text.ends_with('i') || text.ends_with('I')) {
        step = 1024;
        text.remove_suffix(1);
    }
    if (text.size() < 2) return std::nullopt;
    const char last = static_cast<char>(text.back() | 0x20);
    const std::size_t power = kSuffixes.find(last);
    if (power == std::string_view::npos) return std::nullopt;
    auto number = parse_number(text.substr(0, text.size() - 1));
    for (std::size_t i = 0; number && i <= power; ++i)
        if (__builtin_mul_overflow(*number, step, &*number)) return std::nullopt;
    return number;
}

}  // namespace raicho::dsl
