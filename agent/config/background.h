// SPDX-License-Identifier: Apache-2.0
// Where a commit's text is read and judged, which takes a second with a hundred thousand flows: on
// a thread beside the agent's loop, for it works on values only. In tests, and where nothing else
// runs yet, at once.
#pragma once

#include <functional>

namespace raicho::agent::config {

class Background {
  public:
    virtual ~Background() = default;
    /// Calls `work` on any thread, and `then` on the loop when it is done; also from within the
    /// call. One at a time.
    virtual void run(std::function<void()> work, std::function<void()> then) = 0;
};

class AtOnce final : public Background {
  public:
    void run(std::function<void()> work, std::function<void()> then) override {
        work();
        then();
    }
};

}  // namespace raicho::agent::config
