// SPDX-License-Identifier: Apache-2.0
// Live names for the parser's and completer's tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/parse.h"

namespace raicho::shell {

class FakeNames : public NameSource {
  public:
    std::vector<std::string> bridge_names{"br0", "br1"};
    int asked = 0;  // how often a live name was needed

    std::vector<std::string> bridges() override {
        ++asked;
        return bridge_names;
    }
    std::vector<std::string> ports(std::string_view bridge) override {
        ++asked;
        if (bridge == "br1") return {"p10"};
        return {"h1-br", "h2-br"};
    }
};

}  // namespace raicho::shell
