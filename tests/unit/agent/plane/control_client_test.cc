// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/control_client.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "tests/unit/agent/plane/test_loop.h"

namespace raicho::agent {
namespace {

using shm::ControlMessage;
using shm::ControlType;

class ControlClientTest : public testing::Test {
  protected:
    std::unique_ptr<ControlClient> open() {
        auto client = ControlClient::open(
            loop, rundir.path, arena,
            {.attached = [this] { ++n_attached; },
             .lost = [this] { ++n_lost; },
             .port_event = [this](PortSlot slot) { events.push_back(slot.value()); },
             .rung = [this] { ++n_rung; }});
        EXPECT_TRUE(client);
        return std::move(*client);
    }
    ControlMessage next(ScriptedDataplane& dataplane) {
        std::optional<ControlMessage> message;
        EXPECT_TRUE(loop.until([&] { return (message = dataplane.take()).has_value(); }));
        return message.value_or(ControlMessage{});
    }
    void attach(ControlClient& client, ScriptedDataplane& dataplane) {
        dataplane.say(ControlType::hello_reply, next(dataplane).request);
        EXPECT_TRUE(loop.until([&] { return client.attached(); }));
    }
    RunDirectory rundir;
    shm::AgentArena arena = small_arena(rundir.path);
    PollLoop loop;
    int n_attached = 0, n_lost = 0, n_rung = 0;
    std::vector<std::uint16_t> events;
};

TEST_F(ControlClientTest, GreetsWithItsLayoutAndOneBellForEachWorker) {
    ScriptedDataplane dataplane(rundir.path);
    const auto client = open();
    const ControlMessage hello = next(dataplane);
    EXPECT_EQ(hello.type, ControlType::hello);
    EXPECT_EQ(hello.layout_hash, shm::layout_hash());
    EXPECT_EQ(hello.arena, arena.identity());
    EXPECT_EQ(hello.pid, static_cast<std::uint64_t>(::getpid()));
    EXPECT_EQ(dataplane.bells.size(), 3u);
    dataplane.say(ControlType::hello_reply, hello.request);
    ASSERT_TRUE(loop.until([&] { return n_attached == 1; }));
    EXPECT_EQ(client->pid(), 4711u);
    EXPECT_TRUE(client->state_text().starts_with("attached (pid 4711) for "));
}

TEST_F(ControlClientTest, WaitsForADataplaneThatComesLater) {
    const auto client = open();
    loop.turn();
    EXPECT_FALSE(client->attached());
    EXPECT_TRUE(client->state_text().starts_with("not running, next try in "));
    ScriptedDataplane dataplane(rundir.path);
    attach(*client, dataplane);
}

TEST_F(ControlClientTest, SaysWhyItsHelloWasRefused) {
    ScriptedDataplane dataplane(rundir.path);
    const auto client = open();
    dataplane.say(ControlType::hello_reply, next(dataplane).request, 1, "of another version");
    ASSERT_TRUE(loop.until([&] { return client->last_error() == "of another version"; }));
    EXPECT_EQ(n_attached, 0);
}

TEST_F(ControlClientTest, HandsOnWhatTheDataplaneAnswers) {
    ScriptedDataplane dataplane(rundir.path);
    const auto client = open();
    attach(*client, dataplane);
    std::vector<std::string> results;
    const auto note = [&](Result<void> r) { results.push_back(r ? "ok" : r.error().text); };
    client->open_port(PortSlot(3), note);
    client->close_port(PortSlot(4), note);
    const ControlMessage first = next(dataplane), second = next(dataplane);
    EXPECT_EQ(first.type, ControlType::open_port);
    EXPECT_EQ(first.slot, 3u);
    EXPECT_EQ(second.type, ControlType::close_port);
    dataplane.say(ControlType::reply, second.request);
    dataplane.say(ControlType::reply, first.request, 16, "interface eth0: busy");
    ASSERT_TRUE(loop.until([&] { return results.size() == 2; }));
    EXPECT_EQ(results, (std::vector<std::string>{"ok", "interface eth0: busy"}));
}

TEST_F(ControlClientTest, SendsAThousandRequestsThroughASmallSocket) {
    ScriptedDataplane dataplane(rundir.path);
    const auto client = open();
    attach(*client, dataplane);
    int n = 0;
    for (std::uint16_t slot = 0; slot < 1000; ++slot)
        client->open_port(PortSlot(slot), [&](Result<void> r) { n += r ? 1 : 1000; });
    EXPECT_TRUE(loop.until([&] {
        dataplane.agree();
        return n == 1000;
    }));
}

TEST_F(ControlClientTest, RequestsSucceedWithoutADataplane) {
    const auto client = open();
    int n = 0;
    client->open_port(PortSlot(1), [&](Result<void> r) { n += r ? 1 : 100; });
    EXPECT_EQ(n, 0) << "never from within the call";
    EXPECT_TRUE(loop.until([&] { return n == 1; }));
}

TEST_F(ControlClientTest, NoticesTheDeathFinishesWhatWaitedAndAttachesToTheNext) {
    auto dataplane = std::make_unique<ScriptedDataplane>(rundir.path);
    const auto client = open();
    attach(*client, *dataplane);
    int n = 0;
    client->open_port(PortSlot(1), [&](Result<void> r) { n += r ? 1 : 100; });
    next(*dataplane);
    dataplane->die();
    ASSERT_TRUE(loop.until([&] { return n_lost == 1; }));
    EXPECT_EQ(n, 1);
    EXPECT_EQ(client->pid(), 0u);
    dataplane = std::make_unique<ScriptedDataplane>(rundir.path);
    attach(*client, *dataplane);
    EXPECT_EQ(n_attached, 2);
}

TEST_F(ControlClientTest, ADataplaneThatDoesNotAnswerLosesTheLink) {
    ScriptedDataplane dataplane(rundir.path);
    const auto client = open();
    attach(*client, dataplane);
    std::vector<std::string> results;
    const auto note = [&](Result<void> r) { results.push_back(r ? "ok" : r.error().text); };
    for (std::uint16_t slot = 0; slot < 3; ++slot) client->open_port(PortSlot(slot), note);
    loop.skip(9 * kSecond);
    dataplane.say(ControlType::reply, next(dataplane).request);
    ASSERT_TRUE(loop.until([&] { return results.size() == 1; }));
    loop.skip(9 * kSecond);
    loop.turn();
    EXPECT_TRUE(client->attached()) << "it answered nine seconds ago";
    loop.skip(2 * kSecond);
    ASSERT_TRUE(loop.until([&] { return n_lost == 1; }));
    const std::string why = "dataplane (pid 4711) does not answer";
    EXPECT_EQ(results, (std::vector<std::string>{"ok", why, why}));
    EXPECT_EQ(client->last_error(), "does not answer");
}

TEST_F(ControlClientTest, ADataplaneThatIsAskedNothingMayBeSilent) {
    ScriptedDataplane dataplane(rundir.path);
    const auto client = open();
    attach(*client, dataplane);
    bool done = false;
    client->open_port(PortSlot(1), [&](Result<void>) { done = true; });
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), done; }));
    loop.skip(3600 * kSecond);
    loop.turn();
    EXPECT_TRUE(client->attached());
}

TEST_F(ControlClientTest, HearsPortEventsAndBells) {
    ScriptedDataplane dataplane(rundir.path);
    const auto client = open();
    attach(*client, dataplane);
    dataplane.say(ControlType::port_event, 0, 0, {}, 5);
    dataplane.say(ControlType::port_event, 0, 0, {}, shm::kNoSlot);
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(dataplane.bells[0].get(), &one, sizeof one), 8);
    ASSERT_TRUE(loop.until([&] { return events.size() == 2 && n_rung == 1; }));
    EXPECT_EQ(events, (std::vector<std::uint16_t>{5, shm::kNoSlot}));
}

TEST_F(ControlClientTest, WakesTheWorkerThatIsMeant) {
    ScriptedDataplane dataplane(rundir.path);
    const auto client = open();
    attach(*client, dataplane);
    std::uint64_t rings = 0;
    while (::read(dataplane.bells[2].get(), &rings, sizeof rings) > 0) {
    }
    client->wake(WorkerId(1));
    EXPECT_EQ(::read(dataplane.bells[2].get(), &rings, sizeof rings), 8);
    EXPECT_LT(::read(dataplane.bells[2].get(), &rings, sizeof rings), 0);
}

}  // namespace
}  // namespace raicho::agent
