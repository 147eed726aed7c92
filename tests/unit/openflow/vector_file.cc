// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/openflow/vector_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"

namespace raicho::openflow {

std::vector<Vector> read_vectors(const std::string& name) {
    std::vector<Vector> vectors;
    std::ifstream file(std::string(RAICHO_VECTORS) + "/" + name);
    EXPECT_TRUE(file) << name;
    Vector next;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with("= ") || line.starts_with("! ")) {
            next.expect = line.front() == '=' ? Expect::text : Expect::error;
            next.expected = line.substr(2);
            next.where = format("{}:{}", name, number);
            vectors.push_back(std::move(next));
            next = {};
        } else if (const auto bytes = parse_hex(line)) {
            next.bytes.insert(next.bytes.end(), bytes->begin(), bytes->end());
        } else {
            ADD_FAILURE() << name << ":" << number << ": neither hex nor an expectation";
        }
    }
    return vectors;
}

std::string names_of(const OfpError& error) {
    const auto type = static_cast<std::uint16_t>(error.type);
    const std::string type_name = error_type_name(type);
    const std::string code_name = error_code_name(type, error.code);
    return format("{} {}", type_name.substr(0, type_name.find(' ')),
                  code_name.substr(0, code_name.find(' ')));
}

}  // namespace raicho::openflow
