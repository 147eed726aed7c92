// SPDX-License-Identifier: Apache-2.0
// The error value of everything but the codec (OfpError) and the language (Diagnostic), the two
// macros that pass an error on, and the always-on assertion. Neighbours: text.h formats messages.
#pragma once

#include <cstdlib>
#include <expected>
#include <string>
#include <utility>

namespace raicho {

/// What went wrong, ready for a person: `what failed: why`, lower case, offending value quoted,
/// with the remedy where there is one (`hint`, may be empty). `code` is an errno or 0.
struct Error {
    std::string text;
    std::string hint{};
    int code = 0;
};

template <class T>
using Result = std::expected<T, Error>;

/// An error from the text alone.
[[nodiscard]] inline std::unexpected<Error> fail(std::string text, std::string hint = {}) {
    return std::unexpected(Error{std::move(text), std::move(hint), 0});
}

/// An error from a failed system call: `what: strerror(code)`.
[[nodiscard]] std::unexpected<Error> fail_errno(std::string what, int code);

/// Prints the broken assertion to standard error and aborts; never returns.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace raicho

#define RAICHO_CONCAT_(a, b) a##b
#define RAICHO_CONCAT(a, b) RAICHO_CONCAT_(a, b)

/// Returns the error of `expr` from the calling function, or goes on.
#define TRY(expr)                                                   \
    do {                                                            \
        if (auto try_result_ = (expr); !try_result_) [[unlikely]]   \
            return std::unexpected(std::move(try_result_.error())); \
    } while (false)

/// `TRY_ASSIGN(auto x, expr)`: declares x from the value, or returns the error.
#define TRY_ASSIGN(declaration, expr) \
    TRY_ASSIGN_(declaration, expr, RAICHO_CONCAT(try_assign_, __LINE__))
#define TRY_ASSIGN_(declaration, expr, tmp)             \
    auto tmp = (expr);                                  \
    if (!tmp) [[unlikely]]                              \
        return std::unexpected(std::move(tmp.error())); \
    declaration = std::move(*tmp)

/// Our own bugs only: input of peers and operators never reaches it. On in every build.
#define ASSERT(expression)                                               \
    do {                                                                 \
        if (!(expression)) [[unlikely]]                                  \
            ::raicho::assertion_failed(#expression, __FILE__, __LINE__); \
    } while (false)
