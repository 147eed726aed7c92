// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow::v13 {
namespace {

OfResult<Desc> decode_desc(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireDesc>(in));
    return Desc{text_of(wire.mfr), text_of(wire.hw), text_of(wire.sw), text_of(wire.serial),
                text_of(wire.dp)};
}

OfResult<FlowStats> decode_entry(ByteReader& in, FlowStats*) {
    const Bytes all = in.rest();
    TRY_ASSIGN(const auto wire, pull<WireFlowStats>(in));
    const std::size_t length = wire.length.value();
    if (length < sizeof wire || length > all.size())
        return ofp_error(BadRequest::bad_len, format("flow-stats entry of {} bytes", length));
    ByteReader body(all.first(length).subspan(sizeof wire));
    static_cast<void>(in.take(body.size()));
    FlowStats stats{.table = TableId(wire.table),
                    .duration_sec = wire.duration_sec.value(),
                    .duration_nsec = wire.duration_nsec.value(),
                    .priority = wire.priority.value(),
                    .idle_timeout = wire.idle_timeout.value(),
                    .hard_timeout = wire.hard_timeout.value(),
                    .flags = wire.flags.value(),
                    .cookie = wire.cookie.value(),
                    .packet_count = wire.packet_count.value(),
                    .byte_count = wire.byte_count.value()};
    TRY(decode_match(body, stats.match));
    TRY(decode_instructions(body.rest(), stats.instructions));
    return stats;
}

OfResult<TableStats> decode_entry(ByteReader& in, TableStats*) {
    TRY_ASSIGN(const auto wire, pull<WireTableStats>(in));
    return TableStats{TableId(wire.table), wire.active_count.value(), wire.lookup_count.value(),
                      wire.matched_count.value()};
}

OfResult<PortStats> decode_entry(ByteReader& in, PortStats*) {
    TRY_ASSIGN(const auto wire, pull<WirePortStats>(in));
    return PortStats{.port = PortNo(wire.port.value()),
                     .rx_packets = wire.rx_packets.value(),
                     .tx_packets = wire.tx_packets.value(),
                     .rx_bytes = wire.rx_bytes.value(),
                     .tx_bytes = wire.tx_bytes.value(),
                     .rx_dropped = wire.rx_dropped.value(),
                     .tx_dropped = wire.tx_dropped.value(),
                     .rx_errors = wire.rx_errors.value(),
                     .tx_errors = wire.tx_errors.value(),
                     .rx_frame_err = wire.rx_frame_err.value(),
                     .rx_over_err = wire.rx_over_err.value(),
                     .rx_crc_err = wire.rx_crc_err.value(),
                     .collisions = wire.collisions.value(),
                     .duration_sec = wire.duration_sec.value(),
                     .duration_nsec = wire.duration_nsec.value()};
}

OfResult<PortDesc> decode_entry(ByteReader& in, PortDesc*) {
    TRY_ASSIGN(const auto wire, pull<WirePort>(in));
    return port_of(wire);
}

template <class Entry>
OfResult<std::vector<Entry>> decode_entries(ByteReader in) {
    std::vector<Entry> entries;
    while (!in.empty()) {
        TRY_ASSIGN(auto entry, decode_entry(in, static_cast<Entry*>(nullptr)));
        entries.push_back(std::move(entry));
    }
    return entries;
}

OfResult<AggregateStats> decode_aggregate(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireAggregate>(in));
    return AggregateStats{wire.packet_count.value(), wire.byte_count.value(),
                          wire.flow_count.value()};
}

void encode_entry(const FlowStats& stats, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireFlowStats{.length = {},
                          .table = stats.table.value(),
                          .pad = {},
                          .duration_sec = stats.duration_sec,
                          .duration_nsec = stats.duration_nsec,
                          .priority = stats.priority,
                          .idle_timeout = stats.idle_timeout,
                          .hard_timeout = stats.hard_timeout,
                          .flags = stats.flags,
                          .pad2 = {},
                          .cookie = stats.cookie,
                          .packet_count = stats.packet_count,
                          .byte_count = stats.byte_count});
    encode_match(stats.match, out);
    encode_instructions(stats.instructions, out);
    out.patch<std::uint16_t>(start + offsetof(WireFlowStats, length),
                             static_cast<std::uint16_t>(out.offset() - start));
}

void encode_entry(const TableStats& stats, ByteWriter& out) {
    out.put(WireTableStats{
        stats.table.value(), {}, stats.active_count, stats.lookup_count, stats.matched_count});
}

void encode_entry(const PortStats& stats, ByteWriter& out) {
    out.put(WirePortStats{.port = stats.port.value(),
                          .pad = {},
                          .rx_packets = stats.rx_packets,
                          .tx_packets = stats.tx_packets,
                          .rx_bytes = stats.rx_bytes,
                          .tx_bytes = stats.tx_bytes,
                          .rx_dropped = stats.rx_dropped,
                          .tx_dropped = stats.tx_dropped,
                          .rx_errors = stats.rx_errors,
                          .tx_errors = stats.tx_errors,
                          .rx_frame_err = stats.rx_frame_err,
                          .rx_over_err = stats.rx_over_err,
                          .rx_crc_err = stats.rx_crc_err,
                          .collisions = stats.collisions,
                          .duration_sec = stats.duration_sec,
                          .duration_nsec = stats.duration_nsec});
}

