// SPDX-License-Identifier: Apache-2.0
#include "shell/session.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "shell/candidate.h"
#include "shell/complete.h"
#include "shell/file_tools.h"
#include "shell/history.h"
#include "shell/interrupt.h"
#include "shell/pager.h"
#include "shell/render.h"

namespace raicho::shell {

namespace {

bool asks_for_help(std::string_view line) {
    const std::string_view text = trim(line);
    return text.ends_with('?') && !in_quotes_or_comment(text.substr(0, text.size() - 1));
}

/// Ends a text that was begun by `load … terminal`, beside the end of input.
constexpr std::string_view kEndOfBlock = ".";

std::expected<std::string, Failure> read_script_block(ScriptReader& script) {
    std::string text;
    while (true) {
        auto line = script.next();
        if (!line && interrupt_requested())
            return std::unexpected(Failure{ExitCode::interrupted, "interrupted"});
        if (!line)
            return std::unexpected(Failure{ExitCode::usage, line.error().text, line.error().hint});
        if (!*line || **line == kEndOfBlock) return text;
        text += **line + "\n";
    }
}

/// Not by the line editor: its setting of the terminal comes and goes, and a ^D between two lines
/// would be lost.
std::expected<std::string, Failure> read_typed_block() {
    std::printf("type or paste the text; ^D on a line of its own ends it, ^C drops it\n");
    std::fflush(stdout);
    auto typed = ScriptReader::terminal();
    if (!typed) return std::unexpected(Failure{ExitCode::failed, typed.error().text});
    auto text = read_script_block(*typed);
    if (!text && text.error().code == ExitCode::interrupted) std::printf("\n");  // behind the ^C
    return text;
}

bool no_more(const ParsedLine& line) {
    for (const Parsed& pipe : line.pipes)
        if (pipe.command->action == Action::pipe_no_more) return true;
    return false;
}

}  // namespace

Colours colours_on(int fd) {
    const char* no_colour = std::getenv("NO_COLOR");
    if (no_colour != nullptr && *no_colour != '\0') return Colours::off;
    const char* terminal = std::getenv("TERM");
    const std::string_view kind = terminal == nullptr ? "" : terminal;
    return ::isatty(fd) == 1 && !kind.empty() && kind != "dumb" ? Colours::on : Colours::off;
}

Screen screen_of_output() {
    if (::isatty(STDOUT_FILENO) != 1 || ::isatty(STDIN_FILENO) != 1) return Screen::none;
    const char* terminal = std::getenv("TERM");
    const std::string_view kind = terminal == nullptr ? "" : terminal;
    return kind.empty() || kind == "dumb" ? Screen::plain : Screen::drawable;
}

Session::Session(SessionOptions options)
    : options_(std::move(options)),
      agent_(Client(options_.rundir + "/agent.sock")),
      out_colours_(colours_on(STDOUT_FILENO)),
      error_colours_(colours_on(STDERR_FILENO)) {}

void Session::report(const Failure& failure, std::string_view line, const Origin& origin) {
    std::fflush(stdout);
    std::fputs(failure_text(failure, line, origin, error_colours_).c_str(), stderr);
    if (code_ == ExitCode::ok) code_ = failure.code;
    if (failure.code == ExitCode::unreachable) watch_.lost();
}

bool Session::run_line(std::string_view line, const Origin& origin) {
    if (asks_for_help(line) && options_.run == Run::execute) {
        const std::string_view text = trim(line);
        for (const std::string& shown :
             help_lines(std::string(text.substr(0, text.size() - 1)), editing_.mode(), editing_))
            std::printf("%s\n", shown.c_str());
        return true;
    }
    auto parsed = parse_line(line, editing_.mode(), editing_);
    if (!parsed) {
        report(from_line_error(std::move(parsed.error())), line, origin);
        return options_.on_error == OnError::go_on;
    }
    if (parsed->command.command == nullptr) return true;
    if (options_.echo == Echo::yes) {
        std::fflush(stdout);
        std::fprintf(stderr, "+ %.*s\n", static_cast<int>(line.size()), line.data());
    }
    const auto done = carry_out(*parsed);
    if (!done) {
        report(done.error(), line, origin);
        return options_.on_error == OnError::go_on && done.error().code != ExitCode::interrupted;
    }
    return *done == AfterCommand::go_on;
}

std::expected<AfterCommand, Failure> Session::carry_out(const ParsedLine& parsed) {
    const Surroundings around = surroundings();
    StandardOutput plain;
    if (options_.run == Run::check_only) {
        const Done judged = rehearse(Context(parsed, around, plain));
        if (!judged) return std::unexpected(judged.error());
        return AfterCommand::go_on;
    }
    Pager pager;
    const bool paged = terminal_ != nullptr && paged_ && !no_more(parsed) &&
                       !is_live(parsed.command.command->action);
    return execute(parsed, around, paged ? static_cast<LineSink&>(pager) : plain);
}

Surroundings Session::surroundings() {
    Surroundings around{.agent = agent_,
                        .editing = editing_,
                        .colours = out_colours_,
                        .format = options_.format,
                        .screen = screen_of_output(),
                        .read_block = read_block_,
                        .paged = &paged_};
    if (terminal_ == nullptr) return around;
    around.history = [this](std::size_t n) { return terminal_->history(n); };
    around.ask = [this](const std::string& question) { return terminal_->ask(question); };
    return around;
}

void Session::finish() {
    if (!editing_.is_private() || options_.run == Run::check_only) return;
    const bool lost = editing_.refresh() && editing_.state().differs;
    static_cast<void>(agent_.send("DELETE", editing_.target(""), {}));
    editing_.leave();
    if (lost)
        std::fputs("note: the changes of the private candidate were not committed and are lost\n",
                   stderr);
}

void Session::write_candidates(std::string_view line) {
    const std::size_t blank = line.find(' ');
    std::vector<std::string> texts;
    if (blank == std::string_view::npos) {
        for (const std::string_view word : program_words())
            if (word.starts_with(line)) texts.emplace_back(word);
    } else if (const auto words = program_words();
               std::ranges::find(words, line.substr(0, blank)) != words.end()) {
        texts = files_beginning_with(line.substr(line.rfind(' ') + 1));
    }
    for (const Candidate& candidate : complete(line, editing_.mode(), editing_).candidates)
        if (std::ranges::find(texts, candidate.text) == texts.end())
            texts.push_back(candidate.text);
    for (const std::string& text : texts) std::printf("%s\n", quote(text).c_str());
}

void Session::run_script(ScriptReader& script) {
    read_block_ = [&script] { return read_script_block(script); };
    while (true) {
        auto line = script.next();
        if (!line) report({ExitCode::usage, line.error().text, line.error().hint}, {}, {});
        if (!line || !*line || !run_line(**line, {script.name(), script.line_number()})) break;
    }
    read_block_ = {};
}

bool Session::greet() {
    const auto summary = agent_.get("/api/v1/summary");
    if (!summary) {
        report(summary.error(), {}, {});
        return false;
    }
    watch_.take(*summary);
    std::printf("%s\n", render_greeting(*summary).c_str());
    return true;
}

Prompt Session::prompt() const {
    Prompt shown{watch_.name()};
    const ConfigState& state = editing_.state();
    if (state.confirm_seconds)
        shown.note = "confirm:" + age_text(*state.confirm_seconds * 1'000'000'000);
    shown.mark = !editing_.active() ? ">" : state.differs ? "*#" : "#";
    return shown;
}

Tick Session::tick() {
    // Longer would be felt in the keys.
    constexpr std::chrono::milliseconds kPatience{200};
    Tick now;
    const Prompt before = prompt();
    std::vector<std::string> lines = watch_.news(kPatience);
    if (watch_.reachable() && editing_.refresh(kPatience))
        std::ranges::move(watch_.commits(editing_.state().revision), std::back_inserter(lines));
    now.notice = format("{}", fmt::join(lines, "\n"));
    if (Prompt shown = prompt(); shown != before) now.prompt = std::move(shown);
    return now;
}

bool Session::end_of_input(bool again) {
    if (!editing_.active() || again) return false;
    static_cast<void>(run_line("exit", {}));
    return true;
}

void Session::run_terminal() {
    if (!greet()) return;
    EditHooks hooks{
        [this](std::string_view text) { return complete(text, editing_.mode(), editing_); },
        [this](std::string_view text) { return help_lines(text, editing_.mode(), editing_); },
        [this] { return tick(); }};
    auto opened = Terminal::open(std::move(hooks), default_history_path(), out_colours_);
    if (!opened) return report({ExitCode::failed, opened.error().text}, {}, {});
    terminal_ = std::move(*opened);
    read_block_ = read_typed_block;
    options_.on_error = OnError::go_on;
    bool ended = false;
    while (true) {
        clear_interrupt();
        if (editing_.refresh()) watch_.committed(editing_.state().revision);
        if (!editing_.level().empty()) std::printf("[edit %s]\n", editing_.level().c_str());
        const EditResult typed = terminal_->read(prompt());
        if (typed.event == EditEvent::interrupted) continue;
        if (typed.event == EditEvent::end) {
            if (!end_of_input(std::exchange(ended, true))) break;
            continue;
        }
        ended = false;
        if (trim(typed.line).empty()) continue;
        for (const std::string& line : watch_.news({})) std::printf("%s\n", line.c_str());
        clear_interrupt();
        if (!run_line(typed.line, {}) && !interrupt_requested()) break;
    }
    code_ = ExitCode::ok;  // a person has seen the errors
}

}  // namespace raicho::shell
