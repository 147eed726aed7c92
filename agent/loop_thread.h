// SPDX-License-Identifier: Apache-2.0
// A thread beside the loop for the commit engine's work on values.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <functional>
#include <thread>
#include <utility>

#include "agent/config/background.h"

namespace raicho::agent {

/// Ends after the work that it does; destroy it before what that work uses.
class BackgroundThread final : public config::Background {
  public:
    explicit BackgroundThread(boost::asio::io_context& context) : context_(context) {}

    void run(std::function<void()> work, std::function<void()> then) override {
        // the one before has posted its end: it is over, or about to be
        thread_ = std::jthread([this, busy = boost::asio::make_work_guard(context_),
                                work = std::move(work), then = std::move(then)]() mutable {
            work();
            boost::asio::post(context_, std::move(then));
        });
    }

  private:
    boost::asio::io_context& context_;
    std::jthread thread_;
};

}  // namespace raicho::agent
