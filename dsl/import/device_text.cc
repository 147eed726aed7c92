// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/device_text.h"

#include <map>
#include <vector>

#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

namespace {

/// `name,key=value,key=value`.
struct DeviceString {
    std::string driver;  // without its number
    std::string name;
    std::map<std::string, std::string, std::less<>> options;
};

DeviceString read_device_string(std::string_view text) {
    DeviceString out;
    const std::vector<std::string_view> parts = split(text, ',');
    out.name = parts.front();
    // DPDK before 17.05 said eth_ for net_.
    if (out.name.starts_with("eth_")) out.name.replace(0, 4, "net_");
    const std::size_t digits = out.name.find_last_not_of("0123456789") + 1;
    out.driver = out.name.substr(0, digits);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].find('=');
        out.options[std::string(parts[i].substr(0, equals))] =
            equals == std::string_view::npos ? "" : parts[i].substr(equals + 1);
    }
    return out;
}

bool looks_like_pci(std::string_view text) {
    return text.size() >= 7 && text.find(':') != std::string_view::npos &&
           text[text.size() - 2] == '.' &&
           text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

DeviceText judged(std::string text, const std::vector<std::string>& words) {
    std::vector<Value> values;
    for (const std::string& word : words) values.push_back({ValueKind::word, {}, word, {}});
    DeviceText out{std::move(text)};
    if (const auto parsed = parse_device(values); !parsed) {
        out.fault = parsed.error().text;
        if (!parsed.error().help.empty()) out.fault += format(" ({})", parsed.error().help);
    }
    return out;
}

DeviceText of_words(const std::vector<std::string>& words) {
    std::string text = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) text += ' ' + quoted_if_needed(words[i]);
    return judged(std::move(text), words);
}

DeviceText pcap(const DeviceString& d) {
    std::vector<std::string> words{"pcap"};
    for (const auto& [key, word] :
         {std::pair{"iface", "iface"}, std::pair{"rx_pcap", "rx"}, std::pair{"tx_pcap", "tx"}})
        if (const auto at = d.options.find(key); at != d.options.end()) {
            words.emplace_back(word);
            words.push_back(at->second);
        }
    return of_words(words);
}

std::string option(const DeviceString& d, std::string_view key) {
    const auto at = d.options.find(key);
    return at == d.options.end() ? std::string() : at->second;
}

}  // namespace

DeviceText device_text(std::string_view kind, std::string_view argument) {
    std::vector<std::string> words{std::string(kind)};
    if (!argument.empty()) words.emplace_back(argument);
    return of_words(words);
}

DeviceText vhost_device_text(std::string_view port, std::string_view socket, VhostRole role) {
    std::vector<std::string> words{"vhost-user", std::string(socket)};
    if (role == VhostRole::server) words.emplace_back("server");
    DeviceText own = of_words(words);
    if (own.usable()) return own;
    return device_text("ethdev", format("net_vhost_{},iface={}{}", port, socket,
                                        role == VhostRole::client ? ",client=1" : ""));
}

DeviceText dpdk_device_text(std::string_view text) {
    if (looks_like_pci(text)) return device_text("dpdk", text);
    const DeviceString d = read_device_string(text);
    if (d.driver == "net_pcap") return pcap(d);
    if (d.driver == "net_null") return device_text("null", "");
    if (d.driver == "net_tap" && !option(d, "iface").empty())
        return device_text("tap", option(d, "iface"));
    if (d.driver == "net_af_packet") return device_text("af-packet", option(d, "iface"));
    if (d.driver == "net_vhost")
        return vhost_device_text(
            d.name.substr(4), option(d, "iface"),
            option(d, "client") == "1" ? VhostRole::client : VhostRole::server);
    std::string whole = d.name;
    if (const std::size_t comma = text.find(','); comma != std::string_view::npos)
        whole += text.substr(comma);
    return device_text("ethdev", whole);
}

}  // namespace raicho::dsl
