// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/arena_flow_store.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "openflow/codec.h"
#include "shm/hash.h"
#include "shm/walk.h"

namespace raicho::agent {
namespace {

using openflow::FlowModFailed;
using openflow::ofp_error;

std::unexpected<openflow::OfpError> full(std::string what) {
    return ofp_error(FlowModFailed::table_full, std::move(what));
}

/// A pool of rows, of which row 0 is never given out.
std::unexpected<openflow::OfpError> all_used(std::string_view what, std::uint32_t length) {
    return full(format("all {} {} are in use: raise max-flows", length - 1, what));
}

constexpr const char* kNotReady = "a worker holds rows of before the restart";

}  // namespace

ArenaFlowStore::ArenaFlowStore(ArenaSpace& space, BridgeId bridge)
    : space_(space), bridge_(bridge), live_((space.arena().max_flows() + 63) / 64) {
    const shm::BridgeRecord& record = space_.arena().bridge(bridge_);
    for (std::size_t t = 0; t < kTables; ++t) {
        if (record.tables[t].load().descriptor == shm::kNone &&
            record.misses[t].load() == shm::kNoFlow)
            continue;
        const TableId id(static_cast<std::uint8_t>(t));
        (void)table(id);
        shm::TableVisitor visitor;
        visitor.on_flow = [&](std::uint32_t flow, bool) {
            set_live(FlowId(flow));
            strict_.insert(strict_hash(FlowId(flow)), flow);
        };
        const auto walked = walk_table(space_.arena(), bridge_, id, visitor);
        ASSERT(walked);
    }
}

TableWriter& ArenaFlowStore::table(TableId id) {
    auto& writer = tables_[id.value()];
    if (!writer) {
        writer = std::make_unique<TableWriter>(space_, bridge_, id);
        writer->set_template(wanted_);
    }
    return *writer;
}

void ArenaFlowStore::set_template(shm::Template wanted) {
    wanted_ = wanted;
    for (const auto& writer : tables_)
        if (writer) writer->set_template(wanted);
}

TableForm ArenaFlowStore::form(TableId table) const {
    const auto& writer = tables_[table.value()];
    return writer ? writer->form() : TableForm{};
}

void ArenaFlowStore::set_live(FlowId flow) {
    live_[flow.value() / 64] |= std::uint64_t{1} << (flow.value() % 64);
    ++n_live_;
}

void ArenaFlowStore::clear_live(FlowId flow) {
    live_[flow.value() / 64] &= ~(std::uint64_t{1} << (flow.value() % 64));
    --n_live_;
}

std::optional<std::uint32_t> ArenaFlowStore::write_cold(const FlowHead& head,
                                                        const openflow::Match& match) {
    scratch_.clear();
    openflow::encode_match_fields(match, scratch_);
    const std::size_t in_record = std::min(scratch_.size(), shm::kInlineMatch);
    const auto rest = space_.chunks().write(Bytes(scratch_).subspan(in_record), 0);
    if (!rest) return std::nullopt;
    const auto index = space_.colds().take();
    if (!index) {
        space_.chunks().free(*rest);
        return std::nullopt;
    }
    shm::FlowCold& record = space_.arena().cold(*index);
    record.cookie = head.cookie;
    record.created_ns = head.created;
    record.idle_timeout = head.idle_timeout;
    record.hard_timeout = head.hard_timeout;
    record.flags = head.flags;
    record.match_size = static_cast<std::uint16_t>(scratch_.size());
    record.match_chunk = *rest;
    record.tuple = 0;
    record.resets = 0;
    record.zero = {};
    record.match = {};
    std::ranges::copy(std::span(scratch_).first(in_record), record.match.begin());
    return index;
}

void ArenaFlowStore::start_counting(std::uint32_t flow, shm::FlowCold& record) {
    const auto sum = space_.arena().flow_sum(flow, space_.now());
    record.base_packets = sum.packets;
    record.base_bytes = sum.bytes;
    record.last_packets.store(0, std::memory_order_relaxed);
}

bool ArenaFlowStore::write_hot(std::uint32_t flow, const FlowHead& head, const MaskedKey& key,
                               std::uint32_t mask, shm::FlowBody body) {
    const shm::MaskRecord& record = space_.arena().mask(mask);
    std::array<std::uint64_t, shm::kKeyWords> words{};
    for (std::size_t i = 0; i < record.n_words; ++i) words[i] = key.key.words[record.index[i]];
    shm::FlowHot& entry = space_.arena().hot(flow);
    std::copy_n(words.begin(), shm::kInlineWords, entry.key.begin());
    if (record.n_words > shm::kInlineWords) {
        const auto rest = std::as_bytes(std::span(words)).first(record.n_words * 8u).subspan(24);
        const auto chunk = space_.chunks().write(rest, 0);
        if (!chunk) return false;
        entry.key[shm::kInlineWords - 1] = *chunk;
    }
    entry.body.store(body, std::memory_order_relaxed);
    entry.next.store(shm::kNoFlow, std::memory_order_relaxed);
    entry.mask = mask;
    entry.priority = head.priority;
    entry.bridge = bridge_.value();
    entry.table = head.table.value();
    entry.n_words = record.n_words;
    // OF 1.3.5 §5.4: the table-miss entry wildcards all fields and has the lowest priority
    entry.flags = record.n_words == 0 && head.priority == 0 ? shm::flow_hot_flag::kMiss : 0;
    entry.zero = {};
    space_.step();
    entry.state.store(shm::FlowState::live, std::memory_order_release);
    space_.step();
    return true;
}

openflow::OfResult<FlowId> ArenaFlowStore::insert(const FlowHead& head,
                                                  const openflow::Match& match,
                                                  const openflow::Instructions& instructions) {
    space_.poll();
    if (!space_.ready()) return full(kNotReady);
    TRY_ASSIGN(const std::uint32_t program, space_.programs().acquire(instructions));
    const MaskedKey key = masked_key(match);
    const auto mask = space_.masks().acquire(key.mask);
    const auto cold = mask ? write_cold(head, match) : std::nullopt;
    const auto flow = cold ? space_.flows().take() : std::nullopt;
    space_.step();
    if (flow) {
        start_counting(*flow, space_.arena().cold(*cold));
        if (write_hot(*flow, head, key, *mask, {program, *cold})) {
            if (table(head.table).insert(*flow)) {
                set_live(FlowId(*flow));
                strict_.insert(strict_hash(FlowId(*flow)), *flow);
                return FlowId(*flow);
            }
            const auto why = no_line();
            space_.free_flow(*flow);  // no reader has seen it
            return why;
        }
        space_.flows().give(*flow);
    }
    const shm::AgentArena& arena = space_.arena();
    const auto why = !mask           ? all_used("masks", arena.n_masks())
                     : !cold || flow ? no_cold()
                                     : all_used("flow entries", arena.max_flows());
    if (cold) space_.free_cold(*cold);
    if (mask) space_.masks().release(*mask);
    space_.programs().release(program);
    return why;
}

std::unexpected<openflow::OfpError> ArenaFlowStore::no_cold() const {
    if (space_.colds().available() == 0) return all_used("flow records", space_.arena().n_cold());
    return full(space_.chunks().shortage("the match"));
}

std::unexpected<openflow::OfpError> ArenaFlowStore::no_line() const {
    if (space_.masks().available() == 0) return all_used("masks", space_.arena().n_masks());
    return full(format("no room for the table to grow: {} of {} lines are free: raise max-flows",
                       space_.lines().free_lines(), space_.arena().n_lines() - 1));
}

void ArenaFlowStore::swap_body(FlowId flow, shm::FlowBody body) {
    space_.step();
    space_.arena().hot(flow.value()).body.store(body, std::memory_order_release);  // program()
    space_.step();
}

openflow::OfResult<void> ArenaFlowStore::replace_instructions(
    std::span<const FlowId> flows, const openflow::Instructions& instructions, KeepCounts keep) {
    space_.poll();
    if (!space_.ready()) return full(kNotReady);
    TRY_ASSIGN(const std::uint32_t program, space_.programs().acquire(instructions));
    std::vector<std::uint32_t> fresh;
    if (keep == KeepCounts::no) {
        auto written = write_reset_colds(flows);
        if (!written) {
            space_.programs().release(program);
            return std::unexpected(std::move(written.error()));
        }
        fresh = std::move(*written);
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const FlowId flow = flows[i];
        const shm::FlowBody old = hot(flow).body.load(std::memory_order_relaxed);
        space_.programs().use(program);
        if (fresh.empty()) {
            swap_body(flow, {program, old.cold});
        } else {
            start_counting(flow.value(), space_.arena().cold(fresh[i]));
            swap_body(flow, {program, fresh[i]});
            space_.retire_cold(old.cold);
        }
        space_.retire_program(old.program);
        table(TableId(hot(flow).table)).bump_version();
    }
    space_.retire_program(program);  // the use of this call
    return {};
}

openflow::OfResult<std::vector<std::uint32_t>> ArenaFlowStore::write_reset_colds(
    std::span<const FlowId> flows) {
    std::vector<std::uint32_t> written;
    written.reserve(flows.size());
    for (const FlowId flow : flows) {
        const auto index = write_cold(head(flow), match(flow));
        if (!index) {
            const auto why = no_cold();
            for (const std::uint32_t record : written) space_.free_cold(record);
            return why;
        }
        shm::FlowCold& record = space_.arena().cold(*index);
        record.tuple = cold(flow).tuple;
        record.resets = cold(flow).resets + 1;
        written.push_back(*index);
    }
    return written;
}

openflow::OfResult<FlowId> ArenaFlowStore::replace(FlowId old, const FlowHead& head,
                                                   const openflow::Match& match,
                                                   const openflow::Instructions& instructions,
                                                   KeepCounts keep) {
    space_.poll();
    if (!space_.ready()) return full(kNotReady);
    TRY_ASSIGN(const std::uint32_t program, space_.programs().acquire(instructions));
    const auto index = write_cold(head, match);
    if (!index) {
        const auto why = no_cold();
        space_.programs().release(program);
        return why;
    }
    const shm::FlowBody before = hot(old).body.load(std::memory_order_relaxed);
    shm::FlowCold& record = space_.arena().cold(*index);
    const shm::FlowCold& former = space_.arena().cold(before.cold);
    record.tuple = former.tuple;
    if (keep == KeepCounts::yes) {
        record.base_packets = former.base_packets;
        record.base_bytes = former.base_bytes;
        record.last_packets.store(former.last_packets.load(std::memory_order_relaxed),
                                  std::memory_order_relaxed);
        record.resets = former.resets;
    } else {
        start_counting(old.value(), record);
    }
    swap_body(old, {program, *index});
    table(TableId(hot(old).table)).bump_version();
    space_.retire_program(before.program);
    space_.retire_cold(before.cold);
    return old;
}

void ArenaFlowStore::remove(FlowId flow) {
    strict_.erase(strict_hash(flow), flow.value());
    clear_live(flow);
    table(TableId(hot(flow).table)).remove(flow.value());
    leaving_.emplace(flow.value(), space_.start_grace());
}

bool ArenaFlowStore::settled(FlowId flow) const {
    const auto entry = leaving_.find(flow.value());
    return entry == leaving_.end() || space_.passed(entry->second);
}

void ArenaFlowStore::release(FlowId flow) {
    const auto entry = leaving_.find(flow.value());
    if (entry == leaving_.end()) return;
    space_.retire_flow(flow.value(), entry->second);
    leaving_.erase(entry);
}

void ArenaFlowStore::remove_all() {
    for (auto flow = next(FlowId(0), kAllTables); flow; flow = next(*flow, kAllTables)) {
        remove(*flow);
        release(*flow);
    }
    std::vector<std::uint32_t> waiting;
    for (const auto& [flow, token] : leaving_) waiting.push_back(flow);
    for (const std::uint32_t flow : waiting) release(FlowId(flow));
}

}  // namespace raicho::agent
