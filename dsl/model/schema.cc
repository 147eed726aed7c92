// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/schema.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace raicho::dsl {

namespace {

// --- from a row to a member ------------------------------------------------------------------

template <class T>
struct MemberOf;
template <class Owner, class Value>
struct MemberOf<Value Owner::*> {
    using owner = Owner;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
void store(T& slot, Parsed&& value) {
    if constexpr (is_optional<T>) {
        store(slot.emplace(), std::move(value));
    } else if constexpr (std::is_same_v<T, std::vector<Prefix>>) {
        slot.push_back(std::get<Prefix>(value));
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
        slot = static_cast<T>(std::get<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, Dpid>) {
        slot = T(std::get<std::uint64_t>(value));
    } else {
        slot = std::get<T>(std::move(value));
    }
}

template <class T>
void fetch(const T& slot, std::vector<Parsed>& out) {
    if constexpr (is_optional<T>) {
        if (slot) fetch(*slot, out);
    } else if constexpr (std::is_same_v<T, std::vector<Prefix>>) {
        out.insert(out.end(), slot.begin(), slot.end());
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
        out.emplace_back(static_cast<std::uint64_t>(slot));
    } else if constexpr (std::is_same_v<T, Dpid>) {
        out.emplace_back(slot.value());
    } else {
        out.emplace_back(slot);
    }
}

template <auto Member>
constexpr Access at() {
    using Owner = typename MemberOf<decltype(Member)>::owner;
    return {[](void* object, Parsed&& value) {
                store(static_cast<Owner*>(object)->*Member, std::move(value));
            },
            [](const void* object, std::vector<Parsed>& out) {
                const auto& slot = static_cast<const Owner*>(object)->*Member;
                if (!(slot == Owner{}.*Member)) fetch(slot, out);
            }};
}

// --- the table -------------------------------------------------------------------------------

using std::string_view;
constexpr std::array<string_view, 2> kFailModes{"secure", "standalone"};
constexpr std::array<string_view, 2> kAdminStates{"down", "up"};
constexpr std::array<string_view, 2> kProfiles{"idle", "busy"};
constexpr std::array<string_view, 3> kHugePages{"auto", "on", "off"};
constexpr std::array<string_view, 4> kLogLevels{"debug", "info", "warning", "error"};
constexpr std::array<string_view, 3> kFlowFlags{"send_flow_rem", "no_packet_counts",
                                                "no_byte_counts"};

using enum Cardinality;
using enum Effect;
using C = ControllerConfig;
using D = DataplaneConfig;
constexpr auto kWholePath = Range{1, 4095};

constexpr std::array kRows{
    // the top
    Row{"", "system", Type::block, "", "the switch as a whole", once, Object::system},
    Row{"", "log", Type::block, "", "the daemons' log", once, Object::log},
    Row{"", "agent", Type::block, "", "sizes of what the daemons share", once, Object::agent},
    Row{"", "dataplane", Type::block, "", "the forwarding process", once, Object::dataplane},
    Row{"", "bridge", Type::block, "", "one OpenFlow switch", many, Object::bridge},

    Row{"system",
        "name",
        Type::name,
        "the host's name",
        "name of the switch, shown in prompts",
        once,
        Object::none,
        live,
        {1, 64},
        {},
        at<&SystemConfig::name>()},

    Row{"log",
        "level",
        Type::word,
        "info",
        "least severity that is written",
        once,
        Object::none,
        live,
        {},
        kLogLevels,
        at<&LogConfig::level>()},
    Row{"log",
        "file",
        Type::path,
        "standard error",
        "file to write to, reopened on SIGHUP",
        once,
        Object::none,
        live,
        kWholePath,
        {},
        at<&LogConfig::file>()},

    Row{"agent",
        "max-flows",
        Type::number,
        "1048576",
        "flow entries of all bridges together",
        once,
        Object::none,
        new_arena,
        {1024, 1u << 26},
        {},
        at<&AgentConfig::max_flows>()},
    Row{"agent",
        "max-workers",
        Type::number,
        "8",
        "forwarding threads there is room for",
        once,
        Object::none,
        new_arena,
        {1, 64},
        {},
        at<&AgentConfig::max_workers>()},
    Row{"agent",
        "max-bridges",
        Type::number,
        "64",
        "bridges there is room for",
        once,
        Object::none,
        new_arena,
        {1, 1024},
        {},
        at<&AgentConfig::max_bridges>()},
    Row{"agent",
        "max-ports",
        Type::number,
        "1024",
        "ports of all bridges there is room for",
        once,
        Object::none,
        new_arena,
        {1, 8192},
        {},
        at<&AgentConfig::max_ports>()},

    Row{"dataplane",
        "workers",
        Type::number,
        "chosen by itself",
        "forwarding threads",
        once,
        Object::none,
        dataplane_restart,
        {1, 64},
        {},
        at<&D::workers>()},
    Row{"dataplane",
        "cores",
        Type::cores,
        "chosen by itself",
        "cores the workers are bound to",
        once,
        Object::none,
        dataplane_restart,
        {0, 1023},
        {},
        at<&D::cores>()},
    Row{"dataplane",
        "memory",
        Type::size,
        "by the number of ports",
        "memory for packet buffers",
        once,
        Object::none,
        dataplane_restart,
        {16u << 20, 1ull << 40},
        {},
        at<&D::memory>()},
    Row{"dataplane",
        "profile",
        Type::word,
        "idle",
        "idle: workers sleep when there is nothing to do; busy: they poll for ever",
        once,
        Object::none,
        dataplane_restart,
        {},
        kProfiles,
        at<&D::profile>()},
    Row{"dataplane",
        "huge-pages",
        Type::word,
        "auto",
        "auto: huge pages when there are enough; off: never",
        once,
        Object::none,
        dataplane_restart,
        {},
        kHugePages,
        at<&D::huge_pages>()},

    Row{"bridge",
        "dpid",
        Type::dpid,
        "hashed from machine-id and name",
        "OpenFlow datapath id",
        once,
        Object::none,
        live,
        {1, ~0ull},
        {},
        at<&BridgeConfig::dpid>()},
    Row{"bridge",
        "fail-mode",
        Type::word,
        "secure when a controller is named",
        "while no controller is connected: secure: flows only; standalone: learning switch",
        once,
        Object::none,
        live,
        {},
        kFailModes,
        at<&BridgeConfig::fail_mode>()},
    Row{"bridge",
        "mac-ageing",
        Type::seconds,
        "300s",
        "seconds until a learned address that was not seen is forgotten",
        once,
        Object::none,
        live,
        {10, 1000000},
        {},
        at<&BridgeConfig::mac_ageing_s>()},
    Row{"bridge",
        "mac-limit",
        Type::number,
        "8192",
        "addresses that are learned at most",
        once,
        Object::none,
        live,
        {10, 1u << 20},
        {},
        at<&BridgeConfig::mac_limit>()},
    Row{"bridge", "local", Type::block, "", "the bridge's own host interface, OFPP_LOCAL", once,
        Object::local},
    Row{"bridge", "port", Type::block, "", "a port of the bridge", many, Object::port},
    Row{"bridge", "controller", Type::block, "", "connect to an OpenFlow controller", many,
        Object::controller},
    Row{"bridge", "listen", Type::block, "", "wait for OpenFlow connections", many, Object::listen},
    Row{"bridge", "flow", Type::block, "", "a flow entry that is there from the start", many,
        Object::flow},

    Row{"bridge local",
        "address",
        Type::prefix,
        "none",
        "address of the interface",
        many,
        Object::none,
        live,
        {},
        {},
        at<&LocalConfig::addresses>()},
    Row{"bridge local",
        "mac",
        Type::mac,
        "from the datapath id",
        "hardware address",
        once,
        Object::none,
        live,
        {},
        {},
        at<&LocalConfig::mac>()},
    Row{"bridge local",
        "mtu",
        Type::number,
        "1500",
        "largest packet without Ethernet header",
        once,
        Object::none,
        live,
        {68, 65535},
        {},
        at<&LocalConfig::mtu>()},

    Row{"bridge port",
        "device",
        Type::device,
        "af-packet, the interface of the port's name",
        "what the port is made of",
        once,
        Object::none,
        live,
        {},
        {},
        at<&PortConfig::device>()},
    Row{"bridge port",
        "mtu",
        Type::number,
        "left as it is",
        "largest packet without Ethernet header",
        once,
        Object::none,
        live,
        {68, 65535},
        {},
        at<&PortConfig::mtu>()},
    Row{"bridge port",
        "queues",
        Type::number,
        "one a worker",
        "receive and transmit queues",
        once,
        Object::none,
        live,
        {1, 64},
        {},
        at<&PortConfig::queues>()},
    Row{"bridge port",
        "description",
        Type::text,
        "none",
        "a note for people",
        once,
        Object::none,
        live,
        {0, 200},
        {},
        at<&PortConfig::description>()},
    Row{"bridge port",
        "admin",
        Type::word,
        "up",
        "down: neither receive nor send",
        once,
        Object::none,
        live,
        {},
        kAdminStates,
        at<&PortConfig::admin>()},
    Row{"bridge port",
        "force",
        Type::flag,
        "off",
        "take the interface although it carries the default route or your connection",
        once,
        Object::none,
        live,
        {},
        {},
        at<&PortConfig::force>()},

    Row{"bridge controller",
        "probe",
        Type::duration,
        "5s",
        "silence after which an echo request is sent; 0 = never",
        once,
        Object::none,
        live,
        {0, 3600000},
        {},
        at<&C::probe_ms>()},
    Row{"bridge controller",
        "backoff-min",
        Type::duration,
        "1s",
        "first wait before a new attempt",
        once,
        Object::none,
        live,
        {100, 3600000},
        {},
        at<&C::backoff_min_ms>()},
    Row{"bridge controller",
        "backoff-max",
        Type::duration,
        "8s",
        "longest wait before a new attempt",
        once,
        Object::none,
        live,
        {100, 3600000},
        {},
        at<&C::backoff_max_ms>()},

    Row{"bridge listen",
        "allow-remote",
        Type::flag,
        "off",
        "listen on an address that other hosts reach",
        once,
        Object::none,
        live,
        {},
        {},
        at<&ListenConfig::allow_remote>()},
    Row{"bridge listen",
        "probe",
        Type::duration,
        "5s",
        "silence after which an echo request is sent; 0 = never",
        once,
        Object::none,
        live,
        {0, 3600000},
        {},
        at<&ListenConfig::probe_ms>()},

    Row{"bridge flow",
        "table",
        Type::number,
        "0",
        "table of the entry",
        once,
        Object::none,
        live,
        {0, 254},
        {},
        at<&FlowParts::table>()},
    Row{"bridge flow",
        "priority",
        Type::number,
        "32768",
        "the higher one wins",
        once,
        Object::none,
        live,
        {0, 65535},
        {},
        at<&FlowParts::priority>()},
    Row{"bridge flow",
        "cookie",
        Type::number,
        "0",
        "mark that a controller may look for",
        once,
        Object::none,
        live,
        {0, ~0ull - 1},
        {},
        at<&FlowParts::cookie>()},
    Row{"bridge flow",
        "idle-timeout",
        Type::seconds,
        "0 = never",
        "seconds without a packet after which the entry goes",
        once,
        Object::none,
        live,
        {0, 65535},
        {},
        at<&FlowParts::idle_timeout>()},
    Row{"bridge flow",
        "hard-timeout",
        Type::seconds,
        "0 = never",
        "seconds after which the entry goes",
        once,
        Object::none,
        live,
        {0, 65535},
        {},
        at<&FlowParts::hard_timeout>()},
    Row{"bridge flow",
        "flags",
        Type::words,
        "none",
        "OFPFF_ flags of the entry",
        once,
        Object::none,
        live,
        {},
        kFlowFlags,
        at<&FlowParts::flags>()},
    Row{"bridge flow",
        "match",
        Type::flow_text,
        "every packet",
        "what the packet must have, as ovs-ofctl writes it: arp,in_port=1",
        once,
        Object::none,
        live,
        {},
        {},
        at<&FlowParts::match>()},
    Row{"bridge flow",
        "actions",
        Type::flow_text,
        "must be given",
        "what is done with it, as ovs-ofctl writes it: dec_ttl,output:2",
        once,
        Object::none,
        live,
        {},
        {},
        at<&FlowParts::actions>()},
};

consteval bool well_formed() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        const Row& r = kRows[i];
        if (r.name.empty() || r.help.empty()) return false;
        if ((r.type == Type::block) != (r.object != Object::none)) return false;
        if ((r.type == Type::block) == (r.access.set != nullptr)) return false;
        if ((r.type == Type::word || r.type == Type::words) == r.words.empty()) return false;
        for (std::size_t j = i + 1; j < kRows.size(); ++j) {
            if (r.parent == kRows[j].parent && r.name == kRows[j].name) return false;
            if (r.parent == kRows[j].parent && kRows[j - 1].parent != r.parent) return false;
        }
    }
    return true;
}
static_assert(well_formed(), "one row a name, rows of one parent together, typed as they say");

}  // namespace

