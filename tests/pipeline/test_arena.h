// SPDX-License-Identifier: Apache-2.0
// A whole switch in one process, without devices: an arena in a directory of its own, one bridge,
// ports that remember. Flows are table-miss entries made by hand, so that nothing but the arena's
// layout is needed; tests of real lookups use the compiler.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "shm/arena.h"
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
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ArenaDirectory(const ArenaDirectory&) = delete;
    ArenaDirectory& operator=(const ArenaDirectory&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

class TestArena {
  public:
    static constexpr BridgeId kBridge{0};

    explicit TestArena(std::uint32_t max_flows = 1024) {
        shm::ArenaConfig config;
        config.max_flows = max_flows;
        config.max_workers = 1;
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
    ArenaDirectory directory_;
    std::optional<shm::AgentArena> agent_;
    std::optional<shm::DataplaneArena> dataplane_;
    std::uint32_t next_flow_ = 1, next_chunk_ = 1;
};

}  // namespace raicho::test
