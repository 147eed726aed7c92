// SPDX-License-Identifier: Apache-2.0
#include "shell/parse.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace raicho::shell {

namespace {

/// A command that the words so far may become.
struct State {
    const Command* command;
    const Syntax* syntax;
    std::uint8_t at = 0;        // fixed pieces seen
    std::uint8_t used = 0;      // groups seen, bit n - 1 for group n
    std::uint8_t in_group = 0;  // piece to come within a group that was begun, 0 = none
    Parsed parsed{};

    [[nodiscard]] bool complete() const { return at == syntax->n_fixed && in_group == 0; }

    /// Indexes of the pieces that may come next.
    [[nodiscard]] std::vector<std::uint8_t> next() const {
        if (in_group != 0) return {in_group};
        if (at < syntax->n_fixed) return {at};
        std::vector<std::uint8_t> first;
        std::uint8_t seen = used;
        for (std::uint8_t i = syntax->n_fixed; i < syntax->n_pieces; ++i) {
            const auto bit = static_cast<std::uint8_t>(1u << (syntax->pieces[i].group - 1));
            if ((seen & bit) != 0) continue;
            seen |= bit;
            first.push_back(i);
        }
        return first;
    }
    void advance(std::uint8_t piece) {
        const std::uint8_t group = syntax->pieces[piece].group;
        if (group == 0) {
            ++at;
            return;
        }
        used |= static_cast<std::uint8_t>(1u << (group - 1));
        const bool more = piece + 1 < syntax->n_pieces && syntax->pieces[piece + 1].group == group;
        in_group = more ? static_cast<std::uint8_t>(piece + 1) : std::uint8_t{0};
    }
};

std::string_view help_of(const State& state, std::uint8_t piece) {
    const Piece& p = state.syntax->pieces[piece];
    if (p.kind != Arg::word) return find_arg(p.text)->help;
    const auto fixed = std::span(state.syntax->pieces).first(state.syntax->n_fixed);
    const bool last_word =
        p.group == 0 && std::ranges::none_of(fixed.subspan(piece + 1u), [](const Piece& later) {
            return later.kind == Arg::word;
        });
    if (last_word) return state.command->help;
    const auto row = std::ranges::find(kWordRows, p.text, &WordRow::word);
    return row == kWordRows.end() ? std::string_view{} : row->help;
}

/// Follows the words of one stage through all commands at once.
class Machine {
  public:
    Machine(std::span<const Command> commands, std::span<const Syntax> syntax, Modes mode,
            NameSource& names)
        : names_(names) {
        for (std::size_t i = 0; i < commands.size(); ++i)
            if ((commands[i].modes & mode) != 0) states_.push_back({&commands[i], &syntax[i]});
    }

    /// Takes one word; `raw` is the line from the word to the end of its stage. True: the word
    /// and everything behind it is taken.
    [[nodiscard]] std::expected<bool, LineError> take(const Word& word, std::string_view raw);
    /// The command that the words make.
    [[nodiscard]] std::expected<Parsed, LineError> finish(std::size_t end) const;
    [[nodiscard]] std::vector<Expected> expected() const;
    [[nodiscard]] bool complete() const { return std::ranges::any_of(states_, &State::complete); }

  private:
    struct Step {
        std::size_t state;
        std::uint8_t piece;
    };
    [[nodiscard]] const Piece& piece(const Step& step) const {
        return states_[step.state].syntax->pieces[step.piece];
    }
    [[nodiscard]] std::vector<Step> steps() const;
    [[nodiscard]] bool live_name(const Step& step, std::string_view text) const;
    [[nodiscard]] LineError refuse(const Word& word, std::string text) const;
    void follow(const std::vector<Step>& chosen, const Word& word, std::string_view text,
                std::size_t end);
    [[nodiscard]] std::expected<std::optional<std::string_view>, LineError> keyword(
        const Word& word, const std::vector<Step>& all) const;

