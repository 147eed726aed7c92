// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/worker.h"

#include <pthread.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"
#include "dataplane/io/worker_loop.h"

namespace raicho::io {
namespace {

/// Binds the calling thread; returns an errno or 0.
int bind_to_core(unsigned core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::start(shm::DataplaneArena& arena, const Buffers& buffers,
                                              const WorkerSettings& settings) {
    Fd event(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!event) return fail_errno("eventfd", errno);
    Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll) return fail_errno("epoll", errno);
    std::unique_ptr<Worker> worker(
        new Worker(arena, buffers, settings, std::move(event), std::move(epoll)));
    worker->thread_ = std::thread([w = worker.get()] { w->thread_main(); });
    worker->start_error_.wait(-1, std::memory_order_acquire);
    if (const int code = worker->start_error_.load(std::memory_order_acquire); code != 0) {
        auto error = fail_errno(
            settings.core ? format("worker {} on core {}", settings.id.value(), *settings.core)
                          : format("worker {}", settings.id.value()),
            code);
        if (settings.core)
            error.error().hint = "name cores this process may use (dataplane { cores … })";
        return error;
    }
    return worker;
}

Worker::Worker(shm::DataplaneArena& arena, const Buffers& buffers, const WorkerSettings& settings,
               Fd event, Fd epoll)
    : arena_(arena),
      buffers_(buffers),
      settings_(settings),
      event_(std::move(event)),
      epoll_(std::move(epoll)) {}

Worker::~Worker() {
    stop_.store(true, std::memory_order_relaxed);
    wake();
    if (thread_.joinable()) thread_.join();
}

void Worker::thread_main() {
    const std::string name = format("worker-{}", settings_.id.value());
    ::pthread_setname_np(::pthread_self(), name.c_str());
    int code = settings_.core ? bind_to_core(*settings_.core) : 0;
    // gives the thread a lcore number, with it a cache of its own in each buffer pool
    if (code == 0 && rte_thread_register() != 0) code = rte_errno;
    if (code == 0)
        arena_.worker_words(settings_.id).core =
            settings_.core.value_or(static_cast<unsigned>(::sched_getcpu()));
    start_error_.store(code, std::memory_order_release);
    start_error_.notify_all();
    if (code != 0) return;
    // on the heap: the receive set and the pipeline are too large for a thread's stack
    std::make_unique<WorkerLoop>(*this)->run();
    rte_thread_unregister();
}

void Worker::wake() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t size = ::write(event_.get(), &one, sizeof one);
}

void Worker::offer(std::unique_ptr<const WorkerView> view) {
    views_.push_back(std::move(view));
    // pairs with WorkerLoop::run()
    next_.store(views_.back().get(), std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with WorkerLoop::sleep()
    wake();
}

void Worker::wait_adopted() {
    const std::uint64_t wanted = views_.back()->generation;
    // pairs with WorkerLoop::adopt(); a burst takes well below a millisecond
    while (adopted_.load(std::memory_order_acquire) < wanted) ::usleep(50);
    views_.erase(views_.begin(), views_.end() - 1);
}

}  // namespace raicho::io
