// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/lagopus_options.h"

#include <algorithm>
#include <array>

#include "base/addr.h"
#include "base/text.h"
#include "dsl/import/lagopus_command.h"

namespace raicho::dsl {

namespace {

using enum LagopusValue;
using enum Treatment;
using std::string_view;

constexpr std::uint64_t kU16 = 0xffff;
constexpr std::uint64_t kU32 = 0xffffffff;
constexpr std::uint64_t kRate = 100000000000;

constexpr LagopusOption read(string_view object, string_view name, LagopusValue value,
                             std::uint64_t least = 0, std::uint64_t most = ~0ull) {
    return {.object = object, .name = name, .value = value, .least = least, .most = most};
}
constexpr LagopusOption one_of(string_view object, string_view name, string_view words) {
    return {.object = object, .name = name, .value = word, .words = words};
}
constexpr LagopusOption adds(LagopusOption o, std::size_t n_values = 1) {
    o.repeat = Repeat::adds;
    o.n_values = n_values;
    return o;
}
constexpr LagopusOption idle(LagopusOption o, string_view fallback, string_view why) {
    o.fallback = fallback;
    o.treatment = meaningless;
    o.why = why;
    return o;
}
constexpr LagopusOption lose(LagopusOption o, string_view fallback, string_view why) {
    o.fallback = fallback;
    o.treatment = lost;
    o.why = why;
    return o;
}

constexpr string_view kQueue = "there are no queues in a configuration yet";
constexpr string_view kPolicer = "policers had no effect in Lagopus either";
constexpr string_view kSizes = "message queues have no sizes here";
constexpr string_view kFeature = "it only changed what the switch says it can do";
constexpr string_view kTunnel = "tunnel interfaces dropped every packet in Lagopus";
constexpr string_view kTls = "connections to controllers are TCP";
constexpr string_view kSnmp = "there is no SNMP agent";
constexpr string_view kDatastore =
    "the agent is reached by the socket agent.sock in its run "
    "directory";

constexpr LagopusOption rate(string_view object, string_view name) {
    return lose(read(object, name, number, 1500, kRate), "1500",
                object == "queue" ? kQueue : kPolicer);
}
constexpr LagopusOption size(string_view name) {
    return idle(read("bridge", name, number, 0, kU16), "1000", kSizes);
}
constexpr LagopusOption statistics(string_view name, string_view fallback = "true") {
    return idle(read("bridge", name, boolean), fallback, kFeature);
}
constexpr LagopusOption capability(string_view name, string_view words) {
    return idle(adds(one_of("bridge", name, words)), "", kFeature);
}

constexpr std::array kOptions{
    one_of("policer-action", "type", "discard"),

    lose(adds(read("policer", "action", text)), "", kPolicer),
    rate("policer", "bandwidth-limit"),
    rate("policer", "burst-size-limit"),
    lose(read("policer", "bandwidth-percent", number, 0, 100), "0", kPolicer),

    one_of("queue", "type", "single-rate|two-rate"),
    lose(read("queue", "priority", number, 0, kU16), "0", kQueue),
    lose(one_of("queue", "color", "color-aware|color-blind"), "color-aware", kQueue),
    rate("queue", "committed-burst-size"),
    rate("queue", "committed-information-rate"),
    rate("queue", "excess-burst-size"),
    rate("queue", "peak-burst-size"),
    rate("queue", "peak-information-rate"),
    lose(read("queue", "id", number, 0, kU32), "0", kQueue),

    one_of("interface", "type",
           "ethernet-dpdk-phy|ethernet-dpdk-vdev|ethernet-rawsock|gre|nvgre|vxlan|vhost-user"),
    read("interface", "device", text),
    read("interface", "port-number", number, 0, kU32),
    read("interface", "mtu", number, 0, kU16),
    idle(read("interface", "ip-addr", ipaddress), "127.0.0.1", "ports have no addresses"),
    lose(read("interface", "dst-addr", ipaddress), "127.0.0.1", kTunnel),
    lose(read("interface", "src-addr", ipaddress), "127.0.0.1", kTunnel),
    lose(read("interface", "mcast-group", ipaddress), "224.0.0.1", kTunnel),
    lose(read("interface", "dst-port", number, 0, kU32), "0", kTunnel),
    lose(read("interface", "src-port", number, 0, kU32), "0", kTunnel),
    lose(read("interface", "ni", number, 0, 16777215), "0", kTunnel),
    lose(read("interface", "ttl", number, 0, 255), "0", kTunnel),
    lose(read("interface", "dst-hw-addr", mac), "00:00:00:00:00:00", kTunnel),
    lose(read("interface", "src-hw-addr", mac), "00:00:00:00:00:00", kTunnel),

    read("port", "interface", text),
    lose(read("port", "policer", text), "", kPolicer),
    lose(adds(read("port", "queue", text), 2), "", kQueue),

    read("channel", "dst-addr", ipaddress),
    read("channel", "dst-port", number, 0, kU16),
    read("channel", "local-addr", ipaddress),
    lose(read("channel", "local-port", number, 0, kU16), "0",
         "the kernel chooses the source port of a connection"),
    one_of("channel", "protocol", "tcp|tls"),

    read("controller", "channel", text),
    one_of("controller", "role", "master|slave|equal"),
    one_of("controller", "connection-type", "main|auxiliary"),

    read("bridge", "dpid", number),
    adds(read("bridge", "controller", text)),
    adds(read("bridge", "port", text), 2),
    one_of("bridge", "fail-mode", "secure|standalone"),
    statistics("flow-statistics"),
    statistics("group-statistics"),
    statistics("port-statistics"),
    statistics("queue-statistics"),
    statistics("table-statistics"),
    statistics("reassemble-ip-fragments", "false"),
    statistics("block-looping-ports", "false"),
    idle(read("bridge", "max-buffered-packets", number, 0, kU16), "65535",
         "packets are not buffered: a packet-in holds all of it"),
    idle(read("bridge", "max-ports", number, 1, 2048), "255",
         "agent max-ports says how many ports all bridges may have"),
    read("bridge", "max-tables", number, 1, 255),
    read("bridge", "max-flows", number, 0, kU32),
    size("packet-inq-size"),
    size("packet-inq-max-batches"),
    size("up-streamq-size"),
    size("up-streamq-max-batches"),
    size("down-streamq-size"),
    size("down-streamq-max-batches"),
    capability("action-type",
               "copy-ttl-out|copy-ttl-in|set-mpls-ttl|dec-mpls-ttl|push-vlan|pop-vlan|push-mpls|"
               "pop-mpls|set-queue|group|set-nw-ttl|dec-nw-ttl|set-field"),
    capability("instruction-type",
               "apply-actions|clear-actions|write-actions|write-metadata|goto-table"),
    capability("reserved-port-type", "all|controller|table|inport|any|normal|flood"),
    capability("group-type", "all|select|indirect|fast-failover"),
    capability("group-capability", "select-weight|select-liveness|chaining|chaining-check"),
    idle(read("bridge", "l2-bridge", boolean), "true", "NORMAL learns addresses in every bridge"),
    read("bridge", "mactable-ageing-time", number, 10, 1000000),
    read("bridge", "mactable-max-entries", number, 10, kU16),
    adds(read("bridge", "mactable-entry", text), 2),

    lose({.object = "log", .name = "syslog", .n_values = 0}, "",
         "the daemons write to a file or to standard error, which systemd's journal keeps"),
    lose(read("log", "ident", text), "", "the daemons log under their own names"),
    read("log", "file", text),
    read("log", "debuglevel", number, 0, kU16),
    lose(adds(read("log", "packetdump", text)), "", "messages are not dumped to the log"),

    idle(read("datastore", "addr", text), "", kDatastore),
    idle(read("datastore", "port", number, 0, kU16), "", kDatastore),
    idle(one_of("datastore", "protocol", "tcp|tcp6"), "", kDatastore),
    idle(read("datastore", "tls", boolean), "", kDatastore),

    idle(read("agent", "channelq-size", number, 0, kU16), "1000", kSizes),
    idle(read("agent", "channelq-max-batches", number, 0, kU16), "1000", kSizes),

    lose(read("tls", "cert-file", text), "", kTls),
    lose(read("tls", "private-key", text), "", kTls),
    lose(read("tls", "certificate-store", text), "", kTls),
    lose(read("tls", "trust-point-conf", text), "", kTls),

    lose(read("snmp", "master-agentx-socket", text), "", kSnmp),
    lose(read("snmp", "ping-interval-second", number, 1, 255), "10", kSnmp),
};

constexpr bool sorted_by_object() {
    for (std::size_t i = 1; i < kOptions.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (kOptions[j].object != kOptions[i].object) continue;
            if (kOptions[j].name == kOptions[i].name) return false;
            if (kOptions[i - 1].object != kOptions[i].object) return false;
        }
    return true;
}
static_assert(sorted_by_object(), "an option once, options of one object together");

}  // namespace

std::span<const LagopusOption> lagopus_options() {
    return kOptions;
}

const LagopusOption* find_lagopus_option(std::string_view object, std::string_view name) {
    for (const LagopusOption& o : kOptions)
        if (o.object == object && o.name == name) return &o;
    return nullptr;
}

std::expected<void, std::string> judge_lagopus_value(const LagopusOption& o,
                                                     std::string_view value) {
    const auto bad = [&](std::string why) { return std::unexpected(std::move(why)); };
    switch (o.value) {
        case text: return {};
        case number: {
            const auto n = lagopus_number(value);
            if (!n) return bad(format("\"{}\" is not a number", value));
            if (*n < o.least || *n > o.most)
                return bad(format("{} is not in {} to {}", value, o.least, o.most));
            return {};
        }
        case boolean:
            if (value == "true" || value == "false") return {};
            return bad(format("\"{}\" is neither true nor false", value));
        case ipaddress:
            if (parse_ipv4(value) || parse_ipv6(value)) return {};
            return bad(format("\"{}\" is not an address", value));
        case mac:
            if (parse_mac(value)) return {};
            return bad(format("\"{}\" is not a hardware address", value));
        case word: {
            const auto words = split(o.words, '|');
            if (std::ranges::find(words, value) != words.end()) return {};
            return bad(format("\"{}\" is not one of {}", value, fmt::join(words, ", ")));
        }
    }
    std::unreachable();
}

}  // namespace raicho::dsl
