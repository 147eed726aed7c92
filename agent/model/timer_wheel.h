// SPDX-License-Identifier: Apache-2.0
// Deadlines of flows: a hierarchical wheel of four times 256 slots of an eighth of a second.
// Arming, moving and dropping a deadline is O(1) and allocates nothing but, once, the page of
// links that a range of flow ids shares. Knows nothing of timeouts; see flow_entries.h.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agent/model/types.h"

namespace raicho::agent {

class TimerWheel {
  public:
    static constexpr Time kTick = kSecond / 8;

    explicit TimerWheel(Time now);

    /// Sets or moves the flow's deadline; it comes due at the first tick not before `deadline`.
    void arm(FlowId flow, Time deadline);
    /// Drops the flow's deadline if it has one.
    void disarm(FlowId flow);

    /// One flow whose deadline has come by `now`, its deadline dropped; nothing when none has.
    [[nodiscard]] std::optional<FlowId> pop_due(Time now);
    /// When pop_due() has work next (maybe only to move far deadlines nearer), or kNever.
    [[nodiscard]] Time next() const;

  private:
    static constexpr unsigned kLevels = 4;
    static constexpr unsigned kSlots = 256;
    static constexpr std::uint32_t kHeadBit = 0x80000000;  // a link to a slot's head
    static constexpr std::uint32_t kUnlinked = 0xffffffff;
    static constexpr std::uint32_t kDue = kLevels * kSlots;  // head of the due list
    static constexpr std::size_t kPage = 1024;

    struct Links {
        std::uint32_t previous = kUnlinked;
        std::uint32_t next = kUnlinked;
        std::uint32_t deadline = 0;  // tick
    };
    using Page = std::array<Links, kPage>;

    Links& at(std::uint32_t link);
    [[nodiscard]] bool empty(std::uint32_t head) const;
    void link(std::uint32_t flow);
    void append(std::uint32_t head, std::uint32_t flow);
    void unlink(std::uint32_t flow);
    void spill(std::uint32_t head);
    void advance(std::uint32_t tick);
    [[nodiscard]] std::optional<std::uint32_t> next_tick() const;

    Time base_;
    std::uint32_t now_ = 0;  // ticks since base_, all before and at it are in the due list
    std::array<Links, kLevels * kSlots + 1> heads_;
    std::array<std::bitset<kSlots>, kLevels> used_;  // a set bit may be stale, a clear one is not
    std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace raicho::agent
