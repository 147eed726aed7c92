// SPDX-License-Identifier: Apache-2.0
// The configuration's paths: candidates, commits, revisions (docs/api.md, "Configuration").
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "agent/api/api.h"
#include "agent/api/json.h"
#include "base/text.h"
#include "tests/unit/agent/api/fake_view.h"

namespace raicho::agent::api {
namespace {

using testing::HasSubstr;
using testing::Not;

class ConfigPathsTest : public testing::Test {
  protected:
    struct User {
        uid_t uid;
        const char* name;
    };
    static constexpr User kAlice{1000, "alice"};
    static constexpr User kBob{1001, "bob"};

    Response ask(std::string method, std::string path, std::string body = {}, User user = kAlice) {
        Request request;
        request.method = std::move(method);
        EXPECT_TRUE(read_target("/api/v1/config/" + path, request));
        request.body = std::move(body);
        request.content_type = "application/json";
        request.user = user.uid;
        request.user_name = user.name;
        request.user_agent = "curl/8";
        std::optional<Response> answer;
        api.handle(request, [&](Response response) { answer = std::move(response); });
        EXPECT_TRUE(answer);
        return answer ? std::move(*answer) : Response{};
    }
    std::string get(std::string path) { return ask("GET", std::move(path)).body; }
    Response post(std::string path, std::string body = "{}", User user = kAlice) {
        return ask("POST", std::move(path), std::move(body), user);
    }
    Response edit(std::string id, const std::string& command, User user = kAlice) {
        return post(format("candidates/{}/edit", id), format(R"({{"commands":["{}"]}})", command),
                    user);
    }
    std::string make_private(User user = kAlice) {
        const Response made = post("candidates", "{}", user);
        EXPECT_EQ(made.status, 201u);
        return *parse_json(made.body)->find("id")->as_text();
    }

