// SPDX-License-Identifier: Apache-2.0
// Words that the model shares with its neighbours: the time, connections, and what a flow is
// beside its match and instructions.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "openflow/message.h"

namespace raicho::agent {

/// Nanoseconds of CLOCK_MONOTONIC, always passed in. The same clock survives a restart of the
/// agent, so the ages of adopted flows stay right.
using Time = std::uint64_t;
inline constexpr Time kSecond = 1'000'000'000;
/// "Nothing is due."
inline constexpr Time kNever = ~Time{0};

/// One OpenFlow connection; a number is never used twice, so nothing reaches a successor.
using ConnectionId = Id<struct ConnectionTag, std::uint64_t>;

/// What a flow entry has beside match, instructions and counters (OF 1.3.5 §5.2).
struct FlowHead {
    TableId table;
    std::uint16_t priority = 0;
    std::uint16_t idle_timeout = 0;  // seconds, 0 = none
    std::uint16_t hard_timeout = 0;  // seconds, 0 = none
    std::uint16_t flags = 0;         // OFPFF_* as sent
    std::uint64_t cookie = 0;
    Time created = 0;
    friend bool operator==(const FlowHead&, const FlowHead&) = default;
};

/// Counters of a flow, summed over workers, since its creation or last reset.
struct FlowCount {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    /// When the last packet matched, 0 = never. May be late by the tick of the counters (an eighth
    /// of a second), never early, so that no flow idles out before its time.
    Time last_used = 0;
};

/// Counters of a table (OF 1.3.5 §7.3.5.4).
struct TableCount {
    std::uint32_t active = 0;
    std::uint64_t lookup = 0;
    std::uint64_t matched = 0;
};

enum class KeepCounts : bool { no, yes };

}  // namespace raicho::agent
