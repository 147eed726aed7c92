// SPDX-License-Identifier: Apache-2.0
// A packet's action set (OF 1.3.5 §5.10): at most one action of each type and set-field of each
// field, run in the order of the specification whatever the order of writing. It points at the
// operations where they lie in the action programs, which stay for the burst.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "shm/program.h"

namespace raicho::pipeline {

/// Borrows the operations written to it.
class ActionSet {
  public:
    /// Puts an operation in its place, over one that was there. Those that are no actions are
    /// ignored.
    void write(const shm::Op* op) noexcept {
        const std::size_t place = shm::set_place(op->code, op->arg16);
        if (place == shm::kNoPlace) return;
        ops_[place] = op;
        present_ |= std::uint64_t{1} << place;
    }
    void clear() noexcept { present_ = 0; }
    [[nodiscard]] bool empty() const noexcept { return present_ == 0; }
    /// Whether a group or an output is there: without, the packet goes nowhere.
    [[nodiscard]] bool has_exit() const noexcept { return (present_ & kExits) != 0; }
    /// Takes the operations out in the order of §5.10; nullptr when none is left. An output beside
    /// a group is passed over, as §5.10 says.
    [[nodiscard]] const shm::Op* take() noexcept {
        if ((present_ & kGroup) != 0) present_ &= ~kOutput;
        if (present_ == 0) return nullptr;
        const auto place = static_cast<std::size_t>(std::countr_zero(present_));
        present_ &= present_ - 1;
        return ops_[place];
    }

  private:
    static constexpr std::uint64_t kGroup = std::uint64_t{1}
                                            << shm::set_place(shm::OpCode::group, 0);
    static constexpr std::uint64_t kOutput = std::uint64_t{1}
                                             << shm::set_place(shm::OpCode::output, 0);
    static constexpr std::uint64_t kExits = kGroup | kOutput;

    std::uint64_t present_ = 0;
    std::array<const shm::Op*, shm::kSetPlaces> ops_;
};

}  // namespace raicho::pipeline
