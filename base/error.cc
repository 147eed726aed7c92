// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/log.h"

namespace raicho {

namespace {

/// What to do about the faults of a machine that every file may meet.
const char* remedy(int code) {
    switch (code) {
        case ENOSPC: return "make room on this file system: df shows how full it is";
        case EDQUOT: return "the user's quota is used up: make room, or raise it";
        case EROFS: return "mount this file system for writing, or name another place";
        case EMFILE: return "raise the limit of open files: ulimit -n, LimitNOFILE= of systemd";
        default: return "";
    }
}

}  // namespace

std::unexpected<Error> fail_errno(std::string what, int code) {
    what += ": ";
    what += std::strerror(code);
    return std::unexpected(Error{std::move(what), remedy(code), code});
}

void assertion_failed(const char* expression, const char* file, int line) noexcept {
    LOG(error, "bug", "{}:{}: assertion failed: {}", file, line, expression);
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
    std::abort();
}

}  // namespace raicho
