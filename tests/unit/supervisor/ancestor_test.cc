// SPDX-License-Identifier: Apache-2.0
// Lagopus' command line: what acts, and what is only named.
#include "supervisor/ancestor.h"

#include <gtest/gtest.h>

#include "supervisor/options.h"

namespace raicho::supervisor {
namespace {

Result<Options> parse(std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    return parse_options(pointers, nullptr);
}

TEST(AncestorCommandLine, ItsUsualFormWorks) {
    const auto options = parse({"run", "-d", "-l", "/tmp/l.log", "-p", "/tmp/l.pid", "-C",
                                "/etc/x.dsl", "--", "-c3", "-n1", "--", "-p3"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->log_file, "/tmp/l.log");
    EXPECT_EQ(options->pid_file, "/tmp/l.pid");
    EXPECT_EQ(options->log_level, "debug");
    EXPECT_EQ(options->config_file, "/etc/x.dsl");
    const std::vector<std::string> expected{
        "option \"-c3\" has no effect: write dataplane { cores [ 1 ] } in the configuration",
        "option \"-n1\" has no effect: DPDK finds the memory channels itself",
        "option \"-p3\" has no effect: the ports are those of the configuration"};
    EXPECT_EQ(options->remarks, expected);
}

TEST(AncestorCommandLine, ValuesMayStandApartOrStickToTheirOption) {
    const auto options =
        parse({"run", "-C", "x", "--", "-c", "0xf0", "--vdev=net_null0", "-m", "512",
               "--surely-new", "7", "--no-huge", "--", "-w", "4", "--rx", "(0,0,1)", "--no-cache"});
    ASSERT_TRUE(options);
    const std::vector<std::string> expected{
        "option \"-c 0xf0\" has no effect: write dataplane { cores [ 5 6 7 ] } in the "
        "configuration",
        "option \"--vdev=net_null0\" has no effect: a port names it: device ethdev \"net_null0\"",
        "option \"-m 512\" has no effect: write dataplane { memory 512M } in the configuration",
        "option \"--surely-new 7\" of DPDK has no effect",
        "option \"--no-huge\" has no effect: write dataplane { huge-pages off } in the "
        "configuration",
        "option \"-w 4\" has no effect: write dataplane { workers 4 } in the configuration",
        "option \"--rx (0,0,1)\" has no effect: write dataplane { cores [ 2 3 ] } in the "
        "configuration",
        "option \"--no-cache\" has no effect: tables choose their form by what lies in them"};
    EXPECT_EQ(options->remarks, expected);
}

TEST(AncestorCommandLine, AWrongOptionOfTheDataplaneIsRefused) {
    const auto wrong = parse({"run", "-C", "x", "--", "--", "--no-cash"});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().text, "unknown option \"--no-cash\" behind the second --");
    EXPECT_EQ(wrong.error().hint, "did you mean --no-cache?");
    EXPECT_EQ(parse({"run", "-C", "x", "--", "-c"}).error().text, "option -c needs a value");
}

}  // namespace
}  // namespace raicho::supervisor
