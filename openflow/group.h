// SPDX-License-Identifier: Apache-2.0
// Groups as version-neutral values: group-mod and the group multiparts (OF 1.3.5 §5.6, §7.3.4.2,
// §7.3.5.9 to §7.3.5.11). Part of message.h, which has the messages that carry them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "openflow/action.h"

namespace raicho::openflow {

/// ofp_group: the greatest real group, and the reserved numbers.
namespace group {
inline constexpr GroupId kMax{0xffffff00};
inline constexpr GroupId kAll{0xfffffffc};  // all groups, in deletes and requests
inline constexpr GroupId kAny{0xffffffff};  // no constraint, no watch group
}  // namespace group

/// ofp_group_type, by its number.
enum class GroupType : std::uint8_t { all, select, indirect, fast_failover };
inline constexpr std::size_t kGroupTypes = 4;

/// ofp_bucket. Its actions are an action set: executed in the order of §5.10, of several of one
/// kind the last counts.
struct Bucket {
    std::uint16_t weight = 0;  // select only
    PortNo watch_port = port::kAny;
    GroupId watch_group = group::kAny;
    ActionList actions;
    friend bool operator==(const Bucket&, const Bucket&) = default;
};
using Buckets = std::vector<Bucket>;

enum class GroupModCommand : std::uint8_t { add, modify, remove };
struct GroupMod {
    GroupModCommand command{};
    GroupType type{};  // means nothing in a remove
    GroupId group;
    Buckets buckets;
};

struct GroupStatsRequest {
    GroupId group = group::kAll;
};
struct GroupDescRequest {};
struct GroupFeaturesRequest {};

struct BucketCount {
    std::uint64_t packet_count = 0;
    std::uint64_t byte_count = 0;
    friend bool operator==(const BucketCount&, const BucketCount&) = default;
};
struct GroupStats {
    GroupId group;
    std::uint32_t ref_count = 0;  // flows and groups that send to it directly
    std::uint64_t packet_count = 0;
    std::uint64_t byte_count = 0;
    std::uint32_t duration_sec = 0;
    std::uint32_t duration_nsec = 0;
    std::vector<BucketCount> buckets;
};
struct GroupDesc {
    GroupType type{};
    GroupId group;
    Buckets buckets;
};

namespace group_capability {  // OFPGFC_*
inline constexpr std::uint32_t kSelectWeight = 1;
inline constexpr std::uint32_t kSelectLiveness = 2;
inline constexpr std::uint32_t kChaining = 4;
inline constexpr std::uint32_t kChainingChecks = 8;
}  // namespace group_capability
struct GroupFeatures {
    std::uint32_t types = 0;                            // bit n: GroupType n
    std::uint32_t capabilities = 0;                     // OFPGFC_*
    std::array<std::uint32_t, kGroupTypes> max_groups;  // by type
    std::array<std::uint32_t, kGroupTypes> actions;     // by type; bit n: alternative n of Action
};

}  // namespace raicho::openflow
