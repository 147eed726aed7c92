// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/device.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dsl/model/reference.h"

namespace raicho::dsl {

namespace {

constexpr std::size_t kInterfaceName = 15;  // IFNAMSIZ with its NUL is 16
constexpr std::size_t kDeviceText = 207;    // what the arena holds

constexpr std::array<DeviceRow, 12> kDevices{{
    {"af-packet", DeviceKind::af_packet, "[<interface>]", "an interface of this host (veth, NIC)"},
    {"tap", DeviceKind::tap, "[<name>]", "a tap interface that is made for the port"},
    {"null", DeviceKind::null, "", "swallows everything, receives nothing"},
    {"pcap", DeviceKind::pcap, "iface <interface> | rx <file> tx <file>",
     "libpcap: an interface, or capture files to read and write"},
    {"ethdev", DeviceKind::ethdev, "<device-string>", "any DPDK device: net_pcap0,iface=eth0"},
    {"dpdk", DeviceKind::dpdk, "<pci-address>", "a NIC bound to a DPDK driver: 0000:03:00.0"},
    {"vhost-user", std::nullopt, "<socket>", "a virtual machine"},
    {"patch", std::nullopt, "<port>", "a port of another bridge"},
    {"memif", std::nullopt, "<socket>", "shared memory with another process"},
    {"vxlan", std::nullopt, "<address>", "a VXLAN tunnel"},
    {"gre", std::nullopt, "<address>", "a GRE tunnel"},
    {"bond", std::nullopt, "<ports>", "several links as one"},
}};

std::string usage(const DeviceRow& r) {
    return format("write device {}{}{}", r.word, r.arguments.empty() ? "" : " ", r.arguments);
}

bool interface_name(std::string_view text) {
    return !text.empty() && text.size() <= kInterfaceName && text != "." && text != ".." &&
           text.find_first_of("/ \t\n:") == std::string_view::npos;
}

/// `0000:03:00.0`, or `03:00.0` with the domain left out; lower case, domain added.
std::optional<std::string> pci_address(std::string_view text) {
    std::string full(text);
    if (std::ranges::count(text, ':') == 1) full = "0000:" + full;
    constexpr std::string_view kShape = "hhhh:hh:hh.o";
    if (full.size() != kShape.size()) return std::nullopt;
    for (std::size_t i = 0; i < full.size(); ++i) {
        if (full[i] >= 'A' && full[i] <= 'F') full[i] = static_cast<char>(full[i] - 'A' + 'a');
        const char c = full[i];
        const bool octal = c >= '0' && c <= '7';
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        const bool good = kShape[i] == 'h' ? hex : kShape[i] == 'o' ? octal : c == kShape[i];
        if (!good) return std::nullopt;
    }
    return full;
}

ValueResult<DeviceConfig> parse_pcap(const DeviceRow& r, std::span<const Value> values,
                                     DeviceConfig device) {
    for (std::size_t i = 1; i < values.size(); i += 2) {
        constexpr std::array<std::string_view, 3> kWords{"iface", "rx", "tx"};
        const Value& word = values[i];
        std::string* slot = word.text == "iface" ? &device.name
                            : word.text == "rx"  ? &device.rx_file
                            : word.text == "tx"  ? &device.tx_file
                                                 : nullptr;
        if (slot == nullptr)
            return fault(word.span, format("device pcap: unknown word \"{}\"", word.text),
                         suggest(word.text, kWords));
        if (i + 1 == values.size())
            return fault(word.span, format("device pcap: {} needs a value", word.text), usage(r));
        if (!slot->empty())
            return fault(word.span, format("device pcap: {} is given twice", word.text));
        const Value& value = values[i + 1];
        if (slot == &device.name && !interface_name(value.text))
            return fault(value.span, format("\"{}\" cannot be an interface name", value.text));
        if (value.text.find_first_of(",\n") != std::string::npos)
            return fault(value.span, "device pcap: a file name without commas is needed");
        *slot = value.text;
    }
    const bool files = !device.rx_file.empty() || !device.tx_file.empty();
    if (files != device.name.empty())
        return fault(values.front().span, "device pcap: either an interface or files", usage(r));
    return device;
}

std::string as_word(const std::string& text) {
    return quoted_if_needed(without_references(text));
}

}  // namespace

std::span<const DeviceRow> device_rows() {
    return kDevices;
}

ValueResult<DeviceConfig> parse_device(std::span<const Value> values) {
    for (const Value& v : values)
        if (v.kind == ValueKind::list) return fault(v.span, "device takes no list");
    const Value& kind = values.front();
    const auto r = std::ranges::find(kDevices, std::string_view(kind.text), &DeviceRow::word);
    std::vector<std::string_view> words;
    for (const DeviceRow& d : kDevices)
        if (d.kind) words.push_back(d.word);
    if (r == kDevices.end())
        return fault(kind.span, format("unknown device kind \"{}\"", kind.text),
                     suggest(kind.text, words));
    if (!r->kind)
        return fault(kind.span,
                     format("device kind \"{}\" is not supported by this version", r->word),
                     format("supported: {}", fmt::join(words, ", ")));
    DeviceConfig device{.kind = *r->kind, .name = {}};
    if (*r->kind == DeviceKind::pcap) return parse_pcap(*r, values, device);
    const std::size_t most = r->arguments.empty() ? 0 : 1;
    if (values.size() > most + 1)
        return fault(values[most + 1].span,
                     format("unexpected \"{}\" after device {}", values[most + 1].text, r->word),
                     usage(*r));
    if (values.size() == 1) {
        if (most == 1 && !r->arguments.starts_with('['))
            return fault(kind.span, format("device {} needs {}", r->word, r->arguments), usage(*r));
        return device;
    }
    const Value& argument = values[1];
    device.name = argument.text;
    switch (*r->kind) {
        case DeviceKind::af_packet:
        case DeviceKind::tap:
            if (!interface_name(argument.text))
                return fault(argument.span,
                             format("\"{}\" cannot be an interface name", argument.text),
                             format("at most {} characters, no / and no blanks", kInterfaceName));
            break;
        case DeviceKind::dpdk: {
            const auto address = pci_address(argument.text);
            if (!address)
                return fault(argument.span, format("\"{}\" is not a PCI address", argument.text),
                             "for example: 0000:03:00.0; a device string is written: device ethdev "
                             "\"net_pcap0,iface=eth0\"");
            device.name = *address;
            break;
        }
        case DeviceKind::ethdev:
            if (argument.text.empty() || argument.text.size() > kDeviceText ||
                argument.text.find_first_of("\n\t ") != std::string::npos)
                return fault(argument.span,
                             format("device ethdev: a device string of 1 to {} characters without "
                                    "blanks is needed",
                                    kDeviceText));
            break;
        case DeviceKind::null:
        case DeviceKind::pcap: break;
    }
    return device;
}

std::string to_string(const DeviceConfig& device) {
    std::string out;
    for (const DeviceRow& r : kDevices)
        if (r.kind == device.kind) out = r.word;
    if (device.kind == DeviceKind::pcap) {
        if (!device.name.empty()) out += " iface " + as_word(device.name);
        if (!device.rx_file.empty()) out += " rx " + as_word(device.rx_file);
        if (!device.tx_file.empty()) out += " tx " + as_word(device.tx_file);
    } else if (!device.name.empty()) {
        out += ' ' + as_word(device.name);
    }
    return out;
}

std::string resource(const PortConfig& port) {
    const DeviceConfig& device = port.device;
    switch (device.kind) {
        case DeviceKind::null: return "";
        case DeviceKind::af_packet:
        case DeviceKind::tap: return "interface " + device.name;
        case DeviceKind::pcap: return device.name.empty() ? "" : "interface " + device.name;
        case DeviceKind::dpdk: return "device " + device.name;
        case DeviceKind::ethdev: return "device " + device.name.substr(0, device.name.find(','));
    }
    std::unreachable();
}

std::string device_string(const PortConfig& port) {
    const DeviceConfig& device = port.device;
    if (device.kind != DeviceKind::pcap) return device.name;
    std::string out = "net_pcap_" + port.name;
    if (!device.name.empty()) out += ",iface=" + device.name;
    if (!device.rx_file.empty()) out += ",rx_pcap=" + device.rx_file;
    if (!device.tx_file.empty()) out += ",tx_pcap=" + device.tx_file;
    return out;
}

}  // namespace raicho::dsl
