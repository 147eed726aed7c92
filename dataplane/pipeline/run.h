// SPDX-License-Identifier: Apache-2.0
// Part of pipeline.h: a burst from its port to the last table. goto only moves up, so one
// ascending sweep over the tables is complete (dataplane.md §3.1).
#pragma once

#include <algorithm>
#include <bit>

#include "base/be.h"
#include "dataplane/pipeline/pipeline.h"

namespace raicho::pipeline {

namespace detail {
/// in_port and in_phy_port, as one word of the key.
[[nodiscard]] inline std::uint64_t port_word(PortNo port) noexcept {
    static_assert(shm::place(Field::in_port).offset == 8 * shm::kContextWord &&
                  shm::place(Field::in_phy_port).offset == 8 * shm::kContextWord + 4);
    std::array<std::byte, 8> bytes;
    store_be<std::uint32_t>(bytes.data(), port.value());
    store_be<std::uint32_t>(bytes.data() + 4, port.value());
    return std::bit_cast<std::uint64_t>(bytes);
}
/// The words that the parser does not touch: metadata and tunnel_id start at zero.
inline void begin_context(shm::Key& key, std::uint64_t port) noexcept {
    static_assert(shm::place(Field::metadata).offset == 40 &&
                  shm::place(Field::tunnel_id).offset == 48);
    key.words[4] = port;
    key.words[5] = key.words[6] = 0;
}
}  // namespace detail

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::run(PortSlot ingress, std::span<Packet* const> burst,
                             std::uint64_t now_ns) noexcept {
    using shm::DropReason;
    const shm::WantedPort& port = arena_.wanted_port(ingress);
    here_.ingress = ingress;
    here_.packet_out = false;
    if (port.phase.load(std::memory_order_acquire) != shm::PortPhase::attached ||
        !enter_bridge(BridgeId(port.bridge), now_ns))
        return refuse(burst, ingress, DropReason::no_bridge);
    come_by(PortNo(port.port_no));
    here_.config = port.config.load(std::memory_order_relaxed);
    if ((here_.config & port_config::kDown) != 0)
        return refuse(burst, ingress, DropReason::port_down);
    if ((here_.config & port_config::kNoRecv) != 0)
        return refuse(burst, ingress, DropReason::no_recv);
    // pairs with AgentArena::set_vlan()
    here_.vlan = {port.vlan.load(std::memory_order_acquire)};
    const bool policed = port.policer_cost.load(std::memory_order_acquire) != 0;
    while (!burst.empty()) {
        const std::size_t n = std::min(burst.size(), kMaxBurst);
        if (policed) [[unlikely]]
            police(ingress, burst.first(n));
        else
            take(burst.first(n));
        burst = burst.subspan(n);
    }
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::come_by(PortNo port) noexcept {
    here_.in_port = port;
    here_.port_word = detail::port_word(port);
}

/// Packets that were let in; at most kMaxBurst come.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::take(std::span<Packet* const> burst) noexcept {
    if (const std::uint32_t flow = common_flow(); flow != shm::kNoFlow)
        straight_burst(flow, burst);
    else
        burst_of(burst);
}

/// The part of a burst that the port's policer lets through; at most kMaxBurst come.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::police(PortSlot ingress, std::span<Packet* const> burst) noexcept {
    const shm::WantedPort& port = arena_.wanted_port(ingress);
    std::array<Packet*, kMaxBurst> within;
    std::size_t n = 0;
    for (Packet* packet : burst) {
        if (within_policer(port, ingress, *packet))
            within[n++] = packet;
        else
            refuse({&packet, 1}, ingress, shm::DropReason::policer);
    }
    take(std::span(within).first(n));
}

