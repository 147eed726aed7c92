// SPDX-License-Identifier: Apache-2.0
// Actions and instructions as version-neutral values (OF 1.3.5 §5.9, §5.12, §7.2.4, §7.2.5).
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/fields.h"
#include "base/ids.h"

namespace raicho::openflow {

/// OFPCML_NO_BUFFER: send the whole packet to the controller.
inline constexpr std::uint16_t kWholePacket = 0xffff;

struct OutputAction {
    PortNo port;
    std::uint16_t max_len = 0;
    friend bool operator==(const OutputAction&, const OutputAction&) = default;
};
struct CopyTtlOut {
    friend bool operator==(CopyTtlOut, CopyTtlOut) = default;
};
struct CopyTtlIn {
    friend bool operator==(CopyTtlIn, CopyTtlIn) = default;
};
struct SetMplsTtl {
    std::uint8_t ttl = 0;
    friend bool operator==(SetMplsTtl, SetMplsTtl) = default;
};
struct DecMplsTtl {
    friend bool operator==(DecMplsTtl, DecMplsTtl) = default;
};
struct PushVlan {
    std::uint16_t ethertype = 0x8100;
    friend bool operator==(PushVlan, PushVlan) = default;
};
struct PopVlan {
    friend bool operator==(PopVlan, PopVlan) = default;
};
struct PushMpls {
    std::uint16_t ethertype = 0x8847;
    friend bool operator==(PushMpls, PushMpls) = default;
};
struct PopMpls {
    std::uint16_t ethertype = 0;
    friend bool operator==(PopMpls, PopMpls) = default;
};
struct SetQueue {
    std::uint32_t queue = 0;
    friend bool operator==(SetQueue, SetQueue) = default;
};
struct GroupAction {
    GroupId group;
    friend bool operator==(GroupAction, GroupAction) = default;
};
struct SetNwTtl {
    std::uint8_t ttl = 0;
    friend bool operator==(SetNwTtl, SetNwTtl) = default;
};
struct DecNwTtl {
    friend bool operator==(DecNwTtl, DecNwTtl) = default;
};
struct SetField {
    Field field{};
    FieldValue value;
    friend bool operator==(const SetField&, const SetField&) = default;
};
struct PushPbb {
    std::uint16_t ethertype = 0x88e7;
    friend bool operator==(PushPbb, PushPbb) = default;
};
struct PopPbb {
    friend bool operator==(PopPbb, PopPbb) = default;
};

using Action = std::variant<OutputAction, CopyTtlOut, CopyTtlIn, SetMplsTtl, DecMplsTtl, PushVlan,
                            PopVlan, PushMpls, PopMpls, SetQueue, GroupAction, SetNwTtl, DecNwTtl,
                            SetField, PushPbb, PopPbb>;
using ActionList = std::vector<Action>;

struct MetadataWrite {
    std::uint64_t value = 0;
    std::uint64_t mask = 0;
    friend bool operator==(const MetadataWrite&, const MetadataWrite&) = default;
};

/// The instructions of a flow: at most one of each kind, so order carries nothing
/// (OF 1.3.5 §5.9). Executed in the order of the members. An empty present list differs from an
/// absent one only in statistics.
struct Instructions {
    std::optional<MeterId> meter;
    std::optional<ActionList> apply;
    bool clear = false;
    std::optional<ActionList> write;
    std::optional<MetadataWrite> metadata;
    std::optional<TableId> go_to;
    friend bool operator==(const Instructions&, const Instructions&) = default;
};

}  // namespace raicho::openflow
