// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/port_rates.h"

#include <gtest/gtest.h>

namespace raicho::agent {
namespace {

constexpr PortSlot kSlot{3};
constexpr Time kAttached = 7;

shm::PortCounters counters(std::uint64_t rx, std::uint64_t tx) {
    shm::PortCounters c{};
    c.rx_packets = rx;
    c.rx_bytes = rx * 100;
    c.tx_packets = tx;
    c.tx_bytes = tx * 50;
    return c;
}

TEST(PortRates, NothingIsKnownBeforeThereIsTimeBetween) {
    PortRates rates;
    EXPECT_FALSE(rates.rate(kSlot, kAttached, counters(0, 0), kSecond));
    rates.sample(kSlot, kAttached, counters(0, 0), kSecond);
    EXPECT_FALSE(rates.rate(kSlot, kAttached, counters(9, 0), kSecond + 1));
}

TEST(PortRates, CountsPacketsAndBitsASecond) {
    PortRates rates;
    rates.sample(kSlot, kAttached, counters(1000, 10), kSecond);
    const auto rate = rates.rate(kSlot, kAttached, counters(3000, 20), 3 * kSecond);
    ASSERT_TRUE(rate);
    EXPECT_DOUBLE_EQ(rate->rx_pps, 1000);
    EXPECT_DOUBLE_EQ(rate->rx_bps, 1000 * 100 * 8);
    EXPECT_DOUBLE_EQ(rate->tx_pps, 5);
    EXPECT_DOUBLE_EQ(rate->tx_bps, 5 * 50 * 8);
}

TEST(PortRates, OnlyTheLastSecondsCount) {
    PortRates rates;
    for (Time s = 1; s <= 10; ++s)
        rates.sample(kSlot, kAttached, counters(s < 5 ? 0 : 1'000'000, 0), s * kSecond);
    const auto rate = rates.rate(kSlot, kAttached, counters(1'000'000, 0), 10 * kSecond + 1);
    ASSERT_TRUE(rate);
    EXPECT_DOUBLE_EQ(rate->rx_pps, 0);
    EXPECT_FALSE(rates.rate(kSlot, kAttached, counters(1'000'000, 0), 60 * kSecond));
}

TEST(PortRates, AnotherPortOfTheSlotBeginsAnew) {
    PortRates rates;
    rates.sample(kSlot, kAttached, counters(1000, 0), kSecond);
    EXPECT_FALSE(rates.rate(kSlot, kAttached + 1, counters(2000, 0), 2 * kSecond));
    rates.sample(kSlot, kAttached + 1, counters(0, 0), 2 * kSecond);
    const auto rate = rates.rate(kSlot, kAttached + 1, counters(4, 0), 3 * kSecond);
    ASSERT_TRUE(rate);
    EXPECT_DOUBLE_EQ(rate->rx_pps, 4);
}

TEST(PortRates, CountersThatWentBackAreNoRate) {
    PortRates rates;
    rates.sample(kSlot, kAttached, counters(1000, 0), kSecond);
    EXPECT_FALSE(rates.rate(kSlot, kAttached, counters(1, 0), 2 * kSecond));
}

}  // namespace
}  // namespace raicho::agent