    FakeView view;
    FakeConfig config;
    Api api{view, config.engine, config.candidates};
};

TEST_F(ConfigPathsTest, ACandidateIsEditedCheckedComparedAndCommitted) {
    EXPECT_THAT(get("candidates/shared"), HasSubstr("\"differs\":false"));
    EXPECT_THAT(edit("shared", "set bridge br0 port p2 { device null; mtu 1400 }").body,
                HasSubstr("\"differs\":true"));
    EXPECT_THAT(get("running"), Not(HasSubstr("p2")));
    EXPECT_EQ(get("compare"),
              "[edit bridge br0]\n+  port p2 {\n+      device null\n+      mtu 1400\n+  }\n");
    EXPECT_EQ(post("candidates/shared/check").body,
              "{\"steps\":[\"bridge br0: add port p2 (2)\"],\"notices\":[],\"warnings\":[]}\n");
    EXPECT_TRUE(config.target.calls.empty());
    const Response done = post("candidates/shared/commit", R"({"comment":"a second one"})");
    EXPECT_EQ(done.body,
              "{\"revision\":2,\"steps\":[\"bridge br0: add port p2 (2)\"],\"notices\":[],"
              "\"warnings\":[]}\n");
    EXPECT_THAT(get("running?format=set"), HasSubstr("set bridge br0 port p2"));
    EXPECT_THAT(get("candidates/shared"),
                HasSubstr("\"revision\":2,\"behind\":0,\"differs\":false"));
    EXPECT_THAT(
        get("revisions"),
        HasSubstr("\"n\":0,\"revision\":2,\"time\":1700000000,\"uid\":1000,\"user\":\"alice\","
                  "\"via\":\"api\",\"comment\":\"a second one\",\"unconfirmed\":false}"));
    EXPECT_THAT(get("revisions/1"), Not(HasSubstr("p2")));
    EXPECT_EQ(ask("GET", "revisions/2").status, 404u);
    EXPECT_EQ(ask("GET", "revisions/x").status, 400u);
    EXPECT_THAT(get("compare?from=1&to=running"), HasSubstr("+  port p2"));
}

TEST_F(ConfigPathsTest, AFaultyCommandChangesNothingAndSaysWhichOne) {
    const Response wrong =
        post("candidates/shared/edit",
             R"({"commands":["set bridge br0 port p2","set bridge br0 prot p3"]})");
    EXPECT_EQ(wrong.status, 422u);
    EXPECT_THAT(wrong.body, HasSubstr("\"line\":2,\"column\":16,\"length\":4"));
    EXPECT_THAT(wrong.body, HasSubstr("did you mean \\\"port\\\"?"));
    EXPECT_THAT(get("candidates/shared"), HasSubstr("\"differs\":false"));
    EXPECT_EQ(edit("nobody", "delete bridge br0").status, 404u);
}

TEST_F(ConfigPathsTest, WhatACommitRefusesStaysInTheCandidate) {
    edit("shared", "set bridge br0 port p2 device null");
    config.target.failing = {"prepare br0/p2#2 "};
    EXPECT_EQ(post("candidates/shared/commit").status, 409u);
    EXPECT_THAT(get("candidates/shared/text"), HasSubstr("p2"));
    EXPECT_EQ(config.engine.revision().info.revision, 1u);
}

TEST_F(ConfigPathsTest, TextsAreLoadedInEachMode) {
    const auto load = [&](std::string mode, std::string text) {
        return post("candidates/shared/load", format(R"({{"mode":"{}","text":"{}"}})", mode, text))
            .status;
    };
    EXPECT_EQ(load("merge", "bridge br0 { port m { device null } }"), 200u);
    EXPECT_THAT(get("candidates/shared/text"),
                testing::AllOf(HasSubstr("p1"), HasSubstr("port m")));
    EXPECT_EQ(load("set", "delete bridge br0 port m"), 200u);
    EXPECT_EQ(load("replace", "bridge br0 { port r }"), 200u);
    EXPECT_THAT(get("candidates/shared/text"),
                testing::AllOf(HasSubstr("port r"), Not(HasSubstr("p1"))));
    EXPECT_EQ(load("override", "bridge other"), 200u);
    EXPECT_THAT(get("candidates/shared/text"), Not(HasSubstr("br0")));
    EXPECT_EQ(load("over", "bridge other"), 400u);
    EXPECT_EQ(load("merge", "include x.conf"), 422u);
    EXPECT_EQ(post("candidates/shared/discard").status, 200u);
    EXPECT_THAT(get("candidates/shared"), HasSubstr("\"differs\":false"));
}

TEST_F(ConfigPathsTest, CommentsAndWhatIsInactiveSurviveACommit) {
    post(
        "candidates/shared/load",
        R"({"mode":"override","text":"# the lab\nbridge br0 {\n inactive port x\n port p9 { device null } # nine\n}"})");
    EXPECT_EQ(post("candidates/shared/commit").status, 200u);
    const std::string text = get("running");
    EXPECT_THAT(text, HasSubstr("# the lab"));
    EXPECT_THAT(text, HasSubstr("# nine"));
    EXPECT_THAT(text, HasSubstr("inactive port x"));
    EXPECT_THAT(text, HasSubstr("port p9 1"));
    edit("shared", "activate bridge br0 port x");
    EXPECT_EQ(post("candidates/shared/commit").status, 200u);
    EXPECT_THAT(get("running"), HasSubstr("port x 2"));
}

TEST_F(ConfigPathsTest, PrivateCandidatesMergeWhatDoesNotConflict) {
    const std::string mine = make_private();
    edit(mine, "set bridge br0 port p1 mtu 9000");
    edit("shared", "set bridge br0 port p2 device null", kBob);
    EXPECT_EQ(post("candidates/shared/commit", "{}", kBob).status, 200u);
    EXPECT_THAT(get("candidates/" + mine), HasSubstr("\"behind\":1"));
    const Response done = post(format("candidates/{}/commit", mine));
    EXPECT_EQ(done.status, 200u) << done.body;
    EXPECT_THAT(done.body, HasSubstr("merged with what was committed since revision 1"));
    EXPECT_THAT(get("running"), testing::AllOf(HasSubstr("port p2 2"), HasSubstr("mtu 9000")));
}

TEST_F(ConfigPathsTest, ConflictsAreRefusedUntilTheCandidateIsUpdated) {
    const std::string mine = make_private();
    edit(mine, "set bridge br0 port p1 mtu 9000");
    edit(mine, "set bridge br0 port p3 device null");
    edit("shared", "set bridge br0 port p1 mtu 1400", kBob);
    post("candidates/shared/commit", "{}", kBob);
    const Response refused = post(format("candidates/{}/commit", mine));
    EXPECT_EQ(refused.status, 409u);
    EXPECT_THAT(refused.body,
                HasSubstr("bridge br0 port p1 mtu: here 9000, committed meanwhile 1400"));
    EXPECT_THAT(get("running"), HasSubstr("mtu 1400"));
    const Response updated = post(format("candidates/{}/update", mine));
    EXPECT_EQ(updated.status, 200u);
    EXPECT_THAT(updated.body, HasSubstr("\"behind\":0"));
    EXPECT_THAT(updated.body, HasSubstr("\"notices\":[\"bridge br0 port p1 mtu: here 9000"));
    EXPECT_EQ(post(format("candidates/{}/commit", mine)).status, 200u);
    EXPECT_THAT(get("running"), testing::AllOf(HasSubstr("mtu 9000"), HasSubstr("port p3")));
}

TEST_F(ConfigPathsTest, APrivateCandidateIsItsMakersAndRoots) {
    const std::string mine = make_private();
    EXPECT_EQ(edit(mine, "set bridge br0 port p1 mtu 9000", kBob).status, 403u);
    EXPECT_EQ(edit(mine, "set bridge br0 port p1 mtu 9000", {0, "root"}).status, 200u);
    EXPECT_EQ(ask("DELETE", "candidates/" + mine, {}, kBob).status, 403u);
    EXPECT_EQ(ask("DELETE", "candidates/" + mine).status, 200u);
    EXPECT_EQ(ask("DELETE", "candidates/" + mine).status, 404u);
    EXPECT_EQ(ask("DELETE", "candidates/shared").status, 409u);
}

TEST_F(ConfigPathsTest, ARestartOfTheAgentLosesNoEdit) {
    const std::string mine = make_private();
    edit(mine, "set bridge br0 port p7 device null");
    edit("shared", "set bridge br0 port p8 device null", kBob);
    config::Candidates again(config.engine, config.files);
    ASSERT_TRUE(again.open());
    EXPECT_THAT(*again.text(mine), HasSubstr("p7"));
    EXPECT_EQ(again.find(mine)->author.user, "alice");
    EXPECT_THAT(*again.text("shared"), HasSubstr("p8"));
    EXPECT_EQ(again.find("shared")->author.user, "bob");
    EXPECT_EQ(again.find("shared")->revision, 1u);
}

TEST_F(ConfigPathsTest, APowerCutLeavesACandidateWhole) {
    edit("shared", "set bridge br0 port p7 device null");
    edit("shared", "set bridge br0 port p8 device null");
    const std::size_t n_pasts = config.files.n_pasts();
    ASSERT_GT(n_pasts, 1u);
    bool has_last = false;
    for (std::size_t past = 0; past < n_pasts; ++past) {
        config::FakeFiles files = config.files;
        files.cut_power(past);
        config::Candidates again(config.engine, files);
        ASSERT_TRUE(again.open());
        const std::string text = *again.text("shared");
        EXPECT_THAT(text, HasSubstr("port p1 1")) << "state " << past << " of the disk";
        EXPECT_TRUE(again.find("shared")->revision == 1u);
        has_last = text.find("p8") != std::string::npos;
    }
    EXPECT_TRUE(has_last);
}

TEST_F(ConfigPathsTest, UnusedPrivateCandidatesGoAndTheirNumberIsLimited) {
    for (std::size_t i = 1; i < config::kMostCandidates; ++i) {
        config.clock.pass(1);
        edit(make_private(), "set bridge br0 port p7 device null");
    }
    const Response refused = post("candidates");
    EXPECT_EQ(refused.status, 409u);
    EXPECT_THAT(refused.body, HasSubstr("the oldest, is of alice"));
    EXPECT_THAT(refused.body, HasSubstr("curl -X DELETE --unix-socket"));
    config.clock.pass(8 * 24 * 3600);
    EXPECT_EQ(post("candidates").status, 201u);
    EXPECT_EQ(config.candidates.list().size(), 2u);
}

TEST_F(ConfigPathsTest, PrivateCandidatesOfKilledShellsMakeRoom) {
    const std::string oldest = make_private();
    config.clock.pass(1);
    const std::string mine = make_private();
    edit(mine, "set bridge br0 port p7 device null");
    for (std::size_t i = 0; i < 2 * config::kMostCandidates; ++i) make_private();
    EXPECT_EQ(config.candidates.list().size(), config::kMostCandidates);
    EXPECT_FALSE(config.candidates.find(oldest));
    EXPECT_THAT(*config.candidates.text(mine), HasSubstr("p7"));
}

TEST_F(ConfigPathsTest, ACommitWaitsToBeConfirmed) {
    edit("shared", "set bridge br0 port p2 device null");
    EXPECT_THAT(post("candidates/shared/commit", R"({"confirm_minutes":10})").body,
                HasSubstr("\"confirm_seconds\":600"));
    EXPECT_THAT(get("status"),
                HasSubstr("\"confirm\":{\"seconds_left\":600,\"seconds\":600,\"revision\":2,"
                          "\"returns_to\":1,\"uid\":1000,\"user\":\"alice\"}"));
    EXPECT_EQ(post("confirm").status, 200u);
    EXPECT_THAT(get("status"), HasSubstr("\"confirm\":null"));
    EXPECT_EQ(post("confirm").status, 409u);
    for (const char* bad :
         {R"({"confirm_minutes":0})", R"({"confirm_minutes":70000})",
          R"({"confirm_minutes":1,"confirm_seconds":1})", R"({"confirm_minutes":"1"})"})
        EXPECT_EQ(post("candidates/shared/commit", bad).status, 400u) << bad;
}

TEST_F(ConfigPathsTest, RollbackBringsAnOldConfigurationIntoTheCandidate) {
    edit("shared", "set bridge br0 port p2 device null");
    post("candidates/shared/commit");
    EXPECT_EQ(post("candidates/shared/rollback", R"({"n":1})").status, 200u);
    EXPECT_THAT(get("running"), HasSubstr("p2"));
    EXPECT_EQ(post("candidates/shared/commit").status, 200u);
    EXPECT_THAT(get("running"), Not(HasSubstr("p2")));
    EXPECT_EQ(post("candidates/shared/rollback", R"({"n":9})").status, 404u);
}

TEST_F(ConfigPathsTest, WhoMayOnlyLookIsRefusedAChange) {
    Request request;
    request.method = "POST";
    ASSERT_TRUE(read_target("/api/v1/config/confirm", request));
    request.user_name = "carol";
    const auto status = [&] {
        unsigned got = 0;
        api.handle(request, [&](const Response& response) { got = response.status; });
        return got;
    };
    request.right = Right::read;
    EXPECT_EQ(status(), 403u);
    request.method = "GET";
    ASSERT_TRUE(read_target("/api/v1/config/running", request));
    EXPECT_EQ(status(), 200u);
    request.right = Right::none;
    EXPECT_EQ(status(), 403u);
}

TEST(Access, OwnerRootAndGroupChangeReadersLook) {
    const Access access{1000, 50, 60};
    EXPECT_EQ(access.right_of({0, {0}}), Right::change);
    EXPECT_EQ(access.right_of({1000, {1000}}), Right::change);
    EXPECT_EQ(access.right_of({7, {7, 50}}), Right::change);
    EXPECT_EQ(access.right_of({7, {7, 60}}), Right::read);
    EXPECT_EQ(access.right_of({7, {7}}), Right::none);
    EXPECT_EQ((Access{1000, 50}.right_of({7, {60}})), Right::none);
    EXPECT_EQ(Access::from({"no-such-group", ""}).error().text,
              "api group \"no-such-group\": no such group");
}

TEST_F(ConfigPathsTest, TextsAreShownInFormsAndFromALevel) {
    EXPECT_EQ(get("running?path=bridge%20br0%20port%20p1"), "number 1\ndevice null\n");
    EXPECT_THAT(get("running?format=json"), HasSubstr("\"br0\""));
    EXPECT_EQ(ask("GET", "running?format=yaml").status, 400u);
    EXPECT_EQ(ask("GET", "running?path=brigde").status, 422u);
}

}  // namespace
}  // namespace raicho::agent::api
