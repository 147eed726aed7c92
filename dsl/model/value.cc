// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/value.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/model/quantity.h"
#include "dsl/model/reference.h"

namespace raicho::dsl {

namespace {

std::optional<std::uint64_t> parse_dpid(std::string_view text) {
    std::string digits(text);
    const bool colons = text.find(':') != std::string_view::npos;
    if (colons) {
        if (text.size() != 23) return std::nullopt;
        for (std::size_t i = 2; i < text.size(); i += 3)
            if (text[i] != ':') return std::nullopt;
        std::erase(digits, ':');
    }
    if (digits.size() == 16 && !digits.starts_with("0x")) return parse_number("0x" + digits);
    return colons ? std::nullopt : parse_number(text);
}

ValueResult<std::uint64_t> word_index(const Row& r, const Value& value) {
    const auto at = std::find(r.words.begin(), r.words.end(), value.text);
    if (at == r.words.end())
        return fault(value.span, format("{}: unknown value \"{}\"", r.name, value.text),
                     suggest(value.text, r.words));
    return static_cast<std::uint64_t>(at - r.words.begin());
}

/// Adds `7` or `4-7`: cores or VLANs.
ValueResult<void> add_numbers(const Row& r, const Value& value, std::vector<std::uint16_t>& sum) {
    const std::string_view text = value.text;
    const std::size_t dash = text.find('-');
    const auto first = parse_number(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
    const std::string_view what = r.type == Type::cores ? "core" : "VLAN";
    if (!first || !last || *first > *last)
        return fault(value.span, format("{}: \"{}\" is not a {}", r.name, text, what),
                     format("write {0} [ 2 3 ] or {0} 2-3", r.name));
    if (*first < r.range.least || *last > r.range.most)
        return fault(value.span, format("{}: {} is out of range", r.name, text), range_help(r));
    for (std::uint64_t number = *first; number <= *last; ++number) {
        if (std::find(sum.begin(), sum.end(), number) != sum.end())
            return fault(value.span, format("{}: {} {} is named twice", r.name, what, number));
        sum.push_back(static_cast<std::uint16_t>(number));
    }
    return {};
}

bool control_free(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; });
}

/// Types of exactly one value.
ValueResult<Parsed> parse_one(const Row& r, const Value& value) {
    switch (r.type) {
        case Type::word: return word_index(r, value);
        case Type::number:
        case Type::size:
        case Type::rate:
        case Type::seconds:
        case Type::duration: return parse_quantity(r, value);
        case Type::dpid: {
            const auto dpid = parse_dpid(value.text);
            if (!dpid || *dpid == 0)
                return fault(value.span, format("dpid: \"{}\" is not a datapath id", value.text),
                             "write up to 16 hex digits: dpid 0x1 or dpid 00:00:00:00:00:00:00:01");
            return *dpid;
        }
        case Type::mac: {
            const auto mac = parse_mac(value.text);
            if (!mac)
                return fault(value.span, format("mac: \"{}\" is not a MAC address", value.text),
                             "for example: 02:00:00:00:00:01");
            if (mac->multicast())
                return fault(value.span, format("mac: {} is a multicast address", value.text),
                             "the first byte of an interface's address is even");
            return *mac;
        }
        case Type::prefix: {
            const auto prefix = parse_prefix(value.text);
            if (!prefix)
                return fault(
                    value.span,
                    format("{}: \"{}\" is not an address with its length", r.name, value.text),
                    parse_ipv4(value.text) || parse_ipv6(value.text)
                        ? format("add the length of the network: {}/{}", value.text,
                                 parse_ipv4(value.text) ? 24 : 64)
                        : "for example: 192.168.2.99/24 or 2001:db8::99/64");
            return *prefix;
        }
        case Type::name: return parse_name(value, r.name, r.range.most);
        case Type::text:
            if (value.text.size() > r.range.most || !control_free(value.text))
                return fault(value.span, format("{}: longer than {} bytes or more than one line",
                                                r.name, r.range.most));
            return value.text;
        case Type::path:
            if (!value.text.starts_with('/') || value.text.size() > r.range.most ||
                !control_free(value.text))
                return fault(value.span,
                             format("{}: \"{}\" is not an absolute file name", r.name, value.text),
                             "begin it with /");
            return value.text;
        case Type::address: {
            const auto v4 = parse_ipv4(value.text);
            const auto v6 = parse_ipv6(value.text);
            if (!v4 && !v6)
                return fault(value.span, format("{}: \"{}\" is not an address", r.name, value.text),
                             "for example: 192.168.2.99 or 2001:db8::99");
            return v4 ? Address(*v4) : Address(*v6);
        }
        case Type::block:
        case Type::flag:
        case Type::words:
        case Type::cores:
        case Type::vlans:
        case Type::device:
        case Type::definition:
        case Type::pattern:
        case Type::flow_text: break;
    }
    std::unreachable();  // parse_value() has dealt with these
}

/// Lists opened up: `[ a b ] c` as a b c.
std::vector<const Value*> flat(std::span<const Value> values) {
    std::vector<const Value*> out;
    for (const Value& v : values) {
        if (v.kind != ValueKind::list) {
            out.push_back(&v);
            continue;
        }
        for (const Value& item : v.items) out.push_back(&item);
    }
    return out;
}

ValueResult<void> add_item(const Row& r, const Value& value, Parsed& sum) {
    if (r.type == Type::cores || r.type == Type::vlans)
        return add_numbers(r, value, std::get<std::vector<std::uint16_t>>(sum));
    if (r.type == Type::words) {
        auto index = word_index(r, value);
        if (!index) return std::unexpected(std::move(index.error()));
    }
    auto& text = std::get<std::string>(sum);
    if (r.type == Type::words)
        for (const std::string_view word : split(text, ','))
            if (word == value.text)
                return fault(value.span, format("{}: {} is named twice", r.name, word));
    if (!text.empty()) text += ',';
    text += value.text;
    return {};
}

/// Types of one or more values, lists allowed.
ValueResult<Parsed> parse_several(const Row& r, const Value& keyword,
                                  std::span<const Value> values) {
    const std::vector<const Value*> items = flat(values);
    if (items.empty())
        return fault(join(keyword.span, values.back().span),
                     format("{}: the list is empty", r.name),
                     format("write {} {}", r.name, value_text(r)));
    Parsed sum = std::string();
    if (r.type == Type::cores || r.type == Type::vlans) sum = std::vector<std::uint16_t>();
    for (const Value* item : items)
        if (auto added = add_item(r, *item, sum); !added)
            return std::unexpected(std::move(added.error()));
    if (auto* numbers = std::get_if<std::vector<std::uint16_t>>(&sum)) std::ranges::sort(*numbers);
    return sum;
}

/// `[ 2 3 ]`; three and more in a row as a range.
std::string number_list(const std::vector<std::uint16_t>& numbers) {
    std::string out = "[";
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t j = i;
        while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) ++j;
        if (j < i + 2) {
            out += format(" {}", numbers[i++]);
        } else {
            out += format(" {}-{}", numbers[i], numbers[j]);
            i = j + 1;
        }
    }
    return out + " ]";
}

}  // namespace

