// SPDX-License-Identifier: Apache-2.0
// Finds a flow by a hash of table, priority and canonical match, for the strict commands: open
// addressing, no allocation per flow. Rebuilt when the agent starts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace raicho::agent {

class StrictIndex {
  public:
    void insert(std::uint64_t hash, std::uint32_t flow) {
        if (2 * (n_ + 1) > slots_.size()) grow();
        put({static_cast<std::uint32_t>(hash), flow});
        ++n_;
    }
    void erase(std::uint64_t hash, std::uint32_t flow) {
        const auto key = static_cast<std::uint32_t>(hash);
        for (std::size_t i = key & mask();; i = (i + 1) & mask()) {
            if (slots_[i].flow == 0) return;
            if (slots_[i].flow != flow) continue;
            close_gap(i);
            --n_;
            return;
        }
    }
    /// The first flow of this hash that `same(flow)` accepts, or 0.
    template <class Same>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, const Same& same) const {
        if (slots_.empty()) return 0;
        const auto key = static_cast<std::uint32_t>(hash);
        for (std::size_t i = key & mask(); slots_[i].flow != 0; i = (i + 1) & mask())
            if (slots_[i].hash == key && same(slots_[i].flow)) return slots_[i].flow;
        return 0;
    }

  private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t flow = 0;  // 0 = empty
    };

    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
    void put(Slot slot) {
        std::size_t i = slot.hash & mask();
        while (slots_[i].flow != 0) i = (i + 1) & mask();
        slots_[i] = slot;
    }
    /// Moves later slots of the same run back, so that no probe ends too early.
    void close_gap(std::size_t hole) {
        for (std::size_t i = (hole + 1) & mask(); slots_[i].flow != 0; i = (i + 1) & mask()) {
            const std::size_t home = slots_[i].hash & mask();
            if (((i - home) & mask()) < ((i - hole) & mask())) continue;
            slots_[hole] = slots_[i];
            hole = i;
        }
        slots_[hole] = {};
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
        std::swap(old, slots_);
        for (const Slot& slot : old)
            if (slot.flow != 0) put(slot);
    }

    std::vector<Slot> slots_;
    std::size_t n_ = 0;
};

}  // namespace raicho::agent
