// SPDX-License-Identifier: Apache-2.0
// Ports across the two processes: what the agent wants (agent's pages) and what became of it
// (dataplane's pages). Row n of both tables is PortSlot n.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/ids.h"

namespace raicho::shm {

enum class PortKind : std::uint8_t { none = 0, af_packet, tap, null, ethdev, local };

/// Life of a wanted port (house.md "Start and ports"): prepared = opened outside every bridge,
/// attached = workers take and give packets.
enum class PortPhase : std::uint32_t { free = 0, prepared = 1, attached = 2 };

inline constexpr std::size_t kPortNameSize = 32;
inline constexpr std::size_t kDeviceSize = 208;
inline constexpr std::uint16_t kNoSlot = 0xffff;

//  off size field            writer: agent
//    0   4  phase            one store attaches or clears
//    4   4  port_no          OpenFlow number, OFPP_LOCAL for the bridge's own
//    8   2  bridge
//   10   1  kind
//   11   1  force            1 = take an interface that carries the default route
//   12   4  config           OFPPC_* of port-mod and admin state
//   16   4  generation       even = stable, odd = being written (seqlock): force, mtu, mac, device
//                            and flags change while the port is attached
//   20   2  mtu              0 = leave as it is
//   22   2  queues           0 = one a worker
//   24  32  name             NUL-padded
//   56   6  mac              all zero = leave as it is (local, tap)
//   62   2  zero
//   64 208  device           interface name or device string, NUL-padded; of the local port its
//                            addresses, which alone change while it is attached
//  272   4  flags            1<<1: down by configuration, not by port-mod; other bits zero
//  276   4  mac_generation   bumped by clear mac, port down, removal
//  280   8  attached_ns      CLOCK_MONOTONIC of the attach, for durations
//  288   4  vlan             how NORMAL takes the port (vlan.h); all zero = every VLAN, as it comes
//  292   4  zero
//  296   8  policer_cost     of a received byte, as MeterBand::cost; 0 = no policer
//  304   8  policer_depth    as MeterBand::depth
//  312   8  policer_shift    as MeterBand::shift, of the port's PolicerState
struct alignas(64) WantedPort {
    std::atomic<PortPhase> phase;
    std::uint32_t port_no;
    std::uint16_t bridge;
    PortKind kind;
    std::uint8_t force;
    std::atomic<std::uint32_t> config;
    std::atomic<std::uint32_t> generation;
    std::uint16_t mtu;
    std::uint16_t queues;
    std::array<char, kPortNameSize> name;
    std::array<std::uint8_t, 6> mac;
    std::array<std::uint8_t, 2> zero0;
    std::array<char, kDeviceSize> device;
    std::uint32_t flags;
    std::atomic<std::uint32_t> mac_generation;
    std::uint64_t attached_ns;
    std::atomic<std::uint32_t> vlan;
    std::array<std::uint8_t, 4> zero1;
    std::atomic<std::uint64_t> policer_cost;
    std::atomic<std::uint64_t> policer_depth;
    std::atomic<std::uint64_t> policer_shift;
};
static_assert(sizeof(WantedPort) == 320 && alignof(WantedPort) == 64);
static_assert(std::is_standard_layout_v<WantedPort>);

/// Agent: what read_wish() reads is written between the two. A row that a killed agent left odd is
/// whole after the next pair.
inline void begin_change(WantedPort& row) noexcept {
    row.generation.store(row.generation.load(std::memory_order_relaxed) | 1,
                         std::memory_order_relaxed);
    // pairs with read_wish(): who sees a part of the new row sees the odd number
    std::atomic_thread_fence(std::memory_order_release);
}
inline void end_change(WantedPort& row) noexcept {
    row.generation.fetch_add(1, std::memory_order_release);  // pairs with read_wish()
}

/// A consistent copy of what changes while a port is attached.
struct PortWish {
    std::uint32_t generation = 0;
    std::uint16_t mtu = 0;
    std::uint8_t force = 0;
    std::array<std::uint8_t, 6> mac{};
    std::array<char, kDeviceSize> device{};
};
/// Nothing while the agent is writing: ask again.
[[nodiscard]] inline std::optional<PortWish> read_wish(const WantedPort& row) noexcept {
    PortWish wish;
    wish.generation = row.generation.load(std::memory_order_acquire);  // pairs with end_change()
    wish.mtu = row.mtu;
    wish.force = row.force;
    wish.mac = row.mac;
    wish.device = row.device;
    std::atomic_thread_fence(std::memory_order_acquire);  // pairs with begin_change()
    if (wish.generation % 2 != 0 ||
        row.generation.load(std::memory_order_relaxed) != wish.generation)
        return std::nullopt;
    return wish;
}

enum class PortHealth : std::uint32_t {
    closed = 0,  // not opened
    up = 1,      // open, link up
    down = 2,    // open, link down
    absent = 3,  // its interface does not exist; attaches when it appears
    failed = 4,  // `text` says why
};

//  off size field            writer: dataplane
//    0   4  sequence         even = stable, odd = being written (seqlock); changes = event
//    4   4  health
//    8   4  ifindex          0 = none
//   12   4  mtu
//   16   4  speed_mbps       0 = unknown
//   20   6  mac
//   26   2  queues
//   28   4  opened_s         CLOCK_MONOTONIC seconds of the last open
//   32 192  text             why failed/absent, NUL-padded
//  224  32  zero
struct alignas(64) PortStatus {
    std::atomic<std::uint32_t> sequence;
    PortHealth health;
    std::uint32_t ifindex;
    std::uint32_t mtu;
    std::uint32_t speed_mbps;
    std::array<std::uint8_t, 6> mac;
    std::uint16_t queues;
    std::uint32_t opened_s;
    std::array<char, 192> text;
    std::array<std::uint8_t, 32> zero;
};
static_assert(sizeof(PortStatus) == 256 && std::is_standard_layout_v<PortStatus>);

/// Per worker and port; 64-bit plain stores by the owning worker only, totals survive restarts.
struct alignas(64) PortCounters {
    std::uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
    std::uint64_t rx_dropped, tx_dropped, rx_errors, tx_errors;
};
static_assert(sizeof(PortCounters) == 64);
static_assert(std::has_unique_object_representations_v<PortCounters>);

/// Why a packet was dropped; one table, so that printing and metrics derive from it.
enum class DropReason : std::uint8_t {
    no_bridge,
    port_down,
    no_recv,
    malformed,
    no_match,
    no_action,
    action_drop,
    no_such_port,
    output_down,
    no_fwd,
    ingress_output,
    tx_full,
    too_big,
    ttl,
    no_group,
    packet_in_full,
    packet_in_disabled,
    no_controller,
    clone_failed,
    bad_action,
    stp_reserved,
    fragment,
    segmentation,
    mac_reflect,
    out_of_range,
    no_other_port,
    rx_full,
    rx_error,
    tx_error,
    bad_packet_out,
    meter,
    dead_group,
    group_depth,
    policer,
    vlan,
};
inline constexpr std::size_t kDropReasons = 35;
/// Words of a row of drop counters.
inline constexpr std::size_t kDropWords = 40;

struct DropRow {
    DropReason reason;
    const char* name;
    const char* meaning;
};
/// Indexed by reason.
inline constexpr std::array<DropRow, kDropReasons> kDropRows{{
    {DropReason::no_bridge, "no-bridge", "the port is in no bridge"},
    {DropReason::port_down, "port-down", "the ingress port is administratively down"},
    {DropReason::no_recv, "no-recv", "OFPPC_NO_RECV is set on the ingress port"},
    {DropReason::malformed, "malformed", "shorter than an Ethernet header"},
    {DropReason::no_match, "no-match", "no flow matched and the table has no table-miss entry"},
    {DropReason::no_action, "no-action", "the action set was empty at the end of the pipeline"},
    {DropReason::action_drop, "drop", "a flow without an output matched"},
    {DropReason::no_such_port, "no-such-port", "output to a port that is not in the bridge"},
    {DropReason::output_down, "output-down", "the output port is down"},
    {DropReason::no_fwd, "no-fwd", "OFPPC_NO_FWD is set on the output port"},
    {DropReason::ingress_output, "ingress-output", "output to the ingress port without IN_PORT"},
    {DropReason::tx_full, "tx-full", "the output queue was full"},
    {DropReason::too_big, "too-big", "larger than the output port's MTU"},
    {DropReason::ttl, "ttl", "the TTL ran out and the flow sends it nowhere"},
    {DropReason::no_group, "no-group", "the group does not exist"},
    {DropReason::packet_in_full, "packet-in-full", "the packet-in ring was full"},
    {DropReason::packet_in_disabled, "no-packet-in",
     "OFPPC_NO_PACKET_IN is set on the ingress port"},
    {DropReason::no_controller, "no-controller", "to the controller, and none is connected"},
    {DropReason::clone_failed, "no-memory", "no buffer left for a copy"},
    {DropReason::bad_action, "bad-action", "the action does not fit the packet"},
    {DropReason::stp_reserved, "reserved-address", "NORMAL does not forward 01:80:c2:00:00:0x"},
    {DropReason::fragment, "fragment", "fragments are dropped by configuration"},
    {DropReason::segmentation, "segmentation", "a large frame could not be segmented"},
    {DropReason::mac_reflect, "same-port", "NORMAL learned the destination on the ingress port"},
    {DropReason::out_of_range, "out-of-range", "a damaged table row pointed outside its region"},
    {DropReason::no_other_port, "no-other-port", "a flood found no port but the ingress port"},
    {DropReason::rx_full, "rx-full", "the receive queue was full or no buffer was left"},
    {DropReason::rx_error, "rx-error", "the device or its offload header gave a damaged frame"},
    {DropReason::tx_error, "tx-error", "the output device refused it"},
    {DropReason::bad_packet_out, "bad-packet-out",
     "a packet-out with damaged lengths, or to a bridge that is gone"},
    {DropReason::meter, "meter", "a drop band of a meter was exceeded"},
    {DropReason::dead_group, "dead-group", "no bucket of the group is live"},
    {DropReason::group_depth, "group-depth", "groups lead from one to the next too often"},
    {DropReason::policer, "policer", "came faster than the port's policer allows"},
    {DropReason::vlan, "vlan", "NORMAL: the ingress port does not carry the frame's VLAN"},
}};

}  // namespace raicho::shm
