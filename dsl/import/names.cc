// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/names.h"

#include "base/text.h"

namespace raicho::dsl {

namespace {

bool letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

const std::string& NameMap::take(std::string_view foreign) {
    if (const auto at = given_.find(foreign); at != given_.end()) return at->second;
    std::string name;
    for (const char c : foreign.substr(0, longest_))
        name += letter_or_digit(c) || c == '-' || c == '_' || c == '.' ? c : '_';
    if (name.empty() || name.front() == '-' || name.front() == '.')
        name = ("_" + name).substr(0, longest_);
    const std::string base = name;
    for (unsigned n = 2; !used_.insert(name).second; ++n) {
        const std::string suffix = format("_{}", n);
        name = base.substr(0, longest_ - suffix.size()) + suffix;
    }
    return given_.emplace(foreign, std::move(name)).first->second;
}

}  // namespace raicho::dsl
