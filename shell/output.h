// SPDX-License-Identifier: Apache-2.0
// Where the lines of a command go: through the filters behind its `|` to the terminal, its pager
// or a file. A sink that has enough says so, and the source stops fetching.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "shell/failure.h"
#include "shell/parse.h"

namespace raicho::shell {

enum class Want : bool { no_more, more };

class LineSink {
  public:
    virtual ~LineSink() = default;
    /// One line without its end.
    virtual Want line(std::string_view text) = 0;
    /// What was given so far is to be seen now.
    virtual Want flush() { return Want::more; }
    /// After the last line, once.
    virtual void end() {}
};

/// The filters behind a command.
class Filters : public LineSink {
  public:
    explicit Filters(LineSink& last) : first_(&last) {}
    template <class T, class... Args>
    T& prepend(Args&&... args) {
        auto made = std::make_unique<T>(*first_, std::forward<Args>(args)...);
        T& filter = *made;
        owned_.push_back(std::move(made));
        first_ = &filter;
        return filter;
    }
    Want line(std::string_view text) override { return first_->line(text); }
    Want flush() override { return first_->flush(); }
    void end() override { first_->end(); }

    /// What went wrong within, known after end().
    [[nodiscard]] std::optional<Failure> fault() const { return fault_ ? fault_() : std::nullopt; }
    void set_fault(std::function<std::optional<Failure>()> fault) { fault_ = std::move(fault); }

  private:
    LineSink* first_;
    std::vector<std::unique_ptr<LineSink>> owned_;
    std::function<std::optional<Failure>()> fault_;
};

/// The chain of `pipes` in front of `last`; `last` must live longer. Pipes that choose form or
/// pager are not its business and skipped. Fails for a pattern that is no regular expression and a
/// file that cannot be written.
[[nodiscard]] std::expected<std::unique_ptr<Filters>, Failure> make_filters(
    const std::vector<Parsed>& pipes, LineSink& last);

/// Standard output as it is.
class StandardOutput : public LineSink {
  public:
    Want line(std::string_view text) override;
    Want flush() override;
    void end() override;
};

}  // namespace raicho::shell
