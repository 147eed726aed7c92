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
    /// A language with bridges that have ports and an mtu.
    std::vector<StatementWord> statements(const StatementPlace& place) override {
        std::vector<StatementWord> all;
        if (place.words.empty())
            all = {{"bridge", "a switch"}, {"system", "names"}};
        else if (place.words.back() == "bridge")
            all = {{"br0", "a switch"}, {"<name>", "a switch"}};
        else if (place.words.size() == 2)
            all = {{"<enter>", "end"}, {"mtu", "packet size"}};
        std::erase_if(all, [&](const StatementWord& word) {
            return !word.text.starts_with(place.prefix) && word.text.front() != '<';
        });
        asked_from = place.from;
        return all;
    }
    PathFrom asked_from = PathFrom::level;
};

}  // namespace raicho::shell
