// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/arena_space.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "shm/walk.h"

namespace raicho::agent {

using shm::kNone;

Time ArenaSpace::monotonic() {
    return static_cast<Time>(monotonic_ns());
}

ArenaSpace::ArenaSpace(shm::AgentArena& arena, Clock clock)
    : arena_(arena),
      clock_(std::move(clock)),
      flows_(arena.max_flows()),
      colds_(arena.n_cold()),
      chunks_(arena),
      masks_(arena),
      programs_(arena, chunks_),
      lines_(arena.n_lines()),
      groups_(arena.mutable_groups()),
      meters_(arena.mutable_meters()),
      buckets_(arena.n_buckets()),
      meter_states_(arena.n_meter_states()) {}

Result<std::unique_ptr<ArenaSpace>> ArenaSpace::open(shm::AgentArena& arena, Clock clock) {
    std::unique_ptr<ArenaSpace> space(new ArenaSpace(arena, std::move(clock)));
    TRY(space->scan());
    space->attach_token_ = space->start_grace();
    const Time deadline = monotonic() + kSecond / 10;
    while (!space->ready() && monotonic() < deadline) {
        const timespec pause{0, 20'000};
        ::nanosleep(&pause, nullptr);
    }
    return space;
}

bool ArenaSpace::ready() {
    if (!ready_) ready_ = passed(attach_token_);
    return ready_;
}

// --- attach scan ------------------------------------------------------------------------------

namespace {

/// Rows and chunks met so far.
struct Referenced {
    std::vector<bool> flows, colds, chunks;
    std::vector<std::uint32_t> tuples;  // of the table being walked
    std::string damage;

    void fail(std::string what) {
        if (damage.empty()) damage = std::move(what);
    }
};

}  // namespace

Result<void> ArenaSpace::scan() {
    Referenced met{std::vector<bool>(arena_.max_flows()),
                   std::vector<bool>(arena_.n_cold()),
                   std::vector<bool>(arena_.chunks().size()),
                   {},
                   {}};
    const auto claim_lines = [&](std::uint32_t first, std::uint32_t n) {
        if (!lines_.reserve(first, order_of(n))) met.fail(format("lines at {} used twice", first));
    };
    shm::TableVisitor visitor;
    visitor.on_descriptor = [&](std::uint32_t index, const shm::TableDescriptor& d) {
        claim_lines(index, shm::descriptor_lines(d.n_tuples, d.n_fields));
        claim_lines(d.buckets, d.n_buckets);
        if (d.n_fields != 0) claim_lines(d.cells, shm::filter_lines(d.n_fields, d.n_cells));
        met.tuples.clear();
        for (std::size_t t = 0; t < d.n_tuples; ++t) {
            const std::uint32_t mask = d.tuples()[t].mask;
            if (mask == kNone && d.n_fields != 0) continue;  // a filter kept the others' places
            if (mask == kNone || mask >= arena_.n_masks())
                met.fail(format("mask {} of a tuple", mask));
            else
                masks_.adopt(mask);
            met.tuples.push_back(mask);
        }
    };
    visitor.on_overflow_line = [&](std::uint32_t line) { claim_lines(line, 1); };
    visitor.on_flow = [&](std::uint32_t flow, bool) {
        const shm::FlowHot& hot = arena_.hot(flow);
        const shm::FlowBody body = hot.body.load();
        const shm::FlowCold& cold = arena_.cold(body.cold);
        if (met.flows[flow] || met.colds[body.cold])
            return met.fail(format("flow {} met twice", flow));
        if (!hot.is_miss() && std::ranges::find(met.tuples, cold.tuple) == met.tuples.end())
            return met.fail(format("tuple of flow {}", flow));
        met.flows[flow] = true;
        met.colds[body.cold] = true;
        masks_.adopt(hot.mask);
        bool whole = programs_.adopt(body.program, met.chunks);
        if (hot.n_words > shm::kInlineWords)
            whole = chunks_.mark(static_cast<std::uint32_t>(hot.key[3]), met.chunks) && whole;
        if (cold.match_size > shm::kInlineMatch)
            whole = chunks_.mark(cold.match_chunk, met.chunks) && whole;
        if (!whole) met.fail(format("chunks of flow {}", flow));
    };
    for (std::uint16_t b = 0; b < arena_.max_bridges(); ++b) {
        shm::BridgeRecord& bridge = arena_.bridge(BridgeId(b));
        for (std::size_t t = 0; t < kTables; ++t) {
            TRY(walk_table(arena_, BridgeId(b), TableId(static_cast<std::uint8_t>(t)), visitor));
            // An agent killed between a change and its version left workers' memories stale.
            shm::TableSlot slot = bridge.tables[t].load(std::memory_order_relaxed);
            if (slot.descriptor == kNone && slot.version == 0) continue;
            ++slot.version;
            bridge.tables[t].store(slot, std::memory_order_release);
        }
    }
    if (!met.damage.empty())
        return fail(format("arena \"{}\": damaged: {}", arena_.path(), met.damage));
    for (std::uint32_t flow = 1; flow < arena_.max_flows(); ++flow)
        if (!met.flows[flow] && arena_.hot(flow).state.load() != shm::FlowState::free)
            arena_.hot(flow).state.store(shm::FlowState::free, std::memory_order_relaxed);
    if (auto scanned = scan_groups(met.chunks); !scanned) return scanned;
    if (auto scanned = scan_meters(); !scanned) return scanned;
    flows_.rebuild(met.flows);
    colds_.rebuild(met.colds);
    chunks_.pool().rebuild(met.chunks);
    masks_.adopted();
    return {};
}

Result<void> ArenaSpace::scan_groups(std::vector<bool>& chunks) {
    const auto damaged = [&](std::string what) {
        return fail(format("arena \"{}\": damaged: groups: {}", arena_.path(), what));
    };
    std::vector<bool> counters(arena_.n_buckets());
    const auto rows = groups_.adopt();
    if (!rows) return damaged(rows.error().text);
    for (const std::uint32_t row : *rows) {
        const std::uint32_t line = groups_[row].body.load(std::memory_order_relaxed);
        const std::string name = format("group {}", groups_[row].id);
        const shm::GroupBody& body = std::as_const(arena_).group_body(line);
        const std::uint32_t n = shm::group_lines(body.n_buckets);
        if (line == kNone || line >= arena_.n_lines() || n > arena_.n_lines() - line ||
            !lines_.reserve(line, order_of(n)) || !chunks_.mark(body.sent, chunks))
            return damaged(name);
        for (const shm::BucketRow& bucket : arena_.buckets_of(line)) {
            if (bucket.counter == shm::kNoRow || bucket.counter >= counters.size() ||
                counters[bucket.counter] || !chunks_.mark(bucket.program, chunks))
                return damaged(format("a bucket of {}", name));
            counters[bucket.counter] = true;
        }
    }
    buckets_.rebuild(counters);
    return {};
}

Result<void> ArenaSpace::scan_meters() {
    const auto damaged = [&](std::string what) {
        return fail(format("arena \"{}\": damaged: meters: {}", arena_.path(), what));
    };
    std::vector<bool> states(arena_.n_meter_states());
    const auto rows = meters_.adopt();
    if (!rows) return damaged(rows.error().text);
    for (const std::uint32_t row : *rows) {
        const std::uint32_t line = meters_[row].body.load(std::memory_order_relaxed);
        const shm::MeterBody& body = std::as_const(arena_).meter_body(line);
        if (line == kNone || line >= arena_.n_lines() || body.n_bands > shm::kMaxBands ||
            !lines_.reserve(line, order_of(shm::meter_lines(body.n_bands))) ||
            body.state == shm::kNoRow || body.state >= states.size() || states[body.state])
            return damaged(format("meter {}", meters_[row].id));
        states[body.state] = true;
    }
    meter_states_.rebuild(states);
    return {};
}

// --- waiting for readers ----------------------------------------------------------------------

void ArenaSpace::retire(Kind kind, std::uint32_t index, unsigned order) {
    retired_.push_back({start_grace(), index, kind, static_cast<std::uint8_t>(order)});
}
void ArenaSpace::retire_flow(std::uint32_t flow, shm::GraceToken token) {
    retired_.push_back({token, flow, Kind::flow, 0});
}
void ArenaSpace::retire_cold(std::uint32_t cold) {
    retire(Kind::cold, cold);
}
void ArenaSpace::retire_program(std::uint32_t program) {
    if (program != shm::kNoChunk) retire(Kind::program, program);
}
void ArenaSpace::retire_mask(std::uint32_t mask) {
    retire(Kind::mask, mask);
}
void ArenaSpace::retire_lines(std::uint32_t first, unsigned order) {
    retire(Kind::lines, first, order);
}

void ArenaSpace::retire_group_body(std::uint32_t line) {
    retire(Kind::group_body, line);
}
void ArenaSpace::retire_group(std::uint32_t row) {
    retire(Kind::group, row);
}
void ArenaSpace::retire_meter_body(std::uint32_t line) {
    retire(Kind::meter_body, line);
}
void ArenaSpace::retire_meter(std::uint32_t row) {
    retire(Kind::meter, row);
}

std::optional<std::uint32_t> ArenaSpace::publish(
    NamedTable& table, const Named& named,
    shm::Tally (shm::ArenaView::*sum)(std::uint32_t row) const) {
    const auto row = table.pool().take();
    if (!row) return std::nullopt;
    const shm::Tally before = (arena_.*sum)(*row);
    shm::NamedRow& entry = table[*row];
    entry.id = named.id;
    entry.bridge = named.bridge.value();
    entry.body.store(named.body, std::memory_order_relaxed);
    entry.created_ns = named.created;
    entry.base_packets = before.packets;
    entry.base_bytes = before.bytes;
    step();
    table.link(*row);
    step();
    return row;
}

void ArenaSpace::poll() {
    while (!retired_.empty() && passed(retired_.front().token)) {
        const Retired oldest = retired_.front();
        retired_.pop_front();
        free(oldest);
    }
}

void ArenaSpace::free(const Retired& retired) {
    switch (retired.kind) {
        case Kind::flow: return free_flow(retired.index);
        case Kind::cold: return free_cold(retired.index);
        case Kind::program: return programs_.release(retired.index);
        case Kind::mask: return masks_.release(retired.index);
        case Kind::lines: return lines_.give(retired.index, retired.order);
        case Kind::group_body: return free_group_body(retired.index);
        case Kind::meter_body: return free_meter_body(retired.index);
        case Kind::group:
            free_group_body(groups_[retired.index].body.load(std::memory_order_relaxed));
            return groups_.pool().give(retired.index);
        case Kind::meter:
            free_meter_body(meters_[retired.index].body.load(std::memory_order_relaxed));
            return meters_.pool().give(retired.index);
    }
}

void ArenaSpace::free_cold(std::uint32_t cold) {
    const shm::FlowCold& record = arena_.cold(cold);
    if (record.match_size > shm::kInlineMatch) chunks_.free(record.match_chunk);
    colds_.give(cold);
}

void ArenaSpace::give_group_body(std::uint32_t line, unsigned order) {
    for (const shm::BucketRow& bucket : arena_.buckets_of(line)) {
        chunks_.free(bucket.program);
        buckets_.give(bucket.counter);
    }
    chunks_.free(std::as_const(arena_).group_body(line).sent);
    lines_.give(line, order);
}

void ArenaSpace::free_group_body(std::uint32_t line) {
    const std::size_t n = std::as_const(arena_).group_body(line).n_buckets;
    give_group_body(line, order_of(shm::group_lines(n)));
}

void ArenaSpace::free_meter_body(std::uint32_t line) {
    const shm::MeterBody& body = std::as_const(arena_).meter_body(line);
    meter_states_.give(body.state);
    lines_.give(line, order_of(shm::meter_lines(body.n_bands)));
}

void ArenaSpace::free_flow(std::uint32_t flow) {
    shm::FlowHot& hot = arena_.hot(flow);
    const shm::FlowBody body = hot.body.load(std::memory_order_relaxed);
    hot.state.store(shm::FlowState::free, std::memory_order_relaxed);
    if (hot.n_words > shm::kInlineWords) chunks_.free(static_cast<std::uint32_t>(hot.key[3]));
    programs_.release(body.program);
    masks_.release(hot.mask);
    free_cold(body.cold);
    flows_.give(flow);
}

}  // namespace raicho::agent
