// SPDX-License-Identifier: Apache-2.0
// A worker: one thread that takes bursts from its queues through the pipeline to the ports, to the
// end. When there is nothing to do it goes offline for the grace periods and blocks on its queues'
// descriptors (house.md decision 13). The control thread speaks to it through views and stop().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/handle.h"
#include "dataplane/io/buffers.h"
#include "dataplane/io/worker_view.h"
#include "shm/arena.h"

namespace raicho::io {

struct WorkerSettings {
    WorkerId id;
    /// The core it is bound to; nothing = any core of the process.
    std::optional<unsigned> core;
    shm::IdleProfile idle = shm::IdleProfile::balanced;
};

class Worker {
  public:
    /// Starts the thread with an empty view. `arena` and `buffers` outlive it.
    static Result<std::unique_ptr<Worker>> start(shm::DataplaneArena& arena, const Buffers& buffers,
                                                 const WorkerSettings& settings);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// Ends the thread after its burst.
    ~Worker();

    /// Hands over a view; returns at once. Blocks only in wait_adopted().
    void offer(std::unique_ptr<const WorkerView> view);
    /// Until the worker uses the view offered last and nothing of older ones; those are freed.
    void wait_adopted();

  private:
    Worker(shm::DataplaneArena& arena, const Buffers& buffers, const WorkerSettings& settings,
           Fd event, Fd epoll);
    void thread_main();
    void wake() noexcept;

    shm::DataplaneArena& arena_;
    const Buffers& buffers_;
    const WorkerSettings settings_;
    Fd event_;  // the control thread's way to wake it
    Fd epoll_;  // what it waits for when it is idle; made here, where its lack can still be said
    std::vector<std::unique_ptr<const WorkerView>> views_;  // the newest last; control thread
    std::atomic<const WorkerView*> next_{nullptr};
    std::atomic<std::uint64_t> adopted_{0};
    std::atomic<bool> stop_{false};
    std::atomic<int> start_error_{-1};  // -1 = starting, 0 = runs, else errno
    std::thread thread_;

    friend class WorkerLoop;
};

}  // namespace raicho::io
