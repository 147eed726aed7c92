// SPDX-License-Identifier: Apache-2.0
// A worker and its idle wait, on a real DPDK without huge pages; needs no root.
#include "dataplane/io/worker.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "dataplane/io/buffers.h"
#include "dataplane/io/eal.h"
#include "shm/arena.h"

namespace raicho::io {
namespace {

/// A queue that never has a packet, and counts how often it is looked at.
class IdleQueue : public RxQueue {
  public:
    explicit IdleQueue(Fd fd) : fd_(std::move(fd)) {}
    std::size_t receive(ReceiveSet&, std::span<Packet*>, RxTally&) noexcept override {
        ++looks_;
        eventfd_t count = 0;
        ::eventfd_read(fd_.get(), &count);
        return 0;
    }
    [[nodiscard]] Wait wait() const noexcept override { return Wait::descriptor; }
    [[nodiscard]] int fd() const noexcept override { return fd_.get(); }
    [[nodiscard]] int looks() const { return looks_; }

  private:
    Fd fd_;
    std::atomic<int> looks_{0};
};

constexpr PortSlot kSlot{2};

class WorkerTest : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        rundir_ = ::testing::TempDir() + "raicho-worker-" + std::to_string(::getpid());
        std::filesystem::create_directories(rundir_);
        auto eal = Eal::start({.rundir = rundir_, .memory_mb = 32});
        ASSERT_TRUE(eal) << eal.error().text;
        eal_ = std::make_unique<Eal>(std::move(*eal));
    }
    static void TearDownTestSuite() {
        eal_.reset();
        std::filesystem::remove_all(rundir_);
    }
    void SetUp() override {
        auto buffers = Buffers::create({.small = 1024, .large = 40}, BufferMemory::own);
        ASSERT_TRUE(buffers) << buffers.error().text;
        buffers_ = std::make_unique<Buffers>(std::move(*buffers));
        auto agent = shm::AgentArena::create(rundir_, {.max_flows = 64, .max_workers = 1});
        ASSERT_TRUE(agent) << agent.error().text;
        agent_ = std::make_unique<shm::AgentArena>(std::move(*agent));
        agent_->wanted_port(kSlot).phase = shm::PortPhase::attached;
        auto arena = shm::DataplaneArena::attach(rundir_);
        ASSERT_TRUE(arena) << arena.error().text;
        arena_ = std::make_unique<shm::DataplaneArena>(std::move(*arena));
        auto worker = Worker::start(*arena_, *buffers_, {.id = WorkerId(0)});
        ASSERT_TRUE(worker) << worker.error().text;
        worker_ = std::move(*worker);
    }
    void TearDown() override {
        worker_.reset();
        arena_.reset();
        agent_.reset();
        shm::AgentArena::remove(rundir_);
        buffers_.reset();
    }
    /// The worker reads this queue alone from now on.
    void give(IdleQueue& queue) {
        auto view = std::make_unique<WorkerView>();
        view->generation = ++generation_;
        view->rx = {{.slot = kSlot, .queue = &queue}};
        view->ports.resize(arena_->max_ports());
        view->egress.resize(arena_->max_ports());
        worker_->offer(std::move(view));
        worker_->wait_adopted();
    }
    /// Whether the queue is looked at again before the worker's own longest sleep is over twice.
    static bool looked_at_again(const IdleQueue& queue, int before) {
        for (int i = 0; i < 2000 && queue.looks() == before; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return queue.looks() > before;
    }
    /// The looks of a queue when the worker has gone to sleep over it.
    static int settled(const IdleQueue& queue) {
        int looks = -1;
        while (looks != queue.looks()) {
            looks = queue.looks();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return looks;
    }

    static std::string rundir_;
    static std::unique_ptr<Eal> eal_;
    std::unique_ptr<Buffers> buffers_;
    std::unique_ptr<shm::AgentArena> agent_;
    std::unique_ptr<shm::DataplaneArena> arena_;
    std::unique_ptr<Worker> worker_;
    std::uint64_t generation_ = 0;
};
std::string WorkerTest::rundir_;
std::unique_ptr<Eal> WorkerTest::eal_;

TEST_F(WorkerTest, AQueueWithADescriptorIsLookedAtWhenItIsReadable) {
    IdleQueue queue(Fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)));
    give(queue);
    const int before = settled(queue);
    ::eventfd_write(queue.fd(), 1);
    EXPECT_TRUE(looked_at_again(queue, before));
    worker_.reset();  // before the queue
}

TEST_F(WorkerTest, AViewThatComesWhenNoDescriptorIsLeftIsWatchedAllTheSame) {
    IdleQueue first(Fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)));
    IdleQueue second(Fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)));
    give(first);
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    const rlimit none{.rlim_cur = 3, .rlim_max = usual.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    give(second);
    const int before = settled(second);
    ::eventfd_write(second.fd(), 1);
    EXPECT_TRUE(looked_at_again(second, before));
    ::setrlimit(RLIMIT_NOFILE, &usual);
    const int of_first = first.looks();
    ::eventfd_write(first.fd(), 1);
    settled(second);
    EXPECT_EQ(first.looks(), of_first) << "a queue of the old view is still watched";
    worker_.reset();
}

// epoll takes no regular file, as it takes nothing when fs.epoll.max_user_watches is reached.
TEST_F(WorkerTest, AQueueThatCannotBeWatchedIsLookedAtAllTheSame) {
    IdleQueue queue(Fd(::memfd_create("queue", MFD_CLOEXEC)));
    give(queue);
    for (int round = 0; round < 3; ++round)
        EXPECT_TRUE(looked_at_again(queue, queue.looks())) << "round " << round;
    worker_.reset();
}

}  // namespace
}  // namespace raicho::io
