// SPDX-License-Identifier: Apache-2.0
// Meters as version-neutral values: meter-mod and the meter multiparts (OF 1.3.5 §5.7, §7.3.4.4,
// §7.3.5.12 to §7.3.5.14). Part of message.h, which has the messages that carry them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace raicho::openflow {

/// ofp_meter: the greatest real meter, and the virtual ones.
namespace meter {
inline constexpr MeterId kMax{0xffff0000};
inline constexpr MeterId kSlowpath{0xfffffffd};
inline constexpr MeterId kController{0xfffffffe};
inline constexpr MeterId kAll{0xffffffff};  // all meters, in deletes and requests
}  // namespace meter

namespace meter_flag {  // OFPMF_*
inline constexpr std::uint16_t kKbps = 1;
inline constexpr std::uint16_t kPktps = 2;
inline constexpr std::uint16_t kBurst = 4;
inline constexpr std::uint16_t kStats = 8;
}  // namespace meter_flag

/// ofp_meter_band_type, by its number.
enum class BandType : std::uint8_t { drop = 1, dscp_remark = 2 };

/// Rates in kbit/s, bursts in kbit; with OFPMF_PKTPS in packets/s and packets. The burst counts
/// with OFPMF_BURST only, but is kept as it was sent.
struct MeterBand {
    BandType type{};
    std::uint32_t rate = 0;
    std::uint32_t burst_size = 0;
    std::uint8_t prec_level = 0;  // dscp_remark: drop precedences to add
    friend bool operator==(const MeterBand&, const MeterBand&) = default;
};
using MeterBands = std::vector<MeterBand>;

enum class MeterModCommand : std::uint8_t { add, modify, remove };
struct MeterMod {
    MeterModCommand command{};
    std::uint16_t flags = 0;  // OFPMF_*
    MeterId meter;
    MeterBands bands;
};

struct MeterStatsRequest {
    MeterId meter = meter::kAll;
};
struct MeterConfigRequest {
    MeterId meter = meter::kAll;
};
struct MeterFeaturesRequest {};

struct BandCount {
    std::uint64_t packet_count = 0;
    std::uint64_t byte_count = 0;
    friend bool operator==(const BandCount&, const BandCount&) = default;
};
struct MeterStats {
    MeterId meter;
    std::uint32_t flow_count = 0;
    std::uint64_t packet_in_count = 0;
    std::uint64_t byte_in_count = 0;
    std::uint32_t duration_sec = 0;
    std::uint32_t duration_nsec = 0;
    std::vector<BandCount> bands;
};
struct MeterConfig {
    std::uint16_t flags = 0;
    MeterId meter;
    MeterBands bands;
};
struct MeterFeatures {
    std::uint32_t max_meter = 0;
    std::uint32_t band_types = 0;    // bit n: ofp_meter_band_type n
    std::uint32_t capabilities = 0;  // bits of OFPMF_*
    std::uint8_t max_bands = 0;
    std::uint8_t max_color = 0;
};

}  // namespace raicho::openflow
