// SPDX-License-Identifier: Apache-2.0
// The agent's end of the arena: creation, taking over, rings, grace periods. Neighbour:
// arena_ports.cc has ports and bridges.
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "shm/arena.h"
#include "shm/arena_file.h"

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
    } else if (found.error().code == ENOENT || found.error().code == ESTALE) {
        remove(rundir);  // of no use to anybody: its room may be needed
    } else {
        return std::unexpected(std::move(found.error()));
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
    remove_arena_file(rundir, arena.path_);  // what an agent left that died while it made a new one
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
