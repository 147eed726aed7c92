// SPDX-License-Identifier: Apache-2.0
// The agent's end of the arena: creation, taking over, ports and bridges, grace periods.
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/text.h"
#include "shm/arena.h"
#include "shm/arena_file.h"
#include "shm/tables.h"

namespace raicho::shm {

AgentArena::AgentArena(ArenaView&& view) : ArenaView(std::move(view)) {
    qsbr_.emplace(agent_words().qsbr_token, readers());
}

Result<AgentArena> AgentArena::create(const std::string& rundir, ArenaConfig config,
                                      PagePolicy pages) {
    const ArenaConfig sizes = rounded(config);
    // A dataplane forwards by the old one for as long as there is no new one.
    std::optional<ArenaView> old;
    if (auto found = ArenaView::open(rundir, Side::agent)) {
        TRY(found->lock(Side::agent));
        old.emplace(std::move(*found));
    } else {
        remove(rundir);  // of no use to anybody: its room may be needed
    }
    remove_orphans();

    ArenaView view;
    view.plan_ = plan(sizes);
    TRY_ASSIGN(ArenaFile file, create_arena_file(rundir, view.plan_.size, pages));
    view.path_ = file.path;
    view.file_ = std::move(file.fd);
    view.huge_ = file.huge;
    const auto undo = [&](Error error) {
        ::unlink(file.temporary.c_str());
        return std::unexpected(std::move(error));
    };
    // Before the header says what it is: another agent's remove_orphans() takes an arena that
    // nobody holds and no run directory points to for a dead one.
    if (auto result = view.lock(Side::agent); !result) return undo(std::move(result.error()));
    // The regions' lengths come from the header, so it is filled before they are looked up.
    auto mapped = [&]() -> Result<void> {
        void* base = ::mmap(nullptr, view.plan_.agent_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                            view.file_.get(), 0);
        if (base == MAP_FAILED) return fail_errno(format("arena \"{}\"", view.path_), errno);
        const Mapping mapping(base, view.plan_.agent_size);
        auto& header = *reinterpret_cast<ArenaHeader*>(mapping.data());
        header.magic = kArenaMagic;
        header.layout_hash = shm::layout_hash();
        header.layout_version = kLayoutVersion;
        header.size = view.plan_.size;
        header.agent_size = view.plan_.agent_size;
        const std::string boot = boot_id();
        std::memcpy(header.boot_id.data(), boot.data(),
                    std::min(boot.size(), header.boot_id.size() - 1));
        const std::string owner = real_rundir(rundir);
        std::memcpy(header.rundir.data(), owner.data(),
                    std::min(owner.size(), header.rundir.size() - 1));
        header.max_flows = sizes.max_flows;
        header.max_ports = sizes.max_ports;
        header.max_bridges = sizes.max_bridges;
        header.max_workers = sizes.max_workers;
        if (::getrandom(header.hash_key.data(), sizeof header.hash_key, 0) !=
            static_cast<ssize_t>(sizeof header.hash_key))
            return fail_errno("random bytes for the arena's hash", errno);
        for (std::uint64_t& word : header.hash_key) word |= 1;  // a multiplier must not be 0
        header.regions = view.plan_.regions;
        header.ready.store(1, std::memory_order_release);
        return {};
    }();
    if (!mapped) return undo(std::move(mapped.error()));
    if (auto result = view.map(Side::agent, Populate::no); !result)
        return undo(std::move(result.error()));
    AgentArena arena(std::move(view));
    arena.note_ = std::move(file.note);
    arena.agent_words().qsbr_token.store(1, std::memory_order_relaxed);
    arena.show_up();
    TRY(publish_arena_file(file));
    if (old)
        old->mutable_at<ArenaHeader>(Region::header, 0)
            .superseded.store(1, std::memory_order_release);
    remove_arena_file(rundir, arena.path_);
    return arena;
}

Result<AgentArena> AgentArena::attach(const std::string& rundir) {
    TRY_ASSIGN(ArenaView view, ArenaView::open(rundir, Side::agent));
    TRY(view.lock(Side::agent));
    AgentArena arena(std::move(view));
    arena.show_up();
    return arena;
}

void AgentArena::remove(const std::string& rundir) {
    remove_arena_file(rundir);
}

void AgentArena::show_up() {
    AgentWords& words = agent_words();
    words.sleeping.store(0, std::memory_order_relaxed);
    words.pid.store(static_cast<std::uint64_t>(::getpid()), std::memory_order_relaxed);
    words.generation.fetch_add(1, std::memory_order_release);
    for (std::uint8_t w = 0; w < max_workers(); ++w) packet_in(WorkerId(w)).discard();
}

// --- ports ------------------------------------------------------------------------------------

Result<void> AgentArena::bind_port(BridgeId bridge, PortNo number, PortSlot slot) {
    const std::size_t n = 2 * max_ports();
    auto* map = &mutable_at<std::atomic<PortMapEntry>>(Region::port_maps,
                                                       (bridge.value() & bridge_mask_) * n);
    std::atomic<PortMapEntry>* place = nullptr;
    for (std::size_t i = 0, at = port_map_start(number.value(), n); i < n;
         ++i, at = (at + 1) & (n - 1)) {
        const PortMapEntry entry = map[at].load(std::memory_order_relaxed);
        if (entry.used == 1 && entry.port_no == number.value())
            return fail(format("port number {}: taken", number.value()));
        if (entry.used != 1 && place == nullptr) place = &map[at];
        if (entry.used == 0) break;
    }
    if (place == nullptr) return fail(format("port number {}: no room", number.value()));
    place->store({number.value(), slot.value(), 1}, std::memory_order_release);  // port_slot()
    const std::size_t s = slot.value() & port_mask_;
    mutable_at<std::atomic<std::uint64_t>>(
        Region::port_bits, (bridge.value() & bridge_mask_) * (max_ports() / 64) + s / 64)
        .fetch_or(std::uint64_t{1} << (s % 64), std::memory_order_release);
    return {};
}

void AgentArena::unbind_port(BridgeId bridge, PortNo number) {
    const std::size_t n = 2 * max_ports();
    auto* map = &mutable_at<std::atomic<PortMapEntry>>(Region::port_maps,
                                                       (bridge.value() & bridge_mask_) * n);
    std::size_t at = port_map_start(number.value(), n);
    for (std::size_t i = 0;; ++i, at = (at + 1) & (n - 1)) {
        const PortMapEntry entry = map[at].load(std::memory_order_relaxed);
        if (entry.used == 0 || i == n) return;
        if (entry.used != 1 || entry.port_no != number.value()) continue;
        const std::size_t s = entry.slot & port_mask_;
        mutable_at<std::atomic<std::uint64_t>>(
            Region::port_bits, (bridge.value() & bridge_mask_) * (max_ports() / 64) + s / 64)
            .fetch_and(~(std::uint64_t{1} << (s % 64)), std::memory_order_release);
        break;
    }
    map[at].store({0, kNoSlot, 2}, std::memory_order_release);
    // A deleted entry in front of a never-used one ends no probe: give it and those before it back.
    while (map[(at + 1) & (n - 1)].load(std::memory_order_relaxed).used == 0 &&
           map[at].load(std::memory_order_relaxed).used == 2) {
        map[at].store({}, std::memory_order_release);
        at = (at - 1) & (n - 1);
    }
}

void AgentArena::reconcile_ports() {
    const std::size_t n = 2 * max_ports();
    const std::size_t n_words = max_ports() / 64;
    const auto attached = [](const WantedPort& row) {
        return row.phase.load(std::memory_order_relaxed) == PortPhase::attached;
    };
    for (std::size_t b = 0; b < max_bridges(); ++b) {
        auto* map = &mutable_at<std::atomic<PortMapEntry>>(Region::port_maps, b * n);
        for (std::size_t at = 0; at < n; ++at) {
            const PortMapEntry entry = map[at].load(std::memory_order_relaxed);
            if (entry.used != 1) continue;
            const WantedPort& row = wanted_port(PortSlot(entry.slot));
            if (!attached(row) || (row.bridge & bridge_mask_) != b || row.port_no != entry.port_no)
                unbind_port(BridgeId(static_cast<std::uint16_t>(b)), PortNo(entry.port_no));
        }
    }
    std::vector<std::uint64_t> bits(max_bridges() * n_words);
    for (std::size_t s = 0; s < max_ports(); ++s) {
        const PortSlot slot(static_cast<std::uint16_t>(s));
        const WantedPort& row = wanted_port(slot);
        if (!attached(row)) continue;
        const BridgeId bridge(static_cast<std::uint16_t>(row.bridge & bridge_mask_));
        const PortNo number(row.port_no);
        // A number that another attached row holds stays with it: then this one gets no packets.
        if (port_slot(*this, bridge, number) != s && !bind_port(bridge, number, slot)) continue;
        bits[bridge.value() * n_words + s / 64] |= std::uint64_t{1} << (s % 64);
    }
    for (std::size_t w = 0; w < bits.size(); ++w)
        mutable_at<std::atomic<std::uint64_t>>(Region::port_bits, w)
            .store(bits[w], std::memory_order_release);
}

void AgentArena::rebase_port(PortSlot slot) {
    const std::size_t s = slot.value() & port_mask_;
    auto& ports = mutable_at<PortCounters>(Region::port_bases, s);
    auto& drops = mutable_at<DropCounters>(Region::drop_bases, s);
    ports = {};
    drops = {};
    ports = port_totals(slot);
    drops = drop_totals(slot);
}

void AgentArena::rebase_bridge(BridgeId bridge) {
    for (std::size_t t = 0; t < kTables; ++t) {
        const TableId table(static_cast<std::uint8_t>(t));
        auto& base =
            mutable_at<TableCounters>(Region::table_bases, table_row(WorkerId(0), bridge, table));
        base = {};
        base = table_totals(bridge, table);
    }
}

void AgentArena::set_queues(PortSlot slot, std::span<const QueueRow> queues,
                            std::uint64_t max_bps) {
    const std::size_t s = slot.value() & port_mask_;
    auto& row = mutable_at<PortQueues>(Region::wanted_queues, s);
    auto& bases = mutable_at<PortQueueCounters>(Region::queue_bases, s);
    std::array<QueueRow, kPortQueues> places{};
    const auto wanted = queues.first(std::min(queues.size(), kPortQueues));
    std::vector<const QueueRow*> fresh;
    for (const QueueRow& queue : wanted) {
        const auto known = row.n_queues == 0
                               ? row.queues.end()
                               : std::ranges::find(row.queues, queue.id, &QueueRow::id);
        if (known == row.queues.end()) {
            fresh.push_back(&queue);
            continue;
        }
        QueueRow& place = places[static_cast<std::size_t>(known - row.queues.begin())];
        place = queue;
        place.created_ns = known->created_ns;
    }
    const PortQueueCounters sums = queue_totals(slot);
    for (const QueueRow* queue : fresh) {
        QueueRow& place = *std::ranges::find(places, kNoQueue, &QueueRow::id);
        place = *queue;
        const auto at = static_cast<std::size_t>(&place - places.data());
        bases.queues[at].tx_packets += sums.queues[at].tx_packets;
        bases.queues[at].tx_bytes += sums.queues[at].tx_bytes;
        bases.queues[at].tx_errors += sums.queues[at].tx_errors;
    }
    if (row.n_queues == wanted.size() && row.max_bps == max_bps &&
        (wanted.empty() || row.queues == places))
        return;
    const std::uint32_t sequence = row.sequence.load(std::memory_order_relaxed) | 1;
    row.sequence.store(sequence, std::memory_order_relaxed);
    // pairs with read_queues(): who sees a part of the new row sees the odd number
    std::atomic_thread_fence(std::memory_order_release);
    row.n_queues = static_cast<std::uint32_t>(wanted.size());
    row.max_bps = max_bps;
    row.queues = places;
    row.sequence.store(sequence + 1, std::memory_order_release);
}

// --- rings and grace periods ------------------------------------------------------------------

RingConsumer AgentArena::packet_in(WorkerId worker) {
    const std::size_t w = worker.value() & worker_mask_;
    return {{base(Region::packet_in_slots) + w * kRingBytes, kRingBytes},
            at<RingIndex>(Region::packet_in_producers, w),
            mutable_at<RingIndex>(Region::packet_in_consumers, w)};
}

RingProducer AgentArena::packet_out(WorkerId worker) {
    const std::size_t w = worker.value() & worker_mask_;
    return {{base(Region::packet_out_slots) + w * kRingBytes, kRingBytes},
            mutable_at<RingIndex>(Region::packet_out_producers, w),
            at<RingIndex>(Region::packet_out_consumers, w)};
}

bool AgentArena::grace_passed(GraceToken token) {
    const std::uint64_t generation = dataplane_words().generation.load(std::memory_order_acquire);
    if (ignored_generation_ != 0 && generation != ignored_generation_) {
        ignored_generation_ = 0;
        qsbr_->heed_readers();
    }
    if (qsbr_->passed(token)) {
        stalled_ = 0;
        return true;
    }
    // Every now and then: is the dataplane whose readers hold this up alive at all?
    if (stalled_++ % 64 == 0 && !dataplane_alive()) {
        ignored_generation_ = generation;
        qsbr_->ignore_readers();
        return qsbr_->passed(token);
    }
    return false;
}

}  // namespace raicho::shm
