// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/openflow/random_flow.h"

#include "openflow/action_table.h"
#include "openflow/prerequisites.h"
#include "openflow/text.h"

namespace raicho::openflow {
namespace {

constexpr std::array<std::uint64_t, 7> kEthertypes{0x0800, 0x0806, 0x86dd, 0x8847,
                                                   0x8848, 0x88e7, 0x9000};
constexpr std::array<std::uint64_t, 6> kIpProtos{1, 6, 17, 58, 132, 200};
constexpr std::array<std::uint64_t, 3> kIcmpv6Types{128, 135, 136};
constexpr std::array<PortNo, 7> kOutputs{port::kInPort, port::kTable, port::kNormal,
                                         port::kFlood,  port::kAll,   port::kController,
                                         port::kLocal};

}  // namespace

FieldValue RandomFlow::value(Field field) {
    if (field == Field::eth_type) return field_value(field, kEthertypes[below(7)]);
    if (field == Field::ip_proto) return field_value(field, kIpProtos[below(6)]);
    if (field == Field::icmpv6_type) return field_value(field, kIcmpv6Types[below(3)]);
    // In texts VLAN 0 and "no tag" are written as numbers that mean themselves; both are tested.
    if (field == Field::vlan_vid)
        return field_value(field, chance(10) ? 0 : kVlanPresent | below(4096));
    FieldValue value;
    const FieldValue all = exact_mask(field);
    for (std::size_t i = 0; i < value.bytes.size(); ++i)
        value.bytes[i] = bits<std::byte>() & all.bytes[i];
    return value;
}

void RandomFlow::add_random_field(Match& match, Field field) {
    const FieldRow& r = row(field);
    MatchField result{field, HasMask::no, value(field), exact_mask(field)};
    if (r.maskable == Maskable::yes && chance(40)) {
        const FieldValue mask =
            field == Field::vlan_vid ? field_value(field, below(0x2000)) : value(field);
        const bool plain = mask == FieldValue{} || mask == result.mask;
        if (spell_ == Spell::wire || !plain) {
            result.has_mask = HasMask::yes;
            result.mask = mask;
            for (std::size_t i = 0; i < mask.bytes.size(); ++i)
                result.value.bytes[i] &= mask.bytes[i];
        }
    }
    ASSERT(match.add(result));
}

Match RandomFlow::match() {
    Match match;
    Prerequisites state;
    for (const FieldRow& r : kFieldRows) {
        const bool likely = r.field == Field::eth_type || r.field == Field::ip_proto;
        if (!state.meets(r.prerequisite) || !chance(likely ? 80 : 30)) continue;
        add_random_field(match, r.field);
        state.match(match.fields().back());
    }
    return match;
}

PortNo RandomFlow::output_port() {
    if (chance(50)) return kOutputs[below(kOutputs.size())];
    return PortNo(static_cast<std::uint32_t>(1 + below(port::kMax.value())));
}

Action RandomFlow::action(const Match& match) {
    switch (below(16)) {
        case 0: {
            const PortNo port = output_port();
            const bool sized = spell_ == Spell::wire || port == port::kController;
            return OutputAction{port, sized ? bits<std::uint16_t>() : std::uint16_t{0}};
        }
        case 1: return CopyTtlOut{};
        case 2: return CopyTtlIn{};
        case 3: return SetMplsTtl{bits<std::uint8_t>()};
        case 4: return DecMplsTtl{};
        case 5: return PushVlan{chance(50) ? std::uint16_t{0x8100} : std::uint16_t{0x88a8}};
        case 6: return PopVlan{};
        case 7: return PushMpls{chance(50) ? std::uint16_t{0x8847} : std::uint16_t{0x8848}};
        case 8: return PopMpls{bits<std::uint16_t>()};
        case 9: return SetQueue{bits<std::uint32_t>()};
        case 10: return GroupAction{GroupId(bits<std::uint32_t>())};
        case 11: return SetNwTtl{bits<std::uint8_t>()};
        case 12: return DecNwTtl{};
        case 13: return PushPbb{};
        case 14: return PopPbb{};
        default: break;
    }
    for (;;) {
        const Field field = static_cast<Field>(below(kFields));
        SetField set{field, value(field)};
        if (field == Field::vlan_vid) set.value = field_value(field, kVlanPresent | below(4096));
        if (check_actions({set}, match)) return set;
    }
}

ActionList RandomFlow::actions(const Match& match) {
    ActionList actions;
    for (std::uint64_t n = below(5); n > 0; --n) {
        actions.push_back(action(match));
        if (!check_actions(actions, match)) actions.pop_back();
    }
    return actions;
}

Instructions RandomFlow::instructions(const Match& match) {
    Instructions all;
    if (chance(20)) all.meter = MeterId(bits<std::uint32_t>());
    if (chance(70)) all.apply = actions(match);
    if (spell_ == Spell::text && all.apply && all.apply->empty()) all.apply.reset();
    all.clear = chance(20);
    if (chance(30)) all.write = actions(match);
    if (chance(20)) all.metadata = MetadataWrite{engine_(), chance(50) ? ~0ull : engine_()};
    if (chance(30)) all.go_to = TableId(static_cast<std::uint8_t>(1 + below(254)));
    if (!check_instructions(all, match)) all.write.reset();  // its set-fields met an apply's push
    return all;
}

FlowMod RandomFlow::flow_mod() {
    FlowMod mod;
    mod.cookie = engine_();
    mod.cookie_mask = engine_();
    mod.table = TableId(bits<std::uint8_t>());
    mod.command = static_cast<FlowModCommand>(below(5));
    mod.idle_timeout = bits<std::uint16_t>();
    mod.hard_timeout = bits<std::uint16_t>();
    mod.priority = bits<std::uint16_t>();
    mod.buffer_id = bits<std::uint32_t>();
    mod.out_port = PortNo(bits<std::uint32_t>());
    mod.out_group = GroupId(bits<std::uint32_t>());
    mod.flags = static_cast<std::uint16_t>(below(32));
    mod.match = match();
    mod.instructions = instructions(mod.match);
    return mod;
}

ByteVector RandomFlow::data() {
    ByteVector bytes(below(100));
    for (std::byte& b : bytes) b = bits<std::byte>();
    return bytes;
}

PortDesc RandomFlow::port_desc() {
    PortDesc port{.port = PortNo(bits<std::uint32_t>()), .name = std::string(below(16), 'p')};
    for (std::uint8_t& b : port.hw_addr.bytes) b = bits<std::uint8_t>();
    for (std::uint32_t* word : {&port.config, &port.state, &port.curr, &port.advertised,
                                &port.supported, &port.peer, &port.curr_speed, &port.max_speed})
        *word = bits<std::uint32_t>();
    return port;
}

Buckets RandomFlow::buckets() {
    Buckets buckets(below(4));
    for (Bucket& bucket : buckets) {
        bucket.weight = bits<std::uint16_t>();
        if (chance(50)) bucket.watch_port = output_port();
        if (chance(50)) bucket.watch_group = GroupId(bits<std::uint32_t>());
        bucket.actions = actions({});
    }
    return buckets;
}

MeterBands RandomFlow::bands() {
    MeterBands bands(below(4));
    for (MeterBand& band : bands) {
        const bool drops = chance(50);
        band = {drops ? BandType::drop : BandType::dscp_remark, bits<std::uint32_t>(),
                bits<std::uint32_t>(), drops ? std::uint8_t{0} : bits<std::uint8_t>()};
    }
    return bands;
}

TableFeatures RandomFlow::table_features() {
    TableFeatures table{.table = TableId(bits<std::uint8_t>()),
                        .name = std::string(below(32), 't'),
                        .metadata_match = engine_(),
                        .metadata_write = engine_(),
                        .config = bits<std::uint32_t>(),
                        .max_entries = bits<std::uint32_t>(),
                        .properties = {}};
    using enum TablePropertyType;
    if (chance(50))
        table.properties.push_back(
            {instructions_miss, InstructionSet{static_cast<std::uint32_t>(below(64) << 1)}});
    if (chance(50)) {
        TableSet set;
        for (std::uint64_t n = below(20); n > 0; --n) set.tables.set(below(kTables));
        table.properties.push_back({next_tables, set});
    }
    if (chance(50))
        table.properties.push_back(
            {apply_actions, ActionKinds{static_cast<std::uint32_t>(below(1u << kActions))}});
    if (chance(50)) {
        const std::uint64_t fields = below(1ull << kFields);
        table.properties.push_back(
            {TablePropertyType::match, FieldSet{fields, fields & engine_()}});
    }
    return table;
}

MultipartReply RandomFlow::reply() {
    MultipartReply reply;
    if (chance(30)) reply.more = ReplyMore::yes;
    const std::uint64_t n = below(4);
    switch (below(14)) {
        case 0: reply.body = Desc{"Raicho", "hw", "sw", "serial", "dp"}; break;
        case 1: {
            auto& flows = reply.body.emplace<std::vector<FlowStats>>(n);
            for (FlowStats& flow : flows) {
                flow.cookie = engine_();
                flow.packet_count = engine_();
                flow.match = match();
                flow.instructions = instructions(flow.match);
            }
            break;
        }
        case 2: reply.body = AggregateStats{engine_(), engine_(), bits<std::uint32_t>()}; break;
        case 3:
            reply.body = std::vector<TableStats>(
                n, {TableId(bits<std::uint8_t>()), bits<std::uint32_t>(), engine_(), engine_()});
            break;
        case 4:
            reply.body = std::vector<PortStats>(
                n, {.port = PortNo(bits<std::uint32_t>()), .rx_packets = engine_()});
            break;
        case 5: reply.body = std::vector<PortDesc>(n, port_desc()); break;
        case 6:
            reply.body = Experimenter{bits<std::uint32_t>(), bits<std::uint32_t>(), data()};
            break;
        case 7:
            reply.body = std::vector<QueueStats>(n, {.port = PortNo(bits<std::uint32_t>()),
                                                     .queue = bits<std::uint32_t>(),
                                                     .tx_errors = engine_()});
            break;
        case 8:
            reply.body = std::vector<GroupStats>(
                n, {.group = GroupId(bits<std::uint32_t>()),
                    .packet_count = engine_(),
                    .buckets = std::vector<BucketCount>(below(4), {engine_(), engine_()})});
            break;
        case 9: {
            auto& descs = reply.body.emplace<std::vector<GroupDesc>>(n);
            for (GroupDesc& desc : descs)
                desc = {static_cast<GroupType>(below(4)), GroupId(bits<std::uint32_t>()),
                        buckets()};
            break;
        }
        case 10:
            reply.body = std::vector<MeterStats>(
                n, {.meter = MeterId(bits<std::uint32_t>()),
                    .packet_in_count = engine_(),
                    .bands = std::vector<BandCount>(below(4), {engine_(), engine_()})});
            break;
        case 11:
            reply.body = std::vector<MeterConfig>(
                n, {bits<std::uint16_t>(), MeterId(bits<std::uint32_t>()), bands()});
            break;
        case 12: reply.body = MeterFeatures{bits<std::uint32_t>(), 6, 15, 8, 0}; break;
        default: {
            auto& tables = reply.body.emplace<std::vector<TableFeatures>>(n);
            for (TableFeatures& table : tables) table = table_features();
            break;
        }
    }
    return reply;
}

MultipartRequest RandomFlow::request() {
    MultipartRequest request{bits<std::uint16_t>(), {}};
    const FlowStatsRequest filter{.table = TableId(bits<std::uint8_t>()),
                                  .out_port = PortNo(bits<std::uint32_t>()),
                                  .out_group = GroupId(bits<std::uint32_t>()),
                                  .cookie = engine_(),
                                  .cookie_mask = engine_(),
                                  .match = match()};
    switch (below(15)) {
        case 0: request.body = DescRequest{}; break;
        case 1: request.body = filter; break;
        case 2: request.body = AggregateRequest{filter}; break;
        case 3: request.body = TableStatsRequest{}; break;
        case 4: request.body = PortStatsRequest{PortNo(bits<std::uint32_t>())}; break;
        case 5: request.body = PortDescRequest{}; break;
        case 6:
            request.body = QueueStatsRequest{PortNo(bits<std::uint32_t>()), bits<std::uint32_t>()};
            break;
        case 7: request.body = GroupStatsRequest{GroupId(bits<std::uint32_t>())}; break;
        case 8: request.body = GroupDescRequest{}; break;
        case 9: request.body = GroupFeaturesRequest{}; break;
        case 10: request.body = MeterStatsRequest{MeterId(bits<std::uint32_t>())}; break;
        case 11: request.body = MeterConfigRequest{MeterId(bits<std::uint32_t>())}; break;
        case 12: request.body = MeterFeaturesRequest{}; break;
        case 13: {
            auto& tables = request.body.emplace<TableFeaturesRequest>().tables;
            for (std::uint64_t n = below(4); n > 0; --n) tables.push_back(table_features());
            break;
        }
        default:
            request.body = Experimenter{bits<std::uint32_t>(), bits<std::uint32_t>(), data()};
            break;
    }
    return request;
}

Message RandomFlow::session_message() {
    switch (below(12)) {
        case 0: return Hello{chance(50) ? std::optional(engine_()) : std::nullopt};
        case 1: return ErrorMsg{bits<std::uint16_t>(), bits<std::uint16_t>(), data()};
        case 2: return EchoRequest{data()};
        case 3: return EchoReply{data()};
        case 4: return Experimenter{bits<std::uint32_t>(), bits<std::uint32_t>(), data()};
        case 5: return FeaturesRequest{};
        case 6:
            return FeaturesReply{Dpid(engine_()), bits<std::uint32_t>(), bits<std::uint8_t>(),
                                 bits<std::uint8_t>(), bits<std::uint32_t>()};
        case 7: return GetConfigRequest{};
        case 8: return GetConfigReply{bits<std::uint16_t>(), bits<std::uint16_t>()};
        case 9: return SetConfig{bits<std::uint16_t>(), bits<std::uint16_t>()};
        case 10: return BarrierRequest{};
        default: return BarrierReply{};
    }
}

Message RandomFlow::flow_message() {
    switch (below(8)) {
        case 0: return flow_mod();
        case 1:
            return PacketIn{bits<std::uint32_t>(),
                            bits<std::uint16_t>(),
                            static_cast<PacketInReason>(below(3)),
                            TableId(bits<std::uint8_t>()),
                            engine_(),
                            match(),
                            data()};
        case 2:
            return FlowRemoved{.cookie = engine_(),
                               .priority = bits<std::uint16_t>(),
                               .reason = static_cast<FlowRemovedReason>(below(5)),
                               .packet_count = engine_(),
                               .match = match()};
        case 3: return PortStatus{static_cast<PortReason>(below(3)), port_desc()};
        case 4: return PacketOut{bits<std::uint32_t>(), output_port(), actions({}), data()};
        case 5: {
            const PortDesc port = port_desc();
            return PortMod{port.port, port.hw_addr, port.config, port.state, port.advertised};
        }
        case 6: return request();
        default: return reply();
    }
}

Message RandomFlow::change_message() {
    switch (below(10)) {
        case 0:
            return GroupMod{static_cast<GroupModCommand>(below(3)),
                            static_cast<GroupType>(below(4)), GroupId(bits<std::uint32_t>()),
                            buckets()};
        case 1:
            return MeterMod{static_cast<MeterModCommand>(below(3)), bits<std::uint16_t>(),
                            MeterId(bits<std::uint32_t>()), bands()};
        case 2: return TableMod{TableId(bits<std::uint8_t>()), bits<std::uint32_t>()};
        case 3: return QueueGetConfigRequest{PortNo(bits<std::uint32_t>())};
        case 4: {
            QueueGetConfigReply reply{PortNo(bits<std::uint32_t>()), {}};
            for (std::uint64_t n = below(4); n > 0; --n) {
                QueueDesc queue{.queue = bits<std::uint32_t>(), .port = reply.port};
                if (chance(50)) queue.min_rate = bits<std::uint16_t>();
                if (chance(50)) queue.max_rate = bits<std::uint16_t>();
                reply.queues.push_back(queue);
            }
            return reply;
        }
        case 5: return RoleRequest{static_cast<ControllerRole>(below(4)), engine_()};
        case 6: return RoleReply{static_cast<ControllerRole>(below(4)), engine_()};
        case 7: return GetAsyncRequest{};
        case 8: return GetAsyncReply{async_config()};
        default: return SetAsync{async_config()};
    }
}

AsyncConfig RandomFlow::async_config() {
    const auto mask = [&] {
        return AsyncMask{bits<std::uint32_t>(), bits<std::uint32_t>(), bits<std::uint32_t>()};
    };
    return {mask(), mask()};
}

Message RandomFlow::message() {
    if (chance(30)) return change_message();
    return chance(40) ? session_message() : flow_message();
}

}  // namespace raicho::openflow
