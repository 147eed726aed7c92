// SPDX-License-Identifier: Apache-2.0
// Flows, groups and meters written as ovs-ofctl text: which words are such a text, and the number
// it gives its group or meter. What the text means is openflow's.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "dsl/model/quantity.h"
#include "dsl/model/schema.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

bool looks_like_flow(const Value& value) {
    return value.kind == ValueKind::text || value.text.find_first_of("=,") != std::string::npos;
}

bool is_entry_text(const Row& r, const Value& value) {
    if (value.kind == ValueKind::list) return false;
    if (r.key == Key::flow) return looks_like_flow(value);
    return r.key == Key::entry && value.text.find('=') != std::string::npos;
}

ValueResult<std::string> entry_number(const Row& r, const Value& value) {
    const bool group = r.object == Object::group;
    std::string_view left = value.text;
    std::optional<Value> number;  // the last one counts, as ovs-ofctl has it
    while (!left.empty()) {
        const std::size_t end = std::min(left.find_first_of(", \t\n"), left.size());
        const std::string_view word = left.substr(0, end);
        const std::size_t separator = word.find_first_of("=:");
        std::string name(word.substr(0, separator));
        std::ranges::transform(name, name.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (name.starts_with("bucket")) break;  // `group` is an action there
        if (separator != std::string_view::npos &&
            (group ? name == "group_id" || name == "group" : name == "meter")) {
            number = value;
            number->kind = ValueKind::word;
            number->text = word.substr(separator + 1);
        }
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    if (!number)
        return fault(value.span,
                     format("{}: the text names no {}", r.name, group ? "group_id" : "meter"),
                     group ? R"(write group "group_id=1,type=all,bucket=output:2")"
                           : R"(write meter "meter=1,kbps,bands=type=drop rate=1000")");
    const auto id = parse_limited(*number, r.name, r.range);
    if (!id) return std::unexpected(id.error());
    return format("{}", *id);
}

}  // namespace raicho::dsl
