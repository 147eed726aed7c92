// SPDX-License-Identifier: Apache-2.0
#include "shm/ring.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace raicho::shm {
namespace {

/// A ring in ordinary memory.
struct Ring {
    explicit Ring(std::size_t size) : lines(size / kRingUnit) {}
    struct alignas(64) Unit {
        std::array<std::byte, kRingUnit> bytes{};
    };
    std::vector<Unit> lines;
    RingIndex producer_index{}, consumer_index{};
    std::span<std::byte> slots() { return std::as_writable_bytes(std::span(lines)); }
    RingProducer producer() { return {slots(), producer_index, consumer_index}; }
    RingConsumer consumer() { return {slots(), producer_index, consumer_index}; }
};

std::vector<std::byte> record(std::size_t size, unsigned seed) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(seed + i * 7);
    return bytes;
}

TEST(Ring, GivesRecordsBackInOrderAndWhole) {
    Ring ring(1024);
    auto in = ring.producer();
    auto out = ring.consumer();
    EXPECT_TRUE(out.empty());
    EXPECT_TRUE(out.front().empty());
    ASSERT_TRUE(in.push(record(10, 1), record(60, 2)));
    ASSERT_TRUE(in.push(record(200, 3)));
    const auto first = out.front();
    ASSERT_EQ(first.size(), 70u);
    EXPECT_TRUE(std::ranges::equal(first.first(10), record(10, 1)));
    EXPECT_TRUE(std::ranges::equal(first.subspan(10), record(60, 2)));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 8, 0u);
    out.pop();
    EXPECT_EQ(out.front().size(), 200u);
    out.pop();
    EXPECT_TRUE(out.empty());
}

TEST(Ring, RefusesWhatDoesNotFitNow) {
    Ring ring(512);
    auto in = ring.producer();
    auto out = ring.consumer();
    EXPECT_FALSE(in.push(record(512, 1)));
    ASSERT_TRUE(in.push(record(300, 1)));
    EXPECT_FALSE(in.push(record(200, 2)));
    EXPECT_EQ(out.front().size(), 300u);
    out.pop();
    EXPECT_TRUE(in.push(record(200, 2)));  // starts over at the front
    EXPECT_TRUE(std::ranges::equal(out.front(), record(200, 2)));
}

TEST(Ring, NothingIsSeenBeforeCommit) {
    Ring ring(512);
    auto in = ring.producer();
    auto out = ring.consumer();
    ASSERT_FALSE(in.reserve(100).empty());
    EXPECT_TRUE(out.empty());
    in.commit();
    EXPECT_EQ(out.front().size(), 100u);
}

TEST(Ring, ConsumedTellsWhetherARecordIsDone) {
    Ring ring(512);
    auto in = ring.producer();
    auto out = ring.consumer();
    ASSERT_TRUE(in.push(record(20, 1)));
    const auto position = in.position();
    EXPECT_FALSE(in.consumed(position));
    (void)out.front();
    EXPECT_FALSE(in.consumed(position));
    out.pop();
    EXPECT_TRUE(in.consumed(position));
}

TEST(Ring, ALyingLengthDropsEverythingAndHarmsNothing) {
    for (const std::uint32_t lie : {0u, 0x7fffffffu, 600u, kRingFill - 1}) {
        Ring ring(512);
        auto in = ring.producer();
        auto out = ring.consumer();
        ASSERT_TRUE(in.push(record(20, 1)));
        std::memcpy(ring.slots().data(), &lie, sizeof lie);
        EXPECT_TRUE(out.front().empty()) << lie;
        EXPECT_TRUE(out.empty());
        ASSERT_TRUE(in.push(record(30, 1)));
        EXPECT_EQ(out.front().size(), 30u);
    }
}

TEST(Ring, AProducerIndexFromNowhereDropsEverything) {
    Ring ring(512);
    auto out = ring.consumer();
    ring.producer_index.units.store(1'000'000);
    EXPECT_TRUE(out.front().empty());
    EXPECT_TRUE(out.empty());
}

TEST(Ring, CarriesEveryRecordAcrossTwoThreads) {
    Ring ring(4096);
    constexpr unsigned kRecords = 4'000;
    std::thread producer([&] {
        auto in = ring.producer();
        std::minstd_rand random(7);
        for (unsigned i = 1; i <= kRecords; ++i) {
            const auto bytes = record(4 + random() % 700, i);
            while (!in.push(std::as_bytes(std::span(&i, 1)), bytes)) std::this_thread::yield();
        }
    });
    auto out = ring.consumer();
    std::minstd_rand random(7);
    for (unsigned i = 1; i <= kRecords; ++i) {
        std::span<const std::byte> got;
        while ((got = out.front()).empty()) std::this_thread::yield();
        unsigned number = 0;
        std::memcpy(&number, got.data(), sizeof number);
        ASSERT_EQ(number, i);
        ASSERT_TRUE(std::ranges::equal(got.subspan(4), record(4 + random() % 700, i)));
        out.pop();
    }
    producer.join();
}

}  // namespace
}  // namespace raicho::shm
