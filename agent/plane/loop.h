// SPDX-License-Identifier: Apache-2.0
// What the plane needs of the agent's event loop: readable descriptors and timers. Production:
// agent/loop_asio.h; tests run a small poll loop of their own.
#pragma once

#include <cstdint>
#include <functional>

#include "agent/model/types.h"

namespace raicho::agent {

using WatchId = Id<struct WatchTag, std::uint64_t>;
using TimerId = Id<struct TimerTag, std::uint64_t>;

/// Ids are never used twice and never 0; callbacks run on the loop, never within a call here.
class Loop {
  public:
    virtual ~Loop() = default;

    [[nodiscard]] virtual Time now() const = 0;
    /// Calls `ready` each time `fd` is readable (or hung up), until unwatch(). The descriptor stays
    /// the caller's and must stay open until then.
    virtual WatchId watch(int fd, std::function<void()> ready) = 0;
    virtual void unwatch(WatchId watch) = 0;
    /// Calls `due` once after `delay` nanoseconds; 0 = after what is ready now.
    virtual TimerId after(Time delay, std::function<void()> due) = 0;
    /// A timer that has fired or was cancelled is no error.
    virtual void cancel(TimerId timer) = 0;
};

}  // namespace raicho::agent
