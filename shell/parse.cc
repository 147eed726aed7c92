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
    [[nodiscard]] bool ancestor() const { return (command->modes & kAncestor) != 0; }

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

/// The word that stands before a piece in its bracket, or nothing.
std::string_view behind(const Syntax& syntax, std::uint8_t piece) {
    const std::uint8_t group = syntax.pieces[piece].group;
    if (group == 0 || piece == 0) return {};
    const Piece& before = syntax.pieces[piece - 1u];
    return before.group == group && before.kind == Arg::word ? before.text : std::string_view{};
}

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
        if (std::ranges::find(words, name) != words.end() || states_[step.state].ancestor())
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
    std::vector<State> next;
    for (const Step& step : chosen) {
        State state = states_[step.state];
        const Piece& p = piece(step);
        if (p.kind != Arg::word)
            state.parsed.arguments.push_back(
                {p.text, std::string(text), word.begin, end, behind(*state.syntax, step.piece)});
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
    std::vector<std::string_view> of_the_ancestor;
    for (const Step& step : all) {
        const Piece& p = piece(step);
        if (p.kind != Arg::word || !p.text.starts_with(word.text)) continue;
        if (p.text == word.text) return p.text;
        auto& list = states_[step.state].ancestor() ? of_the_ancestor : matches;
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
        return std::unexpected(
            LineError{format("\"{}\" is no number", word.text), {}, word.begin, word.end});
    if (kind == Arg::table && *number > 254)
        return std::unexpected(LineError{format("there is no table {}", *number),
                                         "tables are 0 to 254", word.begin, word.end});
    return {};
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
    const auto done = std::ranges::find_if(states_, &State::complete);
    if (done != states_.end()) {
        Parsed parsed = done->parsed;
        parsed.command = done->command;
        return parsed;
    }
    std::vector<std::string_view> seen;
    for (const Step& step : steps()) {
        if (std::ranges::find(seen, piece(step).text) != seen.end()) continue;
        if (!states_[step.state].ancestor()) seen.push_back(piece(step).text);
    }
    return std::unexpected(LineError{"the command is incomplete",
                                     format("expected: {}", fmt::join(seen, ", ")), end, end + 1});
}

std::vector<Expected> Machine::expected() const {
    std::vector<Expected> list;
    for (const Step& step : steps()) {
        const Piece& p = piece(step);
        if (states_[step.state].ancestor()) continue;
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

/// How the words of a line's first stage are read: `run` in configure mode gives the rest of the
/// line to the operational mode.
struct Reading {
    Modes mode;
    std::size_t skip = 0;  // words before the command
};
Reading reading_of(const Stage& first, std::size_t n_words, Modes mode) {
    constexpr std::string_view kRun = "run";
    constexpr std::size_t kShortest = 2;
    if ((mode & kConfigure) == 0 || first.words.empty()) return {mode};
    const Word& word = first.words.front();
    const bool runs =
        word.quoted == Quoted::no && word.text.size() >= kShortest && kRun.starts_with(word.text);
    return runs && n_words > 1 ? Reading{kOperate, 1} : Reading{mode};
}

/// Runs words [from, to) of a stage.
struct Words {
    std::size_t from = 0;
    std::size_t to = 0;
};
std::expected<Machine, LineError> run(std::string_view line, const Stage& stage, Words words,
                                      Machine machine) {
    for (std::size_t i = words.from; i < words.to; ++i) {
        const Word& word = stage.words[i];
        const auto rest = machine.take(word, line.substr(word.begin, stage.end - word.begin));
        if (!rest) return std::unexpected(rest.error());
        if (*rest) break;
    }
    return machine;
}

std::expected<Parsed, LineError> parse_stage(std::string_view line, const Stage& stage,
                                             std::size_t from, Machine start) {
    const std::size_t end = stage.words.empty() ? stage.begin : stage.words.back().end;
    const auto machine = run(line, stage, {from, stage.words.size()}, std::move(start));
    if (!machine) return std::unexpected(machine.error());
    auto parsed = machine->finish(end);
    if (parsed) {
        parsed->begin = from < stage.words.size() ? stage.words[from].begin : end;
        parsed->end = end;
    }
    return parsed;
}

/// What cannot stand behind `run`.
bool changes_mode(Action action) {
    return action == Action::leave;
}

}  // namespace

const Argument* Parsed::find(std::string_view placeholder) const {
    const auto at = std::ranges::find(arguments, placeholder, &Argument::placeholder);
    return at == arguments.end() ? nullptr : &*at;
}

const Argument* Parsed::find_behind(std::string_view word) const {
    const auto at = std::ranges::find(arguments, word, &Argument::behind);
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
    const Reading reading = reading_of(stages->front(), stages->front().words.size(), mode);
    for (std::size_t i = 0; i < stages->size(); ++i) {
        auto stage = parse_stage(line, (*stages)[i], i == 0 ? reading.skip : 0,
                                 machine_for(i, reading.mode, names));
        if (!stage) return std::unexpected(stage.error());
        if (i == 0)
            parsed.command = std::move(*stage);
        else
            parsed.pipes.push_back(std::move(*stage));
    }
    if (reading.skip != 0 && changes_mode(parsed.command.command->action)) {
        const Word& word = stages->front().words[reading.skip];
        return std::unexpected(LineError{format("\"{}\" does not go behind run", word.text),
                                         "leave configure mode first", word.begin, word.end});
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
    const bool piped = stages->size() > 1;
    // `run ` is a word of its own as soon as a blank follows it.
    const Stage& first = stages->front();
    const Reading reading =
        reading_of(first, first.words.size() + (piped || !under_way ? 1u : 0u), mode);
    const std::size_t from = piped ? 0 : reading.skip;
    const auto machine =
        run(text, stage, {from, n_words}, machine_for(stages->size() - 1, reading.mode, names));
    if (!machine) return std::unexpected(machine.error());
    Continuation found;
    found.partial = under_way ? stage.words.back().text : std::string();
    found.begin = under_way ? stage.words.back().begin : text.size();
    found.expected = machine->expected();
    found.complete = n_words > from && machine->complete();
    found.piped = piped;
    return found;
}

}  // namespace raicho::shell
