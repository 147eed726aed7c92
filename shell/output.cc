// SPDX-License-Identifier: Apache-2.0
#include "shell/output.h"

#include <regex.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>

#include "base/text.h"

namespace raicho::shell {

namespace {

/// A compiled POSIX extended regular expression: unlike std::regex it does not recurse by the
/// length of the text.
class Pattern {
  public:
    [[nodiscard]] static std::expected<std::unique_ptr<Pattern>, std::string> open(
        const std::string& text) {
        auto pattern = std::unique_ptr<Pattern>(new Pattern);
        const int code = ::regcomp(&pattern->compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB);
        if (code == 0) {
            pattern->ready_ = true;
            return pattern;
        }
        std::array<char, 200> why{};
        ::regerror(code, &pattern->compiled_, why.data(), why.size());
        return std::unexpected(std::string(why.data()));
    }
    ~Pattern() {
        if (ready_) ::regfree(&compiled_);
    }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    [[nodiscard]] bool matches(std::string_view text) const {
        const std::string whole(text);
        return ::regexec(&compiled_, whole.c_str(), 0, nullptr, 0) == 0;
    }

  private:
    Pattern() = default;
    regex_t compiled_{};
    bool ready_ = false;
};

class Filter : public LineSink {
  public:
    explicit Filter(LineSink& next) : next_(next) {}
    Want flush() override { return next_.flush(); }
    void end() override { next_.end(); }

  protected:
    LineSink& next_;
};

enum class Keep : bool { others, matching };

class MatchFilter : public Filter {
  public:
    MatchFilter(LineSink& next, std::unique_ptr<Pattern> pattern, Keep keep)
        : Filter(next), pattern_(std::move(pattern)), keep_(keep) {}
    Want line(std::string_view text) override {
        const bool wanted = pattern_->matches(text) == (keep_ == Keep::matching);
        return wanted ? next_.line(text) : Want::more;
    }

  private:
    std::unique_ptr<Pattern> pattern_;
    Keep keep_;
};

class FindFilter : public Filter {
  public:
    FindFilter(LineSink& next, std::unique_ptr<Pattern> pattern)
        : Filter(next), pattern_(std::move(pattern)) {}
    Want line(std::string_view text) override {
        found_ = found_ || pattern_->matches(text);
        return found_ ? next_.line(text) : Want::more;
    }

  private:
    std::unique_ptr<Pattern> pattern_;
    bool found_ = false;
};

class CountFilter : public Filter {
  public:
    using Filter::Filter;
    Want line(std::string_view) override {
        ++count_;
        return Want::more;
    }
    void end() override {
        next_.line(format("Count: {} lines", count_));
        next_.end();
    }

  private:
    std::uint64_t count_ = 0;
};

class LastFilter : public Filter {
  public:
    LastFilter(LineSink& next, std::size_t limit) : Filter(next), limit_(limit) {}
    Want line(std::string_view text) override {
        if (limit_ == 0) return Want::no_more;
        if (kept_.size() == limit_) kept_.pop_front();
        kept_.emplace_back(text);
        return Want::more;
    }
    void end() override {
        for (const std::string& text : kept_)
            if (next_.line(text) == Want::no_more) break;
        next_.end();
    }

  private:
    std::size_t limit_;
    std::deque<std::string> kept_;
};

/// Lines into a file; what is said about it goes on.
class SaveFilter : public Filter {
  public:
    SaveFilter(LineSink& next, std::FILE* file, std::string path)
        : Filter(next), file_(file), path_(std::move(path)) {}
    ~SaveFilter() override {
        if (file_ != nullptr) std::fclose(file_);
    }
    SaveFilter(const SaveFilter&) = delete;
    SaveFilter& operator=(const SaveFilter&) = delete;

