// SPDX-License-Identifier: Apache-2.0
#include "shm/qsbr.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/unit/shm/scratch_rundir.h"

namespace raicho::shm {
namespace {

struct Words {
    std::atomic<std::uint64_t> token{1};
    std::array<ReaderWord, 3> readers{};
    QsbrWriter writer{token, readers};
    QsbrReader reader(std::size_t i) { return {readers[i], token}; }
};

TEST(Qsbr, WithoutReadersAGracePeriodPassesAtOnce) {
    Words words;
    EXPECT_TRUE(words.writer.passed(words.writer.start()));
}

TEST(Qsbr, WaitsForEveryOnlineReader) {
    Words words;
    auto a = words.reader(0);
    auto b = words.reader(1);
    a.online();
    b.online();
    const GraceToken token = words.writer.start();
    EXPECT_FALSE(words.writer.passed(token));
    a.quiescent();
    EXPECT_FALSE(words.writer.passed(token));
    b.offline();
    EXPECT_TRUE(words.writer.passed(token));
}

TEST(Qsbr, AReaderThatComesLaterHoldsUpNothing) {
    Words words;
    const GraceToken token = words.writer.start();
    words.reader(0).online();
    EXPECT_TRUE(words.writer.passed(token));
}

TEST(Qsbr, AQuiescentStateBeforeTheUnlinkDoesNotCount) {
    Words words;
    auto reader = words.reader(0);
    reader.online();
    reader.quiescent();
    const GraceToken token = words.writer.start();
    EXPECT_FALSE(words.writer.passed(token));
}

TEST(Qsbr, DeadReadersArePassedOverUntilHeededAgain) {
    Words words;
    words.reader(0).online();
    const GraceToken token = words.writer.start();
    words.writer.ignore_readers();
    EXPECT_TRUE(words.writer.passed(token));
    words.writer.heed_readers();
    words.reader(0).online();
    EXPECT_FALSE(words.writer.passed(words.writer.start()));
}

TEST(Qsbr, NothingIsReusedUnderAReader) {
    // One cell is published at a time; readers must never see a cell that was reused meanwhile.
    struct Cell {
        std::atomic<std::uint64_t> value{1};
    };
    Words words;
    std::array<Cell, 8> cells;
    std::atomic<std::size_t> published{0};
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> bad{0};
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < 2; ++r)
        threads.emplace_back([&, r] {
            auto reader = words.reader(r);
            reader.online();
            for (unsigned i = 0; !stop.load(std::memory_order_relaxed); ++i) {
                const Cell& cell = cells[published.load(std::memory_order_acquire)];
                for (int k = 0; k < 20; ++k)
                    if (cell.value.load(std::memory_order_relaxed) == 0) bad.fetch_add(1);
                if (i % 64 == 63) {
                    reader.offline();
                    reader.online();
                } else {
                    reader.quiescent();
                }
                std::this_thread::yield();  // the suite shares its cores
            }
            reader.offline();
        });
    std::size_t now = 0;
    for (int i = 0; i < 1'000; ++i) {
        const std::size_t fresh = (now + 1) % cells.size();
        cells[fresh].value.store(1, std::memory_order_relaxed);
        published.store(fresh, std::memory_order_release);
        const GraceToken token = words.writer.start();
        while (!words.writer.passed(token)) std::this_thread::yield();
        cells[now].value.store(0, std::memory_order_relaxed);  // "free": nobody may see it
        now = fresh;
    }
    stop.store(true);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(bad.load(), 0u);
}

TEST(Qsbr, ADeadDataplaneHoldsUpNothingAndItsSuccessorIsHeeded) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(agent);
    {
        auto dataplane = DataplaneArena::attach(rundir.path());
        ASSERT_TRUE(dataplane);
        dataplane->reader(WorkerId(0)).online();
        const GraceToken token = agent->start_grace();
        for (int i = 0; i < 200; ++i) EXPECT_FALSE(agent->grace_passed(token));
    }  // gone without a word, its reader online
    const GraceToken token = agent->start_grace();
    bool passed = false;
    for (int i = 0; i < 200 && !passed; ++i) passed = agent->grace_passed(token);
    EXPECT_TRUE(passed);
    auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_TRUE(dataplane);
    auto reader = dataplane->reader(WorkerId(1));
    reader.online();
    const GraceToken next = agent->start_grace();
    EXPECT_FALSE(agent->grace_passed(next));
    reader.quiescent();
    EXPECT_TRUE(agent->grace_passed(next));
}

}  // namespace
}  // namespace raicho::shm
