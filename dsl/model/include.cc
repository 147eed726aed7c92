// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/include.h"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "dsl/syntax/parser.h"

namespace raicho::dsl {

namespace {

struct CloseFile {
    void operator()(std::FILE* f) const { std::fclose(f); }
};
struct Free {
    void operator()(char* p) const { std::free(p); }
};
struct Glob : ::glob_t {
    Glob() : ::glob_t{} {}
    ~Glob() { ::globfree(this); }
    Glob(const Glob&) = delete;
    Glob& operator=(const Glob&) = delete;
};

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, Free> real(::realpath(path.c_str(), nullptr));
    return real ? std::string(real.get()) : path;
}

std::expected<std::vector<LoadedFile>, std::string> from_disk(std::string_view pattern,
                                                              const std::string& from) {
    std::string path(pattern);
    const std::size_t slash = from.rfind('/');
    if (!path.starts_with('/') && slash != std::string::npos)
        path = from.substr(0, slash + 1) + path;
    std::vector<std::string> names;
    if (path.find_first_of("*?[") == std::string::npos) {
        names.push_back(path);
    } else {
        Glob found;
        const int result = ::glob(path.c_str(), GLOB_ERR, nullptr, &found);
        if (result != 0 && result != GLOB_NOMATCH)
            return std::unexpected(format("{}: cannot be searched", path));
        for (std::size_t i = 0; i < found.gl_pathc; ++i) names.emplace_back(found.gl_pathv[i]);
        std::ranges::sort(names, natural_less);
    }
    std::vector<LoadedFile> files;
    for (const std::string& name : names) {
        auto text = read_file(name);
        if (!text) return std::unexpected(format("{}: {}", name, text.error()));
        files.push_back({real_path(name), std::move(*text)});
    }
    return files;
}

void include_block(Includes& includes, Block& block) {
    const auto is_include = [](const Statement& s) {
        return s.sound && s.activity == Activity::active && s.keyword().text == "include" &&
               !s.block;
    };
    const bool any = std::ranges::any_of(block.statements, is_include);
    std::vector<Statement> out;
    for (Statement& s : block.statements) {
        if (is_include(s)) {
            includes.read(s.values, [&](Tree&& tree) {
                include_block(includes, tree.root);
                std::ranges::move(tree.root.statements, std::back_inserter(out));
            });
            continue;
        }
        if (s.block) include_block(includes, *s.block);
        if (any) out.push_back(std::move(s));
    }
    if (any) block.statements = std::move(out);
}

}  // namespace

Includes::Includes(std::shared_ptr<Source> source, const FileReader& files,
                   Diagnostics& diagnostics)
    : source_(std::move(source)), files_(files), diagnostics_(diagnostics) {
    chain_.push_back(real_path(source_->file()));
}

void Includes::read(std::span<const Value> s, const std::function<void(Tree&&)>& use) {
    const Span span = s.back().span;
    if (s.size() != 2 || s[1].kind == ValueKind::list || s[1].text.empty())
        return diagnostics_.error(span, "include takes one file name",
                                  "write include ports.d/*.conf");
    if (!files_)
        return diagnostics_.error(span, "other files cannot be included here",
                                  "lagosh's load puts them in");
    if (chain_.size() > kMaxIncludeDepth)
        return diagnostics_.error(span, format("includes nested deeper than {}", kMaxIncludeDepth),
                                  format("{}", fmt::join(chain_, " -> ")));
    auto files = files_(s[1].text, chain_.back());
    if (!files) return diagnostics_.error(span, files.error());
    for (LoadedFile& file : *files) add(std::move(file), span, use);
}

void Includes::add(LoadedFile file, Span span, const std::function<void(Tree&&)>& use) {
    const auto before = std::ranges::find(chain_, file.path);
    if (before != chain_.end()) {
        std::string chain;
        for (auto i = before; i != chain_.end(); ++i) chain += *i + " -> ";
        return diagnostics_.error(span, format("{} includes itself", file.path), chain + file.path);
    }
    if (++n_files_ > kMaxIncludedFiles || file.text.size() > kMaxTextSize ||
        file.text.size() + 1 > source_->room()) {
        if (!std::exchange(full_, true))
            diagnostics_.error(
                span, "too much is included",
                format("at most {} files of {} bytes", kMaxIncludedFiles, kMaxTextSize));
        return;
    }
    chain_.push_back(file.path);
    const std::size_t part = source_->add(std::move(file.path), std::move(file.text));
    use(parse(source_, diagnostics_, part));
    chain_.pop_back();
}

std::expected<std::string, std::string> read_file(const std::string& path) {
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    if (!file) return std::unexpected(format("cannot be read: {}", std::strerror(errno)));
    std::string text;
    std::string chunk(std::size_t{1} << 16, '\0');
    while (text.size() <= kMaxTextSize) {
        const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), file.get());
        text.append(chunk, 0, n);
        if (n < chunk.size()) break;
    }
    if (std::ferror(file.get()) != 0)
        return std::unexpected(format("cannot be read: {}", std::strerror(errno)));
    return text;
}

FileReader disk_files() {
    return from_disk;
}

void include_files(Tree& tree, std::shared_ptr<Source> source, const FileReader& files,
                   Diagnostics& diagnostics) {
    Includes includes(std::move(source), files, diagnostics);
    include_block(includes, tree.root);
}

}  // namespace raicho::dsl
