// SPDX-License-Identifier: Apache-2.0
#include "agent/model/vector_meter_store.h"

#include "base/error.h"
#include "base/text.h"

namespace raicho::agent {

using openflow::MeterModFailed;
using openflow::ofp_error;
using openflow::OfResult;

OfResult<void> VectorMeterStore::check_size(const openflow::MeterBands& bands) const {
    if (bands.size() <= limits_.bands) return {};
    return ofp_error(MeterModFailed::out_of_bands,
                     format("{} bands of at most {}", bands.size(), limits_.bands));
}

OfResult<void> VectorMeterStore::insert(MeterId meter, const MeterHead& head,
                                        const openflow::MeterBands& bands) {
    ASSERT(!contains(meter));
    if (entries_.size() >= limits_.meters)
        return ofp_error(MeterModFailed::out_of_meters,
                         format("{} meters are all there can be", limits_.meters));
    TRY(check_size(bands));
    MeterCount count;
    count.bands.resize(bands.size());
    entries_[meter] = {head, bands, count};
    return {};
}

OfResult<void> VectorMeterStore::replace(MeterId meter, std::uint16_t flags,
                                         const openflow::MeterBands& bands) {
    ASSERT(contains(meter));
    TRY(check_size(bands));
    Entry& entry = entries_.at(meter);
    entry.head.flags = flags;
    entry.bands = bands;
    entry.count.bands.assign(bands.size(), {});
    return {};
}

void VectorMeterStore::remove(MeterId meter) {
    const std::size_t removed = entries_.erase(meter);
    ASSERT(removed == 1);
}

std::optional<MeterId> VectorMeterStore::next(MeterId from) const {
    const auto found = entries_.lower_bound(from);
    return found == entries_.end() ? std::nullopt : std::optional(found->first);
}

void VectorMeterStore::hit(MeterId meter, std::uint64_t bytes, std::optional<std::size_t> band) {
    Entry& entry = entries_.at(meter);
    ++entry.count.packets;
    entry.count.bytes += bytes;
    if (!band) return;
    ++entry.count.bands.at(*band).packet_count;
    entry.count.bands.at(*band).byte_count += bytes;
}

}  // namespace raicho::agent
