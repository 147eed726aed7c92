// SPDX-License-Identifier: Apache-2.0
// The entries that 1.3 multipart messages list: one decoder and one encoder each, chosen by type.
// Neighbours: multipart_reply.cc writes and reads the messages around them.
#pragma once

#include "openflow/v13/parts.h"

namespace raicho::openflow::v13 {

/// Names the type of entry that decode_entry() shall read.
template <class T>
struct EntryOf {};

// flow_entries.cc: BadRequest.bad_len and what the parts refuse.
[[nodiscard]] OfResult<FlowStats> decode_entry(ByteReader& in, EntryOf<FlowStats>);
void encode_entry(const FlowStats& stats, ByteWriter& out);
[[nodiscard]] OfResult<TableStats> decode_entry(ByteReader& in, EntryOf<TableStats>);
void encode_entry(const TableStats& stats, ByteWriter& out);

// port.cc
[[nodiscard]] OfResult<PortStats> decode_entry(ByteReader& in, EntryOf<PortStats>);
void encode_entry(const PortStats& stats, ByteWriter& out);
[[nodiscard]] OfResult<PortDesc> decode_entry(ByteReader& in, EntryOf<PortDesc>);
void encode_entry(const PortDesc& port, ByteWriter& out);

// queue.cc
[[nodiscard]] OfResult<QueueDesc> decode_entry(ByteReader& in, EntryOf<QueueDesc>);
void encode_entry(const QueueDesc& queue, ByteWriter& out);
[[nodiscard]] OfResult<QueueStats> decode_entry(ByteReader& in, EntryOf<QueueStats>);
void encode_entry(const QueueStats& stats, ByteWriter& out);

// group.cc: GroupModFailed.bad_bucket, bad_type; BadAction.
[[nodiscard]] OfResult<Bucket> decode_entry(ByteReader& in, EntryOf<Bucket>);
void encode_entry(const Bucket& bucket, ByteWriter& out);
[[nodiscard]] OfResult<GroupStats> decode_entry(ByteReader& in, EntryOf<GroupStats>);
void encode_entry(const GroupStats& stats, ByteWriter& out);
[[nodiscard]] OfResult<GroupDesc> decode_entry(ByteReader& in, EntryOf<GroupDesc>);
void encode_entry(const GroupDesc& desc, ByteWriter& out);

// meter.cc: MeterModFailed.bad_band.
[[nodiscard]] OfResult<MeterBand> decode_entry(ByteReader& in, EntryOf<MeterBand>);
void encode_entry(const MeterBand& band, ByteWriter& out);
[[nodiscard]] OfResult<MeterStats> decode_entry(ByteReader& in, EntryOf<MeterStats>);
void encode_entry(const MeterStats& stats, ByteWriter& out);
[[nodiscard]] OfResult<MeterConfig> decode_entry(ByteReader& in, EntryOf<MeterConfig>);
void encode_entry(const MeterConfig& config, ByteWriter& out);

// table.cc: TableFeaturesFailed.bad_len, bad_type, bad_argument.
[[nodiscard]] OfResult<TableFeatures> decode_entry(ByteReader& in, EntryOf<TableFeatures>);
void encode_entry(const TableFeatures& features, ByteWriter& out);

/// Entries up to the end.
template <class Entry>
[[nodiscard]] OfResult<std::vector<Entry>> decode_entries(ByteReader in) {
    std::vector<Entry> entries;
    while (!in.empty()) {
        TRY_ASSIGN(auto entry, decode_entry(in, EntryOf<Entry>{}));
        entries.push_back(std::move(entry));
    }
    return entries;
}

template <class Entry>
void encode_entries(const std::vector<Entry>& entries, ByteWriter& out) {
    for (const Entry& entry : entries) encode_entry(entry, out);
}

/// The body behind the fixed part `wire` of an entry of `length` bytes, taken off `in`, which
/// stands behind the fixed part; nothing when the length is impossible.
template <class Wire>
[[nodiscard]] std::optional<ByteReader> take_body(ByteReader& in, std::size_t length) {
    if (length < sizeof(Wire)) return std::nullopt;
    const auto body = in.take(length - sizeof(Wire));
    if (!body) return std::nullopt;
    return ByteReader(*body);
}

/// Fills in the 16-bit length at `offset` of the entry that began at `start`.
inline void patch_length(ByteWriter& out, std::size_t start, std::size_t offset) {
    out.patch<std::uint16_t>(start + offset, static_cast<std::uint16_t>(out.offset() - start));
}

}  // namespace raicho::openflow::v13
