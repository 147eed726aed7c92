// SPDX-License-Identifier: Apache-2.0
// The memo against a table that changes: whatever it remembers, it says what a search would, and it
// searches seldom where packets come again and hardly ever more than a worker without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "dataplane/pipeline/memo.h"

namespace raicho::test {
namespace {

using pipeline::Memo;

constexpr std::size_t kBurst = 32;

class MemoTest : public ::testing::Test {
  protected:
    /// What a table of that row and version says of a key.
    static std::uint32_t answer(Memo::Table table, const shm::Key& key) {
        std::uint64_t sum = table.row * std::uint64_t{1'000'003} + table.version * 77;
        for (const std::uint64_t word : key.words) sum = sum * 31 + word;
        return static_cast<std::uint32_t>(sum % 1000);
    }
    /// One burst; how many keys were searched.
    std::size_t ask(Memo::Table table, const std::vector<shm::Key>& keys) {
        std::vector<const shm::Key*> pointers;
        for (const shm::Key& key : keys) pointers.push_back(&key);
        std::vector<std::uint32_t> flows(keys.size(), 5555);
        std::size_t searched = 0;
        memo_->find(table, pointers, flows,
                    [&](std::span<const shm::Key* const> of, std::span<std::uint32_t> found) {
                        searched += of.size();
                        for (std::size_t i = 0; i < of.size(); ++i)
                            found[i] = answer(table, *of[i]);
                    });
        for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(flows[i], answer(table, keys[i]));
        return searched;
    }
    static shm::Key key_of(std::uint64_t n, std::size_t word) {
        shm::Key key;
        key.words[word] = n + 1;
        return key;
    }
    /// Keys of `flows` different packets, the burst's in a row.
    std::vector<shm::Key> burst(std::uint64_t flows) {
        std::vector<shm::Key> keys;
        for (std::size_t i = 0; i < kBurst; ++i) keys.push_back(key_of(next_++ % flows, 1));
        return keys;
    }

    std::unique_ptr<Memo> memo_ = std::make_unique<Memo>(shm::HashKey{1, 22, 333, 4444});
    std::uint64_t next_ = 0;
    std::mt19937_64 random_{1};
};

TEST_F(MemoTest, SaysWhatASearchSaysThroughEveryChange) {
    // 4 and 1024: tables whose records the memo keeps at one place
    constexpr std::array<std::uint32_t, 4> kRows{0, 1, 4, 1024};
    std::array<std::uint32_t, 4> versions{};
    std::size_t asked = 0, searched = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::size_t table = random_() % kRows.size();
        if (random_() % 16 == 0) ++versions[table];
        std::vector<shm::Key> keys;
        for (std::size_t n = random_() % (Memo::kMost + 1); n > 0; --n)
            keys.push_back(key_of(random_() % 8, random_() % shm::kKeyWords));
        asked += keys.size();
        searched += ask({kRows[table], versions[table]}, keys);
    }
    EXPECT_LT(searched, asked);
}

TEST_F(MemoTest, EveryWordTellsPacketsApart) {
    for (std::size_t word = 0; word < shm::kKeyWords; ++word) {
        shm::Key key;
        ask({0, 1}, {key, key});
        key.words[word] = std::uint64_t{1} << (word * 3);
        ask({0, 1}, {key, key});
    }
}

TEST_F(MemoTest, PacketsThatComeAgainAreNotSearched) {
    ask({0, 1}, burst(kBurst));
    EXPECT_EQ(ask({0, 1}, burst(kBurst)), 0u);
    EXPECT_EQ(ask({0, 2}, burst(kBurst)), kBurst) << "the table is another";
    EXPECT_EQ(ask({0, 2}, burst(kBurst)), 0u);
}

TEST_F(MemoTest, WhatIsNotFoundIsRememberedToo) {
    const shm::Key key = key_of(0, 0);
    std::array<const shm::Key*, 1> keys{&key};
    int searches = 0;
    for (int i = 0; i < 3; ++i) {
        std::array<std::uint32_t, 1> flows{7};
        memo_->find({3, 1}, keys, flows,
                    [&](std::span<const shm::Key* const>, std::span<std::uint32_t> found) {
                        ++searches;
                        found[0] = 0;
                    });
        EXPECT_EQ(flows[0], 0u);
    }
    EXPECT_EQ(searches, 1);
}

/// A packet that is searched after the memo was asked in vain costs more than one that was just
/// searched. The memo counts on its own: asked in vain are packets of a memo that is awake.
TEST_F(MemoTest, RestsWherePacketsDoNotComeAgain) {
    constexpr std::size_t kPackets = 1'000'000;
    std::size_t awake = 0;
    for (std::size_t n = 0; n < kPackets; n += kBurst) {
        const std::vector<shm::Key> keys = burst(UINT64_MAX);
        ask({0, 1}, keys);
        // only what it remembers is found by asking again
        if (ask({0, 1}, {keys[0]}) == 0) awake += kBurst;
    }
    EXPECT_GT(awake, 0u);
    EXPECT_LT(awake, kPackets / 20);
    // and wakes up when they do
    std::size_t searched = kBurst;
    for (std::size_t n = 0; n < 400'000; n += kBurst) searched = ask({0, 1}, burst(kBurst));
    EXPECT_EQ(searched, 0u);
}

TEST_F(MemoTest, RestsWhereTheTableChangesAllTheTime) {
    std::size_t searched = 0;
    for (std::uint32_t version = 0; version < 20'000; ++version)
        searched += ask({0, version}, burst(kBurst));
    EXPECT_EQ(searched, 20'000 * kBurst);
}

}  // namespace
}  // namespace raicho::test
