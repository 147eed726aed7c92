// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/entries.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow::v13 {
namespace {

OfResult<Desc> decode_desc(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireDesc>(in));
    return Desc{text_of(wire.mfr), text_of(wire.hw), text_of(wire.sw), text_of(wire.serial),
                text_of(wire.dp)};
}

OfResult<AggregateStats> decode_aggregate(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireAggregate>(in));
    return AggregateStats{wire.packet_count.value(), wire.byte_count.value(),
                          wire.flow_count.value()};
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

struct ReplyEncoder {
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
    void operator()(const std::vector<QueueStats>& stats) const {
        entries(MultipartType::queue, stats);
    }
    void operator()(const std::vector<GroupStats>& stats) const {
        entries(MultipartType::group, stats);
    }
    void operator()(const std::vector<GroupDesc>& descs) const {
        entries(MultipartType::group_desc, descs);
    }
    void operator()(const GroupFeatures& features) const {
        begin(MultipartType::group_features);
        encode(features, reply.message());
    }
    void operator()(const std::vector<MeterStats>& stats) const {
        entries(MultipartType::meter, stats);
    }
    void operator()(const std::vector<MeterConfig>& configs) const {
        entries(MultipartType::meter_config, configs);
    }
    void operator()(const MeterFeatures& features) const {
        begin(MultipartType::meter_features);
        encode(features, reply.message());
    }
    void operator()(const std::vector<TableFeatures>& tables) const {
        entries(MultipartType::table_features, tables);
    }
    void operator()(const std::vector<PortDesc>& ports) const {
        entries(MultipartType::port_desc, ports);
    }
    void operator()(const Experimenter& body) const {
        begin(MultipartType::experimenter);
        encode(body, reply.message());
    }
};

/// The body of a reply of the type, whose size was checked against its row.
using Body = decltype(MultipartReply::body);
OfResult<Body> decode_body(MultipartType type, ByteReader in) {
    const auto as_body = [](auto decoded) -> OfResult<Body> {
        if (!decoded) return std::unexpected(std::move(decoded.error()));
        return Body(std::move(*decoded));
    };
    switch (type) {
        case MultipartType::desc: return as_body(decode_desc(in));
        case MultipartType::flow: return as_body(decode_entries<FlowStats>(in));
        case MultipartType::aggregate: return as_body(decode_aggregate(in));
        case MultipartType::table: return as_body(decode_entries<TableStats>(in));
        case MultipartType::port_stats: return as_body(decode_entries<PortStats>(in));
        case MultipartType::queue: return as_body(decode_entries<QueueStats>(in));
        case MultipartType::group: return as_body(decode_entries<GroupStats>(in));
        case MultipartType::group_desc: return as_body(decode_entries<GroupDesc>(in));
        case MultipartType::group_features: return as_body(decode_group_features(in));
        case MultipartType::meter: return as_body(decode_entries<MeterStats>(in));
        case MultipartType::meter_config: return as_body(decode_entries<MeterConfig>(in));
        case MultipartType::meter_features: return as_body(decode_meter_features(in));
        case MultipartType::table_features: return as_body(decode_entries<TableFeatures>(in));
        case MultipartType::port_desc: return as_body(decode_entries<PortDesc>(in));
        case MultipartType::experimenter: return as_body(decode_experimenter(in));
    }
    return ofp_error(BadRequest::bad_multipart);
}

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
    TRY_ASSIGN(reply.body, decode_body(r->type, in));
    return reply;
}

void encode_multipart_reply(const MultipartReply& reply, std::uint8_t version, std::uint32_t xid,
                            ByteVector& out) {
    ReplyWriter writer(version, xid, out);
    std::visit(ReplyEncoder{writer}, reply.body);
    writer.finish(reply.more == ReplyMore::yes ? kReplyMore : std::uint16_t{0});
}

}  // namespace raicho::openflow::v13
