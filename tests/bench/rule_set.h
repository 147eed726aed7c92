// SPDX-License-Identifier: Apache-2.0
// The cases of the benchmark: each a set of rules, as OpenFlow messages, and the flows of its
// traffic, both made from a seed. Frames enter at port 1 and leave by port 2. Neighbours:
// bench_set.cc writes them to files, slow_run.h says what must come out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "openflow/message.h"
#include "tests/pipeline/frame_spec.h"

namespace raicho::bench {

inline constexpr PortNo kIn{1};
inline constexpr PortNo kOut{2};

/// Takes one message after the other; a set of a million is never in memory as a whole.
using Take = std::function<void(openflow::Message message)>;

struct RuleSet {
    std::string name;
    std::string what;       // a line for people
    std::size_t flows = 0;  // different frames in the traffic
    /// Groups first, then flow-mods whose cookies count from 1.
    std::function<void(const Take& take)> rules;
    /// Frame of that flow, 60 bytes (64 with the checksum of the wire), and it meets a rule.
    std::function<test::FrameSpec(std::size_t flow)> frame;
};

/// Names of all cases, in the order of the table.
[[nodiscard]] std::vector<std::string_view> case_names();
/// An unknown name is an error that lists the known ones.
[[nodiscard]] Result<RuleSet> make_case(std::string_view name, std::uint64_t seed);

}  // namespace raicho::bench
