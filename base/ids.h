// SPDX-License-Identifier: Apache-2.0
// Strong ids: a number with a meaning has a type of its own, so that a table number cannot be
// passed for a port. Reserved OpenFlow values stand here because both daemons and the shell
// speak of them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace raicho {

/// An integer that only compares; `.value()` is the way out.
template <class Tag, class Rep>
class Id {
  public:
    using rep = Rep;
    constexpr Id() = default;
    constexpr explicit Id(Rep value) : value_(value) {}
    [[nodiscard]] constexpr Rep value() const { return value_; }
    friend constexpr auto operator<=>(Id, Id) = default;

  private:
    Rep value_ = 0;
};

/// OpenFlow port number (OF 1.3.5 §7.2.1): 1..0xffffff00 physical, above reserved.
using PortNo = Id<struct PortNoTag, std::uint32_t>;
/// Row of the wanted-port table in the arena; the same in both daemons.
using PortSlot = Id<struct PortSlotTag, std::uint16_t>;
/// Row of the bridge table in the arena.
using BridgeId = Id<struct BridgeIdTag, std::uint16_t>;
/// Row of the flow arrays (hot entry, cold record, counters).
using FlowId = Id<struct FlowIdTag, std::uint32_t>;
/// OpenFlow table 0..254; 255 is OFPTT_ALL.
using TableId = Id<struct TableIdTag, std::uint8_t>;
using GroupId = Id<struct GroupIdTag, std::uint32_t>;
using MeterId = Id<struct MeterIdTag, std::uint32_t>;
/// Worker (lcore that forwards) 0..max-workers-1.
using WorkerId = Id<struct WorkerIdTag, std::uint8_t>;
/// OpenFlow datapath id.
using Dpid = Id<struct DpidTag, std::uint64_t>;

inline constexpr std::size_t kCacheLine = 64;
inline constexpr TableId kAllTables{255};  // OFPTT_ALL
inline constexpr std::size_t kTables = 255;

/// Reserved ports, OF 1.3.5 §7.2.1 ofp_port_no.
namespace port {
inline constexpr PortNo kMax{0xffffff00};
inline constexpr PortNo kInPort{0xfffffff8};
inline constexpr PortNo kTable{0xfffffff9};
inline constexpr PortNo kNormal{0xfffffffa};
inline constexpr PortNo kFlood{0xfffffffb};
inline constexpr PortNo kAll{0xfffffffc};
inline constexpr PortNo kController{0xfffffffd};
inline constexpr PortNo kLocal{0xfffffffe};
inline constexpr PortNo kAny{0xffffffff};
}  // namespace port

}  // namespace raicho

template <class Tag, class Rep>
struct std::hash<raicho::Id<Tag, Rep>> {
    std::size_t operator()(raicho::Id<Tag, Rep> id) const noexcept {
        return std::hash<Rep>{}(id.value());
    }
};
