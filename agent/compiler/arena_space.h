// SPDX-License-Identifier: Apache-2.0
// What all bridges' flow stores share: the free rows, lines, chunks, masks and programs of the
// arena, and the queue of things that wait for a grace period. Built by scanning what is
// referenced, so that an agent killed at any step leaves nothing lost and nothing used twice.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agent/compiler/chunk_store.h"
#include "agent/compiler/index_pool.h"
#include "agent/compiler/line_allocator.h"
#include "agent/compiler/mask_store.h"
#include "agent/compiler/named_table.h"
#include "agent/compiler/program_store.h"
#include "agent/model/types.h"
#include "base/error.h"
#include "shm/arena.h"

namespace raicho::agent {

class ArenaSpace {
  public:
    using Clock = std::function<Time()>;

    /// Scans the arena, frees what nothing refers to, bumps every table's version, and waits up to
    /// 100 ms for workers to let go of what the last agent may have unlinked. An error when the
    /// arena is damaged: make a new one. `arena` must outlive the space.
    [[nodiscard]] static Result<std::unique_ptr<ArenaSpace>> open(shm::AgentArena& arena,
                                                                  Clock clock = monotonic);

    [[nodiscard]] shm::AgentArena& arena() { return arena_; }
    [[nodiscard]] const shm::AgentArena& arena() const { return arena_; }
    [[nodiscard]] IndexPool& flows() { return flows_; }
    [[nodiscard]] IndexPool& colds() { return colds_; }
    [[nodiscard]] ChunkStore& chunks() { return chunks_; }
    [[nodiscard]] MaskStore& masks() { return masks_; }
    [[nodiscard]] ProgramStore& programs() { return programs_; }
    [[nodiscard]] LineAllocator& lines() { return lines_; }
    [[nodiscard]] NamedTable& groups() { return groups_; }
    [[nodiscard]] NamedTable& meters() { return meters_; }
    [[nodiscard]] const NamedTable& groups() const { return groups_; }
    [[nodiscard]] const NamedTable& meters() const { return meters_; }
    /// What a row of groups() or meters() says when it is new.
    struct Named {
        BridgeId bridge;
        std::uint32_t id = 0;
        std::uint32_t body = 0;
        Time created = 0;
    };
    /// Takes a row of the table and publishes it; its counts, read by `sum`, begin at zero.
    /// Nothing: all rows are in use.
    [[nodiscard]] std::optional<std::uint32_t> publish(
        NamedTable& table, const Named& named,
        shm::Tally (shm::ArenaView::*sum)(std::uint32_t row) const);
    /// Rows of bucket counters, and of meter states with their band counters.
    [[nodiscard]] IndexPool& buckets() { return buckets_; }
    [[nodiscard]] IndexPool& meter_states() { return meter_states_; }
    [[nodiscard]] Time now() const { return clock_(); }

    /// Whether rows may be given out: false only while a worker that hangs may still use what the
    /// last agent unlinked.
    [[nodiscard]] bool ready();
    /// Frees everything retired whose grace period has passed. Each store calls it before it
    /// takes; the agent's loop may when idle.
    void poll();
    /// Things that wait.
    [[nodiscard]] std::size_t n_retired() const { return retired_.size(); }
    [[nodiscard]] shm::GraceToken start_grace() { return arena_.start_grace(); }
    [[nodiscard]] bool passed(shm::GraceToken token) { return arena_.grace_passed(token); }

    // Unlinked by a store made before the call; freed after a grace period.
    void retire_flow(std::uint32_t flow, shm::GraceToken token);
    void retire_cold(std::uint32_t cold);
    void retire_program(std::uint32_t program);
    void retire_mask(std::uint32_t mask);
    void retire_lines(std::uint32_t first, unsigned order);
    /// A body that was replaced; a row that was unlinked, with its body.
    void retire_group_body(std::uint32_t line);
    void retire_group(std::uint32_t row);
    void retire_meter_body(std::uint32_t line);
    void retire_meter(std::uint32_t row);

    /// Frees the parts of a flow entry that nothing refers to (any more): key chunks, mask,
    /// program, cold record, row.
    void free_flow(std::uint32_t flow);
    void free_cold(std::uint32_t cold);
    /// The parts of a body that no row refers to (any more): its buckets' programs and counters,
    /// what was sent, its lines. Of a group's body n_buckets may say less than its lines have room
    /// for.
    void give_group_body(std::uint32_t line, unsigned order);
    void free_group_body(std::uint32_t line);
    void free_meter_body(std::uint32_t line);

    /// Called between any two stores of a mutation: where a test kills the agent.
    void step() {
        if (on_step_) on_step_();
    }
    void set_step_hook(std::function<void()> hook) { on_step_ = std::move(hook); }

    [[nodiscard]] static Time monotonic();

  private:
    enum class Kind : std::uint8_t {
        flow,
        cold,
        program,
        mask,
        lines,
        group_body,
        group,
        meter_body,
        meter
    };
    struct Retired {
        shm::GraceToken token;
        std::uint32_t index;
        Kind kind;
        std::uint8_t order;
    };

    ArenaSpace(shm::AgentArena& arena, Clock clock);
    [[nodiscard]] Result<void> scan();
    [[nodiscard]] Result<void> scan_groups(std::vector<bool>& chunks);
    [[nodiscard]] Result<void> scan_meters();
    void retire(Kind kind, std::uint32_t index, unsigned order = 0);
    void free(const Retired& retired);

    shm::AgentArena& arena_;
    Clock clock_;
    IndexPool flows_;
    IndexPool colds_;
    ChunkStore chunks_;
    MaskStore masks_;
    ProgramStore programs_;
    LineAllocator lines_;
    NamedTable groups_;
    NamedTable meters_;
    IndexPool buckets_;
    IndexPool meter_states_;
    std::deque<Retired> retired_;
    shm::GraceToken attach_token_;
    bool ready_ = false;
    std::function<void()> on_step_;
};

}  // namespace raicho::agent
