// SPDX-License-Identifier: Apache-2.0
// docs/conformance.md promises a test for each requirement: this holds it to that.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "openflow/error_table.h"

namespace raicho {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> all_matches(const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    std::vector<std::string> found;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), regex);
         it != std::sregex_iterator(); ++it) {
        std::string name = it->str(1);
        if (it->size() > 2) name += "." + it->str(2);
        found.push_back(std::move(name));
    }
    return found;
}

/// `Suite.Name` of every GoogleTest case in the tree.
std::set<std::string> cases() {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(RAICHO_ROOT) / "tests")) {
        if (entry.path().extension() != ".cc") continue;
        for (std::string& name :
             all_matches(read(entry.path()),
                         R"((?:^|\n)(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\))"))
            names.insert(std::move(name));
    }
    return names;
}

TEST(ConformanceDoc, EveryRowNamesTestsThatExist) {
    const std::set<std::string> known = cases();
    std::ifstream page(fs::path(RAICHO_ROOT) / "docs" / "conformance.md");
    ASSERT_TRUE(page);
    std::size_t rows = 0;
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("| §")) continue;
        ++rows;
        const auto tests = all_matches(line, R"(`(\w+)\.(\w+)`)");
        EXPECT_FALSE(tests.empty()) << "no test: " << line;
        for (const std::string& test : tests)
            EXPECT_TRUE(known.contains(test)) << "no such test: " << test;
    }
    EXPECT_GT(rows, 50u);
}

/// Every code, and the types that have none.
std::set<std::string> errors() {
    std::set<std::string> names;
    for (const openflow::ErrorCodeRow& row : openflow::kErrorCodeRows)
        names.insert(std::string(row.name));
    for (const openflow::ErrorTypeRow& row : openflow::kErrorTypeRows)
        if (std::ranges::none_of(openflow::kErrorCodeRows,
                                 [&](const auto& code) { return code.type == row.type; }))
            names.insert(std::string(row.name));
    return names;
}

/// `| OFPBRC_BAD_LEN | tests |` or `| OFPBRC_EPERM | never: why |`.
TEST(ConformanceDoc, EveryErrorTypeAndCodeHasARow) {
    const std::set<std::string> known = cases();
    std::ifstream page(fs::path(RAICHO_ROOT) / "docs" / "conformance.md");
    std::set<std::string> seen;
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("| OFP")) continue;
        const std::string code = line.substr(2, line.find(' ', 2) - 2);
        EXPECT_TRUE(seen.insert(code).second) << code << " twice";
        const auto tests = all_matches(line, R"(`(\w+)\.(\w+)`)");
        EXPECT_NE(tests.empty(), line.find("| never: ") == std::string::npos) << line;
        for (const std::string& test : tests)
            EXPECT_TRUE(known.contains(test)) << "no such test: " << test;
    }
    EXPECT_EQ(seen, errors());
}

TEST(ConformanceDoc, FunctionalTestsThatItNamesAreThere) {
    const fs::path root(RAICHO_ROOT);
    const auto named =
        all_matches(read(root / "docs" / "conformance.md"), R"(`(tests/functional/\w+)`)");
    EXPECT_GE(named.size(), 6u);
    for (const std::string& test : named)
        EXPECT_TRUE(fs::is_regular_file(root / test)) << "no such test: " << test;
}

}  // namespace
}  // namespace raicho
