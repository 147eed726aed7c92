// SPDX-License-Identifier: Apache-2.0
#include "shell/machine.h"

#include <algorithm>

#include "base/text.h"

namespace raicho::shell {

namespace {

/// The word that stands before a piece in its bracket, or nothing.
std::string_view behind(const Syntax& syntax, std::uint8_t piece) {
    const std::uint8_t group = syntax.pieces[piece].group;
    if (group == 0 || piece == 0) return {};
    const Piece& before = syntax.pieces[piece - 1u];
    return before.group == group && before.kind == Arg::word ? before.text : std::string_view{};
}

std::string_view help_of(const Branch& branch, std::uint8_t piece) {
    const Piece& p = branch.syntax->pieces[piece];
    if (p.kind != Arg::word) return find_arg(p.text)->help;
    const auto fixed = std::span(branch.syntax->pieces).first(branch.syntax->n_fixed);
    const bool last_word =
        p.group == 0 && std::ranges::none_of(fixed.subspan(piece + 1u), [](const Piece& later) {
            return later.kind == Arg::word;
        });
    if (last_word) return branch.command->help;
    const auto row = std::ranges::find(kWordRows, p.text, &WordRow::word);
    return row == kWordRows.end() ? std::string_view{} : row->help;
}

/// The choice that `word` is or abbreviates.
std::expected<std::string_view, LineError> choice(const Word& word, std::string_view placeholder) {
    const auto choices = split(find_arg(placeholder)->choices, ' ');
    std::vector<std::string_view> matches;
    for (const std::string_view one : choices) {
        if (one == word.text) return one;
        if (one.starts_with(word.text)) matches.push_back(one);
    }
    if (matches.size() == 1) return matches.front();
    const auto near = did_you_mean(word.text, choices);
    return std::unexpected(LineError{
        format("\"{}\" is {}", word.text, matches.empty() ? "not known here" : "ambiguous"),
        near && matches.empty() ? format("did you mean \"{}\"?", *near)
                                : format("expected: {}", fmt::join(choices, ", ")),
        word.begin, word.end});
}

/// Whether a word can be the argument.
std::expected<void, LineError> check_argument(const Word& word, Arg kind) {
    if (kind != Arg::number && kind != Arg::table) return {};
    const auto number = parse_number(word.text);
    if (!number)
        return std::unexpected(LineError{format("\"{}\" is no number", word.text),
                                         "write digits only, no unit", word.begin, word.end});
    if (kind == Arg::table && *number > 254)
        return std::unexpected(LineError{format("there is no table {}", *number),
                                         "tables are 0 to 254", word.begin, word.end});
    return {};
}

/// Whether a command may stand there at all.
bool goes_behind(Action action, Behind behind) {
    switch (behind) {
        case Behind::nothing: return true;
        case Behind::run: return action != Action::leave && action != Action::configure;
        case Behind::top:
            return (action >= Action::set_statement && action <= Action::edit) ||
                   action == Action::show_candidate;
    }
    return false;
}

}  // namespace

Machine::Machine(std::span<const Command> commands, std::span<const Syntax> syntax, Modes mode,
                 Behind behind, NameSource& names)
    : names_(names) {
    for (std::size_t i = 0; i < commands.size(); ++i)
        if ((commands[i].modes & mode) != 0 && goes_behind(commands[i].action, behind))
            branches_.push_back({&commands[i], &syntax[i]});
}

std::vector<Machine::Step> Machine::steps() const {
    std::vector<Step> all;
    for (std::size_t i = 0; i < branches_.size(); ++i)
        for (const std::uint8_t piece : branches_[i].next()) all.push_back({i, piece});
    return all;
}

bool Machine::live_name(const Step& step, std::string_view text) const {
    std::vector<std::string> known;
    if (piece(step).kind == Arg::bridge) known = names_.bridges();
    if (piece(step).kind == Arg::port)
        known = names_.ports(branches_[step.branch].parsed.text("BRIDGE"));
    return std::ranges::find(known, text) != known.end();
}

LineError Machine::refuse(const Word& word, std::string text) const {
    std::vector<std::string_view> words;
    std::string all;
    for (const Step& step : steps()) {
        const std::string_view name = piece(step).text;
        if (std::ranges::find(words, name) != words.end() || branches_[step.branch].ancestor())
            continue;
        words.push_back(name);
        all += format("{}{}", all.empty() ? "" : ", ", name);
    }
    LineError error{std::move(text), {}, word.begin, word.end};
    if (const auto near = did_you_mean(word.text, words))
        error.hint = format("did you mean \"{}\"?", *near);
    else if (!all.empty())
        error.hint = format("expected: {}", all);
    else
        error.hint = "nothing may follow here";
    return error;
}

void Machine::follow(const std::vector<Step>& chosen, const Word& word, std::string_view text,
                     std::size_t end) {
    std::vector<Branch> next;
    for (const Step& step : chosen) {
        Branch branch = branches_[step.branch];
        const Piece& p = piece(step);
        if (p.kind != Arg::word)
            branch.parsed.arguments.push_back(
                {p.text, std::string(text), word.begin, end, behind(*branch.syntax, step.piece)});
        else if (p.group != 0)
            branch.parsed.options.push_back(p.text);
        branch.advance(step.piece);
        next.push_back(std::move(branch));
    }
    branches_ = std::move(next);
}

/// The keyword that `word` is or abbreviates; nothing when it is none.
std::expected<std::optional<std::string_view>, LineError> Machine::keyword(
    const Word& word, const std::vector<Step>& all) const {
    if (word.quoted == Quoted::yes) return std::nullopt;
    std::vector<std::string_view> matches;
    std::vector<std::string_view> of_the_ancestor;
    for (const Step& step : all) {
        const Piece& p = piece(step);
        if (p.kind != Arg::word || !p.text.starts_with(word.text)) continue;
        if (p.text == word.text) return p.text;
        auto& list = branches_[step.branch].ancestor() ? of_the_ancestor : matches;
        if (std::ranges::find(list, p.text) == list.end()) list.push_back(p.text);
    }
    if (matches.empty()) matches = std::move(of_the_ancestor);
    if (matches.empty()) return std::nullopt;
    // A name may stand here too: one that lives wins over an abbreviation, and where anything may
    // stand nothing is abbreviated.
    for (const Step& step : all)
        if (free_text(piece(step).kind) || live_name(step, word.text)) return std::nullopt;
    if (matches.size() > 1)
        return std::unexpected(LineError{format("\"{}\" is ambiguous", word.text),
                                         format("it could be {}", fmt::join(matches, ", ")),
                                         word.begin, word.end});
    return matches.front();
}

std::expected<bool, LineError> Machine::take(const Word& word, std::string_view raw) {
    const std::vector<Step> all = steps();
    const auto key = keyword(word, all);
    if (!key) return std::unexpected(key.error());
    std::vector<Step> chosen;
    if (*key) {
        std::ranges::copy_if(all, std::back_inserter(chosen), [&](const Step& step) {
            return piece(step).kind == Arg::word && piece(step).text == **key;
        });
        follow(chosen, word, word.text, word.end);
        return false;
    }
    const auto first =
        std::ranges::find_if(all, [&](const Step& step) { return piece(step).kind != Arg::word; });
    if (first == all.end())
        return std::unexpected(refuse(word, format("unknown word \"{}\"", word.text)));
    const Piece argument = piece(*first);
    if (const auto good = check_argument(word, argument.kind); !good)
        return std::unexpected(good.error());
    std::ranges::copy_if(all, std::back_inserter(chosen),
                         [&](const Step& step) { return piece(step).kind == argument.kind; });
    if (argument.kind == Arg::choice) {
        const auto chosen_text = choice(word, argument.text);
        if (!chosen_text) return std::unexpected(chosen_text.error());
        follow(chosen, word, *chosen_text, word.end);
        return false;
    }
    if (takes_rest(argument.kind)) {
        // The text as it stands, but for one pair of quotes around the whole of it.
        const std::string_view all_of_it = trim(raw);
        const bool one_word = word.begin + all_of_it.size() == word.end;
        const bool in_quotes = one_word && (raw.front() == '"' || raw.front() == '\'');
        Word inner = word;  // places within the text count from its first character
        if (in_quotes) ++inner.begin;
        follow(chosen, inner, one_word ? std::string_view(word.text) : all_of_it,
               word.begin + all_of_it.size() - (in_quotes ? 1 : 0));
        return true;
    }
    follow(chosen, word, word.text, word.end);
    return false;
}

std::expected<Parsed, LineError> Machine::finish(std::size_t end) const {
    const auto done = std::ranges::find_if(branches_, &Branch::complete);
    if (done != branches_.end()) {
        Parsed parsed = done->parsed;
        parsed.command = done->command;
        return parsed;
    }
    std::vector<std::string_view> seen;
    for (const Step& step : steps()) {
        if (std::ranges::find(seen, piece(step).text) != seen.end()) continue;
        if (!branches_[step.branch].ancestor()) seen.push_back(piece(step).text);
    }
    return std::unexpected(LineError{"the command is incomplete",
                                     format("expected: {}", fmt::join(seen, ", ")), end, end + 1});
}

std::vector<Expected> Machine::expected() const {
    std::vector<Expected> list;
    for (const Step& step : steps()) {
        const Piece& p = piece(step);
        if (branches_[step.branch].ancestor()) continue;
        const std::string_view help = help_of(branches_[step.branch], step.piece);
        const auto known = std::ranges::find(list, p.text, &Expected::text);
        if (known == list.end()) {
            list.push_back({std::string(p.text), p.kind, std::string(help),
                            std::string(branches_[step.branch].parsed.text("BRIDGE")),
                            branches_[step.branch].command->action});
        } else if (const auto row = std::ranges::find(kWordRows, p.text, &WordRow::word);
                   row != kWordRows.end()) {
            known->help = row->help;  // begins several commands
        }
    }
    std::ranges::stable_sort(list, [](const Expected& a, const Expected& b) {
        const bool word_a = a.kind == Arg::word;
        const bool word_b = b.kind == Arg::word;
        if (word_a != word_b) return word_a;
        return word_a && a.text < b.text;
    });
    return list;
}

}  // namespace raicho::shell