    Want line(std::string_view text) override {
        ++count_;
        const bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size() &&
                             std::fputc('\n', file_) != EOF;
        if (!written && error_ == 0) error_ = errno;
        return written ? Want::more : Want::no_more;
    }
    Want flush() override {
        if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
        return error_ == 0 ? Want::more : Want::no_more;
    }
    void end() override {
        if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
        if (error_ == 0)
            next_.line(format("{} line{} written to {}", count_, count_ == 1 ? "" : "s", path_));
        next_.end();
    }
    /// errno of the first write that failed, 0 for none.
    [[nodiscard]] int error() const { return error_; }

  private:
    std::FILE* file_;
    std::string path_;
    std::uint64_t count_ = 0;
    int error_ = 0;
};

constexpr std::size_t kDefaultLast = 10;

Failure about(const Argument& argument, std::string text, std::string hint = {}) {
    return {ExitCode::usage, std::move(text), std::move(hint), argument.begin, argument.end, {}};
}

Failure cannot_write(const Argument& file, int error) {
    Failure failure =
        about(file, fail_errno(format("cannot write \"{}\"", file.text), error).error().text);
    failure.code = ExitCode::failed;
    return failure;
}

std::expected<void, Failure> prepend_save(Filters& chain, const Argument& path) {
    std::FILE* file = std::fopen(path.text.c_str(), "we");
    if (file == nullptr) return std::unexpected(cannot_write(path, errno));
    const SaveFilter& save = chain.prepend<SaveFilter>(file, path.text);
    chain.set_fault([&save, path]() -> std::optional<Failure> {
        if (save.error() == 0) return std::nullopt;
        return cannot_write(path, save.error());
    });
    return {};
}

bool filters_lines(Action action) {
    return action == Action::pipe_match || action == Action::pipe_except ||
           action == Action::pipe_find || action == Action::pipe_count ||
           action == Action::pipe_last || action == Action::pipe_save;
}

std::expected<void, Failure> prepend(Filters& chain, const Parsed& pipe) {
    std::unique_ptr<Pattern> pattern;
    if (const Argument* re = pipe.find("RE"); re != nullptr) {
        auto opened = Pattern::open(re->text);
        if (!opened)
            return std::unexpected(about(
                *re, format("\"{}\" is no regular expression: {}", re->text, opened.error())));
        pattern = std::move(*opened);
    }
    const Action action = pipe.command->action;
    if (action == Action::pipe_match)
        chain.prepend<MatchFilter>(std::move(pattern), Keep::matching);
    else if (action == Action::pipe_except)
        chain.prepend<MatchFilter>(std::move(pattern), Keep::others);
    else if (action == Action::pipe_find)
        chain.prepend<FindFilter>(std::move(pattern));
    else if (action == Action::pipe_count)
        chain.prepend<CountFilter>();
    else if (action == Action::pipe_last)
        chain.prepend<LastFilter>(parse_number(pipe.text("N")).value_or(kDefaultLast));
    else if (action == Action::pipe_save)
        return prepend_save(chain, *pipe.find("FILE"));
    return {};
}

}  // namespace

std::expected<std::unique_ptr<Filters>, Failure> make_filters(const std::vector<Parsed>& pipes,
                                                              LineSink& last) {
    auto chain = std::make_unique<Filters>(last);
    bool more_behind = false;
    for (auto pipe = pipes.rbegin(); pipe != pipes.rend(); ++pipe) {
        if (!filters_lines(pipe->command->action)) continue;
        if (more_behind && pipe->command->action == Action::pipe_save)
            return std::unexpected(about(*pipe->find("FILE"), "save must be the last filter",
                                         "nothing goes on behind a file"));
        if (auto done = prepend(*chain, *pipe); !done) return std::unexpected(done.error());
        more_behind = true;
    }
    return chain;
}

Want StandardOutput::line(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
                         std::fputc('\n', stdout) != EOF;
    return written ? Want::more : Want::no_more;
}

Want StandardOutput::flush() {
    return std::fflush(stdout) == 0 ? Want::more : Want::no_more;
}

void StandardOutput::end() {
    std::fflush(stdout);
}

}  // namespace raicho::shell
