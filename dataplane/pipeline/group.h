// SPDX-License-Identifier: Apache-2.0
// Part of pipeline.h: groups (OF 1.3.5 §5.6.1). Which buckets act, and that each acts on a packet
// of its own. What is live is asked anew for every packet, from what io says of the ports at the
// burst.
#pragma once

#include <algorithm>

#include "dataplane/pipeline/pipeline.h"
#include "shm/hash.h"

namespace raicho::pipeline {

/// A copy of the packet, in its current state, goes through the group (§5.12); with After::ends the
/// packet itself does and is gone afterwards.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::group(InFlight& f, std::uint32_t id, Origin origin, After after) noexcept {
    flush_pending(f);
    const shm::NamedRows groups = arena_.groups();
    const std::uint32_t row = groups.find(here_.bridge, id);
    auto failure = shm::DropReason::no_group;
    if (row != shm::kNoRow && depth_ == shm::kMaxGroupDepth) {
        failure = shm::DropReason::group_depth;
    } else if (row != shm::kNoRow) {
        // pairs with the writer's store of a new body
        const std::uint32_t line = groups[row].body.load(std::memory_order_acquire);
        arena_.group_counter(worker_, row).add(1, f.packet->size);
        const auto buckets = arena_.buckets_of(line);
        const shm::GroupType type = arena_.group_body(line).type;
        if (type == shm::GroupType::all) return every_bucket(f, buckets, origin, after);
        if (const shm::BucketRow* chosen = choose(f, id, type, buckets)) {
            ++depth_;
            bucket(f, *chosen, origin, after);
            --depth_;
            return;
        }
        failure = buckets.empty() ? shm::DropReason::action_drop : shm::DropReason::dead_group;
    }
    lose(f, failure);
    if (after == After::ends) release(f);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::every_bucket(InFlight& f, std::span<const shm::BucketRow> buckets,
                                      Origin origin, After after) noexcept {
    ++depth_;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const bool last = i + 1 == buckets.size();
        bucket(f, buckets[i], origin, last ? after : After::goes_on);
    }
    --depth_;
    if (buckets.empty() && after == After::ends) conclude(f);
}

/// The bucket that acts, nullptr when none is live.
template <PacketIo Io, class Sink>
const shm::BucketRow* Pipeline<Io, Sink>::choose(const InFlight& f, std::uint32_t id,
                                                 shm::GroupType type,
                                                 std::span<const shm::BucketRow> buckets) noexcept {
    if (buckets.empty()) return nullptr;
    if (type == shm::GroupType::select) return select(f, id, buckets);
    if (type != shm::GroupType::fast_failover) return &buckets[0];
    for (const shm::BucketRow& b : buckets)
        if (live(b)) return &b;
    return nullptr;
}

/// By weight and hash. The packets of a dead bucket are shared out among the live ones by theirs;
/// those of live buckets stay where they are.
template <PacketIo Io, class Sink>
const shm::BucketRow* Pipeline<Io, Sink>::select(const InFlight& f, std::uint32_t id,
                                                 std::span<const shm::BucketRow> buckets) noexcept {
    const auto ports =
        f.layers.fragment == Fragment::none ? shm::HashPorts::yes : shm::HashPorts::no;
    const std::uint64_t hash = shm::select_hash(arena_.hash_key(), f.key, id, ports);
    const std::uint64_t total = buckets.back().weight_end;
    const auto point = static_cast<std::uint32_t>((hash >> 32) * total >> 32);
    const auto chosen = std::ranges::upper_bound(buckets, point, {}, &shm::BucketRow::weight_end);
    if (chosen == buckets.end()) return nullptr;  // no weight at all
    if (live(*chosen)) [[likely]]
        return &*chosen;
    const auto for_live = [&](auto&& visit) noexcept {
        std::uint32_t before = 0;
        for (const shm::BucketRow& b : buckets) {
            const std::uint32_t weight = b.weight_end - before;
            before = b.weight_end;
            if (weight != 0 && live(b) && visit(b, weight)) return &b;
        }
        return static_cast<const shm::BucketRow*>(nullptr);
    };
    std::uint64_t live_total = 0;
    (void)for_live([&](const shm::BucketRow&, std::uint32_t weight) noexcept {
        live_total += weight;
        return false;
    });
    std::uint64_t left = (hash & 0xffffffff) * live_total >> 32;
    return for_live([&](const shm::BucketRow&, std::uint32_t weight) noexcept {
        if (left < weight) return true;
        left -= weight;
        return false;
    });
}

/// One bucket's actions, on a copy or on the packet itself, which is gone then.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::bucket(InFlight& f, const shm::BucketRow& b, Origin origin,
                                After after) noexcept {
    if (after == After::ends) {
        run_bucket(f, b, origin);
        if (f.packet != nullptr) conclude(f);
        return;
    }
    const Frame kept = f;
    Packet* copy = io_.clone(*f.packet);
    if (copy == nullptr) return lose(f, shm::DropReason::clone_failed);
    f.packet = copy;
    run_bucket(f, b, origin);
    if (f.packet != nullptr) {
        if (f.pending != shm::kNoSlot)
            conclude(f);
        else
            release(f);
    }
    static_cast<Frame&>(f) = kept;
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::run_bucket(InFlight& f, const shm::BucketRow& b, Origin origin) noexcept {
    arena_.bucket_counter(worker_, b.counter).add(1, f.packet->size);
    shm::ProgramCursor cursor(arena_.chunks(), b.program);
    while (const shm::Op* op = cursor.next()) {
        if (op->code == shm::OpCode::group) {  // the last, in the order of §5.10
            sink_.acts(f, *op);
            return group(f, op->arg32, origin, After::ends);
        }
        act(f, *op, origin);
        if (f.packet == nullptr) return;
    }
}

template <PacketIo Io, class Sink>
bool Pipeline<Io, Sink>::live(const shm::BucketRow& b) noexcept {
    if (b.watch == shm::Watch::watched) {
        if (b.watch_port != shm::kWatchNone && port_live(PortNo(b.watch_port))) return true;
        return b.watch_group != shm::kWatchNone && group_live(b.watch_group);
    }
    return b.watch == shm::Watch::always_live;
}

/// Up, and not taken down by port-mod (OFPPS_LIVE, §7.2.1).
template <PacketIo Io, class Sink>
bool Pipeline<Io, Sink>::port_live(PortNo number) noexcept {
    const std::uint16_t slot = slot_of(number);
    if (slot == shm::kNoSlot) return false;
    const Out& out = resolve(slot);
    return out.slot != shm::kNoSlot && out.view.link == Link::up &&
           (out.config & port_config::kDown) == 0;
}

/// A group is live while one of its buckets is.
template <PacketIo Io, class Sink>
bool Pipeline<Io, Sink>::group_live(std::uint32_t id) noexcept {
    if (depth_ == shm::kMaxGroupDepth) return false;
    const shm::NamedRows groups = arena_.groups();
    const std::uint32_t row = groups.find(here_.bridge, id);
    if (row == shm::kNoRow) return false;
    ++depth_;
    bool found = false;
    for (const shm::BucketRow& b :
         arena_.buckets_of(groups[row].body.load(std::memory_order_acquire))) {
        found = live(b);
        if (found) break;
    }
    --depth_;
    return found;
}

}  // namespace raicho::pipeline
