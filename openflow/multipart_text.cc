// SPDX-License-Identifier: Apache-2.0
// The printed form of multipart bodies, and what messages share with them. Neighbour:
// table_text.cc prints table features.
#include "openflow/message_parts.h"
#include "openflow/mod_words.h"
#include "openflow/table_text.h"
#include "openflow/text.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow {

std::string data_text(Bytes data) {
    constexpr std::size_t kShown = 64;
    if (data.size() <= kShown) return hex_text(data);
    return hex_text(data.first(kShown)) + format("…({} bytes)", data.size());
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\')
            result += c;
        else
            result += format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return result + '"';
}

std::string table_text(TableId table) {
    return table == kAllTables ? "all" : format("{}", table.value());
}

std::string and_match(const Match& match) {
    return match.empty() ? std::string{} : "," + to_text(match);
}

std::string port_text(const PortDesc& p) {
    return format(
        "port={},hw_addr={},name={},config=0x{:x},state=0x{:x},curr=0x{:x},advertised=0x{:x},"
        "supported=0x{:x},peer=0x{:x},curr_speed={},max_speed={}",
        to_text(p.port), to_string(p.hw_addr), quoted(p.name), p.config, p.state, p.curr,
        p.advertised, p.supported, p.peer, p.curr_speed, p.max_speed);
}

