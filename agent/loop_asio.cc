// SPDX-License-Identifier: Apache-2.0
#include "agent/loop_asio.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace raicho::agent {

namespace {
using boost::system::error_code;
namespace asio = boost::asio;
}  // namespace

/// Descriptor and callback of a watch; the descriptor is only lent.
struct AsioLoop::Watch {
    Watch(asio::io_context& context, std::function<void()> callback)
        : descriptor(context), ready(std::move(callback)) {}
    ~Watch() {
        if (descriptor.is_open()) descriptor.release();
    }
    asio::posix::stream_descriptor descriptor;
    std::function<void()> ready;
};

struct AsioLoop::Timer {
    std::optional<asio::steady_timer> timer;  // empty: posted
    std::function<void()> due;
};

AsioLoop::~AsioLoop() = default;

Time AsioLoop::now() const {
    return static_cast<Time>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

WatchId AsioLoop::watch(int fd, std::function<void()> ready) {
    const WatchId id(++last_id_);
    auto watch = std::make_shared<Watch>(context_, std::move(ready));
    error_code error;
    watch->descriptor.assign(fd, error);
    if (error) return id;  // never ready
    watches_.emplace(id, watch);
    wait(id, watch);
    return id;
}

void AsioLoop::wait(WatchId id, const std::shared_ptr<Watch>& watch) {
    watch->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                 [this, id, weak = std::weak_ptr(watch)](error_code error) {
                                     const std::shared_ptr<Watch> current = weak.lock();
                                     if (error || !current) return;
                                     current->ready();
                                     if (watches_.contains(id)) wait(id, current);
                                 });
}

void AsioLoop::unwatch(WatchId watch) {
    const auto found = watches_.find(watch);
    if (found == watches_.end()) return;
    const std::shared_ptr<Watch> gone = std::move(found->second);
    watches_.erase(found);
    gone->descriptor.release();  // cancels its wait
}

TimerId AsioLoop::after(Time delay, std::function<void()> due) {
    const TimerId id(++last_id_);
    auto timer = std::make_shared<Timer>();
    timer->due = std::move(due);
    timers_.emplace(id, timer);
    const auto fire = [this, id] {
        const auto found = timers_.find(id);
        if (found == timers_.end()) return;
        const std::shared_ptr<Timer> fired = std::move(found->second);
        timers_.erase(found);
        fired->due();
    };
    if (delay == 0) {
        asio::post(context_, fire);
    } else {
        timer->timer.emplace(context_);
        timer->timer->expires_after(std::chrono::nanoseconds(
            static_cast<std::int64_t>(std::min<Time>(delay, 1'000'000 * kSecond))));
        timer->timer->async_wait([fire](error_code error) {
            if (!error) fire();
        });
    }
    return id;
}

void AsioLoop::cancel(TimerId timer) {
    timers_.erase(timer);
}

}  // namespace raicho::agent