void encode_entry(const PortDesc& port, ByteWriter& out) {
    out.put(wire_of(port));
}

/// Writes a reply's messages, beginning a new one where an entry does not fit.
class ReplyWriter {
  public:
    ReplyWriter(std::uint8_t version, std::uint32_t xid, ByteVector& out)
        : version_(version), xid_(xid), out_(out) {}

    void begin(std::uint16_t type) {
        type_ = type;
        start_ = out_.size();
        message_.emplace(MessageType::multipart_reply, version_, xid_, out_);
        message_->put(WireMultipart{type, std::uint16_t{0}, {}});
    }
    [[nodiscard]] MessageWriter& message() { return *message_; }

    template <class Entry>
    void entry(const Entry& entry) {
        const std::size_t at = out_.size();
        encode_entry(entry, message_->out());
        if (message_->size() <= kMaxMessage) return;
        const ByteVector moved(out_.begin() + static_cast<std::ptrdiff_t>(at), out_.end());
        out_.resize(at);
        finish(kReplyMore);
        begin(type_);
        message_->put_tail(moved);
    }
    void finish(std::uint16_t flags) {
        message_.reset();
        store_be<std::uint16_t>(
            out_.data() + start_ + sizeof(WireHeader) + offsetof(WireMultipart, flags), flags);
    }

  private:
    std::uint8_t version_;
    std::uint32_t xid_;
    ByteVector& out_;
    std::uint16_t type_ = 0;
    std::size_t start_ = 0;
    std::optional<MessageWriter> message_;
};

struct Encoder {
    ReplyWriter& reply;

    void begin(MultipartType type) const { reply.begin(static_cast<std::uint16_t>(type)); }
    template <class Entry>
    void entries(MultipartType type, const std::vector<Entry>& entries) const {
        begin(type);
        for (const Entry& entry : entries) reply.entry(entry);
    }

    void operator()(const Desc& desc) const {
        begin(MultipartType::desc);
        reply.message().put(WireDesc{chars_of<256>(desc.mfr), chars_of<256>(desc.hw),
                                     chars_of<256>(desc.sw), chars_of<32>(desc.serial),
                                     chars_of<256>(desc.dp)});
    }
    void operator()(const std::vector<FlowStats>& stats) const {
        entries(MultipartType::flow, stats);
    }
    void operator()(const AggregateStats& stats) const {
        begin(MultipartType::aggregate);
        reply.message().put(
            WireAggregate{stats.packet_count, stats.byte_count, stats.flow_count, {}});
    }
    void operator()(const std::vector<TableStats>& stats) const {
        entries(MultipartType::table, stats);
    }
    void operator()(const std::vector<PortStats>& stats) const {
        entries(MultipartType::port_stats, stats);
    }
    void operator()(const std::vector<PortDesc>& ports) const {
        entries(MultipartType::port_desc, ports);
    }
    void operator()(const UnservedMultipart& body) const {
        reply.begin(body.type);
        reply.message().put_tail(body.body);
    }
};

}  // namespace

OfResult<MultipartReply> decode_multipart_reply(ByteReader in) {
    TRY_ASSIGN(const auto head, pull<WireMultipart>(in));
    const std::uint16_t type = head.type.value();
    const MultipartRow* r = multipart_row(type);
    if (r == nullptr)
        return ofp_error(BadRequest::bad_multipart, format("multipart type {}", type));
    if (in.size() < r->reply_size || (r->reply_tail == Tail::none && in.size() != r->reply_size))
        return ofp_error(BadRequest::bad_len, format("{} reply of {} bytes", r->name, in.size()));
    MultipartReply reply{
        .body = {},
        .more = (head.flags.value() & kReplyMore) != 0 ? ReplyMore::yes : ReplyMore::no};
    switch (r->type) {
        case MultipartType::desc: {
            TRY_ASSIGN(reply.body, decode_desc(in));
            break;
        }
        case MultipartType::flow: {
            TRY_ASSIGN(reply.body, decode_entries<FlowStats>(in));
            break;
        }
        case MultipartType::aggregate: {
            TRY_ASSIGN(reply.body, decode_aggregate(in));
            break;
        }
        case MultipartType::table: {
            TRY_ASSIGN(reply.body, decode_entries<TableStats>(in));
            break;
        }
        case MultipartType::port_stats: {
            TRY_ASSIGN(reply.body, decode_entries<PortStats>(in));
            break;
        }
        case MultipartType::port_desc: {
            TRY_ASSIGN(reply.body, decode_entries<PortDesc>(in));
            break;
        }
        case MultipartType::queue:
        case MultipartType::group:
        case MultipartType::group_desc:
        case MultipartType::group_features:
        case MultipartType::meter:
        case MultipartType::meter_config:
        case MultipartType::meter_features:
        case MultipartType::table_features:
        case MultipartType::experimenter:
            reply.body = UnservedMultipart{type, copy_of(in.rest())};
            break;
    }
    return reply;
}

void encode_multipart_reply(const MultipartReply& reply, std::uint8_t version, std::uint32_t xid,
                            ByteVector& out) {
    ReplyWriter writer(version, xid, out);
    std::visit(Encoder{writer}, reply.body);
    writer.finish(reply.more == ReplyMore::yes ? kReplyMore : std::uint16_t{0});
}

}  // namespace raicho::openflow::v13
