// SPDX-License-Identifier: Apache-2.0
// lagosh: arguments only; session.h does the work.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "shell/commands.h"
#include "shell/file_tools.h"
#include "shell/import.h"
#include "shell/interrupt.h"
#include "shell/line.h"
#include "shell/manual.h"
#include "shell/session.h"

namespace raicho::shell {
namespace {

constexpr const char* kDefaultRundir = "/run/raicho";

struct Arguments {
    SessionOptions session;
    std::vector<std::string> commands;
    std::string file;
    std::vector<std::string> words;
    std::optional<std::string> complete;  // a beginning of a line
    bool manual = false;
    bool json = false;
    bool stop = false;
    bool echo = false;
    bool check = false;
};

std::string default_rundir() {
    const char* given = std::getenv("RAICHO_RUNDIR");
    return given != nullptr && *given != '\0' ? given : kDefaultRundir;
}

bool begins_command(const std::string& word) {
    return std::ranges::any_of(kCommands, [&](const Command& command) {
        const std::string_view first = command.notation.substr(0, command.notation.find(' '));
        return first.starts_with(word);
    });
}

/// Words of the caller's shell as one line of ours: what it kept together stays together.
std::string as_line(const std::vector<std::string>& words) {
    if (words.size() == 1) return words.front();
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty()) line += ' ';
        line += word == "|" || word == "?" ? word : quote(word);
    }
    return line;
}

void run_script(Session& session, const std::string& path) {
    auto script = ScriptReader::open(path);
    if (!script) {
        std::fprintf(stderr, "lagosh: %s\n", script.error().text.c_str());
        std::exit(static_cast<int>(ExitCode::usage));
    }
    session.run_script(*script);
}

int run(Arguments& given) {
    choose_locale();
    install_signal_handlers();
    SessionOptions& options = given.session;
    if (given.json) options.format = Format::json;
    if (given.stop) options.on_error = OnError::stop;
    if (given.echo) options.echo = Echo::yes;
    if (given.check) options.run = Run::check_only;
    Session session(options);
    if (given.complete) {
        session.write_candidates(*given.complete);
        return static_cast<int>(ExitCode::ok);
    }
    const bool script_named = given.words.size() == 1 && !begins_command(given.words.front()) &&
                              std::filesystem::exists(given.words.front());
    if (script_named) given.file = given.words.front();
    bool go_on = true;
    for (const std::string& command : given.commands)
        if (go_on) go_on = session.run_line(command, {});
    if (!given.file.empty()) {
        if (go_on) run_script(session, given.file);
    } else if (!given.words.empty()) {
        if (go_on) static_cast<void>(session.run_line(as_line(given.words), {}));
    } else if (given.commands.empty()) {
        if (::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1)
            session.run_terminal();
        else
            run_script(session, "-");
    }
    session.finish();
    std::fflush(stdout);
    return static_cast<int>(session.exit_code());
}

}  // namespace
}  // namespace raicho::shell

int main(int argc, char** argv) {
    if (argc > 1 && argv[1] == raicho::shell::kImportWord)
        return static_cast<int>(
            raicho::shell::import_main({argv + 2, static_cast<std::size_t>(argc - 2)}));
    if (const std::vector<std::string> words(argv + 1, argv + argc);
        raicho::shell::is_file_tool(words)) {
        const raicho::shell::ToolResult result = raicho::shell::run_file_tool(words);
        std::fwrite(result.out.data(), 1, result.out.size(), stdout);
        std::fwrite(result.err.data(), 1, result.err.size(), stderr);
        return static_cast<int>(result.code);
    }
    raicho::shell::Arguments given;
    given.session.rundir = raicho::shell::default_rundir();
    CLI::App app("lagosh: look into a running Raicho switch and change it", "lagosh");
    app.set_version_flag("--version", "lagosh " RAICHO_VERSION);
    app.add_option("--rundir", given.session.rundir, "run directory of the switch")
        ->type_name("DIR")
        ->take_last()
        ->capture_default_str();
    app.add_option("-c", given.commands, "run a command (repeatable)")
        ->type_name("COMMAND")
        ->allow_extra_args(false);
    app.add_option("-f", given.file, "run the commands in a file, - is standard input")
        ->type_name("FILE")
        ->take_last();
    app.add_flag("-j", given.json, "answers as JSON");
    app.add_flag("-e", given.stop, "stop at the first error");
    app.add_flag("-x", given.echo, "write each command to standard error before it runs");
    app.add_flag("-n", given.check, "check the commands, run none");
    app.add_option("--complete", given.complete, "write what may stand at the end of a line")
        ->type_name("LINE")
        ->take_last();
    app.add_flag("--manual", given.manual, "write the manual page");
    app.add_option("words", given.words, "a command, or a file of commands")->type_name("WORD");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : static_cast<int>(raicho::shell::ExitCode::usage);
    }
    if (given.manual) {
        std::fputs(raicho::shell::manual_page().c_str(), stdout);
        return 0;
    }
    return raicho::shell::run(given);
}