    NameSource& names_;
    std::vector<State> states_;
};

std::vector<Machine::Step> Machine::steps() const {
    std::vector<Step> all;
    for (std::size_t i = 0; i < states_.size(); ++i)
        for (const std::uint8_t piece : states_[i].next()) all.push_back({i, piece});
    return all;
}

bool Machine::live_name(const Step& step, std::string_view text) const {
    std::vector<std::string> known;
    if (piece(step).kind == Arg::bridge) known = names_.bridges();
    if (piece(step).kind == Arg::port)
        known = names_.ports(states_[step.state].parsed.text("BRIDGE"));
    return std::ranges::find(known, text) != known.end();
}

LineError Machine::refuse(const Word& word, std::string text) const {
    std::vector<std::string_view> words;
    std::string all;
    for (const Step& step : steps()) {
        const std::string_view name = piece(step).text;
        if (std::ranges::find(words, name) != words.end()) continue;
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
    std::vector<State> next;
    for (const Step& step : chosen) {
        State state = states_[step.state];
        const Piece& p = piece(step);
        if (p.kind != Arg::word)
            state.parsed.arguments.push_back({p.text, std::string(text), word.begin, end});
        else if (p.group != 0)
            state.parsed.options.push_back(p.text);
        state.advance(step.piece);
        next.push_back(std::move(state));
    }
    states_ = std::move(next);
}

/// The keyword that `word` is or abbreviates; nothing when it is none.
std::expected<std::optional<std::string_view>, LineError> Machine::keyword(
    const Word& word, const std::vector<Step>& all) const {
    if (word.quoted == Quoted::yes) return std::nullopt;
    std::vector<std::string_view> matches;
    for (const Step& step : all) {
        const Piece& p = piece(step);
        if (p.kind != Arg::word || !p.text.starts_with(word.text)) continue;
        if (p.text == word.text) return p.text;
        if (std::ranges::find(matches, p.text) == matches.end()) matches.push_back(p.text);
    }
    if (matches.empty()) return std::nullopt;
    // A name may stand here too: one that lives wins over an abbreviation.
    for (const Step& step : all)
        if (live_name(step, word.text)) return std::nullopt;
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
    const Arg kind = piece(*first).kind;
    if (kind == Arg::number || kind == Arg::table) {
        const auto number = parse_number(word.text);
        if (!number)
            return std::unexpected(
                LineError{format("\"{}\" is no number", word.text), {}, word.begin, word.end});
        if (kind == Arg::table && *number > 254)
            return std::unexpected(LineError{format("there is no table {}", *number),
                                             "tables are 0 to 254", word.begin, word.end});
    }
    std::ranges::copy_if(all, std::back_inserter(chosen),
                         [&](const Step& step) { return piece(step).kind == kind; });
    if (kind == Arg::rest) {
        // The text as it stands, but for one pair of quotes around the whole of it.
        const std::string_view all_of_it = trim(raw);
        const bool one_word = word.begin + all_of_it.size() == word.end;
        const std::string_view text = one_word ? std::string_view(word.text) : all_of_it;
        follow(chosen, word, text, word.begin + all_of_it.size());
        return true;
    }
    follow(chosen, word, word.text, word.end);
    return false;
}

std::expected<Parsed, LineError> Machine::finish(std::size_t end) const {
    const auto done = std::ranges::find_if(states_, &State::complete);
    if (done != states_.end()) {
        Parsed parsed = done->parsed;
        parsed.command = done->command;
        return parsed;
    }
    std::vector<std::string_view> seen;
    for (const Step& step : steps()) {
        if (std::ranges::find(seen, piece(step).text) != seen.end()) continue;
        seen.push_back(piece(step).text);
    }
    return std::unexpected(LineError{"the command is incomplete",
                                     format("expected: {}", fmt::join(seen, ", ")), end, end + 1});
}

std::vector<Expected> Machine::expected() const {
    std::vector<Expected> list;
    for (const Step& step : steps()) {
        const Piece& p = piece(step);
        const std::string_view help = help_of(states_[step.state], step.piece);
        const auto known = std::ranges::find(list, p.text, &Expected::text);
        if (known == list.end()) {
            list.push_back({std::string(p.text), p.kind, std::string(help),
                            std::string(states_[step.state].parsed.text("BRIDGE"))});
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

Machine machine_for(std::size_t stage, Modes mode, NameSource& names) {
    if (stage == 0) return {kCommands, detail::kCommandSyntax, mode, names};
    return {kPipes, detail::kPipeSyntax, mode, names};
}

/// Runs the first `n_words` words of a stage.
std::expected<Machine, LineError> run(std::string_view line, const Stage& stage, std::size_t index,
                                      std::size_t n_words, Modes mode, NameSource& names) {
    Machine machine = machine_for(index, mode, names);
    for (std::size_t i = 0; i < n_words; ++i) {
        const Word& word = stage.words[i];
        const auto rest = machine.take(word, line.substr(word.begin, stage.end - word.begin));
        if (!rest) return std::unexpected(rest.error());
        if (*rest) break;
    }
    return machine;
}

std::expected<Parsed, LineError> parse_stage(std::string_view line, const Stage& stage,
                                             std::size_t index, Modes mode, NameSource& names) {
    const std::size_t end = stage.words.empty() ? stage.begin : stage.words.back().end;
    const auto machine = run(line, stage, index, stage.words.size(), mode, names);
    if (!machine) return std::unexpected(machine.error());
    return machine->finish(end);
}

}  // namespace

const Argument* Parsed::find(std::string_view placeholder) const {
    const auto at = std::ranges::find(arguments, placeholder, &Argument::placeholder);
    return at == arguments.end() ? nullptr : &*at;
}

std::string_view Parsed::text(std::string_view placeholder) const {
    const Argument* argument = find(placeholder);
    return argument == nullptr ? std::string_view{} : std::string_view(argument->text);
}

bool Parsed::has(std::string_view option) const {
    return std::ranges::find(options, option) != options.end();
}

std::expected<ParsedLine, LineError> parse_line(std::string_view line, Modes mode,
                                                NameSource& names) {
    const auto stages = read_line(line);
    if (!stages) return std::unexpected(stages.error());
    ParsedLine parsed;
    if (stages->size() == 1 && stages->front().words.empty()) return parsed;
    for (std::size_t i = 0; i < stages->size(); ++i) {
        auto stage = parse_stage(line, (*stages)[i], i, mode, names);
        if (!stage) return std::unexpected(stage.error());
        if (i == 0)
            parsed.command = std::move(*stage);
        else
            parsed.pipes.push_back(std::move(*stage));
    }
    return parsed;
}

std::expected<Continuation, LineError> continuation(std::string_view text, Modes mode,
                                                    NameSource& names) {
    const auto stages = read_line(text);
    if (!stages) return std::unexpected(stages.error());
    const Stage& stage = stages->back();
    const bool under_way = !stage.words.empty() && stage.words.back().end == text.size();
    const std::size_t n_words = stage.words.size() - (under_way ? 1 : 0);
    const auto machine = run(text, stage, stages->size() - 1, n_words, mode, names);
    if (!machine) return std::unexpected(machine.error());
    Continuation found;
    found.partial = under_way ? stage.words.back().text : std::string();
    found.begin = under_way ? stage.words.back().begin : text.size();
    found.expected = machine->expected();
    found.complete = n_words != 0 && machine->complete();
    found.piped = stages->size() > 1;
    return found;
}

}  // namespace raicho::shell
