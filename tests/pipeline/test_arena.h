// SPDX-License-Identifier: Apache-2.0
// A whole switch in one process, without devices: an arena in a directory of its own, one bridge,
// ports that remember. Flows are table-miss entries made by hand, so that nothing but the arena's
// layout is needed; tests of real lookups use the compiler.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "shm/arena.h"
#include "shm/hash.h"
#include "tests/pipeline/program.h"

namespace raicho::test {

class ArenaDirectory {
  public:
    ArenaDirectory() {
        std::string name = "/tmp/raicho-pipeline-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        path_ = name;
    }
    ~ArenaDirectory() {
        shm::AgentArena::remove(path_);  // its memory may lie outside
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ArenaDirectory(const ArenaDirectory&) = delete;
    ArenaDirectory& operator=(const ArenaDirectory&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// A bucket by hand.
struct TestBucket {
    Program program;
    std::uint16_t weight = 1;
    std::uint32_t watch_port = shm::kWatchNone;
    std::uint32_t watch_group = shm::kWatchNone;
    shm::Watch watch = shm::Watch::always_live;

    [[nodiscard]] static TestBucket watching(const Program& program, std::uint32_t port,
                                             std::uint32_t group = shm::kWatchNone) {
        return {program, 1, port, group, shm::Watch::watched};
    }
};
struct TestBand {
    shm::BandType type = shm::BandType::drop;
    std::uint32_t rate = 1;
    std::uint32_t burst = 0;
    std::uint8_t prec_level = 1;
};

class TestArena {
  public:
    static constexpr BridgeId kBridge{0};

    explicit TestArena(std::uint32_t max_flows = 1024) {
        shm::ArenaConfig config;
        config.max_flows = max_flows;
        config.max_workers = 2;
        config.max_bridges = 2;
        auto agent = shm::AgentArena::create(directory_.path(), config);
        if (!agent) die(agent.error());
        agent_.emplace(std::move(*agent));
        auto dataplane = shm::DataplaneArena::attach(directory_.path());
        if (!dataplane) die(dataplane.error());
        dataplane_.emplace(std::move(*dataplane));
        bridge().miss_send_len = 128;
        bridge().mac_ageing_s = 300;
        bridge().mode = shm::BridgeMode::flows_drop;
    }
    ~TestArena() { shm::AgentArena::remove(directory_.path()); }

    [[nodiscard]] shm::AgentArena& agent() { return *agent_; }
    [[nodiscard]] shm::DataplaneArena& dataplane() { return *dataplane_; }
    [[nodiscard]] shm::BridgeRecord& bridge() { return agent_->bridge(kBridge); }
    [[nodiscard]] shm::WantedPort& port(std::uint16_t slot) {
        return agent_->wanted_port(PortSlot(slot));
    }
    /// Attaches slot `slot` as OpenFlow port `number`.
    void add_port(std::uint16_t slot, PortNo number) {
        shm::WantedPort& row = port(slot);
        row.port_no = number.value();
        row.bridge = kBridge.value();
        row.kind = shm::PortKind::af_packet;
        row.phase = shm::PortPhase::attached;
        if (auto bound = agent_->bind_port(kBridge, number, PortSlot(slot)); !bound)
            die(bound.error());
    }
    /// A flow row with this program that no table names; returns its index.
    std::uint32_t make_flow(const Program& program, std::uint64_t cookie = 0) {
        const std::uint32_t flow = next_flow_++;
        shm::FlowHot& hot = agent_->hot(flow);
        agent_->cold(flow).cookie = cookie;
        const std::uint32_t chunk = next_chunk_;
        next_chunk_ = program.store(agent_->chunks(), chunk);
        hot.body = shm::FlowBody{chunk, flow};
        hot.state = shm::FlowState::live;
        return flow;
    }
    /// The table-miss entry of `table`.
    std::uint32_t miss(unsigned table, const Program& program, std::uint64_t cookie = 0) {
        const std::uint32_t flow = make_flow(program, cookie);
        agent_->hot(flow).flags = shm::flow_hot_flag::kMiss;
        bridge().misses[table] = flow;
        return flow;
    }
    /// An entry that matches everything and yet counts as a flow of its own, not as the miss.
    std::uint32_t any(unsigned table, const Program& program, std::uint64_t cookie = 0) {
        const std::uint32_t flow = make_flow(program, cookie);
        bridge().misses[table] = flow;
        return flow;
    }
    /// An exact table, not yet published: `flows` have it to themselves, each with the key of
    /// `word` that `keys` has at its place, and all with one mask.
    shm::TableSlot exact(std::uint8_t word, std::uint64_t mask, std::span<const shm::Key> keys,
                         std::span<const std::uint32_t> flows) {
        constexpr std::uint32_t kBuckets = 64;
        const std::uint32_t row = next_mask_++, line = next_line_;
        next_line_ += shm::descriptor_lines(1) + kBuckets;
        shm::MaskRecord& record = agent_->mask(row);
        record.n_words = 1;
        record.index[0] = word;
        record.words[0] = mask;
        auto& table = reinterpret_cast<shm::TableDescriptor&>(agent_->line(line));
        table.kind = shm::Template::exact;
        table.n_tuples = 1;
        table.buckets = line + shm::descriptor_lines(1);
        table.n_buckets = kBuckets;
        const_cast<shm::TupleRow*>(table.tuples())->mask = row;
        const_cast<shm::TupleRow*>(table.tuples())->max_priority = 1;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            shm::FlowHot& hot = agent_->hot(flows[i]);
            hot.key[0] = keys[i].words[word] & mask;
            hot.mask = row;
            hot.priority = 1;
            const std::uint64_t hash = shm::masked_hash(agent_->hash_key(), record, row, keys[i]);
            shm::Bucket* bucket = &agent_->bucket(table.buckets + shm::bucket_of(hash, kBuckets));
            std::size_t slot = 0;
            while (bucket->tag[slot % shm::kBucketSlots] != 0)
                if (++slot % shm::kBucketSlots == 0) bucket = &overflow(*bucket);
            bucket->flow[slot % shm::kBucketSlots] = flows[i];
            bucket->tag[slot % shm::kBucketSlots] = shm::tag_of(hash);
        }
        return {line, 1};
    }
    /// A group, or its new buckets.
    void group(std::uint32_t id, shm::GroupType type, const std::vector<TestBucket>& buckets) {
        const std::uint32_t line = next_line_;
        next_line_ += shm::group_lines(buckets.size());
        shm::GroupBody& body = agent_->group_body(line);
        body.type = type;
        body.n_buckets = static_cast<std::uint16_t>(buckets.size());
        std::uint32_t weight = 0;
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            const TestBucket& bucket = buckets[i];
            weight += bucket.weight;
            shm::BucketRow& row = body.buckets()[i];
            row.program = next_chunk_;
            next_chunk_ = bucket.program.store(agent_->chunks(), next_chunk_);
            row.watch_port = bucket.watch_port;
            row.watch_group = bucket.watch_group;
            row.weight_end = weight;
            row.counter = next_bucket_++;
            row.watch = bucket.watch;
        }
        publish(agent_->mutable_groups(), id, line);
    }
    [[nodiscard]] shm::Tally group_count(std::uint32_t id) {
        return agent_->group_sum(agent_->groups().find(kBridge, id));
    }
    [[nodiscard]] shm::Tally bucket_count(std::uint32_t id, std::size_t bucket) {
        const auto groups = agent_->groups();
        const auto buckets = agent_->buckets_of(groups[groups.find(kBridge, id)].body);
        return agent_->bucket_sum(buckets[bucket].counter);
    }
    /// A meter, or its new bands, given falling by rate; full at `now_ns`. Returns its row.
    std::uint32_t meter(std::uint32_t id, std::uint16_t flags, const std::vector<TestBand>& bands,
                        std::uint64_t now_ns) {
        const std::uint32_t line = next_line_;
        next_line_ += shm::meter_lines(bands.size());
        shm::MeterBody& body = agent_->meter_body(line);
        body.flags = flags;
        body.n_bands = static_cast<std::uint16_t>(bands.size());
        body.state = next_state_++;
        for (std::size_t i = 0; i < bands.size(); ++i) {
            shm::MeterBand& band = body.bands()[i];
            band.type = bands[i].type;
            band.prec_level = bands[i].prec_level;
            band.cost = shm::band_cost(flags, bands[i].rate);
            band.depth = shm::band_depth(flags, bands[i].rate, bands[i].burst);
            band.shift = shm::meter_time(now_ns) - band.depth;
        }
        return publish(agent_->mutable_meters(), id, line);
    }
    [[nodiscard]] shm::Tally meter_count(std::uint32_t row) { return agent_->meter_sum(row); }
    [[nodiscard]] shm::Tally band_count(std::uint32_t row, std::size_t band) {
        return agent_->band_sums(agent_->meter_body(agent_->meters()[row].body).state).bands[band];
    }
    [[nodiscard]] std::uint64_t drops(std::uint16_t slot, shm::DropReason reason) {
        return dataplane_->drop_counters(WorkerId(0), PortSlot(slot))[reason];
    }
    [[nodiscard]] const shm::TableCounters& table(unsigned t) {
        return dataplane_->table_counters(WorkerId(0), kBridge,
                                          TableId(static_cast<std::uint8_t>(t)));
    }
    [[nodiscard]] const shm::FlowCounter& counter(std::uint32_t flow) {
        return dataplane_->flow_counter(WorkerId(0), flow);
    }

  private:
    [[noreturn]] static void die(const Error& error) {
        std::fprintf(stderr, "test arena: %s\n", error.text.c_str());
        std::abort();
    }
    std::uint32_t publish(shm::AgentArena::MutableRows rows, std::uint32_t id, std::uint32_t line) {
        const shm::NamedRows seen{rows.heads, rows.rows};
        std::uint32_t row = seen.find(kBridge, id);
        if (row == shm::kNoRow) {
            row = next_row_++;
            rows.rows[row].id = id;
            rows.rows[row].bridge = kBridge.value();
            auto& head = rows.heads[shm::named_head(kBridge, id, rows.heads.size())];
            rows.rows[row].next = head.load();
            head = row;
        }
        rows.rows[row].body = line;
        return row;
    }
    shm::Bucket& overflow(shm::Bucket& bucket) {
        if (bucket.next == shm::kNone) bucket.next = next_line_++;
        return agent_->bucket(bucket.next);
    }
    ArenaDirectory directory_;
    std::optional<shm::AgentArena> agent_;
    std::optional<shm::DataplaneArena> dataplane_;
    std::uint32_t next_flow_ = 1, next_chunk_ = 1;
    std::uint32_t next_row_ = 1, next_line_ = 1, next_bucket_ = 1, next_state_ = 1;
    std::uint32_t next_mask_ = 1;
};

}  // namespace raicho::test
