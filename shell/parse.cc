// SPDX-License-Identifier: Apache-2.0
#include "shell/parse.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "shell/machine.h"

namespace raicho::shell {

namespace {

/// How a line's first stage is read: `run` and `top` of configure mode stand before another
/// command.
struct Reading {
    Modes mode;
    Behind behind = Behind::nothing;
    std::size_t skip = 0;  // words before the command
};

Reading reading_of(const Stage& first, std::size_t n_words, Modes mode) {
    struct Prefix {
        std::string_view word;
        std::size_t shortest;  // what tells it from the other commands
        Reading reading;
    };
    constexpr std::array<Prefix, 2> kPrefixes{{
        {"run", 2, {kOperate, Behind::run, 1}},
        {"top", 2, {kConfigure, Behind::top, 1}},
    }};
    if ((mode & kConfigure) == 0 || n_words < 2) return {mode};
    const Word& word = first.words.front();
    for (const Prefix& prefix : kPrefixes)
        if (word.quoted == Quoted::no && word.text.size() >= prefix.shortest &&
            prefix.word.starts_with(word.text))
            return prefix.reading;
    return {mode};
}

Machine machine_for(std::size_t stage, const Reading& reading, NameSource& names) {
    if (stage == 0) return {kCommands, detail::kCommandSyntax, reading.mode, reading.behind, names};
    return {kPipes, detail::kPipeSyntax, reading.mode, Behind::nothing, names};
}

/// Gives words [from, to) of a stage to the machine. The index of the word that took the rest of
/// the stage, else `to`.
std::expected<std::size_t, LineError> take(Machine& machine, std::string_view line,
                                           const Stage& stage, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
        const Word& word = stage.words[i];
        const auto rest = machine.take(word, line.substr(word.begin, stage.end - word.begin));
        if (!rest) return std::unexpected(rest.error());
        if (*rest) return i;
    }
    return to;
}

std::expected<Parsed, LineError> parse_stage(std::string_view line, const Stage& stage,
                                             std::size_t from, Machine machine) {
    const std::size_t end = stage.words.empty() ? stage.begin : stage.words.back().end;
    const auto taken = take(machine, line, stage, from, stage.words.size());
    if (!taken) return std::unexpected(taken.error());
    auto parsed = machine.finish(end);
    if (parsed) {
        parsed->begin = from < stage.words.size() ? stage.words[from].begin : end;
        parsed->end = end;
    }
    return parsed;
}

/// A word that begins no command here may begin one of the other mode.
LineError with_other_mode(LineError error, const Stage& first, Modes mode) {
    const Word& word = first.words.front();
    if (error.begin != word.begin || word.quoted == Quoted::yes) return error;
    const Modes other = mode == kOperate ? kConfigure : kOperate;
    const bool known = std::ranges::any_of(kCommands, [&](const Command& command) {
        return command.modes == other &&
               command.notation.substr(0, command.notation.find(' ')) == word.text;
    });
    if (!known) return error;
    error.text = format("\"{}\" is a command of {} mode", word.text,
                        other == kConfigure ? "configure" : "operational");
    error.hint = other == kConfigure ? "configure enters it" : format("run {} …", word.text);
    return error;
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
    const Stage& first = stages->front();
    if (stages->size() == 1 && first.words.empty()) return parsed;
    const Reading reading = reading_of(first, first.words.size(), mode);
    if (reading.behind != Behind::nothing) parsed.from = PathFrom::top;
    for (std::size_t i = 0; i < stages->size(); ++i) {
        auto stage = parse_stage(line, (*stages)[i], i == 0 ? reading.skip : 0,
                                 machine_for(i, reading, names));
        if (!stage && i == 0 && reading.behind == Behind::nothing && !first.words.empty())
            return std::unexpected(with_other_mode(std::move(stage.error()), first, mode));
        if (!stage) return std::unexpected(std::move(stage.error()));
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
    const bool piped = stages->size() > 1;
    // `run ` is a word of its own as soon as a blank follows it.
    const Stage& first = stages->front();
    const Reading reading =
        reading_of(first, first.words.size() + (piped || !under_way ? 1u : 0u), mode);
    const std::size_t from = piped ? 0 : reading.skip;
    Machine machine = machine_for(stages->size() - 1, reading, names);
    const auto taken = take(machine, text, stage, from, n_words);
    if (!taken) return std::unexpected(taken.error());
    Continuation found;
    found.partial = under_way ? stage.words.back().text : std::string();
    found.begin = under_way ? stage.words.back().begin : text.size();
    found.rest_begin = found.begin;
    if (*taken < n_words) {
        // What may stand where the rest began may go on behind it.
        Machine before = machine_for(stages->size() - 1, reading, names);
        static_cast<void>(take(before, text, stage, from, *taken));
        found.expected = before.expected();
        found.rest_begin = stage.words[*taken].begin;
        for (std::size_t i = *taken; i < n_words; ++i) found.rest.push_back(stage.words[i].text);
    } else {
        found.expected = machine.expected();
    }
    if (reading.behind != Behind::nothing) found.from = PathFrom::top;
    found.complete = n_words > from && machine.complete();
    found.piped = piped;
    return found;
}

}  // namespace raicho::shell
