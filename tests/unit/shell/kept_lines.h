// SPDX-License-Identifier: Apache-2.0
// A sink that keeps what it gets.
#pragma once

#include <string>
#include <vector>

#include "shell/output.h"

namespace raicho::shell {

class KeptLines : public LineSink {
  public:
    std::vector<std::string> lines;
    std::size_t enough = 1'000'000;
    int ends = 0;

    Want line(std::string_view text) override {
        if (lines.size() < enough) lines.emplace_back(text);
        return lines.size() < enough ? Want::more : Want::no_more;
    }
    void end() override { ++ends; }

    [[nodiscard]] std::string text() const {
        std::string all;
        for (const std::string& line : lines) all += line + "\n";
        return all;
    }
};

}  // namespace raicho::shell