template <PacketIo Io, class Sink>
bool Pipeline<Io, Sink>::enter_bridge(BridgeId bridge, std::uint64_t now_ns) noexcept {
    here_.bridge = bridge;
    here_.record = &arena_.bridge(bridge);
    here_.mode = here_.record->mode.load(std::memory_order_acquire);
    here_.fragments =
        here_.record->config_flags.load(std::memory_order_relaxed) & bridge_config::kFragmentMask;
    here_.tick = shm::tick_of(now_ns);
    here_.now_s = static_cast<std::uint32_t>(now_ns / 1'000'000'000);
    ++epoch_;
    return here_.mode != shm::BridgeMode::unused;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::refuse(std::span<Packet* const> burst, PortSlot ingress,
                                shm::DropReason reason) noexcept {
    arena_.drop_counters(worker_, ingress)[reason] += burst.size();
    if (reason != shm::DropReason::no_bridge)
        arena_.port_counters(worker_, ingress).rx_dropped += burst.size();
    for (Packet* packet : burst) io_.free(packet);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::burst_of(std::span<Packet* const> burst) noexcept {
    constexpr std::size_t kAhead = 4;
    for (std::size_t i = 0; i < std::min(kAhead, burst.size()); ++i)
        __builtin_prefetch(burst[i]->data);
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        if (i + kAhead < burst.size()) __builtin_prefetch(burst[i + kAhead]->data);
        InFlight& f = frames_[i];
        f.begin(burst[i]);
        look(f);
        if (f.packet != nullptr) mask |= std::uint64_t{1} << i;
    }
    if (here_.mode == shm::BridgeMode::normal) {
        for (; mask != 0; mask &= mask - 1) {
            InFlight& f = frames_[static_cast<std::size_t>(std::countr_zero(mask))];
            normal(f);
            conclude(f);
        }
        return;
    }
    submit(mask, TableId(0));
    sweep();
}

/// Parses; a frame that cannot go on is counted and freed.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::look(InFlight& f) noexcept {
    detail::begin_context(f.key, here_.port_word);
    if (parse_plain(*f.packet, f.key, f.layers)) [[likely]]
        return;
    parse_any(*f.packet, f.key, f.layers);
    if (f.layers.type_at == 0) [[unlikely]]
        return kill(f, shm::DropReason::malformed);
    if (f.layers.fragment != Fragment::none && here_.fragments == bridge_config::kFragmentDrop)
        [[unlikely]]
        kill(f, shm::DropReason::fragment);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::submit(std::uint64_t mask, TableId table) noexcept {
    const std::size_t t = table.value();
    waiting_[t] |= mask;
    if (mask != 0) tables_[t / 64] |= std::uint64_t{1} << (t % 64);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::sweep() noexcept {
    for (std::size_t word = 0; word < tables_.size(); ++word) {
        while (tables_[word] != 0) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(tables_[word]));
            const std::size_t t = word * 64 + bit;
            tables_[word] &= tables_[word] - 1;
            const std::uint64_t mask = waiting_[t];
            waiting_[t] = 0;
            stage(TableId(static_cast<std::uint8_t>(t)), mask);
        }
    }
}

/// One table for all packets that wait for it.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::stage(TableId table, std::uint64_t mask) noexcept {
    std::array<const shm::Key*, kMaxBurst> keys;
    std::array<InFlight*, kMaxBurst> frames;
    std::array<std::uint32_t, kMaxBurst> flows;
    std::size_t n = 0;
    for (; mask != 0; mask &= mask - 1, ++n) {
        frames[n] = &frames_[static_cast<std::size_t>(std::countr_zero(mask))];
        keys[n] = &frames[n]->key;
    }
    find(table, std::span(keys).first(n), std::span(flows).first(n));
    count(table, std::span(frames).first(n), std::span(flows).first(n));

    Leaving leaving;
    for (std::size_t i = 0; i < n; ++i) {
        InFlight& f = *frames[i];
        f.table = table;
        f.flow = flows[i];
        if (f.flow == shm::kNoFlow) {
            send_leaving(leaving);
            sink_.looked_up(f);
            missed(f);
            continue;
        }
        const shm::FlowHot& hot = arena_.hot(f.flow);
        // pairs with the compiler's commit
        const shm::FlowBody body = hot.body.load(std::memory_order_acquire);
        if (leaves_straight(leaving, f, body.program)) continue;
        send_leaving(leaving);
        f.cold = body.cold;
        f.origin = hot.is_miss() ? Origin::miss : Origin::flow;
        sink_.looked_up(f);
        execute(f, shm::ProgramCursor(arena_.chunks(), body.program));
    }
    send_leaving(leaving);
}

