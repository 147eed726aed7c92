// SPDX-License-Identifier: Apache-2.0
// The agent's event loop as the plane knows it, on an Asio io_context.
#pragma once

#include <boost/asio/io_context.hpp>

#include <memory>
#include <unordered_map>

#include "agent/plane/loop.h"

namespace raicho::agent {

class AsioLoop final : public Loop {
  public:
    explicit AsioLoop(boost::asio::io_context& context) : context_(context) {}
    ~AsioLoop() override;
    AsioLoop(const AsioLoop&) = delete;
    AsioLoop& operator=(const AsioLoop&) = delete;

    [[nodiscard]] Time now() const override;
    WatchId watch(int fd, std::function<void()> ready) override;
    void unwatch(WatchId watch) override;
    TimerId after(Time delay, std::function<void()> due) override;
    void cancel(TimerId timer) override;

  private:
    struct Watch;
    struct Timer;
    void wait(WatchId id, const std::shared_ptr<Watch>& watch);

    boost::asio::io_context& context_;
    std::uint64_t last_id_ = 0;
    std::unordered_map<WatchId, std::shared_ptr<Watch>> watches_;
    std::unordered_map<TimerId, std::shared_ptr<Timer>> timers_;
};

}  // namespace raicho::agent
