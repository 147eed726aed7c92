// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/arena_meter_store.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/text.h"

namespace raicho::agent {

using openflow::MeterModFailed;
using openflow::ofp_error;
using openflow::OfResult;

ArenaMeterStore::ArenaMeterStore(ArenaSpace& space, BridgeId bridge)
    : space_(space), bridge_(bridge) {
    for (std::uint32_t i = 1; i < space_.meters().length(); ++i) {
        const shm::NamedRow& entry = space_.meters()[i];
        if (entry.state.load(std::memory_order_relaxed) != 0 && entry.bridge == bridge_.value())
            rows_.emplace(entry.id, i);
    }
    // An agent that was killed between the two stores of a virtual meter left one of them.
    for (const MeterId meter : {openflow::meter::kController, openflow::meter::kSlowpath}) {
        const auto found = rows_.find(meter.value());
        virtual_place(meter.value())
            ->store(found == rows_.end() ? shm::kNoRow : found->second, std::memory_order_release);
    }
}

MeterLimits ArenaMeterStore::limits() const {
    return {.meters = space_.arena().n_meters() - 1, .bands = shm::kMaxBands};
}

std::atomic<std::uint32_t>* ArenaMeterStore::virtual_place(std::uint32_t meter) {
    shm::BridgeRecord& record = space_.arena().bridge(bridge_);
    if (meter == openflow::meter::kController.value()) return &record.controller_meter;
    if (meter == openflow::meter::kSlowpath.value()) return &record.slowpath_meter;
    return nullptr;
}

OfResult<std::uint32_t> ArenaMeterStore::write_body(std::uint16_t flags,
                                                    const openflow::MeterBands& bands) {
    if (bands.size() > shm::kMaxBands)
        return ofp_error(MeterModFailed::out_of_bands,
                         format("{} bands, {} at most", bands.size(), shm::kMaxBands));
    for (const openflow::MeterBand& band : bands)
        if (band.rate == 0) return ofp_error(MeterModFailed::bad_rate, "a band of rate 0");
    const unsigned order = order_of(shm::meter_lines(bands.size()));
    const auto line = space_.lines().take(order);
    const auto state = line ? space_.meter_states().take() : std::nullopt;
    if (!state) {
        if (line) space_.lines().give(*line, order);
        return ofp_error(MeterModFailed::out_of_meters,
                         line ? format("all {} meter states are in use: raise max-flows",
                                       space_.arena().n_meter_states() - 1)
                              : format("no room for a meter: {} lines are free: raise max-flows",
                                       space_.lines().free_lines()));
    }
    std::vector<std::uint8_t> sorted(bands.size());
    std::iota(sorted.begin(), sorted.end(), std::uint8_t{0});
    std::ranges::stable_sort(sorted, std::greater{}, [&](std::uint8_t i) { return bands[i].rate; });
    const shm::AgentArena& arena = space_.arena();
    const shm::BandTallies sums = arena.band_sums(*state);
    const shm::MeterTime now = shm::meter_time(space_.now());
    shm::MeterBody& body = space_.arena().meter_body(*line);
    body = {};
    body.flags = flags;
    body.n_bands = static_cast<std::uint16_t>(bands.size());
    body.state = *state;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const openflow::MeterBand& sent = bands[sorted[i]];
        shm::MeterBand& band = body.bands()[i];
        band = {};
        band.type = static_cast<shm::BandType>(sent.type);
        band.prec_level = sent.prec_level;
        band.order = sorted[i];
        band.rate = sent.rate;
        band.burst = sent.burst_size;
        band.cost = shm::band_cost(flags, sent.rate);
        band.depth = shm::band_depth(flags, sent.rate, sent.burst_size);
        // Full, whatever the row's last user left: no worker uses it any more.
        band.shift =
            now - band.depth - arena.meter_state(*state).spent[i].load(std::memory_order_relaxed);
        band.base_packets = sums.bands[i].packets;
        band.base_bytes = sums.bands[i].bytes;
    }
    return *line;
}

