// SPDX-License-Identifier: Apache-2.0
#include "shell/path.h"

#include <algorithm>

#include "base/text.h"
#include "dsl/model/complete.h"
#include "dsl/syntax/utf8.h"

namespace raicho::shell {

namespace {

/// Beyond these characters a text is no plain word any more.
constexpr std::string_view kNotPlain = "{}[];\"'#\\\n";

/// The word of the language that `word` is or begins; `word` itself where a name may stand.
std::expected<std::string, LineError> long_form(const Word& word,
                                                const std::vector<std::string>& before) {
    const std::vector<std::string_view> path(before.begin(), before.end());
    std::vector<std::string> matches;
    for (const dsl::Candidate& c : dsl::complete(path, {})) {
        if (c.placeholder() || c.word == word.text) return word.text;
        if (c.word.starts_with(word.text)) matches.push_back(c.word);
    }
    if (matches.empty()) return word.text;  // the language says what is wrong with it
    if (matches.size() == 1) return matches.front();
    return std::unexpected(LineError{format("\"{}\" is ambiguous", word.text),
                                     format("it could be {}", fmt::join(matches, ", ")), word.begin,
                                     word.end});
}

}  // namespace

WrittenOut::Place WrittenOut::typed(Place place) const {
    const auto back = [&](std::size_t at, std::size_t Place::* side) {
        std::size_t grown = 0;
        for (const Word& word : words) {
            if (at < word.here.begin) break;
            if (at < word.here.end) return word.typed.*side;
            grown = word.here.end - word.typed.end;
        }
        return at - grown;
    };
    Place result{back(place.begin, &Place::begin), 0};
    // The end lies behind its last character.
    result.end = place.end == place.begin ? result.begin : back(place.end - 1, &Place::end);
    const bool within = std::ranges::any_of(words, [&](const Word& word) {
        return place.end > word.here.begin && place.end <= word.here.end;
    });
    if (place.end != place.begin && !within) ++result.end;
    return result;
}

std::expected<WrittenOut, LineError> write_out(std::string_view typed, std::string_view level) {
    WrittenOut out;
    const auto outer = read_line(level);
    const auto stages = read_line(typed);
    std::vector<std::string> before;
    if (outer)
        for (const Word& word : outer->front().words) before.push_back(word.text);
    std::size_t copied = 0;
    if (stages) {
        for (const Word& word : stages->front().words) {
            const std::string_view raw = typed.substr(word.begin, word.end - word.begin);
            if (word.quoted == Quoted::yes || raw.find_first_of(kNotPlain) != raw.npos) break;
            const auto full = long_form(word, before);
            if (!full) return std::unexpected(full.error());
            out.text += typed.substr(copied, word.begin - copied);
            const std::size_t begin = out.text.size();
            out.text += *full;
            if (*full != raw)
                out.words.push_back({{begin, out.text.size()}, {word.begin, word.end}});
            copied = word.end;
            before.push_back(*full);
        }
    }
    out.text += typed.substr(copied);
    return out;
}

std::size_t byte_of_column(std::string_view text, std::size_t column) {
    std::size_t at = 0;
    for (; column > 1 && at < text.size(); --column)
        at += dsl::first_character(text.substr(at)).size;
    return at;
}

}  // namespace raicho::shell
