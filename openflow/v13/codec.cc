// SPDX-License-Identifier: Apache-2.0
#include "openflow/codec.h"

#include "base/text.h"
#include "openflow/v13/messages.h"

namespace raicho::openflow::v13 {
namespace {

/// Any message's value as a Message.
template <class T>
OfResult<Message> wrap(OfResult<T> decoded) {
    if (!decoded) return std::unexpected(std::move(decoded.error()));
    return Message(std::move(*decoded));
}

OfResult<void> check_size(const MessageRow& r, std::size_t size) {
    if (size >= r.size && (r.tail == Tail::allowed || size == r.size)) return {};
    return ofp_error(BadRequest::bad_len,
                     format("{} of {} bytes, {}{}", r.name, size,
                            r.tail == Tail::allowed ? "at least " : "not ", r.size));
}

GetConfigReply reply_of(const SetConfig& config) {
    return {config.flags, config.miss_send_len};
}

struct MessageEncoder {
    std::uint8_t version;
    std::uint32_t xid;
    ByteVector& bytes;

    [[nodiscard]] MessageWriter begin(MessageType type) const {
        return MessageWriter(type, version, xid, bytes);
    }
    template <class T>
    void put(MessageType type, const T& message) const {
        MessageWriter out = begin(type);
        encode(message, out);
    }
    void put_data(MessageType type, Bytes data) const { begin(type).put_tail(data); }

