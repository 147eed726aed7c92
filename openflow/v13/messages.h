// SPDX-License-Identifier: Apache-2.0
// The messages of 1.3, one decoder each (what follows the header) and one encoder each. codec.cc
// dispatches by type; sizes of fixed parts were checked there against kMessageRows.
#pragma once

#include "openflow/v13/parts.h"

namespace raicho::openflow::v13 {

/// Bytes of one message at most: its length field has 16 bits.
inline constexpr std::size_t kMaxMessage = 65535;

/// Appends one message; the destructor fills in its length.
class MessageWriter {
  public:
    MessageWriter(MessageType type, std::uint8_t version, std::uint32_t xid, ByteVector& out);
    MessageWriter(const MessageWriter&) = delete;
    MessageWriter& operator=(const MessageWriter&) = delete;
    ~MessageWriter();

    [[nodiscard]] ByteWriter& out() { return writer_; }
    /// Bytes written so far, header included.
    [[nodiscard]] std::size_t size() const { return writer_.offset() - start_; }
    template <class T>
    void put(const T& wire) {
        writer_.put(wire);
    }
    /// The opaque end of a message, cut where it does not fit.
    void put_tail(Bytes data) { writer_.put(data.first(std::min(data.size(), room()))); }

  private:
    [[nodiscard]] std::size_t room() const { return kMaxMessage - size(); }

    ByteWriter writer_;
    std::size_t start_;
};

[[nodiscard]] inline ByteVector copy_of(Bytes bytes) {
    return {bytes.begin(), bytes.end()};
}

// session.cc
[[nodiscard]] OfResult<Hello> decode_hello(std::uint8_t version, ByteReader in);
void encode(const Hello& hello, MessageWriter& out);
[[nodiscard]] OfResult<ErrorMsg> decode_error(ByteReader in);
void encode(const ErrorMsg& error, MessageWriter& out);
[[nodiscard]] OfResult<Experimenter> decode_experimenter(ByteReader in);
void encode(const Experimenter& message, MessageWriter& out);
[[nodiscard]] OfResult<FeaturesReply> decode_features(ByteReader in);
void encode(const FeaturesReply& features, MessageWriter& out);
[[nodiscard]] OfResult<SetConfig> decode_config(ByteReader in);
void encode(const SetConfig& config, MessageWriter& out);

// flow.cc
[[nodiscard]] OfResult<Message> decode_flow_mod(ByteReader in);
void encode(const FlowMod& mod, MessageWriter& out);
[[nodiscard]] OfResult<FlowRemoved> decode_flow_removed(ByteReader in);
void encode(const FlowRemoved& removed, MessageWriter& out);

// group.cc
[[nodiscard]] OfResult<GroupMod> decode_group_mod(ByteReader in);
void encode(const GroupMod& mod, MessageWriter& out);
[[nodiscard]] OfResult<GroupFeatures> decode_group_features(ByteReader in);
void encode(const GroupFeatures& features, MessageWriter& out);

// meter.cc
[[nodiscard]] OfResult<MeterMod> decode_meter_mod(ByteReader in);
void encode(const MeterMod& mod, MessageWriter& out);
[[nodiscard]] OfResult<MeterFeatures> decode_meter_features(ByteReader in);
void encode(const MeterFeatures& features, MessageWriter& out);

// queue.cc
[[nodiscard]] OfResult<QueueGetConfigRequest> decode_queue_request(ByteReader in);
void encode(const QueueGetConfigRequest& request, MessageWriter& out);
[[nodiscard]] OfResult<QueueGetConfigReply> decode_queue_reply(ByteReader in);
void encode(const QueueGetConfigReply& reply, MessageWriter& out);

// role.cc
[[nodiscard]] OfResult<RoleRequest> decode_role(ByteReader in);
void encode(const RoleRequest& role, MessageWriter& out);
[[nodiscard]] OfResult<AsyncConfig> decode_async(ByteReader in);
void encode(const AsyncConfig& config, MessageWriter& out);

// table.cc
[[nodiscard]] OfResult<TableMod> decode_table_mod(ByteReader in);
void encode(const TableMod& mod, MessageWriter& out);

// packet.cc
[[nodiscard]] OfResult<PacketIn> decode_packet_in(ByteReader in);
void encode(const PacketIn& packet, MessageWriter& out);
[[nodiscard]] OfResult<PacketOut> decode_packet_out(ByteReader in);
void encode(const PacketOut& packet, MessageWriter& out);

// port.cc
[[nodiscard]] OfResult<PortMod> decode_port_mod(ByteReader in);
void encode(const PortMod& mod, MessageWriter& out);
[[nodiscard]] OfResult<PortStatus> decode_port_status(ByteReader in);
void encode(const PortStatus& status, MessageWriter& out);

// multipart_request.cc
[[nodiscard]] OfResult<MultipartRequest> decode_multipart_request(ByteReader in);
void encode(const MultipartRequest& request, MessageWriter& out);

// multipart_reply.cc
[[nodiscard]] OfResult<MultipartReply> decode_multipart_reply(ByteReader in);
void encode_multipart_reply(const MultipartReply& reply, std::uint8_t version, std::uint32_t xid,
                            ByteVector& out);

// codec.cc
[[nodiscard]] OfResult<Message> decode(const Header& header, Bytes message);
void encode(const Message& message, std::uint8_t version, std::uint32_t xid, ByteVector& out);

}  // namespace raicho::openflow::v13
