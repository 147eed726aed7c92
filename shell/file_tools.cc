// SPDX-License-Identifier: Apache-2.0
#include "shell/file_tools.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <expected>
#include <filesystem>
#include <string_view>

#include "base/text.h"
#include "dsl/edit/compare.h"
#include "dsl/edit/forms.h"
#include "dsl/edit/include.h"
#include "dsl/edit/json.h"
#include "dsl/model/lint.h"
#include "dsl/model/reference_doc.h"
#include "shell/check.h"
#include "shell/flow_facts.h"
#include "shell/import.h"
#include "shell/text_diff.h"

namespace raicho::shell {

namespace {

using Arguments = std::vector<std::string>;

using Tool = ToolUsage;

ToolResult wrong_usage(const Tool& tool, std::string_view what) {
    return {
        {},
        format("lagosh {}: {}\nusage: lagosh {} {}\n", tool.name, what, tool.name, tool.arguments),
        ExitCode::usage};
}

/// Options and files of a tool. An option with a value takes `--to json` and `--to=json`.
class Options {
  public:
    std::vector<std::string> files;

    /// What is wrong, or empty. `flags` and `valued` are what the tool knows.
    std::string read(const Arguments& arguments, std::vector<std::string_view> flags,
                     std::vector<std::string_view> valued) {
        bool only_files = false;
        for (std::size_t i = 1; i < arguments.size(); ++i) {
            const std::string& a = arguments[i];
            if (only_files || a == "-" || !a.starts_with('-')) {
                files.push_back(a);
                continue;
            }
            if (a == "--") {
                only_files = true;
                continue;
            }
            const std::size_t equal = a.find('=');
            const std::string name = a.substr(0, equal);
            if (std::ranges::find(valued, name) != valued.end()) {
                if (equal == std::string::npos && i + 1 == arguments.size())
                    return format("{} needs a value", name);
                given_.emplace_back(
                    name, equal == std::string::npos ? arguments[++i] : a.substr(equal + 1));
            } else if (std::ranges::find(flags, a) != flags.end()) {
                given_.emplace_back(a, "");
            } else {
                flags.insert(flags.end(), valued.begin(), valued.end());
                const auto near = did_you_mean(a, flags);
                return format("unknown option {}{}", a,
                              near ? format("; did you mean {}?", *near) : "");
            }
        }
        return {};
    }
    [[nodiscard]] bool has(std::string_view name) const {
        return std::ranges::any_of(given_, [&](const auto& g) { return g.first == name; });
    }
    [[nodiscard]] std::string value(std::string_view name) const {
        for (const auto& [option, text] : given_)
            if (option == name) return text;
        return {};
    }

