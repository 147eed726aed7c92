// SPDX-License-Identifier: Apache-2.0
#include "shell/import.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dsl/import/import.h"
#include "shell/check.h"

namespace raicho::shell {

namespace {

constexpr const char* kUsage =
    "usage: lagosh import lagopus [-o OUT] [FILE...]\n"
    "       lagosh import ovs [-o OUT] [[BRIDGE=]FILE...]\n"
    "\n"
    "Writes a foreign configuration as one of ours to OUT or standard output, and what could\n"
    "not be carried, with its place, to standard error. Without FILE, or for -, standard input\n"
    "is read.\n"
    "\n"
    "  lagopus  commands of Lagopus 0.2: a .dsl file, or what its save writes\n"
    "  ovs      what `ovs-vsctl show`, `ovs-ofctl show BRIDGE` and `ovs-ofctl dump-flows BRIDGE`\n"
    "           print, in any order; BRIDGE= says whose flows a file has\n";

struct CloseFile {
    void operator()(std::FILE* f) const { std::fclose(f); }
};

std::expected<std::string, std::string> read_all(const std::string& path) {
    constexpr std::size_t kLongest = std::size_t{64} << 20;
    std::unique_ptr<std::FILE, CloseFile> opened;
    std::FILE* file = stdin;
    if (path != "-") {
        opened.reset(std::fopen(path.c_str(), "rb"));
        if (!opened) return std::unexpected(std::strerror(errno));
        file = opened.get();
    }
    std::string text;
    std::array<char, 1 << 16> chunk{};
    while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), file)) {
        text.append(chunk.data(), n);
        if (text.size() > kLongest) return std::unexpected("it is larger than 64 MiB");
    }
    if (std::ferror(file) != 0) return std::unexpected(std::strerror(errno));
    return text;
}

ExitCode say(ExitCode code, const std::string& text) {
    std::fprintf(stderr, "lagosh import: %s\n", text.c_str());
    return code;
}

/// What the words after `import` ask for.
struct Request {
    std::string from;
    std::string out;  // empty = standard output
    std::vector<std::string> files;
    bool help = false;
};

std::expected<Request, std::string> read_request(std::span<char* const> words) {
    Request request;
    bool options = true;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (options && (word == "-h" || word == "--help")) {
            request.help = true;
        } else if (options && word == "--") {
            options = false;
        } else if (options && word == "-o") {
            if (++i == words.size()) return std::unexpected("-o needs a file");
            request.out = words[i];
        } else if (options && word.size() > 1 && word.starts_with('-')) {
            return std::unexpected(format("unknown option \"{}\"", word));
        } else if (request.from.empty()) {
            request.from = word;
        } else {
            request.files.emplace_back(word);
        }
    }
    if (request.help) return request;
    constexpr std::array<std::string_view, 2> kForms{"lagopus", "ovs"};
    if (request.from.empty()) return std::unexpected("from what? lagopus or ovs");
    if (request.from != kForms[0] && request.from != kForms[1]) {
        const auto near = did_you_mean(request.from, kForms);
        return std::unexpected(
            format("unknown form \"{}\"; {}", request.from,
                   near ? format("did you mean \"{}\"?", *near) : "allowed: lagopus, ovs"));
    }
    if (request.files.empty()) request.files.emplace_back("-");
    return request;
}

/// `br0=flows.txt`, unless there is a file of that whole name.
std::pair<std::string, std::string> bridge_and_path(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) return {"", word};
    const std::unique_ptr<std::FILE, CloseFile> whole(std::fopen(word.c_str(), "rb"));
    if (whole) return {"", word};
    return {word.substr(0, equals), word.substr(equals + 1)};
}

std::expected<dsl::Imported, std::string> import(const Request& request) {
    dsl::ImportOptions options;
    options.flows = flow_checker();
    options.read_file = read_all;
    const bool ovs = request.from == "ovs";
    std::vector<dsl::OvsText> texts;
    for (const std::string& word : request.files) {
        auto [bridge, path] = ovs ? bridge_and_path(word) : std::pair(std::string(), word);
        auto text = read_all(path);
        if (!text) return std::unexpected(format("cannot read \"{}\": {}", path, text.error()));
        texts.push_back({{path == "-" ? "standard input" : path, std::move(*text)}, bridge});
    }
    if (ovs) return dsl::import_ovs(texts, options);
    const std::vector<dsl::ForeignText> plain(texts.begin(), texts.end());
    return dsl::import_lagopus(plain, options);
}

std::string plural(std::size_t n, std::string_view what) {
    return format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string summary(const dsl::Config& config, const dsl::Imported& imported) {
    std::size_t n_ports = 0;
    std::size_t n_flows = 0;
    for (const dsl::BridgeConfig& b : config.bridges) {
        n_ports += b.ports.size();
        n_flows += b.flows.size();
    }
    const std::size_t n_lost = imported.n_lost();
    return format("{}, {}, {}; {}", plural(config.bridges.size(), "bridge"),
                  plural(n_ports, "port"), plural(n_flows, "flow"),
                  n_lost == 0 ? "everything was carried"
                              : format("not carried: {}", plural(n_lost, "thing")));
}

std::expected<void, std::string> write_out(const std::string& path, const std::string& text) {
    std::unique_ptr<std::FILE, CloseFile> opened;
    std::FILE* file = stdout;
    if (!path.empty()) {
        opened.reset(std::fopen(path.c_str(), "wb"));
        if (!opened) return std::unexpected(std::strerror(errno));
        file = opened.get();
    }
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0)
        return std::unexpected(std::strerror(errno));
    return {};
}

}  // namespace

ExitCode import_main(std::span<char* const> arguments) {
    const auto request = read_request(arguments);
    if (!request) {
        std::fprintf(stderr, "lagosh import: %s\n%s", request.error().c_str(), kUsage);
        return ExitCode::usage;
    }
    if (request->help) {
        std::fputs(kUsage, stdout);
        return ExitCode::ok;
    }
    const auto imported = import(*request);
    if (!imported) return say(ExitCode::failed, imported.error());
    std::fputs(imported->report().c_str(), stderr);
    const dsl::Checked checked = dsl::check(
        imported->text, request->out.empty() ? "imported" : request->out, flow_checker());
    std::fputs(checked.report().c_str(), stderr);
    if (const auto written = write_out(request->out, imported->text); !written)
        return say(ExitCode::failed, format("cannot write \"{}\": {}",
                                            request->out.empty() ? "standard output" : request->out,
                                            written.error()));
    static_cast<void>(say(ExitCode::ok, summary(checked.config, *imported)));
    return checked.ok() ? ExitCode::ok : ExitCode::refused;
}

}  // namespace raicho::shell