ValueResult<Parsed> parse_value(const Row& r, const Value& keyword, std::span<const Value> values) {
    if (r.type == Type::flag) {
        if (!values.empty())
            return fault(values.front().span,
                         format("{} takes no value, found \"{}\"", r.name, values.front().text),
                         format("write {} alone, or leave it out", r.name));
        return std::uint64_t{1};
    }
    if (values.empty())
        return fault(keyword.span, format("{} needs a value", r.name),
                     format("write {} {}", r.name, value_text(r)));
    switch (r.type) {
        case Type::words:
        case Type::cores:
        case Type::vlans:
        case Type::flow_text: return parse_several(r, keyword, values);
        case Type::device: {
            auto device = parse_device(values);
            if (!device) return std::unexpected(std::move(device.error()));
            return std::move(*device);
        }
        default: break;
    }
    if (values.front().kind == ValueKind::list)
        return fault(values.front().span, format("{} takes one value, not a list", r.name),
                     format("write {} {}", r.name, value_text(r)));
    if (values.size() > 1)
        return fault(values[1].span,
                     format("unexpected \"{}\" after {} {}",
                            values[1].kind == ValueKind::list ? "[" : values[1].text, r.name,
                            values[0].text),
                     "end the statement with ; or a new line");
    return parse_one(r, values.front());
}

std::string format_value(const Row& r, const Parsed& value) {
    const auto number = [&] { return std::get<std::uint64_t>(value); };
    switch (r.type) {
        case Type::block:
        case Type::flag: return "";
        case Type::word: return std::string(r.words[number()]);
        case Type::number:
        case Type::size:
        case Type::seconds:
        case Type::duration:
        case Type::rate: return quantity_text(r, number());
        case Type::cores:
        case Type::vlans: return number_list(std::get<std::vector<std::uint16_t>>(value));
        case Type::address: return to_string(std::get<Address>(value));
        case Type::definition:
        case Type::pattern: break;
        case Type::dpid: return format("0x{:x}", number());
        case Type::mac: return to_string(std::get<Mac>(value));
        case Type::prefix: return to_string(std::get<Prefix>(value));
        case Type::words: {
            std::string words = std::get<std::string>(value);
            std::ranges::replace(words, ',', ' ');
            return format("[ {} ]", words);
        }
        case Type::name:
        case Type::text:
        case Type::path:
        case Type::flow_text:
            return quoted_if_needed(without_references(std::get<std::string>(value)));
        case Type::device: return to_string(std::get<DeviceConfig>(value));
    }
    std::unreachable();
}

std::optional<Prefix> parse_prefix(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto length = parse_number(text.substr(slash + 1));
    if (!length) return std::nullopt;
    if (const auto v4 = parse_ipv4(text.substr(0, slash)); v4 && *length <= 32)
        return Prefix{*v4, static_cast<std::uint8_t>(*length)};
    if (const auto v6 = parse_ipv6(text.substr(0, slash)); v6 && *length <= 128)
        return Prefix{*v6, static_cast<std::uint8_t>(*length)};
    return std::nullopt;
}

std::string suggest(std::string_view word, std::span<const std::string_view> allowed,
                    std::string_view list_label) {
    if (const auto near = did_you_mean(word, allowed)) return format("did you mean \"{}\"?", *near);
    if (allowed.empty()) return {};
    return format("{}: {}", list_label, fmt::join(allowed, ", "));
}

}  // namespace raicho::dsl
