// SPDX-License-Identifier: Apache-2.0
#include "openflow/mod_check.h"

#include "base/error.h"
#include "base/text.h"
#include "openflow/text.h"

namespace raicho::openflow {
namespace {

/// RFC 2597 has three drop precedences a class: more than two steps up lead nowhere.
constexpr std::uint8_t kMostSteps = 2;
constexpr std::uint16_t kKnownFlags =
    meter_flag::kKbps | meter_flag::kPktps | meter_flag::kBurst | meter_flag::kStats;

bool watches(const Bucket& bucket) {
    return bucket.watch_port != port::kAny || bucket.watch_group != group::kAny;
}

/// §7.3.4.2: weights are of select groups; watches are what fast failover lives by, and we look at
/// them in select groups too.
OfResult<void> check_watches(GroupId id, GroupType type, const Bucket& bucket) {
    const bool live = type == GroupType::select || type == GroupType::fast_failover;
    if (!watches(bucket)) {
        if (type != GroupType::fast_failover) return {};
        return ofp_error(GroupModFailed::bad_watch,
                         "a fast-failover bucket needs a watch_port or a watch_group");
    }
    if (!live)
        return ofp_error(GroupModFailed::watch_unsupported,
                         "watches are for select and fast-failover groups");
    const std::uint32_t port = bucket.watch_port.value();
    const bool real = (port >= 1 && port <= port::kMax.value()) ||
                      bucket.watch_port == port::kLocal || bucket.watch_port == port::kAny;
    if (!real)
        return ofp_error(GroupModFailed::bad_watch, format("watch_port 0x{:x}: not a port", port));
    if (bucket.watch_group == id)
        return ofp_error(GroupModFailed::bad_watch, format("group {} watches itself", id.value()));
    if (bucket.watch_group > group::kMax && bucket.watch_group != group::kAny)
        return ofp_error(GroupModFailed::bad_watch,
                         format("watch_group 0x{:x}: not a group", bucket.watch_group.value()));
    return {};
}

OfResult<void> check_bucket_action(GroupId id, const Action& action) {
    TRY(check_action(action));
    const auto* to = std::get_if<GroupAction>(&action);
    if (to == nullptr) return {};
    if (to->group == id)
        return ofp_error(GroupModFailed::loop, format("group {} sends to itself", id.value()));
    if (to->group > group::kMax)
        return ofp_error(BadAction::bad_out_group,
                         format("group 0x{:x}: not a group", to->group.value()));
    return {};
}

}  // namespace

OfResult<void> check_group(GroupId id, GroupType type, const Buckets& buckets) {
    if (id > group::kMax)
        return ofp_error(GroupModFailed::invalid_group,
                         format("group 0x{:x}: at most 0x{:x}", id.value(), group::kMax.value()));
    if (type == GroupType::indirect && buckets.size() != 1)
        return ofp_error(GroupModFailed::invalid_group,
                         format("an indirect group has one bucket, not {}", buckets.size()));
    for (const Bucket& bucket : buckets) {
        if (bucket.weight != 0 && type != GroupType::select)
            return ofp_error(
                GroupModFailed::bad_bucket,
                format("weight {}: weights are for select groups only", bucket.weight));
        TRY(check_watches(id, type, bucket));
        for (const Action& action : bucket.actions) TRY(check_bucket_action(id, action));
    }
    return {};
}

OfResult<void> check_meter(MeterId id, std::uint16_t flags, const MeterBands& bands) {
    const bool real = id.value() >= 1 && id <= meter::kMax;
    if (!real && id != meter::kController && id != meter::kSlowpath)
        return ofp_error(MeterModFailed::invalid_meter,
                         format("meter 0x{:x}: 1 to 0x{:x}, controller or slowpath", id.value(),
                                meter::kMax.value()));
    if ((flags & ~kKnownFlags) != 0)
        return ofp_error(MeterModFailed::bad_flags, format("unknown flags 0x{:x}", flags));
    if ((flags & meter_flag::kKbps) != 0 && (flags & meter_flag::kPktps) != 0)
        return ofp_error(MeterModFailed::bad_flags, "a meter counts in kbps or in pktps, not both");
    for (const MeterBand& band : bands) {
        if (band.rate == 0)
            return ofp_error(MeterModFailed::bad_rate, "rate 0: no rate can be above it");
        if (band.type == BandType::dscp_remark && band.prec_level > kMostSteps)
            return ofp_error(MeterModFailed::bad_band_value,
                             format("prec_level {}: at most {}", band.prec_level, kMostSteps));
    }
    return {};
}

}  // namespace raicho::openflow
