// SPDX-License-Identifier: Apache-2.0
// The ancestor's example files and dumps of a live Open vSwitch (tests/functional/import), with
// the real flow parser: each becomes a sound configuration, and all that was lost is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dsl/import/import.h"
#include "shell/check.h"

namespace raicho::shell {
namespace {

using ::testing::HasSubstr;

std::string read(const std::string& name) {
    std::ifstream file(std::string(RAICHO_ROOT) + "/tests/functional/import/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

dsl::Imported import(const std::string& name) {
    dsl::ImportOptions options;
    options.flows = flow_checker();
    if (name.ends_with(dsl::kLagopusSuffix)) {
        const dsl::ForeignText text{name, read(name)};
        return dsl::import_lagopus({&text, 1}, options);
    }
    const dsl::OvsText text{{name, read(name)}, {}};
    return dsl::import_ovs({&text, 1}, options);
}

TEST(ImportedFiles, AllAreSoundConfigurations) {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(RAICHO_ROOT) +
                                                                 "/tests/functional/import")) {
        const std::string name = entry.path().filename();
        if (!name.ends_with(".dsl") && !name.ends_with(".txt")) continue;
        ++n;
        const dsl::Imported made = import(name);
        const dsl::Checked checked = dsl::check(made.text, name, flow_checker());
        EXPECT_TRUE(checked.ok()) << made.text << checked.report();
        EXPECT_FALSE(checked.config.bridges.empty()) << name;
    }
    EXPECT_EQ(n, 6u);
}

TEST(ImportedFiles, TheNatLabLosesItsConnectionTrackingAlone) {
    const dsl::Imported made = import("ovs-nat.txt");
    ASSERT_EQ(made.n_lost(), 1u) << made.report();
    EXPECT_THAT(made.report(), HasSubstr("action \"ct\" is Open vSwitch's own"));
    EXPECT_THAT(made.report(), HasSubstr("help: OpenFlow 1.3 does not track connections"));
    const dsl::Checked checked = dsl::check(made.text, "nat", flow_checker());
    EXPECT_EQ(checked.config.bridges.front().flows.size(), 8u);
    EXPECT_EQ(checked.config.bridges.front().dpid, Dpid(0xaa));
}

TEST(ImportedFiles, TheAncestorsExampleNeedsNothingMore) {
    const dsl::Imported made = import("lagopus-controller.dsl");
    EXPECT_EQ(made.n_lost(), 1u) << made.report();
    EXPECT_THAT(made.report(), HasSubstr("lagopus-controller.dsl:2: not carried: log -syslog"));
    EXPECT_THAT(made.text, HasSubstr("    controller tcp:127.0.0.1:6633\n"));
}

}  // namespace
}  // namespace raicho::shell
