// SPDX-License-Identifier: Apache-2.0
#include "shell/complete.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "dsl/model/complete.h"
#include "shell/columns.h"

namespace raicho::shell {

std::vector<std::string> files_beginning_with(std::string_view partial) {
    namespace fs = std::filesystem;
    const std::size_t slash = partial.rfind('/');
    const std::string_view folder =
        slash == std::string_view::npos ? std::string_view{} : partial.substr(0, slash + 1);
    const std::string_view start = partial.substr(folder.size());
    std::string place = folder.empty() ? "." : std::string(folder);
    if (const char* home = std::getenv("HOME"); place.starts_with("~/") && home != nullptr)
        place.replace(0, 1, home);
    std::vector<std::string> found;
    std::error_code error;
    fs::directory_iterator at(place, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with(start) || (name.starts_with('.') && start.empty())) continue;
        std::error_code ignored;
        found.push_back(std::string(folder) + name + (at->is_directory(ignored) ? "/" : ""));
    }
    std::ranges::sort(found, natural_less);
    return found;
}

namespace {

constexpr std::string_view kEnter = "<enter>";

std::vector<std::string> live_names(const Expected& expected, NameSource& names,
                                    std::string_view partial) {
    if (expected.kind == Arg::bridge) return names.bridges();
    if (expected.kind == Arg::port) return names.ports(expected.bridge);
    if (expected.kind == Arg::file) return files_beginning_with(partial);
    return {};
}

/// Candidates for a statement of the port that `add port` makes, from the language's own table.
std::vector<StatementWord> port_statements(const Continuation& at, std::string_view text) {
    std::string_view before = text.substr(at.rest_begin, at.begin - at.rest_begin);
    if (const std::size_t last = before.find_last_of(";{"); last != std::string_view::npos)
        before.remove_prefix(last + 1);
    std::vector<std::string_view> path{"bridge", "x", "port", "x"};
    const auto stages = read_line(before);
    if (stages)
        for (const Word& word : stages->back().words) path.push_back(word.text);
    std::vector<StatementWord> found;
    for (dsl::Candidate& c : dsl::complete(path, at.partial))
        found.push_back({std::move(c.word), std::move(c.help)});
    return found;
}

/// What may follow within an argument that is a statement; nothing for other arguments.
std::vector<StatementWord> statement_words(const Continuation& at, const Expected& expected,
                                           std::string_view text, NameSource& names) {
    if (expected.kind == Arg::rest) return port_statements(at, text);
    if (expected.kind == Arg::path)
        return names.statements({expected.verb, at.from, at.rest, at.partial});
    return {};
}

bool is_placeholder(const StatementWord& word) {
    return word.text.starts_with('<');
}

/// The choices of a placeholder that begin with `partial`.
std::vector<std::string_view> choices(const Expected& expected, std::string_view partial) {
    std::vector<std::string_view> found;
    for (const std::string_view one : split(find_arg(expected.text)->choices, ' '))
        if (one.starts_with(partial)) found.push_back(one);
    return found;
}

std::vector<Candidate> candidates(const Continuation& at, std::string_view text,
                                  NameSource& names) {
    std::vector<Candidate> found;
    for (const Expected& expected : at.expected) {
        if (expected.kind == Arg::word) {
            if (expected.text.starts_with(at.partial))
                found.push_back({expected.text, expected.help});
        } else if (expected.kind == Arg::rest || expected.kind == Arg::path) {
            for (StatementWord& word : statement_words(at, expected, text, names))
                if (!is_placeholder(word))
                    found.push_back({std::move(word.text), std::move(word.help),
                                     Candidate::Form::as_it_stands});
        } else if (expected.kind == Arg::choice) {
            for (const std::string_view one : choices(expected, at.partial))
                found.push_back({std::string(one), expected.help});
        } else {
            for (const std::string& name : live_names(expected, names, at.partial))
                if (name.starts_with(at.partial)) found.push_back({name, expected.help});
        }
    }
    return found;
}

/// The longest beginning that all have.
std::string common_beginning(const std::vector<Candidate>& all) {
    std::string common = all.front().text;
    for (const Candidate& candidate : all) {
        const auto differ = std::ranges::mismatch(common, candidate.text).in1;
        common.erase(differ, common.end());
    }
    // Never half a character.
    while (!common.empty() && (static_cast<unsigned char>(common.back()) & 0xc0) == 0x80 &&
           common.size() < all.front().text.size())
        common.pop_back();
    return common;
}

/// The first words of all pipes of a mode, for the line that offers the bar.
std::string pipe_words(Modes mode) {
    std::vector<std::string_view> words;
    for (const Command& pipe : kPipes) {
        const std::string_view word = pipe.notation.substr(0, pipe.notation.find(' '));
        if ((pipe.modes & mode) != 0 && std::ranges::find(words, word) == words.end())
            words.push_back(word);
    }
    return format("{}", fmt::join(words, ", "));
}

}  // namespace

Completion complete(std::string_view text, Modes mode, NameSource& names) {
    Completion completion;
    const auto at = continuation(text, mode, names);
    if (!at) return completion;
    completion.candidates = candidates(*at, text, names);
    completion.begin = at->begin;
    if (completion.candidates.empty()) return completion;
    if (completion.candidates.size() == 1) {
        const Candidate& only = completion.candidates.front();
        completion.replacement =
            (only.form == Candidate::Form::to_quote ? quote(only.text) : only.text) +
            (only.text.ends_with('/') ? "" : " ");
        return completion;
    }
    const std::string common = common_beginning(completion.candidates);
    if (common.size() > at->partial.size()) completion.replacement = common;
    return completion;
}

std::vector<std::string> help_lines(std::string_view text, Modes mode, NameSource& names) {
    const auto at = continuation(text, mode, names);
    if (!at) {
        std::vector<std::string> lines{at.error().text};
        if (!at.error().hint.empty()) lines.push_back("  " + at.error().hint);
        return lines;
    }
    Columns columns({Align::left, Align::left});
    bool complete = at->complete && at->partial.empty();
    for (const Expected& expected : at->expected) {
        if (expected.kind == Arg::word) {
            if (expected.text.starts_with(at->partial)) columns.row({expected.text, expected.help});
            continue;
        }
        if (expected.kind == Arg::path) {
            // The statement's own words say more than the name of the argument.
            complete = complete && at->rest.empty();
            for (const StatementWord& word : statement_words(*at, expected, text, names))
                if (word.text == kEnter)
                    complete = true;
                else
                    columns.row({word.text, word.help});
            continue;
        }
        columns.row({expected.text, expected.help});
        if (expected.kind == Arg::rest) {
            for (const StatementWord& word : statement_words(*at, expected, text, names))
                if (!is_placeholder(word) || !at->rest.empty())
                    columns.row({"  " + word.text, word.help});
        } else if (expected.kind == Arg::choice) {
            for (const std::string_view one : choices(expected, at->partial))
                columns.row({format("  {}", one), ""});
        } else {
            for (const std::string& name : live_names(expected, names, at->partial))
                if (name.starts_with(at->partial)) columns.row({"  " + name, ""});
        }
    }
    if (complete) {
        columns.row({"<Enter>", "carry out the command"});
        if (!at->piped) columns.row({"|", pipe_words(mode)});
    }
    std::vector<std::string> lines = columns.lines("  ");
    if (lines.empty()) lines.push_back(format("nothing begins with \"{}\" here", at->partial));
    return lines;
}

}  // namespace raicho::shell
