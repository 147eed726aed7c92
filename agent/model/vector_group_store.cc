// SPDX-License-Identifier: Apache-2.0
#include "agent/model/vector_group_store.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace raicho::agent {

using openflow::GroupModFailed;
using openflow::ofp_error;
using openflow::OfResult;

OfResult<void> VectorGroupStore::check_size(const openflow::Buckets& buckets) const {
    if (buckets.size() <= limits_.buckets) return {};
    return ofp_error(GroupModFailed::out_of_buckets,
                     format("{} buckets of at most {}", buckets.size(), limits_.buckets));
}

OfResult<void> VectorGroupStore::insert(GroupId group, const GroupHead& head,
                                        const openflow::Buckets& buckets) {
    ASSERT(!contains(group));
    if (entries_.size() >= limits_.groups)
        return ofp_error(GroupModFailed::out_of_groups,
                         format("{} groups are all there can be", limits_.groups));
    TRY(check_size(buckets));
    const auto place = std::ranges::lower_bound(entries_, group, {}, &Entry::group);
    GroupCount count;
    count.buckets.resize(buckets.size());
    entries_.insert(place, Entry{group, head, buckets, std::move(count)});
    return {};
}

OfResult<void> VectorGroupStore::replace(GroupId group, openflow::GroupType type,
                                         const openflow::Buckets& buckets) {
    TRY(check_size(buckets));
    Entry& entry = at(group);
    entry.head.type = type;
    entry.buckets = buckets;
    entry.count.buckets.assign(buckets.size(), {});
    return {};
}

void VectorGroupStore::remove(GroupId group) {
    ASSERT(contains(group));
    std::erase_if(entries_, [&](const Entry& entry) { return entry.group == group; });
}

bool VectorGroupStore::contains(GroupId group) const {
    return std::ranges::find(entries_, group, &Entry::group) != entries_.end();
}

std::optional<GroupId> VectorGroupStore::next(GroupId from) const {
    const auto found = std::ranges::lower_bound(entries_, from, {}, &Entry::group);
    return found == entries_.end() ? std::nullopt : std::optional(found->group);
}

void VectorGroupStore::hit(GroupId group, std::uint64_t bytes,
                           const std::vector<std::size_t>& buckets) {
    Entry& entry = at(group);
    ++entry.count.packets;
    entry.count.bytes += bytes;
    for (const std::size_t bucket : buckets) {
        ++entry.count.buckets.at(bucket).packet_count;
        entry.count.buckets.at(bucket).byte_count += bytes;
    }
}

const VectorGroupStore::Entry& VectorGroupStore::at(GroupId group) const {
    const auto found = std::ranges::find(entries_, group, &Entry::group);
    ASSERT(found != entries_.end());
    return *found;
}

VectorGroupStore::Entry& VectorGroupStore::at(GroupId group) {
    return const_cast<Entry&>(std::as_const(*this).at(group));
}

}  // namespace raicho::agent
