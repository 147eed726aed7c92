// SPDX-License-Identifier: Apache-2.0
// What the slow model (tests/pipeline/oracle.h) makes of sampled frames: the truth that a measured
// switch is held against.
#pragma once

#include <map>
#include <vector>

#include "tests/bench/rule_set.h"

namespace raicho::bench {

struct SlowRun {
    /// By sampled frame that is sent on: what may leave by port 2; several where a select group
    /// may choose.
    std::vector<std::vector<test::FrameBytes>> outputs;
    /// Cookie to packets, of the flows that any frame met.
    std::map<std::uint64_t, std::uint64_t> packets;
};

/// `frames` enter at port 1, one after the other.
[[nodiscard]] SlowRun slow_run(const RuleSet& set, const std::vector<test::FrameBytes>& frames);

}  // namespace raicho::bench