    void operator()(const Hello& m) const { put(MessageType::hello, m); }
    void operator()(const ErrorMsg& m) const { put(MessageType::error, m); }
    void operator()(const EchoRequest& m) const { put_data(MessageType::echo_request, m.data); }
    void operator()(const EchoReply& m) const { put_data(MessageType::echo_reply, m.data); }
    void operator()(const Experimenter& m) const { put(MessageType::experimenter, m); }
    void operator()(const FeaturesRequest&) const { put_data(MessageType::features_request, {}); }
    void operator()(const FeaturesReply& m) const { put(MessageType::features_reply, m); }
    void operator()(const GetConfigRequest&) const {
        put_data(MessageType::get_config_request, {});
    }
    void operator()(const GetConfigReply& m) const {
        put(MessageType::get_config_reply, SetConfig{m.flags, m.miss_send_len});
    }
    void operator()(const SetConfig& m) const { put(MessageType::set_config, m); }
    void operator()(const PacketIn& m) const { put(MessageType::packet_in, m); }
    void operator()(const FlowRemoved& m) const { put(MessageType::flow_removed, m); }
    void operator()(const PortStatus& m) const { put(MessageType::port_status, m); }
    void operator()(const PacketOut& m) const { put(MessageType::packet_out, m); }
    void operator()(const FlowMod& m) const { put(MessageType::flow_mod, m); }
    void operator()(const PortMod& m) const { put(MessageType::port_mod, m); }
    void operator()(const MultipartRequest& m) const { put(MessageType::multipart_request, m); }
    void operator()(const MultipartReply& m) const {
        encode_multipart_reply(m, version, xid, bytes);
    }
    void operator()(const BarrierRequest&) const { put_data(MessageType::barrier_request, {}); }
    void operator()(const BarrierReply&) const { put_data(MessageType::barrier_reply, {}); }
    void operator()(const GroupMod& m) const { put(MessageType::group_mod, m); }
    void operator()(const TableMod& m) const { put(MessageType::table_mod, m); }
    void operator()(const QueueGetConfigRequest& m) const {
        put(MessageType::queue_get_config_request, m);
    }
    void operator()(const QueueGetConfigReply& m) const {
        put(MessageType::queue_get_config_reply, m);
    }
    void operator()(const RoleRequest& m) const { put(MessageType::role_request, m); }
    void operator()(const RoleReply& m) const {
        put(MessageType::role_reply, RoleRequest{m.role, m.generation_id});
    }
    void operator()(const GetAsyncRequest&) const { put_data(MessageType::get_async_request, {}); }
    void operator()(const GetAsyncReply& m) const { put(MessageType::get_async_reply, m.config); }
    void operator()(const SetAsync& m) const { put(MessageType::set_async, m.config); }
    void operator()(const MeterMod& m) const { put(MessageType::meter_mod, m); }
};

}  // namespace

MessageWriter::MessageWriter(MessageType type, std::uint8_t version, std::uint32_t xid,
                             ByteVector& out)
    : writer_(out), start_(out.size()) {
    writer_.put(WireHeader{version, static_cast<std::uint8_t>(type), std::uint16_t{0}, xid});
}

MessageWriter::~MessageWriter() {
    writer_.patch<std::uint16_t>(start_ + offsetof(WireHeader, length),
                                 static_cast<std::uint16_t>(size()));
}

OfResult<Message> decode(const Header& header, Bytes message) {
    if (header.type >= kMessageTypes)
        return ofp_error(BadRequest::bad_type, format("message type {}", header.type));
    const MessageRow& r = kMessageRows[header.type];
    TRY(check_size(r, message.size()));
    const ByteReader in(message.subspan(sizeof(WireHeader)));
    switch (r.type) {
        case MessageType::hello: return wrap(decode_hello(header.version, in));
        case MessageType::error: return wrap(decode_error(in));
        case MessageType::echo_request: return EchoRequest{copy_of(in.rest())};
        case MessageType::echo_reply: return EchoReply{copy_of(in.rest())};
        case MessageType::experimenter: return wrap(decode_experimenter(in));
        case MessageType::features_request: return FeaturesRequest{};
        case MessageType::features_reply: return wrap(decode_features(in));
        case MessageType::get_config_request: return GetConfigRequest{};
        case MessageType::get_config_reply: {
            TRY_ASSIGN(const auto config, decode_config(in));
            return reply_of(config);
        }
        case MessageType::set_config: return wrap(decode_config(in));
        case MessageType::packet_in: return wrap(decode_packet_in(in));
        case MessageType::flow_removed: return wrap(decode_flow_removed(in));
        case MessageType::port_status: return wrap(decode_port_status(in));
        case MessageType::packet_out: return wrap(decode_packet_out(in));
        case MessageType::flow_mod: return decode_flow_mod(in);
        case MessageType::port_mod: return wrap(decode_port_mod(in));
        case MessageType::multipart_request: return wrap(decode_multipart_request(in));
        case MessageType::multipart_reply: return wrap(decode_multipart_reply(in));
        case MessageType::barrier_request: return BarrierRequest{};
        case MessageType::barrier_reply: return BarrierReply{};
        case MessageType::group_mod: return wrap(decode_group_mod(in));
        case MessageType::table_mod: return wrap(decode_table_mod(in));
        case MessageType::queue_get_config_request: return wrap(decode_queue_request(in));
        case MessageType::queue_get_config_reply: return wrap(decode_queue_reply(in));
        case MessageType::role_request: return wrap(decode_role(in));
        case MessageType::role_reply: {
            TRY_ASSIGN(const auto role, decode_role(in));
            return RoleReply{role.role, role.generation_id};
        }
        case MessageType::get_async_request: return GetAsyncRequest{};
        case MessageType::get_async_reply: {
            TRY_ASSIGN(const auto config, decode_async(in));
            return GetAsyncReply{config};
        }
        case MessageType::set_async: {
            TRY_ASSIGN(const auto config, decode_async(in));
            return SetAsync{config};
        }
        case MessageType::meter_mod: return wrap(decode_meter_mod(in));
    }
    return ofp_error(BadRequest::bad_type);
}

void encode(const Message& message, std::uint8_t version, std::uint32_t xid, ByteVector& out) {
    std::visit(MessageEncoder{version, xid, out}, message);
}

}  // namespace raicho::openflow::v13
