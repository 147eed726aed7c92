// SPDX-License-Identifier: Apache-2.0
// The clocks of the machine and an alarm on the agent's loop, for commits that wait to be
// confirmed.
#pragma once

#include <string>

#include "agent/config/clock.h"
#include "agent/plane/loop.h"

namespace raicho::agent {

class LoopClock final : public config::Clock {
  public:
    /// `loop` outlives the clock.
    explicit LoopClock(Loop& loop) : loop_(loop), boot_id_(config::machine_boot_id()) {}
    ~LoopClock() override { cancel_alarm(); }
    LoopClock(const LoopClock&) = delete;
    LoopClock& operator=(const LoopClock&) = delete;

    [[nodiscard]] config::Deadline now() const override { return config::machine_now(boot_id_); }
    void set_alarm(std::uint64_t ns, std::function<void()> ring) override {
        cancel_alarm();
        timer_ = loop_.after(ns, std::move(ring));
    }
    void cancel_alarm() override { loop_.cancel(std::exchange(timer_, TimerId{})); }

  private:
    Loop& loop_;
    std::string boot_id_;
    TimerId timer_{};
};

}  // namespace raicho::agent
