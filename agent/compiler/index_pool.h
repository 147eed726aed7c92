// SPDX-License-Identifier: Apache-2.0
// Free rows of one array of the arena: flows, cold records, masks, chunks. Private to the agent,
// rebuilt from what is referenced when the agent starts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace raicho::agent {

/// Rows 1..length-1; row 0 means "none" everywhere and is never given out.
class IndexPool {
  public:
    explicit IndexPool(std::uint32_t length) : length_(length) {}

    /// The lowest row never used, or the one freed last.
    [[nodiscard]] std::optional<std::uint32_t> take() {
        if (!freed_.empty()) {
            const std::uint32_t row = freed_.back();
            freed_.pop_back();
            return row;
        }
        if (next_ >= length_) return std::nullopt;
        return next_++;
    }
    void give(std::uint32_t row) { freed_.push_back(row); }
    [[nodiscard]] std::uint32_t available() const {
        return length_ - next_ + static_cast<std::uint32_t>(freed_.size());
    }
    /// Rows given out.
    [[nodiscard]] std::uint32_t used() const { return length_ - 1 - available(); }
    /// Starts over: `referenced[row]` rows are in use, all others free.
    void rebuild(const std::vector<bool>& referenced) {
        freed_.clear();
        next_ = length_;
        while (next_ > 1 && !referenced[next_ - 1]) --next_;
        for (std::uint32_t row = next_; row-- > 1;)
            if (!referenced[row]) freed_.push_back(row);
    }

  private:
    std::uint32_t length_;
    std::uint32_t next_ = 1;
    std::vector<std::uint32_t> freed_;
};

}  // namespace raicho::agent