OfResult<void> ArenaMeterStore::insert(MeterId meter, const MeterHead& head,
                                       const openflow::MeterBands& bands) {
    ASSERT(!contains(meter));
    space_.poll();
    if (!space_.ready())
        return ofp_error(MeterModFailed::out_of_meters,
                         "a worker holds rows of before the restart");
    TRY_ASSIGN(const std::uint32_t body, write_body(head.flags, bands));
    const auto index = space_.publish(space_.meters(), {bridge_, meter.value(), body, head.created},
                                      &shm::ArenaView::meter_sum);
    if (!index) {
        space_.free_meter_body(body);
        return ofp_error(MeterModFailed::out_of_meters,
                         format("all {} meters are in use: raise max-flows", limits().meters));
    }
    if (auto* place = virtual_place(meter.value()))
        place->store(*index, std::memory_order_release);  // pairs with Pipeline::packet_in()
    rows_.emplace(meter.value(), *index);
    return {};
}

OfResult<void> ArenaMeterStore::replace(MeterId meter, std::uint16_t flags,
                                        const openflow::MeterBands& bands) {
    space_.poll();
    if (!space_.ready())
        return ofp_error(MeterModFailed::out_of_meters,
                         "a worker holds rows of before the restart");
    TRY_ASSIGN(const std::uint32_t body, write_body(flags, bands));
    shm::NamedRow& entry = space_.meters()[rows_.at(meter.value())];
    const std::uint32_t old = entry.body.load(std::memory_order_relaxed);
    space_.step();
    entry.body.store(body, std::memory_order_release);  // pairs with Pipeline::measure()
    space_.step();
    space_.retire_meter_body(old);
    return {};
}

void ArenaMeterStore::remove(MeterId meter) {
    const auto found = rows_.find(meter.value());
    ASSERT(found != rows_.end());
    if (auto* place = virtual_place(meter.value()))
        place->store(shm::kNoRow, std::memory_order_release);
    space_.step();
    space_.meters().unlink(found->second);
    space_.step();
    space_.retire_meter(found->second);
    rows_.erase(found);
}

void ArenaMeterStore::remove_all() {
    while (!rows_.empty()) remove(MeterId(rows_.begin()->first));
}

MeterHead ArenaMeterStore::head(MeterId meter) const {
    const shm::NamedRow& entry = row(meter);
    const std::uint32_t body = entry.body.load(std::memory_order_relaxed);
    return {.flags = space_.arena().meter_body(body).flags, .created = entry.created_ns};
}

openflow::MeterBands ArenaMeterStore::bands(MeterId meter) const {
    const auto rows = space_.arena().bands_of(row(meter).body.load(std::memory_order_relaxed));
    openflow::MeterBands bands(rows.size());
    for (const shm::MeterBand& band : rows)
        bands.at(band.order) = {.type = static_cast<openflow::BandType>(band.type),
                                .rate = band.rate,
                                .burst_size = band.burst,
                                .prec_level = band.prec_level};
    return bands;
}

MeterCount ArenaMeterStore::counts(MeterId meter) const {
    const shm::AgentArena& arena = space_.arena();
    const shm::NamedRow& entry = row(meter);
    const shm::Tally sum =
        arena.meter_sum(rows_.at(meter.value())) - shm::Tally{entry.base_packets, entry.base_bytes};
    const std::uint32_t body = entry.body.load(std::memory_order_relaxed);
    const auto rows = arena.bands_of(body);
    const shm::BandTallies sums = arena.band_sums(arena.meter_body(body).state);
    MeterCount count{.packets = sum.packets, .bytes = sum.bytes, .bands = {}};
    count.bands.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        count.bands.at(rows[i].order) = {
            .packet_count = sums.bands[i].packets - rows[i].base_packets,
            .byte_count = sums.bands[i].bytes - rows[i].base_bytes};
    return count;
}

std::optional<MeterId> ArenaMeterStore::next(MeterId from) const {
    const auto found = rows_.lower_bound(from.value());
    if (found == rows_.end()) return std::nullopt;
    return MeterId(found->first);
}

}  // namespace raicho::agent
