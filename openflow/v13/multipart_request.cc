// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/entries.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_group.h"
#include "openflow/v13/wire_meter.h"
#include "openflow/v13/wire_multipart.h"
#include "openflow/v13/wire_queue.h"

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

struct RequestEncoder {
    MessageWriter& out;

    void head(MultipartType type) const {
        out.put(WireMultipart{static_cast<std::uint16_t>(type), flags, {}});
    }
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
    void operator()(const QueueStatsRequest& request) const {
        head(MultipartType::queue);
        out.put(WireQueueStatsRequest{request.port.value(), request.queue});
    }
    void operator()(const GroupStatsRequest& request) const {
        head(MultipartType::group);
        out.put(WireGroupStatsRequest{request.group.value(), {}});
    }
    void operator()(const GroupDescRequest&) const { head(MultipartType::group_desc); }
    void operator()(const GroupFeaturesRequest&) const { head(MultipartType::group_features); }
    void operator()(const MeterStatsRequest& request) const {
        head(MultipartType::meter);
        out.put(WireMeterRequest{request.meter.value(), {}});
    }
    void operator()(const MeterConfigRequest& request) const {
        head(MultipartType::meter_config);
        out.put(WireMeterRequest{request.meter.value(), {}});
    }
    void operator()(const MeterFeaturesRequest&) const { head(MultipartType::meter_features); }
    void operator()(const TableFeaturesRequest& request) const {
        head(MultipartType::table_features);
        encode_entries(request.tables, out.out());
    }
    void operator()(const Experimenter& request) const {
        head(MultipartType::experimenter);
        encode(request, out);
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
        case MultipartType::queue: {
            TRY_ASSIGN(const auto wire, pull<WireQueueStatsRequest>(in));
            request.body = QueueStatsRequest{PortNo(wire.port.value()), wire.queue.value()};
            break;
        }
        case MultipartType::group: {
            TRY_ASSIGN(const auto wire, pull<WireGroupStatsRequest>(in));
            request.body = GroupStatsRequest{GroupId(wire.group.value())};
            break;
        }
        case MultipartType::group_desc: request.body = GroupDescRequest{}; break;
        case MultipartType::group_features: request.body = GroupFeaturesRequest{}; break;
        case MultipartType::meter: {
            TRY_ASSIGN(const auto wire, pull<WireMeterRequest>(in));
            request.body = MeterStatsRequest{MeterId(wire.meter.value())};
            break;
        }
        case MultipartType::meter_config: {
            TRY_ASSIGN(const auto wire, pull<WireMeterRequest>(in));
            request.body = MeterConfigRequest{MeterId(wire.meter.value())};
            break;
        }
        case MultipartType::meter_features: request.body = MeterFeaturesRequest{}; break;
        case MultipartType::table_features: {
            TRY_ASSIGN(auto tables, decode_entries<TableFeatures>(in));
            request.body = TableFeaturesRequest{std::move(tables)};
            break;
        }
        case MultipartType::experimenter: {
            TRY_ASSIGN(request.body, decode_experimenter(in));
            break;
        }
    }
    return request;
}

void encode(const MultipartRequest& request, MessageWriter& out) {
    std::visit(RequestEncoder{out, request.flags}, request.body);
}

}  // namespace raicho::openflow::v13
