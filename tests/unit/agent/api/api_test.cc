// SPDX-License-Identifier: Apache-2.0
#include "agent/api/api.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "agent/api/json.h"
#include "base/text.h"
#include "tests/unit/agent/api/fake_view.h"

namespace raicho::agent::api {
namespace {

struct ApiTest : testing::Test {
    FakeView view;
    FakeConfig config;
    Api api{view, config.engine, config.candidates, [] { return 10 * kSecond; }};

    ApiTest() {
        view.add_bridge("br0");
        view.add_port("br0", "h1-br", 1);
        view.add_port("br0", "h2-br", 2);
        view.add_flow("br0", TableId{0}, 1, 1, 2);
    }
    Response ask(std::string method, std::string_view target, std::string body = {},
                 std::string type = "application/json") {
        Request request;
        request.method = std::move(method);
        EXPECT_TRUE(read_target(target, request)) << target;
        request.body = std::move(body);
        request.content_type = std::move(type);
        request.user = 1000;
        request.user_name = "alice";
        request.user_agent = "lagosh/0.1";
        std::optional<Response> answer;
        api.handle(request, [&](Response response) {
            EXPECT_FALSE(answer) << "answered twice";
            answer = std::move(response);
        });
        EXPECT_TRUE(answer);
        return answer ? std::move(*answer) : Response{};
    }
    static std::string detail(const Response& response) {
        EXPECT_EQ(response.content_type, "application/problem+json");
        const auto problem = parse_json(response.body);
        if (!problem || problem->find("detail") == nullptr) return response.body;
        return *problem->find("detail")->as_text();
    }
    static std::string hint(const Response& response) {
        const auto problem = parse_json(response.body);
        const JsonValue* found = problem ? problem->find("hint") : nullptr;
        return found == nullptr ? "" : *found->as_text();
    }
};

TEST_F(ApiTest, EveryGetPathAnswersWithValidJson) {
    view.table_list.push_back({TableId{0}, 1, 10, 9, "exact"});
    view.mac_list.push_back({Mac{{2, 0, 0, 0, 0, 1}}, 0, PortNo{1}, "h1-br", 3});
    view.worker_list.push_back({WorkerId{0}, "forwarding", 1, 4, 4, 0, 0, 0.25});
    view.add_controller("br0", "refused, next try in 4s");
    view.listen_list.push_back({"br0", "tcp:127.0.0.1:6654", "listening", 0});
    view.port_list[0].drops[4] = 3;
    for (const RouteRow& row : route_rows()) {
        if (row.method != "GET") continue;
        std::string path(row.path);
        for (const auto& [part, value] : {std::pair{"{id}", "shared"}, std::pair{"{n}", "0"}})
            if (const auto at = path.find(part); at != path.npos)
                path.replace(at, std::strlen(part), value);
        const Response response = ask("GET", path);
        EXPECT_EQ(response.status, 200u) << row.path;
        if (response.content_type == "application/json") {
            EXPECT_TRUE(parse_json(response.body)) << row.path << response.body;
        }
    }
}

TEST_F(ApiTest, ThePageListsEveryRoute) {
    std::ifstream file(RAICHO_ROOT "/docs/api.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const RouteRow& row : route_rows()) {
        std::string query;
        if (!row.query.empty())
            for (const std::string_view name : split(row.query, ' '))
                query += format(" `{}`", name);
        const std::string line =
            format("| {} | `{}` |{} | {} |", row.method, row.path, query, row.summary);
        EXPECT_NE(page.find(line), std::string::npos) << line;
    }
}

TEST_F(ApiTest, PortsCarryCountersAndDropsByReason) {
    view.port_list[0].counters.rx_packets = 7;
    view.port_list[0].drops[static_cast<std::size_t>(shm::DropReason::no_match)] = 3;
    const auto document = parse_json(ask("GET", "/api/v1/ports?bridge=br0").body);
    ASSERT_TRUE(document);
    const auto& ports = std::get<JsonValue::Array>(document->value);
    ASSERT_EQ(ports.size(), 2u);
    EXPECT_EQ(std::get<std::uint64_t>(ports[0].find("rx_packets")->value), 7u);
    const auto& drops = std::get<JsonValue::Array>(ports[0].find("drops")->value);
    ASSERT_EQ(drops.size(), 1u);
    EXPECT_EQ(*drops[0].find("reason")->as_text(), "no-match");
}

TEST_F(ApiTest, AnUnknownBridgeIsNotFoundWithASuggestion) {
    for (const char* path : {"/api/v1/bridges", "/api/v1/ports", "/api/v1/flows", "/api/v1/mac"}) {
        const Response response = ask("GET", format("{}?bridge=br1", path));
        EXPECT_EQ(response.status, 404u);
        EXPECT_EQ(detail(response), "no bridge \"br1\"");
        EXPECT_EQ(hint(response), "did you mean \"br0\"?");
    }
}

TEST_F(ApiTest, UnknownPathsMethodsAndParametersAreRefused) {
    EXPECT_EQ(ask("GET", "/api/v1/prots").status, 404u);
    EXPECT_EQ(hint(ask("GET", "/api/v1/prots")), "did you mean /api/v1/ports?");
    const Response method = ask("PUT", "/api/v1/mac");
    EXPECT_EQ(method.status, 405u);
    EXPECT_EQ(method.allow, "GET, DELETE");
    const Response parameter = ask("GET", "/api/v1/flows?tabel=1");
    EXPECT_EQ(parameter.status, 400u);
    EXPECT_EQ(detail(parameter), "unknown parameter \"tabel\"");
    EXPECT_EQ(ask("GET", "/api/v1/version?x=1").status, 400u);
    EXPECT_EQ(ask("GET", "/").status, 404u);
}

TEST_F(ApiTest, FlowsRefuseATableThatIsNone) {
    EXPECT_EQ(ask("GET", "/api/v1/flows?table=255").status, 400u);
    EXPECT_EQ(ask("GET", "/api/v1/flows?table=x").status, 400u);
    EXPECT_EQ(ask("GET", "/api/v1/flows?limit=-1").status, 400u);
    Response flows = ask("GET", "/api/v1/flows?table=0&bridge=br0");
    ASSERT_NE(flows.stream, nullptr);
    EXPECT_EQ(flows.content_type, "application/x-ndjson");
}

TEST_F(ApiTest, LoadReplacesTheRunningConfiguration) {
    const Response response =
        ask("POST", "/api/v1/config/load",
            R"({"text":"bridge br0 { port p1 { device null }; port q }","file":"lab.conf"})");
    EXPECT_EQ(response.status, 200u);
    EXPECT_EQ(response.body,
              "{\"revision\":2,\"steps\":[\"bridge br0: add port q (2)\"],\"notices\":[],"
              "\"warnings\":[]}\n");
    EXPECT_EQ(config.engine.revision().info.author, (config::Author{1000, "alice", "lagosh"}));
}

TEST_F(ApiTest, ARefusedTextComesBackWithItsPlaces) {
    const Response response = ask("POST", "/api/v1/config/load",
                                  R"({"text":"bridge br0 {\n  prot p }","file":"lab.conf"})");
    EXPECT_EQ(response.status, 422u);
    EXPECT_EQ(detail(response), "unknown statement \"prot\" in bridge");
    EXPECT_EQ(hint(response), "did you mean \"port\"?");
    EXPECT_NE(response.body.find("\"file\":\"lab.conf\",\"line\":2,\"column\":3,\"length\":4"),
              std::string::npos)
        << response.body;
    EXPECT_NE(response.body.find("\"rendered\":\"lab.conf:2:3: error: "), std::string::npos);
}

TEST_F(ApiTest, WhatTheSwitchRefusesIsAConflict) {
    config.target.failing = {"prepare br0/q#2 q"};
    const Response response =
        ask("POST", "/api/v1/config/load", R"({"text":"bridge br0 { port p1; port q }"})");
    EXPECT_EQ(response.status, 409u);
    EXPECT_EQ(detail(response), "port \"q\" of bridge \"br0\": asked to fail");
}

TEST_F(ApiTest, BodiesAreTakenStrictly) {
    const auto load = [&](std::string body, std::string type = "application/json") {
        return ask("POST", "/api/v1/config/load", std::move(body), std::move(type));
    };
    EXPECT_EQ(load("{}", "text/plain").status, 415u);
    EXPECT_EQ(detail(load("{}")), "member \"text\" is missing");
    EXPECT_EQ(detail(load(R"({"text":1})")), "member \"text\": must be a string");
    EXPECT_EQ(detail(load(R"({"text":"a","fiel":"b"})")), "unknown member \"fiel\"");
    EXPECT_EQ(hint(load(R"({"text":"a","fiel":"b"})")), "did you mean \"file\"?");
    EXPECT_EQ(detail(load("[]")), "the body must be a JSON object");
    EXPECT_EQ(load(R"({"text":"a","text":"b"})").status, 400u);
    EXPECT_EQ(load(std::string(100'000, '[')).status, 400u);
    EXPECT_TRUE(config.target.calls.empty());
}

TEST_F(ApiTest, PortsAreAddedAndDeletedByDecodedName) {
    EXPECT_EQ(
        ask("POST", "/api/v1/bridges/br0/ports", R"({"name":"a.b","options":"5 { device tap }"})")
            .status,
        200u);
    EXPECT_NE(config.running().find("port a.b 5"), std::string::npos) << config.running();
    EXPECT_EQ(ask("DELETE", "/api/v1/bridges/br0/ports/a%2Eb").status, 200u);
    EXPECT_EQ(ask("DELETE", "/api/v1/bridges/br0/ports/a%2Eb").status, 404u);
    EXPECT_EQ(ask("DELETE", "/api/v1/bridges/br9/ports/p").status, 404u);
    const Response wrong =
        ask("POST", "/api/v1/bridges/br0/ports", R"({"name":"x","options":"device tap; mtuu 9"})");
    EXPECT_EQ(wrong.status, 422u);
    EXPECT_NE(wrong.body.find("\"line\":1,\"column\":13"), std::string::npos) << wrong.body;
}

TEST_F(ApiTest, MacsAreForgotten) {
    EXPECT_EQ(ask("DELETE", "/api/v1/mac").status, 200u);
    EXPECT_EQ(view.cleared, std::vector<std::string>{"br0"});
}

TEST(ApiTarget, QueriesAreDecodedAndCheckedOnce) {
    Request request;
    ASSERT_TRUE(read_target("/p%41th?a=1%20+2&b", request));
    EXPECT_EQ(request.path, "/p%41th");
    EXPECT_EQ(request.query.at("a"), "1  2");
    EXPECT_EQ(request.query.at("b"), "");
    for (const char* bad : {"", "x", "*", "/?a=1&a=2", "/?a=%", "/?a=%4", "/?a=%zz", "/?%=1"}) {
        Request other;
        EXPECT_FALSE(read_target(bad, other)) << bad;
    }
}

}  // namespace
}  // namespace raicho::agent::api
