// SPDX-License-Identifier: Apache-2.0
// The printed form of messages: one line, the specification's names.
#include "base/text.h"
#include "openflow/text.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow {
namespace {

using v13::MessageType;

std::string_view name_of(MessageType type) {
    return v13::kMessageRows[static_cast<std::size_t>(type)].name;
}

/// `kNames[value]`, or the number where the table ends.
template <std::size_t kSize>
std::string word(const std::array<std::string_view, kSize>& names, std::size_t value) {
    return value < kSize ? std::string(names[value]) : format("{}", value);
}

constexpr std::array<std::string_view, 5> kCommands{"ADD", "MODIFY", "MODIFY_STRICT", "DELETE",
                                                    "DELETE_STRICT"};
constexpr std::array<std::string_view, 3> kPacketInReasons{"no_match", "action", "invalid_ttl"};
constexpr std::array<std::string_view, 5> kRemovedReasons{"idle_timeout", "hard_timeout", "delete",
                                                          "group_delete", "meter_delete"};
constexpr std::array<std::string_view, 3> kPortReasons{"add", "delete", "modify"};
constexpr std::array<std::string_view, 5> kFlowFlags{
    "send_flow_rem", "check_overlap", "reset_counts", "no_packet_counts", "no_byte_counts"};

std::string data_text(Bytes data) {
    constexpr std::size_t kShown = 64;
    if (data.size() <= kShown) return hex_text(data);
    return hex_text(data.first(kShown)) + format("…({} bytes)", data.size());
}

/// Text of a peer with everything but printable ASCII and quotes escaped.
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

std::string buffer_text(std::uint32_t buffer) {
    return buffer == kNoBuffer ? "none" : format("{}", buffer);
}

std::string table_text(TableId table) {
    return table == kAllTables ? "all" : format("{}", table.value());
}

/// `,match` or nothing.
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

std::string filter_text(const FlowStatsRequest& filter) {
    std::string text = format("table={}", table_text(filter.table));
    if (filter.out_port != port::kAny) text += format(",out_port={}", to_text(filter.out_port));
    if (filter.out_group != GroupId(0xffffffff))
        text += format(",out_group={}", filter.out_group.value());
    if (filter.cookie_mask != 0)
        text += format(",cookie=0x{:x}/0x{:x}", filter.cookie, filter.cookie_mask);
    return text + and_match(filter.match);
}

std::string flow_mod_text(const FlowMod& m) {
    std::string text =
        word(kCommands, static_cast<std::size_t>(m.command)) +
        format(" table={},priority={},cookie=0x{:x}", table_text(m.table), m.priority, m.cookie);
    if (m.cookie_mask != 0) text += format("/0x{:x}", m.cookie_mask);
    if (m.idle_timeout != 0) text += format(",idle_timeout={}", m.idle_timeout);
    if (m.hard_timeout != 0) text += format(",hard_timeout={}", m.hard_timeout);
    if (m.buffer_id != kNoBuffer) text += format(",buffer={}", m.buffer_id);
    const bool removes =
        m.command == FlowModCommand::remove || m.command == FlowModCommand::remove_strict;
    if (removes && m.out_port != port::kAny) text += format(",out_port={}", to_text(m.out_port));
    if (removes && m.out_group != GroupId(0xffffffff))
        text += format(",out_group={}", m.out_group.value());
    for (std::size_t i = 0; i < kFlowFlags.size(); ++i)
        if ((m.flags >> i & 1) != 0) text += format(",{}", kFlowFlags[i]);
    text += and_match(m.match);
    return removes ? text : text + format(" actions={}", to_text(m.instructions));
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

std::string multipart_name(std::uint16_t type) {
    const v13::MultipartRow* row = v13::multipart_row(type);
    return row != nullptr ? std::string(row->name) : format("type {}", type);
}
std::string multipart_name(MultipartType type) {
    return multipart_name(static_cast<std::uint16_t>(type));
}

std::string unserved_text(const UnservedMultipart& body) {
    const std::string name = multipart_name(body.type);
    return body.body.empty() ? name : format("{} body={}", name, data_text(body.body));
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
    std::string operator()(const UnservedMultipart& r) const { return unserved_text(r); }
};

struct ReplyText {
    template <class Entry>
    std::string list(MultipartType type, const std::vector<Entry>& entries,
                     std::string (*print)(const Entry&)) const {
        std::string text = multipart_name(type);
        for (const Entry& entry : entries) text += format(" {{{}}}", print(entry));
        return text;
    }
    std::string operator()(const Desc& d) const {
        return format("{} mfr={},hw={},sw={},serial={},dp={}", multipart_name(MultipartType::desc),
                      quoted(d.mfr), quoted(d.hw), quoted(d.sw), quoted(d.serial), quoted(d.dp));
    }
    std::string operator()(const std::vector<FlowStats>& stats) const {
        return list(MultipartType::flow, stats, flow_stats_text);
    }
    std::string operator()(const AggregateStats& s) const {
        return format("{} packet_count={},byte_count={},flow_count={}",
                      multipart_name(MultipartType::aggregate), s.packet_count, s.byte_count,
                      s.flow_count);
    }
    std::string operator()(const std::vector<TableStats>& stats) const {
        return list(MultipartType::table, stats, table_stats_text);
    }
    std::string operator()(const std::vector<PortStats>& stats) const {
        return list(MultipartType::port_stats, stats, port_stats_text);
    }
    std::string operator()(const std::vector<PortDesc>& ports) const {
        return list(MultipartType::port_desc, ports, port_text);
    }
    std::string operator()(const UnservedMultipart& body) const { return unserved_text(body); }
};

/// The type's name and what stands behind it.
struct Line {
    std::string name;
    std::string rest{};
};
Line line(MessageType type, std::string rest = {}) {
    return {std::string(name_of(type)), std::move(rest)};
}

std::string error_text(const ErrorMsg& m) {
    std::string text = format("{} {}", error_type_name(m.type), error_code_name(m.type, m.code));
    if (m.data.empty()) return text;
    if (m.type == static_cast<std::uint16_t>(ErrorType::hello_failed)) {
        const auto* chars = reinterpret_cast<const char*>(m.data.data());
        return text + format(" data={}", quoted({chars, m.data.size()}));
    }
    return text + format(" data={}", data_text(m.data));
}

std::string hello_text(const Hello& m) {
    if (!m.bitmap) return {};
    std::string versions;
    for (unsigned i = 0; i < 64; ++i)
        if ((*m.bitmap >> i & 1) != 0) versions += format("{}{}", versions.empty() ? "" : ",", i);
    return format("versions={}", versions.empty() ? "none" : versions);
}

std::string packet_in_text(const PacketIn& m) {
    return format("reason={},table={},cookie=0x{:x},buffer={},total_len={}{} data={}",
                  word(kPacketInReasons, static_cast<std::size_t>(m.reason)), m.table.value(),
                  m.cookie, buffer_text(m.buffer_id), m.total_len, and_match(m.match),
                  data_text(m.data));
}

std::string flow_removed_text(const FlowRemoved& m) {
    return format(
        "reason={},table={},priority={},cookie=0x{:x},duration={}.{:09}s,"
        "idle_timeout={},hard_timeout={},packet_count={},byte_count={}{}",
        word(kRemovedReasons, static_cast<std::size_t>(m.reason)), m.table.value(), m.priority,
        m.cookie, m.duration_sec, m.duration_nsec, m.idle_timeout, m.hard_timeout, m.packet_count,
        m.byte_count, and_match(m.match));
}

std::string packet_out_text(const PacketOut& m) {
    std::string actions;
    for (const Action& action : m.actions)
        actions += format("{}{}", actions.empty() ? "" : ",", to_text(action));
    return format("buffer={},in_port={} actions={} data={}", buffer_text(m.buffer_id),
                  to_text(m.in_port), actions.empty() ? "drop" : actions, data_text(m.data));
}

struct MessageText {
    Line operator()(const Hello& m) const { return line(MessageType::hello, hello_text(m)); }
    Line operator()(const ErrorMsg& m) const { return line(MessageType::error, error_text(m)); }
    Line operator()(const EchoRequest& m) const {
        return line(MessageType::echo_request, data_text(m.data));
    }
    Line operator()(const EchoReply& m) const {
        return line(MessageType::echo_reply, data_text(m.data));
    }
    Line operator()(const Experimenter& m) const {
        return line(MessageType::experimenter,
                    format("experimenter=0x{:x},exp_type=0x{:x} data={}", m.experimenter,
                           m.exp_type, data_text(m.data)));
    }
    Line operator()(const FeaturesRequest&) const { return line(MessageType::features_request); }
    Line operator()(const FeaturesReply& m) const {
        return line(
            MessageType::features_reply,
            format("dpid=0x{:016x},n_buffers={},n_tables={},auxiliary_id={},"
                   "capabilities=0x{:x}",
                   m.dpid.value(), m.n_buffers, m.n_tables, m.auxiliary_id, m.capabilities));
    }
    Line operator()(const GetConfigRequest&) const { return line(MessageType::get_config_request); }
    Line operator()(const GetConfigReply& m) const {
        return line(MessageType::get_config_reply,
                    format("flags=0x{:x},miss_send_len={}", m.flags, m.miss_send_len));
    }
    Line operator()(const SetConfig& m) const {
        return line(MessageType::set_config,
                    format("flags=0x{:x},miss_send_len={}", m.flags, m.miss_send_len));
    }
    Line operator()(const PacketIn& m) const {
        return line(MessageType::packet_in, packet_in_text(m));
    }
    Line operator()(const FlowRemoved& m) const {
        return line(MessageType::flow_removed, flow_removed_text(m));
    }
    Line operator()(const PortStatus& m) const {
        return line(MessageType::port_status,
                    format("reason={} {}", word(kPortReasons, static_cast<std::size_t>(m.reason)),
                           port_text(m.desc)));
    }
    Line operator()(const PacketOut& m) const {
        return line(MessageType::packet_out, packet_out_text(m));
    }
    Line operator()(const FlowMod& m) const {
        return line(MessageType::flow_mod, flow_mod_text(m));
    }
    Line operator()(const PortMod& m) const {
        return line(MessageType::port_mod,
                    format("port={},hw_addr={},config=0x{:x},mask=0x{:x},advertise=0x{:x}",
                           to_text(m.port), to_string(m.hw_addr), m.config, m.mask, m.advertise));
    }
    Line operator()(const MultipartRequest& m) const {
        const std::string flags = m.flags == 0 ? "" : format("flags=0x{:x} ", m.flags);
        return line(MessageType::multipart_request, flags + std::visit(RequestText{}, m.body));
    }
    Line operator()(const MultipartReply& m) const {
        return line(MessageType::multipart_reply,
                    (m.more == ReplyMore::yes ? "more " : "") + std::visit(ReplyText{}, m.body));
    }
    Line operator()(const BarrierRequest&) const { return line(MessageType::barrier_request); }
    Line operator()(const BarrierReply&) const { return line(MessageType::barrier_reply); }
    Line operator()(const Unserved& m) const {
        const std::string name = m.type < v13::kMessageTypes
                                     ? std::string(v13::kMessageRows[m.type].name)
                                     : format("type {}", m.type);
        return {name, m.body.empty() ? std::string{} : "body=" + data_text(m.body)};
    }
};

std::string join(const Line& l, std::string_view xid) {
    std::string text = l.name;
    for (const std::string_view part : {xid, std::string_view(l.rest)})
        if (!part.empty()) text += format(" {}", part);
    return text;
}

}  // namespace

std::string to_text(const Message& message) {
    return join(std::visit(MessageText{}, message), {});
}

std::string to_text(const Message& message, std::uint32_t xid) {
    return join(std::visit(MessageText{}, message), format("xid=0x{:x}", xid));
}

std::string message_type_name(std::uint8_t type) {
    if (type < v13::kMessageTypes) return std::string(v13::kMessageRows[type].name);
    return format("message type {}", type);
}

}  // namespace raicho::openflow
