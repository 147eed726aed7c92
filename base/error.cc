// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cstdio>
#include <cstring>

#include "base/log.h"

namespace raicho {

std::unexpected<Error> fail_errno(std::string what, int code) {
    what += ": ";
    what += std::strerror(code);
    return std::unexpected(Error{std::move(what), {}, code});
}

void assertion_failed(const char* expression, const char* file, int line) noexcept {
    LOG(error, "bug", "{}:{}: assertion failed: {}", file, line, expression);
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
    std::abort();
}

}  // namespace raicho
