// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/action_table.h"
#include "openflow/v13/entries.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_group.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow::v13 {
namespace {

/// The buckets of a group must fit into one entry of a group-desc reply.
constexpr std::size_t kMaxBuckets =
    kMaxMessage - sizeof(WireHeader) - sizeof(WireMultipart) - sizeof(WireGroupDesc);

OfResult<GroupType> type_of(std::uint8_t number) {
    if (number < kGroupTypes) return static_cast<GroupType>(number);
    return ofp_error(GroupModFailed::bad_type, format("group type {}", number));
}

/// Alternatives of Action from bits of ofp_action_type, and back.
std::uint32_t kinds_of(std::uint32_t types) {
    std::uint32_t kinds = 0;
    for (std::size_t n = 0; n < kActions; ++n)
        if ((types >> action_number(n) & 1) != 0) kinds |= 1u << n;
    return kinds;
}
std::uint32_t types_of(std::uint32_t kinds) {
    std::uint32_t types = 0;
    for (std::size_t n = 0; n < kActions; ++n)
        if ((kinds >> n & 1) != 0) types |= 1u << action_number(n);
    return types;
}

}  // namespace

OfResult<GroupMod> decode_group_mod(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireGroupMod>(in));
    const std::uint16_t command = wire.command.value();
    if (command > static_cast<std::uint16_t>(GroupModCommand::remove))
        return ofp_error(GroupModFailed::bad_command, format("group-mod command {}", command));
    GroupMod mod{.command = static_cast<GroupModCommand>(command),
                 .group = GroupId(wire.group.value())};
    // §6.7: a delete need not specify the type.
    const auto type = type_of(wire.type);
    if (!type && mod.command != GroupModCommand::remove) return std::unexpected(type.error());
    if (type) mod.type = *type;
    if (in.size() > kMaxBuckets)
        return ofp_error(GroupModFailed::out_of_buckets,
                         format("{} bytes of buckets, {} at most", in.size(), kMaxBuckets));
    TRY_ASSIGN(mod.buckets, decode_entries<Bucket>(in));
    return mod;
}

void encode(const GroupMod& mod, MessageWriter& out) {
    out.put(WireGroupMod{static_cast<std::uint16_t>(mod.command),
                         static_cast<std::uint8_t>(mod.type),
                         {},
                         mod.group.value()});
    encode_entries(mod.buckets, out.out());
}

OfResult<Bucket> decode_entry(ByteReader& in, EntryOf<Bucket>) {
    const auto wire = in.pull<WireBucket>();
    if (!wire) return ofp_error(GroupModFailed::bad_bucket, "message ends within a bucket");
    const std::size_t length = wire->length.value();
    const auto body = take_body<WireBucket>(in, length);
    if (!body || length % 8 != 0)
        return ofp_error(GroupModFailed::bad_bucket, format("bucket of {} bytes", length));
    Bucket bucket{.weight = wire->weight.value(),
                  .watch_port = PortNo(wire->watch_port.value()),
                  .watch_group = GroupId(wire->watch_group.value()),
                  .actions = {}};
    TRY(decode_actions(body->rest(), bucket.actions));
    return bucket;
}

void encode_entry(const Bucket& bucket, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(
        WireBucket{{}, bucket.weight, bucket.watch_port.value(), bucket.watch_group.value(), {}});
    encode_actions(bucket.actions, out);
    patch_length(out, start, offsetof(WireBucket, length));
}

OfResult<GroupStats> decode_entry(ByteReader& in, EntryOf<GroupStats>) {
    TRY_ASSIGN(const auto wire, pull<WireGroupStats>(in));
    auto body = take_body<WireGroupStats>(in, wire.length.value());
    if (!body)
        return ofp_error(BadRequest::bad_len,
                         format("group-stats entry of {} bytes", wire.length.value()));
    GroupStats stats{.group = GroupId(wire.group.value()),
                     .ref_count = wire.ref_count.value(),
                     .packet_count = wire.packet_count.value(),
                     .byte_count = wire.byte_count.value(),
                     .duration_sec = wire.duration_sec.value(),
                     .duration_nsec = wire.duration_nsec.value(),
                     .buckets = {}};
    while (!body->empty()) {
        TRY_ASSIGN(const auto count, pull<WireCount>(*body));
        stats.buckets.push_back({count.packet_count.value(), count.byte_count.value()});
    }
    return stats;
}

void encode_entry(const GroupStats& stats, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireGroupStats{.length = {},
                           .pad = {},
                           .group = stats.group.value(),
                           .ref_count = stats.ref_count,
                           .pad2 = {},
                           .packet_count = stats.packet_count,
                           .byte_count = stats.byte_count,
                           .duration_sec = stats.duration_sec,
                           .duration_nsec = stats.duration_nsec});
    for (const BucketCount& count : stats.buckets)
        out.put(WireCount{count.packet_count, count.byte_count});
    patch_length(out, start, offsetof(WireGroupStats, length));
}

OfResult<GroupDesc> decode_entry(ByteReader& in, EntryOf<GroupDesc>) {
    TRY_ASSIGN(const auto wire, pull<WireGroupDesc>(in));
    const auto body = take_body<WireGroupDesc>(in, wire.length.value());
    if (!body)
        return ofp_error(BadRequest::bad_len,
                         format("group-desc entry of {} bytes", wire.length.value()));
    GroupDesc desc{.group = GroupId(wire.group.value())};
    TRY_ASSIGN(desc.type, type_of(wire.type));
    TRY_ASSIGN(desc.buckets, decode_entries<Bucket>(*body));
    return desc;
}

void encode_entry(const GroupDesc& desc, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireGroupDesc{{}, static_cast<std::uint8_t>(desc.type), {}, desc.group.value()});
    encode_entries(desc.buckets, out);
    patch_length(out, start, offsetof(WireGroupDesc, length));
}

OfResult<GroupFeatures> decode_group_features(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireGroupFeatures>(in));
    GroupFeatures features{.types = wire.types.value(),
                           .capabilities = wire.capabilities.value(),
                           .max_groups = {},
                           .actions = {}};
    for (std::size_t i = 0; i < kGroupTypes; ++i) {
        features.max_groups[i] = wire.max_groups[i].value();
        features.actions[i] = kinds_of(wire.actions[i].value());
    }
    return features;
}

void encode(const GroupFeatures& features, MessageWriter& out) {
    WireGroupFeatures wire{features.types, features.capabilities, {}, {}};
    for (std::size_t i = 0; i < kGroupTypes; ++i) {
        wire.max_groups[i] = features.max_groups[i];
        wire.actions[i] = types_of(features.actions[i]);
    }
    out.put(wire);
}

}  // namespace raicho::openflow::v13
