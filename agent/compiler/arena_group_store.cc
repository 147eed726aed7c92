// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/arena_group_store.h"

#include <algorithm>

#include "agent/compiler/bucket_bytes.h"
#include "base/text.h"
#include "shm/walk.h"

namespace raicho::agent {
namespace {

using openflow::GroupModFailed;
using openflow::ofp_error;
using openflow::OfResult;

/// What a bucket's liveness depends on (OF 1.3.5 §5.6.1, §7.3.4.3). One of fast-failover that
/// watches nothing is always live: the last resort. Those of other types are as live as the place
/// where they send, so that select leaves dead ports out (§5.6.1) and a watched group tells the
/// truth.
struct Watched {
    shm::Watch how = shm::Watch::always_live;
    std::uint32_t port = shm::kWatchNone;
    std::uint32_t group = shm::kWatchNone;
};

Watched watched(openflow::GroupType type, const openflow::Bucket& bucket) {
    const bool names =
        bucket.watch_port != port::kAny || bucket.watch_group != openflow::group::kAny;
    if (names) return {shm::Watch::watched, bucket.watch_port.value(), bucket.watch_group.value()};
    if (type == openflow::GroupType::fast_failover) return {};
    Watched result;
    for (const openflow::Action& action : bucket.actions) {
        if (const auto* group = std::get_if<openflow::GroupAction>(&action))
            return {.how = shm::Watch::watched, .group = group->group.value()};
        const auto* output = std::get_if<openflow::OutputAction>(&action);
        if (output == nullptr) continue;
        const bool device = output->port <= port::kMax || output->port == port::kLocal;
        result =
            device ? Watched{.how = shm::Watch::watched, .port = output->port.value()} : Watched{};
    }
    return result;
}

}  // namespace

ArenaGroupStore::ArenaGroupStore(ArenaSpace& space, BridgeId bridge)
    : space_(space), bridge_(bridge) {
    for (std::uint32_t i = 1; i < space_.groups().length(); ++i) {
        const shm::NamedRow& entry = space_.groups()[i];
        if (entry.state.load(std::memory_order_relaxed) != 0 && entry.bridge == bridge_.value())
            rows_.emplace(entry.id, i);
    }
}

GroupLimits ArenaGroupStore::limits() const {
    const shm::AgentArena& arena = space_.arena();
    return {.groups = arena.n_groups() - 1,
            .buckets = std::min<std::uint32_t>(arena.n_buckets() - 1, shm::kMaxBuckets)};
}

bool ArenaGroupStore::write_bucket(shm::BucketRow& row, const openflow::Bucket& bucket) {
    const auto program = space_.programs().write_set(bucket.actions);
    if (!program) return false;
    const auto counter = space_.buckets().take();
    if (!counter) {
        space_.chunks().free(*program);
        return false;
    }
    const shm::Tally sum = space_.arena().bucket_sum(*counter);
    row.program = *program;
    row.counter = *counter;
    row.base_packets = sum.packets;
    row.base_bytes = sum.bytes;
    return true;
}

OfResult<std::uint32_t> ArenaGroupStore::write_body(openflow::GroupType type,
                                                    const openflow::Buckets& buckets) {
    if (buckets.size() > limits().buckets)
        return ofp_error(GroupModFailed::out_of_buckets,
                         format("{} buckets, {} at most", buckets.size(), limits().buckets));
    const std::vector<std::byte> sent = encode_buckets(buckets);
    const std::uint32_t lines = shm::group_lines(buckets.size());
    const auto line = space_.lines().take(order_of(lines));
    const auto text = line ? space_.chunks().write(sent, 0) : std::nullopt;
    if (!text) {
        if (line) space_.lines().give(*line, order_of(lines));
        return ofp_error(GroupModFailed::out_of_buckets,
                         line ? space_.chunks().shortage("the buckets")
                              : format("no room for {} buckets: {} lines are free: raise max-flows",
                                       buckets.size(), space_.lines().free_lines()));
    }
    shm::GroupBody& body = space_.arena().group_body(*line);
    body = {};
    body.type = static_cast<shm::GroupType>(type);
    body.n_buckets = static_cast<std::uint16_t>(buckets.size());
    body.sent = *text;
    body.sent_size = static_cast<std::uint32_t>(sent.size());
    // Weights that are all zero say nothing: the buckets share alike.
    const bool weighted = std::ranges::any_of(buckets, [](const auto& b) { return b.weight != 0; });
    std::uint32_t weight = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        shm::BucketRow& row = body.buckets()[i];
        row = {};
        if (!write_bucket(row, buckets[i])) {
            body.n_buckets = static_cast<std::uint16_t>(i);
            const auto why = space_.buckets().available() != 0
                                 ? space_.chunks().shortage("a bucket's actions")
                                 : format("all {} buckets are in use: raise max-flows",
                                          space_.arena().n_buckets() - 1);
            space_.give_group_body(*line, order_of(lines));
            return ofp_error(GroupModFailed::out_of_buckets, why);
        }
        weight += weighted ? buckets[i].weight : 1;
        row.weight_end = weight;
        const Watched w = watched(type, buckets[i]);
        row.watch = w.how;
        row.watch_port = w.port;
        row.watch_group = w.group;
    }
    return *line;
}