  private:
    std::vector<std::pair<std::string, std::string>> given_;
};

std::expected<std::string, std::string> read_input(const std::string& path) {
    if (path != "-") return dsl::read_file(path);
    return dsl::read_file("/dev/stdin");
}

std::string shown(const std::string& path) {
    return path == "-" ? "standard input" : path;
}

ToolResult unreadable(const std::string& path, const std::string& why) {
    return {{}, format("lagosh: {}: {}\n", shown(path), why), ExitCode::refused};
}

// --- check -----------------------------------------------------------------------------------

std::string as_json(const dsl::Diagnostic& d) {
    return format(
        R"({{"severity": {}, "file": {}, "line": {}, "column": {}, "length": {}, "text": {}, "help": {}}})",
        d.severity == dsl::Severity::error ? R"("error")" : R"("warning")",
        dsl::json_string(d.file), d.line, d.column, d.span.length, dsl::json_string(d.text),
        dsl::json_string(d.help));
}

dsl::Checked check_input(const std::string& file) {
    if (file != "-") return dsl::check_file(file, flow_checker());
    auto text = read_input(file);
    return dsl::check(text ? std::move(*text) : "", shown(file), flow_checker(), dsl::disk_files());
}

ToolResult check(const Tool& tool, const Arguments& arguments) {
    Options options;
    if (const std::string wrong = options.read(arguments, {"-j"}, {"--format"}); !wrong.empty())
        return wrong_usage(tool, wrong);
    const std::string wanted = options.value("--format");
    if (options.files.empty()) return wrong_usage(tool, "a file is missing");
    if (!wanted.empty() && wanted != "json" && wanted != "text")
        return wrong_usage(tool, format("unknown format \"{}\": text or json", wanted));
    const bool json = options.has("-j") || wanted == "json";
    ToolResult result;
    std::string findings;
    for (const std::string& file : options.files) {
        dsl::Checked checked = check_input(file);
        if (checked.ok())
            dsl::lint(checked, flow_facts());
        else
            result.code = ExitCode::refused;
        if (json) {
            for (const dsl::Diagnostic& d : checked.diagnostics)
                findings += (findings.empty() ? "\n  " : ",\n  ") + as_json(d);
            continue;
        }
        (checked.ok() ? result.out : result.err) += checked.report();
        if (!checked.ok()) continue;
        std::size_t n_ports = 0;
        for (const dsl::BridgeConfig& bridge : checked.config.bridges)
            n_ports += bridge.ports.size();
        const std::size_t n_bridges = checked.config.bridges.size();
        result.out += format("{}: good, {} bridge{}, {} port{}\n", shown(file), n_bridges,
                             n_bridges == 1 ? "" : "s", n_ports, n_ports == 1 ? "" : "s");
    }
    if (json) result.out = format("[{}{}]\n", findings, findings.empty() ? "" : "\n");
    return result;
}

// --- fmt -------------------------------------------------------------------------------------

/// Writes beside the file and renames, so that it is never half.
std::string replace_file(const std::string& path, const std::string& text) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    if (error) return error.message();
    const std::string beside = format("{}.{}~", target.string(), ::getpid());
    std::FILE* file = std::fopen(beside.c_str(), "wbx");
    if (file == nullptr) return std::strerror(errno);
    bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = std::fflush(file) == 0 && good;
    good = ::fsync(::fileno(file)) == 0 && good;
    const std::string why = good ? "" : std::strerror(errno);
    good = std::fclose(file) == 0 && good;
    if (good) fs::permissions(beside, fs::status(target, error).permissions(), error);
    if (good && !error) fs::rename(beside, target, error);
    if (good && !error) return {};
    std::remove(beside.c_str());
    return why.empty() ? error.message() : why;
}

ToolResult fmt_files(const Tool& tool, const Arguments& arguments) {
    Options options;
    if (const std::string wrong = options.read(arguments, {"-d", "-w"}, {}); !wrong.empty())
        return wrong_usage(tool, wrong);
    if (options.files.empty()) return wrong_usage(tool, "a file is missing");
    ToolResult result;
    for (const std::string& file : options.files) {
        const auto text = read_input(file);
        if (!text) return unreadable(file, text.error());
        const auto laid_out = dsl::fmt(*text, shown(file));
        if (!laid_out) {
            result.err += laid_out.error().rendered;
            result.code = ExitCode::refused;
            continue;
        }
        if (options.has("-d")) {
            result.out += text_diff(*text, *laid_out, shown(file), shown(file) + " (laid out)");
            if (*text != *laid_out && result.code == ExitCode::ok) result.code = ExitCode::failed;
        }
        if (options.has("-w")) {
            if (file == "-") return wrong_usage(tool, "standard input cannot be written");
            if (*text == *laid_out) continue;
            if (const std::string why = replace_file(file, *laid_out); !why.empty())
                return {result.out, format("lagosh: {}: {}\n", file, why), ExitCode::failed};
        }
        if (!options.has("-d") && !options.has("-w")) result.out += *laid_out;
    }
    if (options.has("-w") && result.code == ExitCode::failed) result.code = ExitCode::ok;
    return result;
}

// --- convert, diff, schema -------------------------------------------------------------------

ToolResult convert(const Tool& tool, const Arguments& arguments) {
    Options options;
    if (const std::string wrong = options.read(arguments, {}, {"--to", "--from"}); !wrong.empty())
        return wrong_usage(tool, wrong);
    if (options.files.size() != 1) return wrong_usage(tool, "one file is needed");
    const auto to = dsl::form_by_name(options.value("--to"));
    if (!to) return wrong_usage(tool, "--to conf, --to set or --to json is needed");
    const auto text = read_input(options.files[0]);
    if (!text) return unreadable(options.files[0], text.error());
    dsl::Form from = dsl::guess_form(*text);
    if (options.has("--from")) {
        const auto said = dsl::form_by_name(options.value("--from"));
        if (!said) return wrong_usage(tool, "--from is one of conf, set, json");
        from = *said;
    }
    const auto converted = dsl::convert(*text, shown(options.files[0]), from, *to);
    if (!converted) return {{}, converted.error().rendered, ExitCode::refused};
    return {*converted, {}, ExitCode::ok};
}

/// A file in conf form, includes and definitions in place.
dsl::OrRefusal<std::string> meaning_of(const std::string& path, const std::string& text) {
    const dsl::Form form = dsl::guess_form(text);
    if (form == dsl::Form::conf) return dsl::expand(text, path, dsl::disk_files());
    auto conf = dsl::convert(text, path, form, dsl::Form::conf);
    if (!conf) return conf;
    return dsl::expand(std::move(*conf), path, dsl::disk_files());
}

ToolResult diff(const Tool& tool, const Arguments& arguments) {
    Options options;
    if (const std::string wrong = options.read(arguments, {}, {}); !wrong.empty())
        return wrong_usage(tool, wrong);
    if (options.files.size() != 2) return wrong_usage(tool, "two files are needed");
    std::vector<std::string> texts;
    for (const std::string& file : options.files) {
        const auto text = read_input(file);
        if (!text) return unreadable(file, text.error());
        auto whole = meaning_of(shown(file), *text);
        if (!whole) return {{}, whole.error().rendered, ExitCode::refused};
        texts.push_back(std::move(*whole));
    }
    const auto difference = dsl::compare(texts[0], texts[1]);
    if (!difference) return {{}, difference.error().rendered, ExitCode::refused};
    return {*difference, {}, difference->empty() ? ExitCode::ok : ExitCode::failed};
}

ToolResult schema(const Tool& tool, const Arguments& arguments) {
    Options options;
    if (const std::string wrong = options.read(arguments, {"--markdown", "--man"}, {});
        !wrong.empty())
        return wrong_usage(tool, wrong);
    if (!options.files.empty()) return wrong_usage(tool, "it takes no file");
    if (options.has("--markdown")) return {dsl::language_reference(), {}, ExitCode::ok};
    return {options.has("--man") ? dsl::language_manual() : dsl::json_schema(), {}, ExitCode::ok};
}

using Run = ToolResult (*)(const Tool& tool, const Arguments& arguments);

constexpr std::array<Tool, 5> kTools{{
    {"check", "[--format text|json] FILE...",
     "faults of configuration files, and what is hardly meant"},
    {"fmt", "[-d] [-w] FILE...",
     "lay files out and keep their comments; -d shows what would change, -w writes it"},
    {"convert", "--to conf|set|json [--from conf|set|json] FILE",
     "the same configuration in another form"},
    {"diff", "FILE FILE", "what two files mean differently; exit code 1 when they do"},
    {"schema", "[--markdown|--man]",
     "the language as JSON Schema, as docs/dsl.md, as raicho.conf(5)"},
}};
constexpr std::array<Run, kTools.size()> kRuns{check, fmt_files, convert, diff, schema};

const Tool* find_tool(std::string_view name) {
    const auto* at = std::ranges::find(kTools, name, &Tool::name);
    return at == kTools.end() ? nullptr : at;
}

}  // namespace

std::span<const ToolUsage> file_tools() {
    return kTools;
}

std::vector<std::string_view> program_words() {
    std::vector<std::string_view> words{kImportWord};
    for (const Tool& tool : kTools) words.push_back(tool.name);
    return words;
}

bool is_file_tool(const std::vector<std::string>& arguments) {
    return !arguments.empty() && find_tool(arguments.front()) != nullptr;
}

ToolResult run_file_tool(const std::vector<std::string>& arguments) {
    const Tool& tool = *find_tool(arguments.front());
    if (std::ranges::find(arguments, "--help") != arguments.end())
        return {format("usage: lagosh {} {}\n{}\n", tool.name, tool.arguments, tool.help),
                {},
                ExitCode::ok};
    return kRuns[static_cast<std::size_t>(&tool - kTools.data())](tool, arguments);
}

}  // namespace raicho::shell
