// SPDX-License-Identifier: Apache-2.0
// Commands against the real API over a real socket, with a switch of values behind it.
#include "shell/execute.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "shell/interrupt.h"
#include "tests/unit/shell/live_api.h"

namespace raicho::shell {
namespace {

using Commands = LiveApi;

TEST_F(Commands, TheSummarySaysWhyNothingForwards) {
    EXPECT_NE(run("show").find("br0: secure, controller refused (127.0.0.1:6653), 0 flows: every "
                               "packet is dropped\n    help: start the controller"),
              std::string::npos)
        << run("show");
}

TEST_F(Commands, FlowsPrintInTheAncestorsForm) {
    view_.add_flow("br0", TableId{0}, 1, 1, 2);
    EXPECT_EQ(run("show flow br0"),
              "Bridge: br0\n"
              " Table id: 0\n"
              "  priority=1,idle_timeout=0,hard_timeout=0,flags=0,cookie=0,packet_count=0,"
              "byte_count=0,in_port=1,eth_dst=08:00:27:e2:53:5a actions=output:2\n");
    EXPECT_TRUE(run("show flow").ends_with("\nBridge: br1\n"));
    EXPECT_EQ(run("show flow table 7"), "Bridge: br0\nBridge: br1\n");
    EXPECT_NE(run("show flow brief").find("in_port=h1-br,eth_dst=08:00:27:e2:53:5a  output:h2-br"),
              std::string::npos);
}

TEST_F(Commands, ManyFlowsStreamThroughPipes) {
    for (std::uint32_t i = 0; i < 20'000; ++i) view_.add_flow("br0", TableId{0}, 1, i + 1, 2);
    EXPECT_EQ(run("show flow br0 | match priority | count"), "Count: 20000 lines\n");
    EXPECT_EQ(run("show flow | last 1"), "Bridge: br1\n");
    EXPECT_EQ(run("show flow br0 | json | count"), "Count: 20002 lines\n");
}

TEST_F(Commands, EveryShowCommandAnswersAsTextAndAsJson) {
    for (const Command& command : kCommands) {
        if (!command.notation.starts_with("show") || (command.modes & kOperate) == 0) continue;
        std::string line(command.notation.substr(0, command.notation.find(" [")));
        if (line.ends_with(" N")) line.replace(line.size() - 1, 1, "0");
        EXPECT_FALSE(run(line).empty()) << line;
        EXPECT_EQ(code_, ExitCode::ok) << line;
        EXPECT_TRUE(Json::parse(run(line + " | json"))) << line << run(line + " | json");
        EXPECT_TRUE(Json::parse(run(line, Format::json))) << line;
    }
}

TEST_F(Commands, AnUnknownNameIsMarkedInTheLine) {
    EXPECT_EQ(run("show bridge br9"),
              "error: no bridge \"br9\"\n"
              "  show bridge br9\n"
              "              ^^^\n"
              "help: did you mean \"br0\"?\n");
    EXPECT_EQ(code_, ExitCode::failed);
    EXPECT_EQ(run("show flow brief bx"),
              "error: no bridge \"bx\"\n"
              "  show flow brief bx\n"
              "                  ^^\n"
              "help: bridges here: br0, br1\n");
    EXPECT_NE(run("show port h3-br").find("did you mean \"h"), std::string::npos);
}

TEST_F(Commands, PortsAreFoundByNameAndByNumber) {
    EXPECT_TRUE(run("show port h2-br").starts_with("h2-br: port 2 of br0\n"));
    EXPECT_TRUE(run("show port 2").starts_with("h2-br: port 2 of br0\n"));
    EXPECT_EQ(Json::parse(run("show port 1 | json"))->items().size(), 1u);
}

TEST_F(Commands, LoadSendsTheFileWithItsName) {
    const std::string file = folder_.path() + "/lab.conf";
    std::ofstream(file) << "bridge br0 {\n  port p1 { device null }\n  port q\n}\n";
    EXPECT_EQ(run("load " + file), "bridge br0: add port q (2)\n");
    EXPECT_NE(config_.running().find("port q 2"), std::string::npos);
    EXPECT_NE(run("load " + folder_.path() + "/none").find("cannot be read"), std::string::npos);
    EXPECT_EQ(code_, ExitCode::failed);
}

TEST_F(Commands, ARefusedConfigurationIsShownAsTheLanguagePrintsIt) {
    const std::string file = folder_.path() + "/lab.conf";
    std::ofstream(file) << "x";
    const std::string said = run("load " + file);
    EXPECT_TRUE(said.starts_with(file + ":1:1: error: unknown statement \"x\"")) << said;
    EXPECT_NE(said.find("\n    ^\n"), std::string::npos) << said;
    EXPECT_EQ(code_, ExitCode::refused);
}

TEST_F(Commands, AFileThatIsNoUtf8IsRefusedWithThePlace) {
    const std::string file = folder_.path() + "/lab.conf";
    std::ofstream(file) << "bridge br0 {\n  port \xff\n}\n";
    EXPECT_NE(run("load " + file).find(":2:8: error:"), std::string::npos) << run("load " + file);
    EXPECT_EQ(code_, ExitCode::refused);
    EXPECT_TRUE(config_.target.calls.empty());
}

TEST_F(Commands, FaultsInPortOptionsAreMarkedInTheLine) {
    EXPECT_EQ(run("add port br0 tap1 device tap; mtuu 9"),
              "error: unknown statement \"mtuu\" in port\n"
              "  add port br0 tap1 device tap; mtuu 9\n"
              "                                ^^^^\n"
              "help: did you mean \"mtu\"?\n");
}

TEST_F(Commands, PortsAreAddedAndDeleted) {
    EXPECT_EQ(run("add port br0 tap1"), "bridge br0: add port tap1 (2)\n");
    EXPECT_EQ(run("delete port br0 tap1"), "bridge br0: delete port tap1 (2)\n");
    EXPECT_EQ(run("clear mac br0"), "learned addresses forgotten\n");
}

TEST_F(Commands, WithoutAnAgentTheMessageNamesSocketAndRemedy) {
    stop();
    EXPECT_EQ(run("show"),
              "error: the agent cannot be reached at " + folder_.path() +
                  "/agent.sock: No such file or directory\n"
                  "help: start it: raicho run -C FILE; for another run directory: lagosh --rundir "
                  "DIR\n");
    EXPECT_EQ(code_, ExitCode::unreachable);
    start();
    EXPECT_FALSE(run("show version").empty());
    EXPECT_EQ(code_, ExitCode::ok);
}

TEST_F(Commands, CheckNeedsNoAgent) {
    stop();
    const std::string file = folder_.path() + "/lab.conf";
    std::ofstream(file) << "bridge br0 {\n  port p1 1\n  port p2 2\n}\n";
    EXPECT_EQ(run("check " + file), file + ": good, 1 bridge, 2 ports\n");
    std::ofstream(file) << "bridge br0 {\n  prot p1 1\n}\n";
    EXPECT_NE(run("check " + file).find("did you mean \"port\"?"), std::string::npos);
    EXPECT_EQ(code_, ExitCode::refused);
    std::ofstream(file) << "bridge b { flow \"prioriti=3,actions=drop\" }\n";
    EXPECT_NE(run("check " + file).find("priority"), std::string::npos) << "flows are looked into";
}

TEST_F(Commands, FlowsAreFilteredAndSorted) {
    view_.add_flow("br0", TableId{0}, 1, 1, 2);
    view_.add_flow("br0", TableId{0}, 2, 2, 1);
    EXPECT_EQ(run("show flow br0 match in_port=2 | match priority | count"), "Count: 1 lines\n");
    EXPECT_NE(run("show flow match in_port=2").find("priority=2"), std::string::npos);
    EXPECT_EQ(run("show flow match in_port=9 sort hits"), "no flows\n");
    const std::string sorted = run("show flow sort hits top 1");
    EXPECT_TRUE(sorted.starts_with("BRIDGE  TABLE  PRIO  PACKETS  BYTES  IDLE  MATCH")) << sorted;
    EXPECT_EQ(std::ranges::count(sorted, '\n'), 2);
    EXPECT_EQ(run("show flow match prioriti=1"),
              "error: unknown field \"prioriti\"\n"
              "  show flow match prioriti=1\n"
              "                  ^^^^^^^^\n"
              "help: did you mean \"priority\"?\n")
        << "the place is that of the line";
}

TEST_F(Commands, FlowsAreShownAsOvsOfctlTakesThem) {
    view_.add_flow("br0", TableId{3}, 7, 1, 2);
    EXPECT_EQ(run("show flow br0 | display ovs"),
              "# bridge br0\n"
              "table=3,priority=7,in_port=1,dl_dst=08:00:27:e2:53:5a actions=output:2\n");
    EXPECT_TRUE(run("show flow br0 | table").starts_with("br0\n  TABLE"));
}

TEST_F(Commands, AFormThatACommandDoesNotHaveIsRefusedAtItsPipe) {
    EXPECT_EQ(run("show port | display set"),
              "error: | display set does not go with show port\n"
              "  show port | display set\n"
              "              ^^^^^^^^^^^\n"
              "help: show configuration | display set\n");
    EXPECT_EQ(code_, ExitCode::usage);
    EXPECT_EQ(run("help | json").find("error"), 0u);
}

TEST_F(Commands, OutputIsSavedIntoAFile) {
    const std::string file = folder_.path() + "/out.txt";
    EXPECT_EQ(run("show port | match h1-br | save " + file), "1 line written to " + file + "\n");
    std::ifstream saved(file);
    const std::string text{std::istreambuf_iterator<char>(saved), {}};
    EXPECT_NE(text.find("h1-br"), std::string::npos);
    EXPECT_EQ(std::ranges::count(text, '\n'), 1);
    EXPECT_NE(run("show port | save " + folder_.path() + "/none/x").find("cannot write"),
              std::string::npos);
    EXPECT_EQ(code_, ExitCode::failed);
    EXPECT_NE(run("show port | save " + file + " | count").find("save must be the last"),
              std::string::npos);
    EXPECT_NE(run("show port | save /dev/full").find("cannot write"), std::string::npos)
        << "a full disk is no success";
}

TEST_F(Commands, FlowsAreAddedAndDeletedByHand) {
    EXPECT_EQ(run("add flow br0 priority=9,in_port=1 actions=output:2"),
              "added: table=0,priority=9,in_port=1 actions=output:2\n");
    operator_.matched = 3;
    EXPECT_EQ(run("delete flow br0 strict,priority=9,in_port=1"), "3 flows deleted\n");
    EXPECT_EQ(operator_.asked.back().command, openflow::FlowModCommand::remove_strict);
    EXPECT_EQ(operator_.asked.back().priority, 9);
    EXPECT_EQ(run("delete flow br0 all"), "3 flows deleted\n") << "a script is not asked";
    EXPECT_EQ(operator_.asked.back().table, kAllTables);
    EXPECT_EQ(run("modify flow br0 in_port=1 actions=output:99"), "3 flows modified\n");
}

TEST_F(Commands, AWrongFlowIsMarkedInTheLine) {
    EXPECT_EQ(run("add flow br0 \"nw_dst=10.0.0.1 actions=output:2\""),
              "error: ipv4_dst needs ip\n"
              "  add flow br0 \"nw_dst=10.0.0.1 actions=output:2\"\n"
              "                ^^^^^^^^^^^^^^^\n"
              "help: write ip,nw_dst=10.0.0.1\n");
    EXPECT_EQ(code_, ExitCode::usage);
    operator_.error =
        openflow::OfpError{openflow::ErrorType::flow_mod_failed, 3, "overlaps flow 2"};
    EXPECT_NE(run("add flow br0 check_overlap actions=drop")
                  .find("error: OFPFMFC_OVERLAP (3): overlaps flow 2"),
              std::string::npos);
    EXPECT_EQ(code_, ExitCode::failed);
}

TEST_F(Commands, TestFlowSaysWhatAControllerWouldGet) {
    EXPECT_EQ(run("test flow br0 nw_dst=10.0.0.1 actions=output:2"),
              "error: a controller would get OFPET_BAD_MATCH (4), OFPBMC_BAD_PREREQ (9): ipv4_dst: "
              "needs ip before it\n"
              "  test flow br0 nw_dst=10.0.0.1 actions=output:2\n"
              "                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
              "help: write ip,nw_dst=10.0.0.1\n");
    EXPECT_EQ(code_, ExitCode::failed);
    EXPECT_TRUE(operator_.asked.empty());
    EXPECT_EQ(run("test flow br0 priority=9,in_port=1 actions=output:99"),
              "accepted: table=0,priority=9,in_port=1 actions=output:99\n"
              "note: port 99 is not there yet: packets to it are dropped\n");
    EXPECT_TRUE(operator_.asked.empty()) << "nothing is installed";
    view_.add_flow("br0", TableId{0}, 10, 1, 2);
    EXPECT_NE(run("test flow br0 "
                  "priority=9,in_port=1,dl_dst=08:00:27:e2:53:5a,ip actions=output:2")
                  .find("no packet will come to it: priority=10,"),
              std::string::npos);
}

TEST_F(Commands, ConnectionsAreEndedByHand) {
    operator_.sessions = 2;
    EXPECT_EQ(run("restart controller br0"), "2 connections ended; they begin anew\n");
    EXPECT_EQ(operator_.restarted.back(), "controller br0");
    operator_.no_dataplane = true;
    EXPECT_NE(run("restart dataplane").find("the dataplane is not attached"), std::string::npos);
    EXPECT_EQ(code_, ExitCode::refused);
}

TEST_F(Commands, TheLogIsShownFromAWeightOn) {
    ASSERT_TRUE(open_log({.program = "execute_test", .file = folder_.path() + "/log"}));
    LOG(warning, "test", "a port went away port={}", "p1");
    LOG(info, "test", "nothing of weight");
    EXPECT_NE(run("show log 5").find(" info test: nothing of weight\n"), std::string::npos);
    const std::string heavy = run("show log level warning");
    EXPECT_NE(heavy.find(" warning test: a port went away port=p1\n"), std::string::npos) << heavy;
    EXPECT_EQ(heavy.find("nothing of weight"), std::string::npos);
}

TEST_F(Commands, MonitorsGiveAsManyPicturesAsAskedWithRates) {
    view_.port_list[0].counters.rx_packets = 1000;
    const std::string pictures = run("monitor ports br0 times 1");
    EXPECT_NE(pictures.find(" ports  every 1 s\nBRIDGE  PORT "), std::string::npos) << pictures;
    EXPECT_NE(pictures.find("br0     h1-br   1         -"), std::string::npos) << pictures;
    EXPECT_EQ(pictures.find('\033'), std::string::npos) << "no escapes where nothing is drawn";
    EXPECT_NE(run("monitor ports bx times 1").find("no bridge \"bx\""), std::string::npos);
    EXPECT_NE(run("monitor flows times 1").find("no flows"), std::string::npos);
}

TEST_F(Commands, AnInterruptEndsARequest) {
    install_signal_handlers();
    std::raise(SIGINT);
    stop();  // the server does not answer any more, the socket is still there
    auto opened = api::Server::open(loop_, folder_.path() + "/agent.sock", api_);
    ASSERT_TRUE(opened);
    EXPECT_EQ(run("show version"), "");
    EXPECT_EQ(code_, ExitCode::interrupted);
    clear_interrupt();
}

}  // namespace
}  // namespace raicho::shell
