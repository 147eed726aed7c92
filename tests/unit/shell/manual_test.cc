// SPDX-License-Identifier: Apache-2.0
#include "shell/manual.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "shell/commands.h"
#include "shell/file_tools.h"

namespace raicho::shell {
namespace {

TEST(Manual, TheCommittedPageIsTheOneTheTableMakes) {
    std::ifstream file(RAICHO_ROOT "/docs/man/lagosh.1");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(page, manual_page()) << "renew it: lagosh --manual > docs/man/lagosh.1";
}

TEST(Manual, EveryCommandAndPipeHasItsHelp) {
    const std::string page = manual_page();
    for (const Command& command : kCommands)
        EXPECT_NE(page.find(command.help.substr(0, 12)), std::string::npos) << command.help;
    for (const Command& pipe : kPipes)
        EXPECT_NE(page.find(pipe.help.substr(0, 12)), std::string::npos) << pipe.help;
}

TEST(Manual, TheWordsOfTheProgramAreThere) {
    const std::string page = manual_page();
    for (const std::string_view word : program_words())
        EXPECT_NE(page.find(".TP\n\\fB" + std::string(word) + "\\fR "), std::string::npos) << word;
}

}  // namespace
}  // namespace raicho::shell
