// SPDX-License-Identifier: Apache-2.0
// Names and transport addresses as the language writes them.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "dsl/model/quantity.h"
#include "dsl/model/schema.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

namespace {

bool name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

ValueResult<Endpoint> parse_endpoint(const Value& value) {
    constexpr std::string_view kForm = "write tcp:HOST or tcp:HOST:PORT, IPv6 as tcp:[::1]:6653";
    std::string_view rest = value.text;
    const auto wrong = [&](std::string_view why, std::string_view help) {
        return fault(value.span, format("\"{}\": {}", value.text, why), std::string(help));
    };
    if (value.kind == ValueKind::list) return fault(value.span, "a list where one address belongs");
    const std::size_t scheme = rest.find(':');
    const std::string_view transport = rest.substr(0, scheme);
    if (transport == "ssl" || transport == "tls" || transport == "ptcp" || transport == "pssl")
        return wrong(format("transport \"{}\" is not supported by this version", transport),
                     transport == "ptcp" ? "a passive one is written: listen tcp:127.0.0.1:6654"
                                         : "supported: tcp");
    if (scheme == std::string_view::npos || transport != "tcp")
        return wrong("the transport is missing", kForm);
    rest.remove_prefix(scheme + 1);
    Endpoint endpoint;
    if (rest.starts_with('[')) {
        const std::size_t close = rest.find(']');
        if (close == std::string_view::npos || !parse_ipv6(rest.substr(1, close - 1)))
            return wrong("the brackets must hold an IPv6 address", kForm);
        endpoint.host = to_string(*parse_ipv6(rest.substr(1, close - 1)));
        rest.remove_prefix(close + 1);
        if (!rest.empty() && rest.front() != ':') return wrong("text after the bracket", kForm);
    } else {
        const std::size_t colon = rest.find(':');
        endpoint.host = rest.substr(0, colon);
        if (parse_ipv6(rest)) return wrong("an IPv6 address must stand in brackets", kForm);
        rest.remove_prefix(std::min(colon, rest.size()));
        const bool numeric_host =
            endpoint.host.find_first_not_of("0123456789.") == std::string::npos;
        const bool name = std::ranges::all_of(
            endpoint.host, [](char c) { return name_character(c) || c == '-' || c == '.'; });
        if (endpoint.host.empty() || (numeric_host && !parse_ipv4(endpoint.host)) || !name ||
            endpoint.host.size() > 253)
            return wrong(format("\"{}\" is neither an address nor a host name", endpoint.host),
                         kForm);
    }
    if (!rest.empty()) {
        const auto port = parse_number(rest.substr(1));
        if (!port || *port == 0 || *port > 65535)
            return wrong(format("\"{}\" is not a TCP port", rest.substr(1)), "allowed: 1 to 65535");
        endpoint.port = static_cast<std::uint16_t>(*port);
    }
    return endpoint;
}

ValueResult<std::string> parse_key(const Row& r, const Value& value) {
    if (value.kind == ValueKind::list)
        return fault(value.span,
                     format("{}: a list where {} belongs", r.name, head_text(r.object)));
    switch (r.key) {
        case Key::none: break;
        case Key::flow:
            if (looks_like_flow(value)) return value.text;
            return parse_name(value, "flow name", r.range.most);
        case Key::name: return parse_name(value, format("{} name", r.name), r.range.most);
        case Key::endpoint:
        case Key::listener: {
            auto endpoint = parse_endpoint(value);
            if (!endpoint) return std::unexpected(std::move(endpoint.error()));
            if (r.key == Key::listener && !parse_ipv4(endpoint->host) &&
                !parse_ipv6(endpoint->host))
                return fault(value.span, format("listen: \"{}\" is not an address", endpoint->host),
                             "write listen tcp:127.0.0.1:6654");
            ControllerConfig controller;
            controller.host = std::move(endpoint->host);
            controller.port = endpoint->port;
            return to_string(controller);
        }
        case Key::entry:
            if (is_entry_text(r, value)) return entry_number(r, value);
            [[fallthrough]];
        case Key::number: {
            const auto number = parse_limited(value, r.name, r.range);
            if (!number) return std::unexpected(number.error());
            return format("{}", *number);
        }
        case Key::mac: {
            const auto mac = parse_mac(value.text);
            if (!mac)
                return fault(value.span, format("\"{}\" is not a MAC address", value.text),
                             "for example: 02:00:00:00:00:01");
            if (mac->multicast())
                return fault(value.span, format("{} is a multicast address", value.text),
                             "a host's address has an even first byte");
            return to_string(*mac);
        }
    }
    return fault(value.span, format("{} takes no name", r.name),
                 format("write {} {{ ... }}", r.name));
}

ValueResult<std::string> parse_name(const Value& value, std::string_view what,
                                    std::size_t longest) {
    if (value.kind == ValueKind::list)
        return fault(value.span, format("a list where the {} belongs", what));
    const std::string& text = value.text;
    const bool good =
        !text.empty() && name_character(text.front()) &&
        std::ranges::all_of(text, [](char c) { return name_character(c) || c == '-' || c == '.'; });
    if (!good)
        return fault(value.span, format("\"{}\" cannot be a {}", text, what),
                     "use letters, digits, -, _ and .");
    if (text.size() > longest)
        return fault(value.span, format("\"{}\" is too long for a {}", text, what),
                     format("at most {} characters", longest));
    return text;
}

}  // namespace raicho::dsl