namespace {

std::string filter_text(const FlowStatsRequest& filter) {
    std::string text = format("table={}", table_text(filter.table));
    if (filter.out_port != port::kAny) text += format(",out_port={}", to_text(filter.out_port));
    if (filter.out_group != group::kAny) text += format(",out_group={}", filter.out_group.value());
    if (filter.cookie_mask != 0)
        text += format(",cookie=0x{:x}/0x{:x}", filter.cookie, filter.cookie_mask);
    return text + and_match(filter.match);
}

std::string flow_stats_text(const FlowStats& s) {
    return format(
        "table={},duration={}.{:09}s,priority={},idle_timeout={},hard_timeout={},"
        "flags=0x{:x},cookie=0x{:x},packet_count={},byte_count={}{} actions={}",
        s.table.value(), s.duration_sec, s.duration_nsec, s.priority, s.idle_timeout,
        s.hard_timeout, s.flags, s.cookie, s.packet_count, s.byte_count, and_match(s.match),
        to_text(s.instructions));
}

std::string table_stats_text(const TableStats& s) {
    return format("table={},active_count={},lookup_count={},matched_count={}", s.table.value(),
                  s.active_count, s.lookup_count, s.matched_count);
}

std::string port_stats_text(const PortStats& s) {
    return format(
        "port={},rx_packets={},tx_packets={},rx_bytes={},tx_bytes={},rx_dropped={},tx_dropped={},"
        "rx_errors={},tx_errors={},rx_frame_err={},rx_over_err={},rx_crc_err={},collisions={},"
        "duration={}.{:09}s",
        to_text(s.port), s.rx_packets, s.tx_packets, s.rx_bytes, s.tx_bytes, s.rx_dropped,
        s.tx_dropped, s.rx_errors, s.tx_errors, s.rx_frame_err, s.rx_over_err, s.rx_crc_err,
        s.collisions, s.duration_sec, s.duration_nsec);
}

std::string multipart_name(MultipartType type) {
    return std::string(v13::multipart_row(static_cast<std::uint16_t>(type))->name);
}

template <class Entry>
std::string entries(MultipartType type, const std::vector<Entry>& list,
                    std::string (*print)(const Entry&)) {
    std::string text = multipart_name(type);
    for (const Entry& entry : list) text += format(" {{{}}}", print(entry));
    return text;
}

std::string queue_stats_text(const QueueStats& s) {
    return format("port={},queue={},tx_bytes={},tx_packets={},tx_errors={},duration={}.{:09}s",
                  to_text(s.port), s.queue, s.tx_bytes, s.tx_packets, s.tx_errors, s.duration_sec,
                  s.duration_nsec);
}

std::string group_stats_text(const GroupStats& s) {
    std::string text =
        format("group_id={},ref_count={},packet_count={},byte_count={},duration={}.{:09}s",
               to_text(s.group), s.ref_count, s.packet_count, s.byte_count, s.duration_sec,
               s.duration_nsec);
    for (std::size_t i = 0; i < s.buckets.size(); ++i)
        text += format(",bucket{}:packet_count={},byte_count={}", i, s.buckets[i].packet_count,
                       s.buckets[i].byte_count);
    return text;
}

std::string meter_stats_text(const MeterStats& s) {
    std::string text =
        format("meter={},flow_count={},packet_in_count={},byte_in_count={},duration={}.{:09}s",
               to_text(s.meter), s.flow_count, s.packet_in_count, s.byte_in_count, s.duration_sec,
               s.duration_nsec);
    for (std::size_t i = 0; i < s.bands.size(); ++i)
        text += format(",band{}:packet_count={},byte_count={}", i, s.bands[i].packet_count,
                       s.bands[i].byte_count);
    return text;
}

std::string desc_text(const GroupDesc& desc) {
    return to_text(desc);
}
std::string config_text(const MeterConfig& config) {
    return to_text(config);
}

std::string group_features_text(const GroupFeatures& f) {
    std::string text = format("types=0x{:x},capabilities=0x{:x}", f.types, f.capabilities);
    for (std::size_t i = 0; i < kGroupTypes; ++i)
        text += format(" {}:max_groups={},actions={}", kGroupTypeNames[i], f.max_groups[i],
                       list_text(ActionKinds{f.actions[i]}));
    return text;
}

std::string meter_features_text(const MeterFeatures& f) {
    return format("max_meter={},band_types=0x{:x},capabilities=0x{:x},max_bands={},max_color={}",
                  f.max_meter, f.band_types, f.capabilities, f.max_bands, f.max_color);
}

std::string experimenter_text(const Experimenter& e) {
    return format("{} experimenter=0x{:x},exp_type=0x{:x} data={}",
                  multipart_name(MultipartType::experimenter), e.experimenter, e.exp_type,
                  data_text(e.data));
}

struct RequestText {
    std::string operator()(const DescRequest&) const { return multipart_name(MultipartType::desc); }
    std::string operator()(const FlowStatsRequest& r) const {
        return format("{} {}", multipart_name(MultipartType::flow), filter_text(r));
    }
    std::string operator()(const AggregateRequest& r) const {
        return format("{} {}", multipart_name(MultipartType::aggregate), filter_text(r.filter));
    }
    std::string operator()(const TableStatsRequest&) const {
        return multipart_name(MultipartType::table);
    }
    std::string operator()(const PortStatsRequest& r) const {
        return format("{} port={}", multipart_name(MultipartType::port_stats), to_text(r.port));
    }
    std::string operator()(const PortDescRequest&) const {
        return multipart_name(MultipartType::port_desc);
    }
    std::string operator()(const QueueStatsRequest& r) const {
        return format("{} port={},queue={}", multipart_name(MultipartType::queue), to_text(r.port),
                      r.queue == kAllQueues ? "all" : format("{}", r.queue));
    }
    std::string operator()(const GroupStatsRequest& r) const {
        return format("{} group_id={}", multipart_name(MultipartType::group), to_text(r.group));
    }
    std::string operator()(const GroupDescRequest&) const {
        return multipart_name(MultipartType::group_desc);
    }
    std::string operator()(const GroupFeaturesRequest&) const {
        return multipart_name(MultipartType::group_features);
    }
    std::string operator()(const MeterStatsRequest& r) const {
        return format("{} meter={}", multipart_name(MultipartType::meter), to_text(r.meter));
    }
    std::string operator()(const MeterConfigRequest& r) const {
        return format("{} meter={}", multipart_name(MultipartType::meter_config), to_text(r.meter));
    }
    std::string operator()(const MeterFeaturesRequest&) const {
        return multipart_name(MultipartType::meter_features);
    }
    std::string operator()(const TableFeaturesRequest& r) const {
        return entries(MultipartType::table_features, r.tables, table_features_text);
    }
    std::string operator()(const Experimenter& r) const { return experimenter_text(r); }
};

struct ReplyText {
    std::string operator()(const Desc& d) const {
        return format("{} mfr={},hw={},sw={},serial={},dp={}", multipart_name(MultipartType::desc),
                      quoted(d.mfr), quoted(d.hw), quoted(d.sw), quoted(d.serial), quoted(d.dp));
    }
    std::string operator()(const std::vector<FlowStats>& stats) const {
        return entries(MultipartType::flow, stats, flow_stats_text);
    }
    std::string operator()(const AggregateStats& s) const {
        return format("{} packet_count={},byte_count={},flow_count={}",
                      multipart_name(MultipartType::aggregate), s.packet_count, s.byte_count,
                      s.flow_count);
    }
    std::string operator()(const std::vector<TableStats>& stats) const {
        return entries(MultipartType::table, stats, table_stats_text);
    }
    std::string operator()(const std::vector<PortStats>& stats) const {
        return entries(MultipartType::port_stats, stats, port_stats_text);
    }
    std::string operator()(const std::vector<PortDesc>& ports) const {
        return entries(MultipartType::port_desc, ports, port_text);
    }
    std::string operator()(const std::vector<QueueStats>& stats) const {
        return entries(MultipartType::queue, stats, queue_stats_text);
    }
    std::string operator()(const std::vector<GroupStats>& stats) const {
        return entries(MultipartType::group, stats, group_stats_text);
    }
    std::string operator()(const std::vector<GroupDesc>& descs) const {
        return entries(MultipartType::group_desc, descs, desc_text);
    }
    std::string operator()(const GroupFeatures& f) const {
        return format("{} {}", multipart_name(MultipartType::group_features),
                      group_features_text(f));
    }
    std::string operator()(const std::vector<MeterStats>& stats) const {
        return entries(MultipartType::meter, stats, meter_stats_text);
    }
    std::string operator()(const std::vector<MeterConfig>& configs) const {
        return entries(MultipartType::meter_config, configs, config_text);
    }
    std::string operator()(const MeterFeatures& f) const {
        return format("{} {}", multipart_name(MultipartType::meter_features),
                      meter_features_text(f));
    }
    std::string operator()(const std::vector<TableFeatures>& tables) const {
        return entries(MultipartType::table_features, tables, table_features_text);
    }
    std::string operator()(const Experimenter& e) const { return experimenter_text(e); }
};

}  // namespace

std::string body_text(const MultipartRequest& request) {
    return std::visit(RequestText{}, request.body);
}

std::string body_text(const MultipartReply& reply) {
    return std::visit(ReplyText{}, reply.body);
}

}  // namespace raicho::openflow
