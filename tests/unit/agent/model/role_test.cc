// SPDX-License-Identifier: Apache-2.0
// Roles, what each role may do and hears, auxiliary connections (OF 1.3.5 §6.3.5, §6.3.6, §7.3.9,
// §7.3.10).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

using enum ControllerRole;

class DatapathRole : public Bench {
  protected:
    DatapathRole() { datapath().connected(kBob, now); }

    RoleReply take(ControllerRole role, std::uint64_t generation, ConnectionId who = kAlice) {
        for (const auto& item : ask(RoleRequest{role, generation}, who))
            if (const auto* reply = std::get_if<RoleReply>(&item.message)) return *reply;
        ADD_FAILURE() << "no role reply";
        return {};
    }
    /// The error that answers Bob.
    std::string refusal(const Message& message) {
        const auto items = ask(message, kBob);
        if (items.empty()) return "ok";
        const auto* error = std::get_if<ErrorMsg>(&items[0].message);
        return error == nullptr ? "answered" : error_code_name(error->type, error->code);
    }
    /// Who hears of a packet-in, a port-status and a flow-removed.
    std::string heard() {
        outbox.items.clear();
        const ByteVector frame(60);
        datapath().packet_in({.reason = PacketInReason::action,
                              .cookie = 0,
                              .in_port = PortNo{1},
                              .in_phy_port = PortNo{1},
                              .total_size = 60,
                              .data = frame},
                             outbox);
        datapath().port_changed(PortReason::modified, {}, outbox);
        FlowMod mod = add_flow();
        mod.flags = flow_flag::kSendFlowRem;
        EXPECT_TRUE(datapath().flow_mod(mod, now));
        EXPECT_TRUE(datapath().flow_mod(flow(FlowModCommand::remove), now));
        pass(1);
        std::string text;
        for (const auto& item : outbox.items) {
            text += item.to == kAlice ? 'a' : item.to == kBob ? 'b' : '?';
            text += std::holds_alternative<PacketIn>(item.message)     ? "I "
                    : std::holds_alternative<PortStatus>(item.message) ? "P "
                                                                       : "R ";
        }
        return text;
    }
};

TEST_F(DatapathRole, EveryoneBeginsEqualWithoutAGeneration) {
    const RoleReply reply = take(nochange, 99);
    EXPECT_EQ(reply.role, equal);
    EXPECT_EQ(reply.generation_id, ~0ull);
    EXPECT_EQ(heard(), "aI bI aP bP aR bR ");
}

TEST_F(DatapathRole, NewMasterMakesTheOldOneASlave) {
    EXPECT_EQ(take(master, 1, kAlice).role, master);
    EXPECT_EQ(take(nochange, 0, kBob).role, equal);
    EXPECT_EQ(take(master, 2, kBob).role, master);
    const RoleReply alice = take(nochange, 0, kAlice);
    EXPECT_EQ(alice.role, slave);
    EXPECT_EQ(alice.generation_id, 2u);
    EXPECT_EQ(datapath().role(kBob), master);
}

TEST_F(DatapathRole, OldGenerationIsStale) {
    EXPECT_EQ(take(master, 10).role, master);
    EXPECT_EQ(refusal(RoleRequest{master, 9}), "OFPRRFC_STALE (0)");
    EXPECT_EQ(refusal(RoleRequest{slave, 9}), "OFPRRFC_STALE (0)");
    EXPECT_EQ(take(nochange, 0, kBob).role, equal);
    EXPECT_EQ(datapath().role(kAlice), master);
    EXPECT_EQ(take(equal, 9, kBob).generation_id, 10u);  // equal shows no generation
    EXPECT_EQ(take(slave, 10, kBob).role, slave);
}

TEST_F(DatapathRole, GenerationWrapsAround) {
    EXPECT_EQ(take(master, ~0ull - 1).role, master);
    EXPECT_EQ(take(master, 3, kBob).role, master);
    EXPECT_EQ(refusal(RoleRequest{master, ~0ull}), "OFPRRFC_STALE (0)");
}

