// SPDX-License-Identifier: Apache-2.0
// raicho-arena-dump on an arena that nobody has open.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstring>

#include "tests/unit/agent/compiler/store_fixture.h"

namespace raicho::agent {
namespace {

using testing::HasSubstr;

struct Output {
    std::string text;
    int status = 0;
};

Output arena_dump(const std::string& rundir) {
    Output output;
    std::FILE* pipe = ::popen(format("{} {} 2>&1", RAICHO_ARENA_DUMP, rundir).c_str(), "r");
    char buffer[4096];
    std::size_t size = 0;
    while ((size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0)
        output.text.append(buffer, size);
    output.status = ::pclose(pipe);
    return output;
}

template <std::size_t N>
void put(std::array<char, N>& to, const char* text) {
    std::strncpy(to.data(), text, N - 1);
}

TEST(ArenaDump, PrintsFlowsPortsAndTablesWithBothDaemonsDead) {
    StoreInArena in;
    shm::BridgeRecord& bridge = in.arena().bridge(kBridge);
    put(bridge.name, "br0");
    bridge.dpid = 0x1234;
    bridge.mode.store(shm::BridgeMode::flows_drop);
    shm::WantedPort& port = in.arena().wanted_port(PortSlot(3));
    put(port.name, "p1");
    put(port.device, "veth1");
    port.kind = shm::PortKind::af_packet;
    port.port_no = 17;
    port.bridge = kBridge.value();
    port.phase.store(shm::PortPhase::attached);
    const auto match = match_of(
        {openflow::exact(Field::in_port, 1), openflow::exact(Field::eth_dst, 0x080027e2535a)});
    const auto id = in.store().insert(
        {.table = TableId(4), .priority = 1, .cookie = 9, .created = in.now}, match, output(2));
    ASSERT_TRUE(id);
    ASSERT_TRUE(in.store().insert({.table = TableId(4)}, {}, {}));
    {
        auto workers = shm::DataplaneArena::attach(in.rundir());
        ASSERT_TRUE(workers);
        shm::add(workers->flow_counter(WorkerId(1), id->value()), 4, 392, 0);
        put(workers->port_status(PortSlot(3)).text, "no interface veth1");
        workers->port_status(PortSlot(3)).health = shm::PortHealth::absent;
    }
    in.close();
    const Output dump = arena_dump(in.rundir());
    EXPECT_EQ(dump.status, 0) << dump.text;
    EXPECT_THAT(dump.text, HasSubstr("Bridge: br0\n dpid 0x0000000000001234, flows, a miss drops"));
    EXPECT_THAT(dump.text, HasSubstr(" Port: 17 p1 af-packet veth1 absent: no interface veth1"));
    EXPECT_THAT(dump.text, HasSubstr(" Table id: 4\n  template exact, 1 mask, 1 buckets, 2 flows"));
    EXPECT_THAT(dump.text,
                HasSubstr("  priority=1,idle_timeout=0,hard_timeout=0,flags=0,cookie=9,"
                          "packet_count=4,byte_count=392,in_port=1,eth_dst=08:00:27:e2:53:5a "
                          "actions=output:2\n  priority=0,idle_timeout=0,hard_timeout=0,flags=0,"
                          "cookie=0,packet_count=0,byte_count=0 actions=drop\n"));
}

TEST(ArenaDump, SaysWhatIsMissingOrDamaged) {
    StoreInArena in;
    in.arena().bridge(kBridge).mode.store(shm::BridgeMode::normal);
    const auto id = in.store().insert({.priority = 5}, {}, {});
    ASSERT_TRUE(id);
    in.arena().hot(id->value()).next.store(id->value());
    const Output damaged = arena_dump(in.rundir());
    EXPECT_NE(damaged.status, 0);
    EXPECT_THAT(damaged.text, HasSubstr("arena damaged: bridge 1 table 0"));
    const Output none = arena_dump("/nonexistent");
    EXPECT_NE(none.status, 0);
    EXPECT_THAT(none.text, HasSubstr("arena \"/nonexistent/arena\": No such file"));
}

}  // namespace
}  // namespace raicho::agent
