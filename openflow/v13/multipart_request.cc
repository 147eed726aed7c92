// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow::v13 {
namespace {

OfResult<FlowStatsRequest> decode_filter(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireFlowStatsRequest>(in));
    FlowStatsRequest filter{.table = TableId(wire.table),
                            .out_port = PortNo(wire.out_port.value()),
                            .out_group = GroupId(wire.out_group.value()),
                            .cookie = wire.cookie.value(),
                            .cookie_mask = wire.cookie_mask.value()};
    TRY(decode_match(in, filter.match));
    if (!in.empty()) return ofp_error(BadRequest::bad_len, "bytes after the match");
    return filter;
}

struct Encoder {
    MessageWriter& out;

    void head(std::uint16_t type) const { out.put(WireMultipart{type, flags, {}}); }
    void head(MultipartType type) const { head(static_cast<std::uint16_t>(type)); }
    void filter(const FlowStatsRequest& filter) const {
        out.put(WireFlowStatsRequest{.table = filter.table.value(),
                                     .pad = {},
                                     .out_port = filter.out_port.value(),
                                     .out_group = filter.out_group.value(),
                                     .pad2 = {},
                                     .cookie = filter.cookie,
                                     .cookie_mask = filter.cookie_mask});
        encode_match(filter.match, out.out());
    }

    void operator()(const DescRequest&) const { head(MultipartType::desc); }
    void operator()(const FlowStatsRequest& request) const {
        head(MultipartType::flow);
        filter(request);
    }
    void operator()(const AggregateRequest& request) const {
        head(MultipartType::aggregate);
        filter(request.filter);
    }
    void operator()(const TableStatsRequest&) const { head(MultipartType::table); }
    void operator()(const PortStatsRequest& request) const {
        head(MultipartType::port_stats);
        out.put(WirePortStatsRequest{request.port.value(), {}});
    }
    void operator()(const PortDescRequest&) const { head(MultipartType::port_desc); }
    void operator()(const UnservedMultipart& request) const {
        head(request.type);
        out.put_tail(request.body);
    }

    std::uint16_t flags;
};

}  // namespace

OfResult<MultipartRequest> decode_multipart_request(ByteReader in) {
    TRY_ASSIGN(const auto head, pull<WireMultipart>(in));
    const std::uint16_t type = head.type.value();
    const MultipartRow* r = multipart_row(type);
    if (r == nullptr)
        return ofp_error(BadRequest::bad_multipart, format("multipart type {}", type));
    if (in.size() < r->request_size ||
        (r->request_tail == Tail::none && in.size() != r->request_size))
        return ofp_error(BadRequest::bad_len, format("{} request of {} bytes", r->name, in.size()));
    MultipartRequest request{.flags = head.flags.value(), .body = {}};
    switch (r->type) {
        case MultipartType::desc: request.body = DescRequest{}; break;
        case MultipartType::flow: {
            TRY_ASSIGN(request.body, decode_filter(in));
            break;
        }
        case MultipartType::aggregate: {
            TRY_ASSIGN(auto filter, decode_filter(in));
            request.body = AggregateRequest{filter};
            break;
        }
        case MultipartType::table: request.body = TableStatsRequest{}; break;
        case MultipartType::port_stats: {
            TRY_ASSIGN(const auto wire, pull<WirePortStatsRequest>(in));
            request.body = PortStatsRequest{PortNo(wire.port.value())};
            break;
        }
        case MultipartType::port_desc: request.body = PortDescRequest{}; break;
        case MultipartType::queue:
        case MultipartType::group:
        case MultipartType::group_desc:
        case MultipartType::group_features:
        case MultipartType::meter:
        case MultipartType::meter_config:
        case MultipartType::meter_features:
        case MultipartType::table_features:
        case MultipartType::experimenter:
            request.body = UnservedMultipart{type, copy_of(in.rest())};
            break;
    }
    return request;
}

void encode(const MultipartRequest& request, MessageWriter& out) {
    std::visit(Encoder{out, request.flags}, request.body);
}

}  // namespace raicho::openflow::v13
