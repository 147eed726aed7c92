// SPDX-License-Identifier: Apache-2.0
#include "agent/model/fail_mode.h"

#include <gtest/gtest.h>

namespace raicho::agent {
namespace {

TEST(FailMode, WithoutANamedControllerAMissGoesToNormal) {
    for (const FailMode mode : {FailMode::secure, FailMode::standalone})
        for (const std::size_t connected : {0u, 1u})
            EXPECT_EQ(forwarding(mode, 0, connected), Forwarding::flows_normal);
}

// §6.3.2: in fail secure mode only packets to controllers are lost.
TEST(FailMode, SecureKeepsToTheFlowsWhenAllAreLost) {
    EXPECT_EQ(forwarding(FailMode::secure, 2, 0), Forwarding::flows_drop);
    EXPECT_EQ(forwarding(FailMode::secure, 2, 1), Forwarding::flows_drop);
}

// §6.3.2: in fail standalone mode all packets go to NORMAL.
TEST(FailMode, StandaloneSwitchesEverythingOnlyWhileAllAreLost) {
    EXPECT_EQ(forwarding(FailMode::standalone, 2, 0), Forwarding::normal);
    EXPECT_EQ(forwarding(FailMode::standalone, 2, 1), Forwarding::flows_drop);
}

static_assert(forwarding(FailMode::secure, 0, 0) == Forwarding::flows_normal);

}  // namespace
}  // namespace raicho::agent
