// SPDX-License-Identifier: Apache-2.0
#include "openflow/flow_scan.h"

#include <algorithm>

#include "base/text.h"
#include "openflow/port_names.h"

namespace raicho::openflow {
namespace {

constexpr std::string_view kItemEnds = ", \t\r\n";
constexpr std::string_view kNameEnds = "=:(, \t\r\n";

/// Where the bracket that opens at the front of `text` closes, or npos.
std::size_t closing(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')' && --depth == 0) return i;
    }
    return std::string_view::npos;
}

std::string_view unquoted(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        return text.substr(1, text.size() - 2);
    return text;
}

}  // namespace

std::unexpected<FlowTextError> wrong(const Word& at, std::string text, std::string hint) {
    return std::unexpected(FlowTextError{std::move(text), std::move(hint), at.offset,
                                         std::max<std::size_t>(at.text.size(), 1)});
}

Parsed<std::optional<Item>> ItemScanner::next() {
    const std::size_t start = std::min(rest_.text.find_first_not_of(kItemEnds), rest_.text.size());
    rest_ = rest_.part(start);
    if (rest_.text.empty()) return std::optional<Item>();
    Item item;
    const std::size_t name_size = std::min(rest_.text.find_first_of(kNameEnds), rest_.text.size());
    item.name = rest_.part(0, name_size);
    std::size_t size = name_size;
    if (name_size < rest_.text.size() && kItemEnds.find(rest_.text[name_size]) == kItemEnds.npos) {
        item.separator = rest_.text[name_size];
        if (item.separator == '(') {
            const std::size_t close = closing(rest_.text.substr(name_size));
            if (close == std::string_view::npos)
                return wrong(rest_.part(name_size, 1), "unmatched \"(\"", "close it with \")\"");
            item.value = rest_.part(name_size + 1, close - 1);
            size = name_size + close + 1;
        } else {
            const std::size_t end =
                std::min(rest_.text.find_first_of(kItemEnds, name_size), rest_.text.size());
            item.value = rest_.part(name_size + 1, end - name_size - 1);
            size = end;
        }
    } else {
        item.value = rest_.part(name_size, 0);
    }
    item.whole = rest_.part(0, size);
    if (item.name.text.empty())
        return wrong(item.whole, format("\"{}\" has no name", item.whole.text));
    rest_ = rest_.part(size);
    if (!rest_.text.empty() && kItemEnds.find(rest_.text.front()) == kItemEnds.npos)
        return wrong(rest_.part(0, 1), format("\"{}\" after \")\"", rest_.text.front()),
                     "write a comma");
    return std::optional<Item>(item);
}

Parsed<std::uint64_t> number(std::string_view name, const Word& value, std::uint64_t max) {
    if (value.text.empty()) return wrong(value, format("{}: a number is missing", name));
    const auto parsed = parse_number(value.text);
    if (!parsed) return wrong(value, format("{}: \"{}\" is not a number", name, value.text));
    if (*parsed > max) return wrong(value, format("{}: {} is not in 0..{}", name, value.text, max));
    return *parsed;
}

Parsed<std::uint64_t> number(const Item& item, std::uint64_t max) {
    return number(item.name.text, item.value, max);
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> names) {
    constexpr std::size_t kLongestName = 32;  // what is longer is no name mistyped
    if (name.size() > kLongestName) return {};
    const auto meant = did_you_mean(name, names);
    return meant ? format("did you mean \"{}\"?", *meant) : std::string{};
}

std::optional<PortNo> reserved_port(std::string_view name) {
    const std::string wanted = lower(name);
    for (const PortName& named : kPortNames)
        if (wanted == lower(named.name)) return named.port;
    return std::nullopt;
}

Parsed<PortNo> port(const Word& value, const PortByName& ports) {
    const std::string_view name = unquoted(value.text);
    if (const auto n = parse_number(name); n && *n <= 0xffffffff)
        return PortNo(static_cast<std::uint32_t>(*n));
    if (const auto reserved = reserved_port(name)) return *reserved;
    if (ports)
        if (const auto named = ports(name)) return *named;
    return wrong(value, format("unknown port \"{}\"", name),
                 "a port number, a port of the bridge, or LOCAL, CONTROLLER, IN_PORT, NORMAL, "
                 "FLOOD, ALL");
}

}  // namespace raicho::openflow
