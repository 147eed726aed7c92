// SPDX-License-Identifier: Apache-2.0
// A packet between the first table and its end, and the small words that go with it.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "dataplane/pipeline/action_set.h"
#include "dataplane/pipeline/edit.h"
#include "shm/port.h"

namespace raicho::pipeline {

/// What became of a packet so far; decides whether its end is a drop to be counted.
enum class Fate : std::uint8_t {
    none,     // nothing asked for an output yet
    handled,  // put out, sent to the controller, or a lost copy was counted
};

/// Whether an operation comes from a table-miss entry: its packet-in says so (OF 1.3.5 §5.4).
enum class Origin : std::uint8_t { flow, miss };

struct InFlight : Frame {
    std::uint32_t flow = 0;                // matched last
    std::uint32_t cold = 0;                // and its record
    std::uint16_t pending = shm::kNoSlot;  // a port that gets the packet as it is now
    TableId table;
    Fate fate = Fate::none;
    Origin origin = Origin::flow;             // of the flow
    Origin set_output_origin = Origin::flow;  // of the output in the action set
    std::uint8_t acted = 0;                   // an operation was met
    ActionSet set;

    /// Ready for a new packet.
    void begin(Packet* p) noexcept {
        packet = p;
        flow = cold = 0;
        pending = shm::kNoSlot;
        table = TableId(0);
        fate = Fate::none;
        origin = set_output_origin = Origin::flow;
        acted = 0;
        set.clear();
    }
};

/// OFPPC_* of OF 1.3.5 §7.2.1.
namespace port_config {
inline constexpr std::uint32_t kDown = 1u << 0;
inline constexpr std::uint32_t kNoRecv = 1u << 2;
inline constexpr std::uint32_t kNoFwd = 1u << 5;
inline constexpr std::uint32_t kNoPacketIn = 1u << 6;
}  // namespace port_config

/// BridgeRecord::config_flags: OFPC_* of OF 1.3.5 §7.3.2, and 1.2's INVALID_TTL_TO_CONTROLLER,
/// set when a controller asks for packet-ins of that reason.
namespace bridge_config {
inline constexpr std::uint32_t kFragmentMask = 3;
inline constexpr std::uint32_t kFragmentDrop = 1;
inline constexpr std::uint32_t kInvalidTtl = 1u << 2;
}  // namespace bridge_config

/// Takes no notice: the production sink. A recording one explains what a packet met.
struct NullSink {
    /// Packets may take short ways that tell the sink nothing (straight.h).
    static constexpr bool kSilent = true;
    void looked_up(const InFlight&) const noexcept {}
    void acts(const InFlight&, const shm::Op&) const noexcept {}
    void sent(const InFlight&, PortSlot, const Packet&) const noexcept {}
    void to_controller(const InFlight&, const Packet&) const noexcept {}
    void lost(const InFlight&, shm::DropReason) const noexcept {}
};

}  // namespace raicho::pipeline