/// The packets' flows: searched, or remembered where a search is long.
template <PacketIo Io, class Sink>
inline void Pipeline<Io, Sink>::find(TableId table, std::span<const shm::Key* const> keys,
                                     std::span<std::uint32_t> flows) noexcept {
    constexpr std::uint32_t kLong = 3;  // tuples, with which a look at the memo costs less
    static_assert(Memo::kMost >= kMaxBurst);
    const shm::TableState now = shm::table_state(arena_, here_.bridge, table);
    const auto search = [&](std::span<const shm::Key* const> of,
                            std::span<std::uint32_t> found) noexcept {
        shm::lookup(arena_, here_.bridge, table, of, found);
    };
    if (now.n_tuples < kLong) [[likely]]
        return search(keys, flows);
    const auto row = static_cast<std::uint32_t>(here_.bridge.value() * kTables + table.value());
    memo_.find({.row = row, .version = now.version}, keys, flows, search);
}

/// Counts the packets of a stage before anything leaves, so that who sees a packet finds it
/// counted. Identical neighbours are added up before they are stored.
template <PacketIo Io, class Sink>
inline void Pipeline<Io, Sink>::count(TableId table, std::span<InFlight* const> frames,
                                      std::span<const std::uint32_t> flows) noexcept {
    const std::span<shm::FlowCounter> row = arena_.flow_counters(worker_);
    const std::uint32_t mask = static_cast<std::uint32_t>(row.size()) - 1;
    for (const std::uint32_t flow : flows) __builtin_prefetch(&row[flow & mask], 1);
    const std::uint32_t tick = here_.tick;
    std::uint64_t matched = 0;
    for (std::size_t i = 0; i < flows.size();) {
        const std::uint32_t flow = flows[i];
        const std::size_t first = i;
        std::uint64_t bytes = 0;
        do bytes += frames[i]->packet->size;
        while (++i < flows.size() && flows[i] == flow);
        if (flow == shm::kNoFlow) continue;
        matched += i - first;
        shm::add(row[flow & mask], i - first, bytes, tick);
    }
    shm::TableCounters& counters = arena_.table_counters(worker_, here_.bridge, table);
    counters.lookups += flows.size();
    counters.matched += matched;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::missed(InFlight& f) noexcept {
    if (here_.mode != shm::BridgeMode::flows_normal) return kill(f, shm::DropReason::no_match);
    normal(f);
    conclude(f);
}

namespace detail {
/// The program of a packet-out: contiguous words, lengths not trusted.
class LinearCursor {
  public:
    explicit LinearCursor(std::span<const std::byte> words) noexcept : words_(words) {}
    [[nodiscard]] const shm::Op* next() noexcept {
        if (words_.size() < sizeof(shm::Op)) return nullptr;
        const auto* op = reinterpret_cast<const shm::Op*>(words_.data());
        const std::size_t size = shm::op_words(op->code, op->arg16) * sizeof(shm::Op);
        if (op->code == shm::OpCode::end || size > words_.size()) return nullptr;
        words_ = words_.subspan(size);
        return op;
    }

  private:
    std::span<const std::byte> words_;
};
}  // namespace detail

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::refuse_packet_out(const shm::PacketOutHead& head,
                                           shm::DropReason reason) noexcept {
    here_.bridge = BridgeId(head.bridge);
    const std::uint16_t slot = slot_of(PortNo(head.in_port));
    if (slot != shm::kNoSlot) ++arena_.drop_counters(worker_, PortSlot(slot))[reason];
    ++arena_.table_counters(worker_, here_.bridge, TableId(0)).other_drop;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::packet_out(const shm::PacketOutHead& head,
                                    std::span<const std::byte> program, Packet* frame,
                                    std::uint64_t now_ns) noexcept {
    here_.packet_out = true;
    come_by(PortNo(head.in_port));
    here_.config = 0;
    if (!enter_bridge(BridgeId(head.bridge), now_ns)) {
        refuse_packet_out(head, shm::DropReason::bad_packet_out);
        return io_.free(frame);
    }
    here_.ingress = PortSlot(slot_of(here_.in_port));
    frame->in_port = here_.ingress;
    here_.vlan = {};
    if (here_.ingress.value() != shm::kNoSlot)
        here_.vlan = {arena_.wanted_port(here_.ingress).vlan.load(std::memory_order_acquire)};
    here_.fragments = 0;
    InFlight& f = frames_[0];
    f.begin(frame);
    look(f);
    if (f.packet == nullptr) return;
    detail::LinearCursor cursor(program);
    while (const shm::Op* op = cursor.next()) {
        act(f, *op, Origin::flow);
        if (f.packet == nullptr) return;
    }
    conclude(f);
}

}  // namespace raicho::pipeline