OfResult<void> ArenaGroupStore::insert(GroupId group, const GroupHead& head,
                                       const openflow::Buckets& buckets) {
    ASSERT(!contains(group));
    space_.poll();
    if (!space_.ready())
        return ofp_error(GroupModFailed::out_of_groups,
                         "a worker holds rows of before the restart");
    TRY_ASSIGN(const std::uint32_t body, write_body(head.type, buckets));
    const auto index = space_.publish(space_.groups(), {bridge_, group.value(), body, head.created},
                                      &shm::ArenaView::group_sum);
    if (!index) {
        space_.free_group_body(body);
        return ofp_error(GroupModFailed::out_of_groups,
                         format("all {} groups are in use: raise max-flows", limits().groups));
    }
    rows_.emplace(group.value(), *index);
    return {};
}

OfResult<void> ArenaGroupStore::replace(GroupId group, openflow::GroupType type,
                                        const openflow::Buckets& buckets) {
    space_.poll();
    if (!space_.ready())
        return ofp_error(GroupModFailed::out_of_buckets,
                         "a worker holds rows of before the restart");
    TRY_ASSIGN(const std::uint32_t body, write_body(type, buckets));
    shm::NamedRow& entry = space_.groups()[rows_.at(group.value())];
    const std::uint32_t old = entry.body.load(std::memory_order_relaxed);
    space_.step();
    entry.body.store(body, std::memory_order_release);  // pairs with Pipeline::group()
    space_.step();
    space_.retire_group_body(old);
    return {};
}

void ArenaGroupStore::remove(GroupId group) {
    const auto found = rows_.find(group.value());
    ASSERT(found != rows_.end());
    space_.step();
    space_.groups().unlink(found->second);
    space_.step();
    space_.retire_group(found->second);
    rows_.erase(found);
}

void ArenaGroupStore::remove_all() {
    while (!rows_.empty()) remove(GroupId(rows_.begin()->first));
}

GroupHead ArenaGroupStore::head(GroupId group) const {
    const shm::NamedRow& entry = row(group);
    const std::uint32_t body = entry.body.load(std::memory_order_relaxed);
    return {.type = static_cast<openflow::GroupType>(space_.arena().group_body(body).type),
            .created = entry.created_ns};
}

openflow::Buckets ArenaGroupStore::buckets(GroupId group) const {
    const shm::AgentArena& arena = space_.arena();
    const auto& body = arena.group_body(row(group).body.load(std::memory_order_relaxed));
    auto buckets = decode_buckets(shm::chain_bytes(arena, body.sent, body.sent_size));
    return buckets ? *std::move(buckets) : openflow::Buckets{};
}

GroupCount ArenaGroupStore::counts(GroupId group) const {
    const shm::AgentArena& arena = space_.arena();
    const shm::NamedRow& entry = row(group);
    const shm::Tally sum =
        arena.group_sum(rows_.at(group.value())) - shm::Tally{entry.base_packets, entry.base_bytes};
    GroupCount count{.packets = sum.packets, .bytes = sum.bytes, .buckets = {}};
    for (const shm::BucketRow& b : arena.buckets_of(entry.body.load(std::memory_order_relaxed))) {
        const shm::Tally part =
            arena.bucket_sum(b.counter) - shm::Tally{b.base_packets, b.base_bytes};
        count.buckets.push_back({.packet_count = part.packets, .byte_count = part.bytes});
    }
    return count;
}

std::optional<GroupId> ArenaGroupStore::next(GroupId from) const {
    const auto found = rows_.lower_bound(from.value());
    if (found == rows_.end()) return std::nullopt;
    return GroupId(found->first);
}

}  // namespace raicho::agent