std::span<const Row> schema() {
    return kRows;
}

std::span<const Row> children(std::string_view parent) {
    const auto mine = [&](const Row& r) { return r.parent == parent; };
    const auto* first = std::find_if(kRows.begin(), kRows.end(), mine);
    const auto* last = std::find_if_not(first, kRows.end(), mine);
    return {first, last};
}

const Row* find(std::string_view parent, std::string_view name) {
    for (const Row& r : children(parent))
        if (r.name == name) return &r;
    return nullptr;
}

const Row& row(Object object) {
    const auto* found =
        std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.object == object; });
    ASSERT(found != kRows.end());
    return *found;
}

std::string value_text(const Row& r) {
    switch (r.type) {
        case Type::block: return std::string(head_text(r.object));
        case Type::flag: return "";
        case Type::word: return format("{}", fmt::join(r.words, "|"));
        case Type::words: return format("[ {} ]", fmt::join(r.words, " "));
        case Type::number:
            if (r.range.most >= ~0ull - 1) return "<number>";
            return format("<{}..{}>", r.range.least, r.range.most);
        case Type::size: return "<size>";
        case Type::seconds: return "<seconds>";
        case Type::duration: return "<time>";
        case Type::cores: return "[ <core> ... ]";
        case Type::dpid: return "<datapath-id>";
        case Type::mac: return "<mac>";
        case Type::prefix: return "<address/length>";
        case Type::name: return "<name>";
        case Type::text: return "<text>";
        case Type::path: return "<file>";
        case Type::device: return "<kind> ...";
        case Type::flow_text: return "<flow-text>";
    }
    std::unreachable();
}

std::string_view head_text(Object object) {
    switch (object) {
        case Object::none:
        case Object::system:
        case Object::agent:
        case Object::dataplane:
        case Object::log:
        case Object::local: return "";
        case Object::bridge: return "<name>";
        case Object::port: return "<name> [<number>]";
        case Object::controller: return "tcp:<host>[:<port>]";
        case Object::listen: return "tcp:<address>[:<port>]";
        case Object::flow: return "\"<flow-text>\"|<name>";
    }
    std::unreachable();
}

}  // namespace raicho::dsl
