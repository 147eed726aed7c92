// SPDX-License-Identifier: Apache-2.0
#include "base/addr.h"

#include <gtest/gtest.h>

namespace raicho {
namespace {

TEST(Addr, MacTakesOneOrTwoDigitsAGroupAndNothingElse) {
    EXPECT_EQ(to_string(*parse_mac("2:0:0:0:0:aF")), "02:00:00:00:00:af");
    for (const char* bad : {"", "02:00:00:00:00", "02:00:00:00:00:00:00", "02-00-00-00-00-00",
                            "02:00:00:00:00:", "002:0:0:0:0:0", "g2:00:00:00:00:00"})
        EXPECT_FALSE(parse_mac(bad)) << bad;
}

TEST(Addr, IpAddressesRoundTrip) {
    EXPECT_EQ(to_string(*parse_ipv4("10.0.0.1")), "10.0.0.1");
    EXPECT_FALSE(parse_ipv4("10.0.0.256"));
    EXPECT_EQ(to_string(*parse_ipv6("FE80:0::1")), "fe80::1");
    EXPECT_FALSE(parse_ipv6("10.0.0.1"));
}

}  // namespace
}  // namespace raicho
