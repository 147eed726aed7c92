// SPDX-License-Identifier: Apache-2.0
#include "shell/session.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "shell/complete.h"
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
    if (failure.code == ExitCode::unreachable) lost_ = true;
}

bool Session::run_line(std::string_view line, const Origin& origin) {
    if (asks_for_help(line) && options_.run == Run::execute) {
        const std::string_view text = trim(line);
        for (const std::string& shown :
             help_lines(std::string(text.substr(0, text.size() - 1)), kOperate, agent_))
            std::printf("%s\n", shown.c_str());
        return true;
    }
    auto parsed = parse_line(line, kOperate, agent_);
    if (!parsed) {
        report(from_line_error(std::move(parsed.error())), line, origin);
        return options_.on_error == OnError::go_on;
    }
    if (parsed->command.command == nullptr) return true;
    if (options_.echo == Echo::yes) {
        std::fflush(stdout);
        std::fprintf(stderr, "+ %.*s\n", static_cast<int>(line.size()), line.data());
    }
    if (options_.run == Run::check_only) return true;
    const Surroundings around = surroundings();
    StandardOutput plain;
    Pager pager;
    const bool paged = terminal_ != nullptr && paged_ && !no_more(*parsed) &&
                       !is_live(parsed->command.command->action);
    LineSink& out = paged ? static_cast<LineSink&>(pager) : plain;
    const auto done = execute(*parsed, around, out);
    if (!done) {
        report(done.error(), line, origin);
        return options_.on_error == OnError::go_on && done.error().code != ExitCode::interrupted;
    }
    return *done == AfterCommand::go_on;
}

Surroundings Session::surroundings() {
    Surroundings around{agent_, out_colours_, options_.format, screen_of_output(), {}, {}, &paged_};
    if (terminal_ == nullptr) return around;
    around.history = [this](std::size_t n) { return terminal_->history(n); };
    around.ask = [this](const std::string& question) { return terminal_->ask(question); };
    return around;
}

void Session::write_candidates(std::string_view line) {
    for (const Candidate& candidate : complete(line, kOperate, agent_).candidates)
        std::printf("%s\n", quote(candidate.text).c_str());
}

void Session::run_script(ScriptReader& script) {
    while (true) {
        auto line = script.next();
        if (!line) {
            report({ExitCode::usage, line.error().text, line.error().hint, 0, 0, {}}, {}, {});
            return;
        }
        if (!*line) return;
        if (!run_line(**line, {script.name(), script.line_number()})) return;
    }
}

bool Session::greet() {
    const auto summary = agent_.get("/api/v1/summary");
    if (!summary) {
        report(summary.error(), {}, {});
        return false;
    }
    name_ = summary->text("name");
    agent_pid_ = summary->number("pid");
    agent_uptime_ = summary->number("uptime_ns");
    std::printf("%s\n", render_greeting(*summary).c_str());
    return true;
}

void Session::notice_restart() {
    const auto version = agent_.get("/api/v1/version");
    if (!version) return;  // the command itself will say it
    const std::uint64_t uptime = version->number("uptime_ns");
    // `restart agent` keeps the pid.
    if (version->number("pid") != agent_pid_ || uptime < agent_uptime_) {
        std::printf("the agent was restarted %s ago (%s)\n", age_text(uptime).c_str(),
                    version->text("start").c_str());
        agent_.forget_names();
    } else if (lost_) {
        std::printf("the agent answers again\n");
    }
    lost_ = false;
    agent_pid_ = version->number("pid");
    agent_uptime_ = uptime;
    name_ = version->text("name");
}

void Session::run_terminal() {
    if (!greet()) return;
    EditHooks hooks{[this](std::string_view text) { return complete(text, kOperate, agent_); },
                    [this](std::string_view text) { return help_lines(text, kOperate, agent_); }};
    auto opened = Terminal::open(std::move(hooks), default_history_path(), out_colours_);
    if (!opened) return report({ExitCode::failed, opened.error().text}, {}, {});
    terminal_ = std::move(*opened);
    options_.on_error = OnError::go_on;
    while (true) {
        clear_interrupt();
        const EditResult typed = terminal_->read({name_});
        if (typed.event == EditEvent::interrupted) continue;
        if (typed.event == EditEvent::end) break;
        if (trim(typed.line).empty()) continue;
        notice_restart();
        clear_interrupt();
        if (!run_line(typed.line, {}) && !interrupt_requested()) break;
    }
    code_ = ExitCode::ok;  // a person has seen the errors
}

}  // namespace raicho::shell