TEST_F(DatapathRole, SlaveChangesNothing) {
    take(slave, 1, kBob);
    TableFeaturesRequest tables;
    tables.tables.emplace_back();
    for (const Message& message : {Message{add_flow()}, Message{GroupMod{}}, Message{MeterMod{}},
                                   Message{PortMod{}}, Message{TableMod{}}, Message{PacketOut{}},
                                   Message{SetConfig{}}, Message{MultipartRequest{0, tables}}})
        EXPECT_EQ(refusal(message), "OFPBRC_IS_SLAVE (10)");
    EXPECT_EQ(store.size(), 0u);
    for (const Message& message :
         {Message{FeaturesRequest{}}, Message{GetConfigRequest{}}, Message{BarrierRequest{}},
          Message{MultipartRequest{0, DescRequest{}}}, Message{GetAsyncRequest{}},
          Message{MultipartRequest{0, TableFeaturesRequest{}}}})
        EXPECT_EQ(refusal(message), "answered");
}

TEST_F(DatapathRole, SlaveHearsOfPortsOnly) {
    take(slave, 1, kBob);
    EXPECT_EQ(heard(), "aI aP bP aR ");
}

TEST_F(DatapathRole, AsyncMasksAreByRoleAndReason) {
    AsyncConfig config;
    config.master = {.packet_in = 1, .port_status = 0b011, .flow_removed = 0b100};
    config.slave = {.packet_in = 2, .port_status = 0, .flow_removed = 0};
    ask(SetAsync{config}, kBob);
    EXPECT_EQ(heard(), "aI aP aR bR ");
    take(slave, 1, kBob);
    EXPECT_EQ(heard(), "aI bI aP aR ");
    const auto items = ask(GetAsyncRequest{}, kBob);
    ASSERT_EQ(items.size(), 1u);
    EXPECT_EQ(std::get<GetAsyncReply>(items[0].message).config, config);
}

TEST_F(DatapathRole, AsyncDefaultsAreAllForMastersAndPortsForSlaves) {
    const auto config = answer<GetAsyncReply>(GetAsyncRequest{}).config;
    EXPECT_EQ(config.master, (AsyncMask{0b111, 0b111, 0b11111}));
    EXPECT_EQ(config.slave, (AsyncMask{0, 0b111, 0}));
}

class DatapathAuxiliary : public DatapathRole {
  protected:
    static constexpr ConnectionId kAliceToo{9};
    DatapathAuxiliary() { datapath().connected_auxiliary(kAliceToo, kAlice, 3, now); }
};

TEST_F(DatapathAuxiliary, SaysItsId) {
    const auto items = ask(FeaturesRequest{}, kAliceToo);
    ASSERT_EQ(items.size(), 1u);
    EXPECT_EQ(items[0].to, kAliceToo);
    EXPECT_EQ(std::get<FeaturesReply>(items[0].message).auxiliary_id, 3);
}

TEST_F(DatapathAuxiliary, HearsNothingAsynchronous) {
    EXPECT_EQ(heard(), "aI bI aP bP aR bR ");
    EXPECT_EQ(datapath().connections(), (std::vector{kAlice, kBob}));
}

TEST_F(DatapathAuxiliary, SharesTheRoleOfItsMainConnection) {
    take(slave, 1, kAlice);
    const auto items = ask(add_flow(), kAliceToo);
    ASSERT_EQ(items.size(), 1u);
    EXPECT_EQ(items[0].to, kAliceToo);
    EXPECT_TRUE(std::holds_alternative<ErrorMsg>(items[0].message));
    take(equal, 0, kAliceToo);
    EXPECT_EQ(datapath().role(kAlice), equal);
    EXPECT_TRUE(ask(add_flow(), kAliceToo).empty());
}

TEST_F(DatapathAuxiliary, GoesBeforeItsMainConnection) {
    datapath().disconnected(kAliceToo, now);
    datapath().disconnected(kAlice, now);
    EXPECT_EQ(datapath().connections(), std::vector{kBob});
}

}  // namespace
}  // namespace raicho::agent::test
