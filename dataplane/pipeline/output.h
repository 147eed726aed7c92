// SPDX-License-Identifier: Apache-2.0
// Part of pipeline.h: the ways out. An output is remembered, not done, until the packet changes or
// another port is named, so that the last port gets the packet itself and only the others a copy.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/be.h"
#include "dataplane/pipeline/gso.h"
#include "dataplane/pipeline/pipeline.h"

namespace raicho::pipeline {

namespace detail {
inline constexpr std::uint32_t kEthernetHeader = 14;
inline constexpr std::uint16_t kWholePacket = 0xffff;  // OFPCML_NO_BUFFER
/// Room that Ethernet and the VLAN tags take beside the MTU; the parser stops at the second tag.
inline std::uint32_t frame_overhead(const Packet& packet, const Layers& layers) noexcept {
    std::uint32_t overhead = kEthernetHeader + 4u * layers.n_vlans;
    if (layers.n_vlans < 2) [[likely]]
        return overhead;
    for (; overhead + 4 <= packet.first_size; overhead += 4) {
        const auto type = load_be<std::uint16_t>(packet.data + overhead - 2);
        if (type != 0x8100 && type != 0x88a8) break;
    }
    return overhead;
}
/// Headers that a device's offloads do not look through.
inline bool encapsulated(const Layers& layers) noexcept {
    return layers.network == Network::mpls || layers.network == Network::pbb;
}
}  // namespace detail

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::output(InFlight& f, const shm::Op& op, Origin origin) noexcept {
    const PortNo number(op.arg32);
    if (number <= port::kMax || number == port::kLocal) [[likely]] {
        const std::uint16_t slot = slot_of(number);
        if (slot == shm::kNoSlot) return lose(f, shm::DropReason::no_such_port);
        if (slot == here_.ingress.value()) return lose(f, shm::DropReason::ingress_output);
        return emit(f, slot);
    }
    if (number == port::kController) {
        const auto reason =
            origin == Origin::miss ? shm::PuntReason::no_match : shm::PuntReason::action;
        return packet_in(f, reason, origin,
                         op.arg16 == detail::kWholePacket ? UINT32_MAX : op.arg16);
    }
    if (number == port::kInPort) {
        if (here_.ingress.value() == shm::kNoSlot) return lose(f, shm::DropReason::no_such_port);
        return emit(f, here_.ingress.value());
    }
    if (number == port::kNormal) return normal(f);
    // No port is kept out of floods but those that ALL leaves out too (OF 1.3.5 §4.5).
    if (number == port::kFlood || number == port::kAll) return flood(f);
    if (number == port::kTable && here_.packet_out) return to_tables(f);
    lose(f, shm::DropReason::no_such_port);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::flood(InFlight& f) noexcept {
    each_exit(f, [&](const Out& out) noexcept {
        emit(f, out.slot);
        return true;
    });
}

template <PacketIo Io, class Sink>
template <class Visit>
void Pipeline<Io, Sink>::each_exit(InFlight& f, const Visit& visit) noexcept {
    std::size_t n = 0;
    auto reason = shm::DropReason::no_other_port;
    shm::for_each_port(arena_, here_.bridge, [&](PortSlot slot) noexcept {
        if (slot == here_.ingress) return;
        const Out out = resolve(slot.value());
        if (out.slot == shm::kNoSlot) return;
        if (!out.open()) {
            reason = shm::DropReason::output_down;
            return;
        }
        if (visit(out)) ++n;
    });
    if (n == 0) lose(f, reason);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::emit(InFlight& f, std::uint16_t slot) noexcept {
    flush_pending(f);
    f.pending = slot;
    f.fate = Fate::handled;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::flush_pending(InFlight& f) noexcept {
    if (f.pending == shm::kNoSlot) [[likely]]
        return;
    const std::uint16_t slot = f.pending;
    f.pending = shm::kNoSlot;
    Packet* copy = io_.clone(*f.packet);
    if (copy == nullptr) return lose(f, shm::DropReason::clone_failed);
    deliver(f, slot, copy);
}

/// The port's state, asked once a run; slot kNoSlot when it is not attached to this bridge.
template <PacketIo Io, class Sink>
auto Pipeline<Io, Sink>::resolve(std::uint16_t slot) noexcept -> const Out& {
    Out& out = outs_[slot % outs_.size()];
    if (out.epoch == epoch_ && out.number == slot) [[likely]]
        return out;
    out = {.epoch = epoch_, .number = slot};
    const shm::WantedPort& wanted = arena_.wanted_port(PortSlot(slot));
    if (wanted.phase.load(std::memory_order_acquire) != shm::PortPhase::attached ||
        wanted.bridge != here_.bridge.value())
        return out;
    out.slot = slot;
    out.config = wanted.config.load(std::memory_order_relaxed);
    // pairs with AgentArena::set_vlan()
    out.vlan = {wanted.vlan.load(std::memory_order_acquire)};
    if (wanted.port_no == port::kLocal.value())
        out.meter = here_.record->slowpath_meter.load(std::memory_order_relaxed);
    out.view = io_.port(PortSlot(slot));
    return out;
}

template <PacketIo Io, class Sink>
std::uint16_t Pipeline<Io, Sink>::slot_of(PortNo number) noexcept {
    return shm::port_slot(arena_, here_.bridge, number);
}

/// Takes `packet`, which has the layers of `f`.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::deliver(InFlight& f, std::uint16_t slot, Packet* packet) noexcept {
    const Out& out = resolve(slot);
    if (out.open()) [[likely]] {
        if (out.meter != shm::kNoRow && !slowpath(f, out, *packet)) [[unlikely]]
            return io_.free(packet);
        if (packet->gso != Gso::none) [[unlikely]]
            return deliver_large(f, out, packet);
        return deliver_one(f, out, packet);
    }
    auto reason = shm::DropReason::no_such_port;
    if (out.slot != shm::kNoSlot) {
        const bool down = out.view.link == Link::down || (out.config & port_config::kDown) != 0;
        reason = down ? shm::DropReason::output_down : shm::DropReason::no_fwd;
    }
    lose_at(f, slot, reason);
    io_.free(packet);
}

/// OFPM_SLOWPATH: whether a packet may go to the host's own stack.
template <PacketIo Io, class Sink>
bool Pipeline<Io, Sink>::slowpath(InFlight& f, const Out& out, Packet& packet) noexcept {
    const shm::MeterBand* band = measure(out.meter, packet);
    if (band == nullptr) return true;
    if (band->type == shm::BandType::drop) {
        lose_at(f, out.slot, shm::DropReason::meter);
        return false;
    }
    const Frame kept = f;  // the other copies are not remarked
    f.packet = &packet;
    remark(f, *band);
    static_cast<Frame&>(f) = kept;
    return true;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::deliver_one(InFlight& f, const Out& out, Packet* packet) noexcept {
    const auto fail = [&](shm::DropReason reason) noexcept {
        lose_at(f, out.slot, reason);
        io_.free(packet);
    };
    if (out.view.mtu != 0 &&
        packet->size > out.view.mtu + detail::frame_overhead(*packet, f.layers)) [[unlikely]]
        return fail(shm::DropReason::too_big);
    if (packet->checksum == Checksum::partial) {
        const bool software = out.view.offload == Offload::none || packet->csum_offset == 8 ||
                              detail::encapsulated(f.layers);
        if (software && complete_checksum(io_, *packet) == Finish::failed)
            return fail(shm::DropReason::malformed);
    }
    if (!packet->pad()) return fail(shm::DropReason::clone_failed);
    sink_.sent(f, PortSlot(out.slot), *packet);
    io_.send(PortSlot(out.slot), packet);
}

/// A large frame goes whole where the port and the headers allow, else in segments.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::deliver_large(InFlight& f, const Out& out, Packet* packet) noexcept {
    const bool whole = out.view.offload == Offload::large && !detail::encapsulated(f.layers);
    const std::optional<SegmentPlan> plan = plan_segments(*packet);
    auto failure = shm::DropReason::segmentation;
    if (plan.has_value() || whole) {
        const std::size_t limit = out.view.mtu + detail::frame_overhead(*packet, f.layers);
        const std::size_t biggest =
            plan.has_value() ? segment_frame_size(*plan) : declared_frame_size(*packet);
        if (out.view.mtu != 0 && biggest > limit) {
            failure = shm::DropReason::too_big;
        } else if (whole) {
            sink_.sent(f, PortSlot(out.slot), *packet);
            return io_.send(PortSlot(out.slot), packet);
        } else {
            const Finish result = segment(
                io_, *packet, *plan, [&](Packet* part) noexcept { deliver_one(f, out, part); });
            io_.free(packet);
            if (result == Finish::failed) lose_at(f, out.slot, failure);
            return;
        }
    }
    lose_at(f, out.slot, failure);
    io_.free(packet);
}

/// OFPP_TABLE of a packet-out: a copy goes through the tables now.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::to_tables(InFlight& f) noexcept {
    flush_pending(f);
    f.fate = Fate::handled;
    Packet* copy = io_.clone(*f.packet);
    if (copy == nullptr) return lose(f, shm::DropReason::clone_failed);
    here_.packet_out = false;  // a flow's TABLE would lead round in a circle
    InFlight& inner = frames_[1];
    inner.begin(copy);
    look(inner);
    if (inner.packet != nullptr) {
        if (here_.mode == shm::BridgeMode::normal) {
            normal(inner);
            conclude(inner);
        } else {
            submit(std::uint64_t{1} << 1, TableId(0));
            sweep();
        }
    }
    here_.packet_out = true;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::packet_in(InFlight& f, shm::PuntReason reason, Origin origin,
                                   std::uint32_t max_size) noexcept {
    flush_pending(f);
    if (origin == Origin::miss && (here_.config & port_config::kNoPacketIn) != 0)
        return lose(f, shm::DropReason::packet_in_disabled);
    if (here_.record->controller_connected.load(std::memory_order_relaxed) == 0)
        return lose(f, shm::DropReason::no_controller);
    f.fate = Fate::handled;
    const std::uint32_t row = here_.record->controller_meter.load(std::memory_order_relaxed);
    const shm::MeterBand* band = row != shm::kNoRow ? measure(row, *f.packet) : nullptr;
    if (band == nullptr) [[likely]]
        return punt(f, reason, origin, max_size);
    if (band->type == shm::BandType::drop) return lose(f, shm::DropReason::meter);
    const Frame kept = f;  // the controller's copy alone is remarked
    Packet* copy = io_.clone(*f.packet);
    if (copy == nullptr) return lose(f, shm::DropReason::clone_failed);
    f.packet = copy;
    remark(f, *band);
    punt(f, reason, origin, max_size);
    release(f);
    static_cast<Frame&>(f) = kept;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::punt(InFlight& f, shm::PuntReason reason, Origin origin,
                              std::uint32_t max_size) noexcept {
    shm::PacketInHead head{};
    head.cookie = f.flow != shm::kNoFlow ? arena_.cold(f.cold).cookie : UINT64_MAX;
    head.metadata = load_be<std::uint64_t>(f.key.bytes() + shm::place(Field::metadata).offset);
    head.tunnel_id = load_be<std::uint64_t>(f.key.bytes() + shm::place(Field::tunnel_id).offset);
    head.in_port = head.in_phy_port = here_.in_port.value();
    head.bridge = here_.bridge.value();
    head.table = f.table.value();
    head.reason = reason;
    head.from_miss = origin == Origin::miss ? 1 : 0;

    Packet& packet = *f.packet;
    if (packet.gso == Gso::none) {
        if (packet.checksum == Checksum::partial &&
            complete_checksum(io_, packet) == Finish::failed)
            return lose(f, shm::DropReason::malformed);
        return put_record(f, head, max_size, packet);
    }
    const std::optional<SegmentPlan> plan = plan_segments(packet);
    const bool cut = plan.has_value() && segment(io_, packet, *plan, [&](Packet* part) noexcept {
                                             put_record(f, head, max_size, *part);
                                             io_.free(part);
                                         }) == Finish::done;
    if (!cut) lose(f, shm::DropReason::segmentation);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::put_record(InFlight& f, shm::PacketInHead head, std::uint32_t max_size,
                                    const Packet& packet) noexcept {
    // As on a wire: never shorter than a frame may be; io fills up with zeros.
    head.total_size = std::max<std::uint32_t>(packet.size, kMinFrame);
    head.data_size = std::min(head.total_size, max_size);
    sink_.to_controller(f, packet);
    if (!io_.packet_in(head, packet)) lose(f, shm::DropReason::packet_in_full);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::lose(InFlight& f, shm::DropReason reason) noexcept {
    count_drop(f, here_.ingress.value(), reason);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::lose_at(InFlight& f, std::uint16_t slot, shm::DropReason reason) noexcept {
    arena_.port_counters(worker_, PortSlot(slot)).tx_dropped += 1;
    count_drop(f, slot, reason);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::count_drop(InFlight& f, std::uint16_t slot,
                                    shm::DropReason reason) noexcept {
    using enum shm::DropReason;
    f.fate = Fate::handled;
    sink_.lost(f, reason);
    if (slot != shm::kNoSlot) ++arena_.drop_counters(worker_, PortSlot(slot))[reason];
    shm::TableCounters& table = arena_.table_counters(worker_, here_.bridge, f.table);
    if (reason == no_match)
        ++table.no_match;
    else if (reason == action_drop || reason == no_action)
        ++table.action_drop;
    else
        ++table.other_drop;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::kill(InFlight& f, shm::DropReason reason) noexcept {
    lose(f, reason);
    // What was put out before the end stands.
    if (f.pending != shm::kNoSlot) return conclude(f);
    release(f);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::release(InFlight& f) noexcept {
    io_.free(f.packet);
    f.packet = nullptr;
}

}  // namespace raicho::pipeline
