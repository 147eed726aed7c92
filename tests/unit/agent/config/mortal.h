// SPDX-License-Identifier: Apache-2.0
// An agent that is killed at a chosen step: from then on whatever it still does has no effect.
#pragma once

#include <cstddef>

namespace raicho::agent::config {

class Mortal {
  public:
    static constexpr std::size_t kForEver = ~std::size_t{0};

    explicit Mortal(std::size_t steps = kForEver) : left_(steps) {}

    /// Before each effect: whether it comes to pass.
    [[nodiscard]] bool step() {
        if (left_ == 0) return false;
        if (left_ != kForEver) --left_;
        ++taken_;
        return true;
    }
    [[nodiscard]] bool dead() const { return left_ == 0; }
    [[nodiscard]] std::size_t taken() const { return taken_; }

  private:
    std::size_t left_;
    std::size_t taken_ = 0;
};

}  // namespace raicho::agent::config
