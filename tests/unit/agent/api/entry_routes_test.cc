// SPDX-License-Identifier: Apache-2.0
// Groups and meters by hand, local interfaces, rates of ports.
#include <gtest/gtest.h>

#include <optional>

#include "agent/api/api.h"
#include "agent/api/json.h"
#include "base/text.h"
#include "tests/unit/agent/api/fake_operator.h"
#include "tests/unit/agent/api/fake_view.h"

namespace raicho::agent::api {
namespace {

struct EntryRoutes : testing::Test {
    FakeView view;
    FakeConfig config;
    FakeOperator door;
    Api api{view, config.engine, config.candidates};

    EntryRoutes() {
        view.add_bridge("br0");
        api.attend(door);
    }
    Response ask(std::string method, std::string_view target, std::string body = {}) {
        Request request;
        request.method = std::move(method);
        EXPECT_TRUE(read_target(target, request)) << target;
        request.body = std::move(body);
        request.content_type = "application/json";
        std::optional<Response> answer;
        api.handle(request, [&](Response response) { answer = std::move(response); });
        EXPECT_TRUE(answer);
        return answer ? std::move(*answer) : Response{};
    }
    Response group(std::string_view command, std::string_view text) {
        return ask("POST", "/api/v1/bridges/br0/groups",
                   format(R"({{"command":"{}","group":"{}"}})", command, text));
    }
    Response meter(std::string_view command, std::string_view text) {
        return ask("POST", "/api/v1/bridges/br0/meters",
                   format(R"({{"command":"{}","meter":"{}"}})", command, text));
    }
};

TEST_F(EntryRoutes, AddsModifiesAndDeletesAGroup) {
    const Response added = group("add", "group_id=7,type=all,bucket=output:2");
    EXPECT_EQ(added.status, 200u);
    EXPECT_EQ(added.body,
              "{\"text\":\"group_id=7,type=all,bucket=actions=output:2\",\"matched\":0,"
              "\"flows_deleted\":0}\n");
    ASSERT_EQ(door.groups.size(), 1u);
    EXPECT_EQ(door.groups[0].command, openflow::GroupModCommand::add);
    EXPECT_EQ(door.groups[0].group, GroupId(7));
    EXPECT_EQ(group("modify", "group_id=7,type=indirect,bucket=output:3").status, 200u);
    EXPECT_EQ(door.groups[1].command, openflow::GroupModCommand::modify);
    door.changed = {1, 3};
    for (const char* text : {"7", "group_id=7", " group=0x7 "}) {
        const Response gone = group("delete", text);
        EXPECT_EQ(gone.status, 200u) << gone.body;
        EXPECT_NE(gone.body.find("\"matched\":1,\"flows_deleted\":3"), std::string::npos);
        EXPECT_EQ(door.groups.back().command, openflow::GroupModCommand::remove);
        EXPECT_EQ(door.groups.back().group, GroupId(7)) << text;
    }
    EXPECT_EQ(group("delete", "all").status, 200u);
    EXPECT_EQ(door.groups.back().group, openflow::group::kAll);
}

TEST_F(EntryRoutes, AddsModifiesAndDeletesAMeter) {
    EXPECT_EQ(meter("add", "meter=3,kbps,bands=type=drop rate=1000").status, 200u);
    ASSERT_EQ(door.meters.size(), 1u);
    EXPECT_EQ(door.meters[0].meter, MeterId(3));
    EXPECT_EQ(door.meters[0].bands.size(), 1u);
    EXPECT_EQ(meter("modify", "meter=3,kbps,bands=type=drop rate=9").status, 200u);
    EXPECT_EQ(door.meters[1].command, openflow::MeterModCommand::modify);
    EXPECT_EQ(meter("delete", "meter=3").status, 200u);
    EXPECT_EQ(door.meters[2].command, openflow::MeterModCommand::remove);
    EXPECT_EQ(meter("delete", "all").status, 200u);
    EXPECT_EQ(door.meters[3].meter, openflow::meter::kAll);
}

TEST_F(EntryRoutes, SaysWhatIsWrongAndWhere) {
    const Response text = group("add", "group_id=7,typ=all");
    EXPECT_EQ(text.status, 422u);
    EXPECT_NE(text.body.find("unknown word \\\"typ\\\""), std::string::npos) << text.body;
    EXPECT_NE(text.body.find("\"column\":12"), std::string::npos) << text.body;
    EXPECT_EQ(group("delete", "first").status, 422u);
    EXPECT_EQ(group("delete", "4294967296").status, 422u);
    EXPECT_EQ(group("drop", "7").status, 400u);
    EXPECT_EQ(
        ask("POST", "/api/v1/bridges/br1/groups", R"({"command":"delete","group":"1"})").status,
        404u);
    EXPECT_TRUE(door.groups.empty());
}

TEST_F(EntryRoutes, GivesTheErrorThatAControllerWouldGet) {
    door.error = openflow::OfpError{openflow::ErrorType::group_mod_failed,
                                    std::to_underlying(openflow::GroupModFailed::group_exists),
                                    "group 7 exists"};
    const Response refused = group("add", "group_id=7,type=all,bucket=output:2");
    EXPECT_EQ(refused.status, 409u);
    EXPECT_NE(refused.body.find("OFPGMFC_GROUP_EXISTS"), std::string::npos) << refused.body;
    EXPECT_NE(refused.body.find("group 7 exists"), std::string::npos) << refused.body;
}

TEST_F(EntryRoutes, LocalInterfacesHaveTheirConfiguredAddresses) {
    config.engine.load_text(
        "bridge br0 { local { address 192.168.2.99/24; address 2001:db8::1/64 } }", "t", {},
        [](const config::CommitOutcome& outcome) { EXPECT_TRUE(outcome); });
    view.add_port("br0", "h1-br", 1);
    view.add_port("br0", "br0", port::kLocal.value()).kind = shm::PortKind::local;
    const auto document = parse_json(ask("GET", "/api/v1/locals").body);
    ASSERT_TRUE(document);
    const auto& locals = std::get<JsonValue::Array>(document->value);
    ASSERT_EQ(locals.size(), 1u);
    EXPECT_EQ(*locals[0].find("name")->as_text(), "br0");
    const auto& addresses = std::get<JsonValue::Array>(locals[0].find("addresses")->value);
    ASSERT_EQ(addresses.size(), 2u);
    EXPECT_EQ(*addresses[0].as_text(), "192.168.2.99/24");
    EXPECT_EQ(*addresses[1].as_text(), "2001:db8::1/64");
    EXPECT_EQ(ask("GET", "/api/v1/locals?bridge=br0").status, 200u);
    EXPECT_EQ(ask("GET", "/api/v1/locals?bridge=br9").status, 404u);
}

TEST_F(EntryRoutes, PortsHaveRatesOnceTheyAreKnown) {
    view.add_port("br0", "h1-br", 1).rate = PortRateView{1200, 8000000, 3, 4};
    view.add_port("br0", "h2-br", 2);
    const std::string body = ask("GET", "/api/v1/ports").body;
    EXPECT_NE(body.find(R"("rx_pps":1200,"rx_bps":8000000,"tx_pps":3,"tx_bps":4)"),
              std::string::npos)
        << body;
    EXPECT_NE(body.find(R"("rx_pps":null,"rx_bps":null,"tx_pps":null,"tx_bps":null)"),
              std::string::npos);
}

}  // namespace
}  // namespace raicho::agent::api
