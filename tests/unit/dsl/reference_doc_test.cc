// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/reference_doc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/edit/json.h"
#include "dsl/model/schema.h"
#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

TEST(Reference, TheCommittedPageIsWhatTheTableSays) {
    EXPECT_EQ(read_text(std::string(RAICHO_SOURCE_DIR) + "/docs/dsl.md"), language_reference())
        << "renew it: lagosh schema --markdown > docs/dsl.md";
}

TEST(Reference, NamesEveryStatement) {
    const std::string page = language_reference();
    for (const Row& r : schema())
        EXPECT_NE(page.find("| `" + std::string(r.name)), std::string::npos) << r.path();
}

TEST(Manual, TheCommittedPageIsWhatTheTableSays) {
    EXPECT_EQ(read_text(std::string(RAICHO_SOURCE_DIR) + "/docs/man/raicho.conf.5"),
              language_manual())
        << "renew it: lagosh schema --man > docs/man/raicho.conf.5";
}

TEST(Manual, NamesEveryStatement) {
    const std::string page = language_manual();
    for (const Row& r : schema()) {
        std::string name(r.name);
        for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2)
            name.insert(at, 1, '\\');
        EXPECT_NE(page.find(".TP\n\\fB" + name + "\\fR"), std::string::npos) << r.path();
    }
}

TEST(JsonSchema, IsJsonAndKnowsEveryStatement) {
    const Source source("schema", json_schema());
    Diagnostics diagnostics(source);
    EXPECT_TRUE(read_json(source, diagnostics)) << to_text(diagnostics.take(), source);
    for (const Row& r : schema()) {
        EXPECT_NE(source.text().find('"' + std::string(r.name) + '"'), std::string::npos);
    }
}

}  // namespace
}  // namespace raicho::dsl
