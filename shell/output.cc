// SPDX-License-Identifier: Apache-2.0
#include "shell/output.h"

#include <regex.h>

#include <array>
#include <cstdio>
#include <deque>
#include <string>

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

/// Owns the filters in front of the last sink.
class Chain : public LineSink {
  public:
    explicit Chain(LineSink& last) : first_(&last) {}
    template <class T, class... Args>
    void prepend(Args&&... args) {
        owned_.push_back(std::make_unique<T>(*first_, std::forward<Args>(args)...));
        first_ = owned_.back().get();
    }
    Want line(std::string_view text) override { return first_->line(text); }
    void end() override { first_->end(); }

  private:
    LineSink* first_;
    std::vector<std::unique_ptr<LineSink>> owned_;
};

constexpr std::size_t kDefaultLast = 10;

}  // namespace

std::expected<std::unique_ptr<LineSink>, LineError> make_filters(const std::vector<Parsed>& pipes,
                                                                 LineSink& last) {
    auto chain = std::make_unique<Chain>(last);
    for (auto pipe = pipes.rbegin(); pipe != pipes.rend(); ++pipe) {
        std::unique_ptr<Pattern> pattern;
        if (const Argument* re = pipe->find("RE"); re != nullptr) {
            auto opened = Pattern::open(re->text);
            if (!opened)
                return std::unexpected(LineError{
                    format("\"{}\" is no regular expression: {}", re->text, opened.error()),
                    {},
                    re->begin,
                    re->end});
            pattern = std::move(*opened);
        }
        // json and no-more choose renderer and pager, not lines.
        const Action action = pipe->command->action;
        if (action == Action::pipe_match)
            chain->prepend<MatchFilter>(std::move(pattern), Keep::matching);
        else if (action == Action::pipe_except)
            chain->prepend<MatchFilter>(std::move(pattern), Keep::others);
        else if (action == Action::pipe_find)
            chain->prepend<FindFilter>(std::move(pattern));
        else if (action == Action::pipe_count)
            chain->prepend<CountFilter>();
        else if (action == Action::pipe_last)
            chain->prepend<LastFilter>(parse_number(pipe->text("N")).value_or(kDefaultLast));
    }
    return chain;
}

Want StandardOutput::line(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
                         std::fputc('\n', stdout) != EOF;
    return written ? Want::more : Want::no_more;
}

void StandardOutput::end() {
    std::fflush(stdout);
}

}  // namespace raicho::shell
