// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/entries.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_group.h"
#include "openflow/v13/wire_meter.h"

namespace raicho::openflow::v13 {

OfResult<MeterMod> decode_meter_mod(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireMeterMod>(in));
    const std::uint16_t command = wire.command.value();
    if (command > static_cast<std::uint16_t>(MeterModCommand::remove))
        return ofp_error(MeterModFailed::bad_command, format("meter-mod command {}", command));
    MeterMod mod{.command = static_cast<MeterModCommand>(command),
                 .flags = wire.flags.value(),
                 .meter = MeterId(wire.meter.value()),
                 .bands = {}};
    TRY_ASSIGN(mod.bands, decode_entries<MeterBand>(in));
    return mod;
}

void encode(const MeterMod& mod, MessageWriter& out) {
    out.put(WireMeterMod{static_cast<std::uint16_t>(mod.command), mod.flags, mod.meter.value()});
    encode_entries(mod.bands, out.out());
}

OfResult<MeterBand> decode_entry(ByteReader& in, EntryOf<MeterBand>) {
    const auto wire = in.pull<WireBandHeader>();
    const auto tail = wire ? in.pull<WireBandTail>() : std::nullopt;
    if (!tail) return ofp_error(BadRequest::bad_len, "message ends within a meter band");
    const std::uint16_t type = wire->type.value();
    if (type != static_cast<std::uint16_t>(BandType::drop) &&
        type != static_cast<std::uint16_t>(BandType::dscp_remark))
        return ofp_error(MeterModFailed::bad_band, format("meter band of type {}", type));
    if (wire->length.value() != kBandSize)
        return ofp_error(BadRequest::bad_len,
                         format("meter band of {} bytes, not {}", wire->length.value(), kBandSize));
    MeterBand band{.type = static_cast<BandType>(type),
                   .rate = wire->rate.value(),
                   .burst_size = wire->burst_size.value()};
    if (band.type == BandType::dscp_remark) band.prec_level = tail->prec_level;
    return band;
}

void encode_entry(const MeterBand& band, ByteWriter& out) {
    out.put(WireBandHeader{static_cast<std::uint16_t>(band.type),
                           static_cast<std::uint16_t>(kBandSize), band.rate, band.burst_size});
    out.put(WireBandTail{band.prec_level, {}});
}

OfResult<MeterStats> decode_entry(ByteReader& in, EntryOf<MeterStats>) {
    TRY_ASSIGN(const auto wire, pull<WireMeterStats>(in));
    auto body = take_body<WireMeterStats>(in, wire.length.value());
    if (!body)
        return ofp_error(BadRequest::bad_len,
                         format("meter-stats entry of {} bytes", wire.length.value()));
    MeterStats stats{.meter = MeterId(wire.meter.value()),
                     .flow_count = wire.flow_count.value(),
                     .packet_in_count = wire.packet_in_count.value(),
                     .byte_in_count = wire.byte_in_count.value(),
                     .duration_sec = wire.duration_sec.value(),
                     .duration_nsec = wire.duration_nsec.value(),
                     .bands = {}};
    while (!body->empty()) {
        TRY_ASSIGN(const auto count, pull<WireCount>(*body));
        stats.bands.push_back({count.packet_count.value(), count.byte_count.value()});
    }
    return stats;
}

void encode_entry(const MeterStats& stats, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireMeterStats{.meter = stats.meter.value(),
                           .length = {},
                           .pad = {},
                           .flow_count = stats.flow_count,
                           .packet_in_count = stats.packet_in_count,
                           .byte_in_count = stats.byte_in_count,
                           .duration_sec = stats.duration_sec,
                           .duration_nsec = stats.duration_nsec});
    for (const BandCount& count : stats.bands)
        out.put(WireCount{count.packet_count, count.byte_count});
    patch_length(out, start, offsetof(WireMeterStats, length));
}

OfResult<MeterConfig> decode_entry(ByteReader& in, EntryOf<MeterConfig>) {
    TRY_ASSIGN(const auto wire, pull<WireMeterConfig>(in));
    const auto body = take_body<WireMeterConfig>(in, wire.length.value());
    if (!body)
        return ofp_error(BadRequest::bad_len,
                         format("meter-config entry of {} bytes", wire.length.value()));
    MeterConfig config{
        .flags = wire.flags.value(), .meter = MeterId(wire.meter.value()), .bands = {}};
    TRY_ASSIGN(config.bands, decode_entries<MeterBand>(*body));
    return config;
}

void encode_entry(const MeterConfig& config, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireMeterConfig{{}, config.flags, config.meter.value()});
    encode_entries(config.bands, out);
    patch_length(out, start, offsetof(WireMeterConfig, length));
}

OfResult<MeterFeatures> decode_meter_features(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireMeterFeatures>(in));
    return MeterFeatures{.max_meter = wire.max_meter.value(),
                         .band_types = wire.band_types.value(),
                         .capabilities = wire.capabilities.value(),
                         .max_bands = wire.max_bands,
                         .max_color = wire.max_color};
}

void encode(const MeterFeatures& features, MessageWriter& out) {
    out.put(WireMeterFeatures{.max_meter = features.max_meter,
                              .band_types = features.band_types,
                              .capabilities = features.capabilities,
                              .max_bands = features.max_bands,
                              .max_color = features.max_color,
                              .pad = {}});
}

}  // namespace raicho::openflow::v13
