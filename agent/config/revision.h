// SPDX-License-Identifier: Apache-2.0
// A committed configuration and what is known about it: who, when, why, and whether it waits to be
// confirmed. As a file: lines that begin with `#@ `, then the text. Neighbours: journal.h keeps
// the files, clock.h tells the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/config/clock.h"

namespace raicho::agent::config {

/// Who made a change, and through what.
struct Author {
    std::uint32_t uid = 0;
    std::string user;  // its name, or the number where it has none
    std::string via;   // `lagosh`, `api`, `start`, `rollback`
    friend bool operator==(const Author&, const Author&) = default;
};

/// A commit that is taken back unless it is confirmed.
struct Confirmation {
    std::uint64_t seconds = 0;     // as asked for
    std::uint64_t returns_to = 0;  // revision
    Deadline deadline;
    friend bool operator==(const Confirmation&, const Confirmation&) = default;
};

struct RevisionInfo {
    std::uint64_t revision = 0;  // counts commits for ever, the first is 1
    std::int64_t time = 0;       // seconds since 1970
    Author author;
    std::string comment;
    std::optional<Confirmation> confirmation;
    friend bool operator==(const RevisionInfo&, const RevisionInfo&) = default;
};

struct Revision {
    RevisionInfo info;
    std::string text;
};

[[nodiscard]] std::string to_file(const Revision& revision);
/// Never fails: a text without those lines is revision 0 of nobody, what does not parse is ignored
/// (a person may have written the file).
[[nodiscard]] Revision revision_from_file(std::string_view file);

}  // namespace raicho::agent::config
