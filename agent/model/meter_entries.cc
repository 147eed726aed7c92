// SPDX-License-Identifier: Apache-2.0
#include "agent/model/meter_entries.h"

#include "base/error.h"
#include "base/text.h"
#include "openflow/mod_check.h"

namespace raicho::agent {
namespace {

using openflow::MeterModCommand;
using openflow::MeterModFailed;
using openflow::ofp_error;
using openflow::OfResult;

std::unexpected<openflow::OfpError> unknown(MeterId meter) {
    return ofp_error(MeterModFailed::unknown_meter,
                     format("meter {}: no such meter", meter.value()));
}

}  // namespace

OfResult<void> MeterEntries::apply(const openflow::MeterMod& mod, Time now) {
    switch (mod.command) {
        case MeterModCommand::add:
            TRY(openflow::check_meter(mod.meter, mod.flags, mod.bands));
            if (store_.contains(mod.meter))
                return ofp_error(MeterModFailed::meter_exists,
                                 format("meter {} exists", mod.meter.value()));
            return store_.insert(mod.meter, {mod.flags, now}, mod.bands);
        case MeterModCommand::modify:
            TRY(openflow::check_meter(mod.meter, mod.flags, mod.bands));
            if (!store_.contains(mod.meter)) return unknown(mod.meter);
            return store_.replace(mod.meter, mod.flags, mod.bands);
        case MeterModCommand::remove: return remove(mod.meter, now);
    }
    return ofp_error(MeterModFailed::bad_command);
}

OfResult<void> MeterEntries::remove(MeterId meter, Time now) {
    const bool all = meter == openflow::meter::kAll;
    if (!all && (meter.value() == 0 || meter > openflow::meter::kMax))
        return ofp_error(MeterModFailed::invalid_meter,
                         format("meter 0x{:x}: only real meters can be deleted", meter.value()));
    if (!all && !store_.contains(meter)) return {};  // no error (§6.8)
    TRY_ASSIGN(const std::vector<MeterId> meters, selected(meter));
    for (const MeterId gone : meters) {
        if (gone > openflow::meter::kMax) break;  // virtual ones stay
        flows_.remove_using(gone, now);
        store_.remove(gone);
    }
    return {};
}

OfResult<std::vector<MeterId>> MeterEntries::selected(MeterId wanted) const {
    std::vector<MeterId> meters;
    if (wanted != openflow::meter::kAll) {
        if (!store_.contains(wanted)) return unknown(wanted);
        meters.push_back(wanted);
        return meters;
    }
    for (auto meter = store_.next(MeterId{0}); meter;
         meter = store_.next(MeterId{meter->value() + 1}))
        meters.push_back(*meter);
    return meters;
}

OfResult<std::vector<openflow::MeterStats>> MeterEntries::stats(MeterId wanted, Time now) const {
    TRY_ASSIGN(const std::vector<MeterId> meters, selected(wanted));
    std::vector<openflow::MeterStats> stats;
    for (const MeterId meter : meters) {
        MeterCount count = store_.counts(meter);
        const Time age = now - store_.head(meter).created;
        stats.push_back({.meter = meter,
                         .flow_count = flows_.references().flows_of(meter),
                         .packet_in_count = count.packets,
                         .byte_in_count = count.bytes,
                         .duration_sec = static_cast<std::uint32_t>(age / kSecond),
                         .duration_nsec = static_cast<std::uint32_t>(age % kSecond),
                         .bands = std::move(count.bands)});
    }
    return stats;
}

OfResult<std::vector<openflow::MeterConfig>> MeterEntries::configs(MeterId wanted) const {
    TRY_ASSIGN(const std::vector<MeterId> meters, selected(wanted));
    std::vector<openflow::MeterConfig> configs;
    for (const MeterId meter : meters)
        configs.push_back({store_.head(meter).flags, meter, store_.bands(meter)});
    return configs;
}

openflow::MeterFeatures MeterEntries::features() const {
    namespace flag = openflow::meter_flag;
    const MeterLimits limits = store_.limits();
    if (limits.meters == 0) return {};
    return {.max_meter = limits.meters,
            .band_types = 1u << static_cast<unsigned>(openflow::BandType::drop) |
                          1u << static_cast<unsigned>(openflow::BandType::dscp_remark),
            .capabilities = flag::kKbps | flag::kPktps | flag::kBurst | flag::kStats,
            .max_bands = limits.bands,
            .max_color = 0};
}

}  // namespace raicho::agent
