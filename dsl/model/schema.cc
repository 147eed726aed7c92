// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/schema.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "dsl/model/schema_row.h"

namespace raicho::dsl {

namespace {

using namespace schema_row;  // NOLINT: the table's words

constexpr std::array<string_view, 2> kFailModes{"secure", "standalone"};
constexpr std::array<string_view, 3> kTableTemplates{"auto", "exact", "tuple-merge"};
constexpr std::array<string_view, 2> kAdminStates{"down", "up"};
constexpr std::array<string_view, 2> kProfiles{"idle", "busy"};
constexpr std::array<string_view, 3> kHugePages{"auto", "on", "off"};
constexpr std::array<string_view, 4> kLogLevels{"debug", "info", "warning", "error"};
constexpr std::array<string_view, 3> kFlowFlags{"send_flow_rem", "no_packet_counts",
                                                "no_byte_counts"};
constexpr std::array<string_view, 4> kGroupTypes{"all", "select", "indirect", "ff"};
constexpr std::array<string_view, 2> kMeterUnits{"kbps", "pktps"};

using C = ControllerConfig;
using D = DataplaneConfig;

constexpr Form kMtu = number(68, 65535);
constexpr Form kProbe{Type::duration, {0, 3600000}};
constexpr Form kBackoff{Type::duration, {100, 3600000}};
constexpr Form kVlan = number(1, 4094);
constexpr Form kRate{Type::rate, {1000, 1000000000000}};
constexpr Form kTimeout{Type::seconds, {0, 65535}};
constexpr string_view kMtuHelp = "largest packet without Ethernet header";
constexpr string_view kProbeHelp = "silence after which an echo request is sent; 0 = never";

constexpr std::array kRows{
    object("", "system", Object::system, "the switch as a whole"),
    object("", "log", Object::log, "the daemons' log"),
    object("", "agent", Object::agent, "sizes of what the daemons share"),
    object("", "dataplane", Object::dataplane, "the forwarding process"),
    object("", "api", Object::api, "who may use the agent's socket"),
    directive("define", Type::definition, "a name for a value, used as $NAME"),
    directive("include", Type::pattern, "the statements of other files, here"),
    keyed(object("", "bridge", Object::bridge, "one OpenFlow switch"), Key::name, {1, 15}),

    setting("system", "name", {Type::name, {1, 64}}, "the host's name",
            "name of the switch, shown in prompts", at<&SystemConfig::name>()),

    setting("log", "level", word(kLogLevels), "info", "least severity that is written",
            at<&LogConfig::level>()),
    setting("log", "file", {Type::path, {1, 4095}}, "standard error",
            "file to write to, reopened on SIGHUP", at<&LogConfig::file>()),

    arena("max-flows", 1024, 1u << 26, "1048576", "flow entries of all bridges together",
          at<&AgentConfig::max_flows>()),
    arena("max-workers", 1, 64, "8", "forwarding threads there is room for",
          at<&AgentConfig::max_workers>()),
    arena("max-bridges", 1, 1024, "64", "bridges there is room for",
          at<&AgentConfig::max_bridges>()),
    arena("max-ports", 512, 8192, "1024", "ports of all bridges there is room for",
          at<&AgentConfig::max_ports>()),

    dataplane("workers", number(1, 64), "chosen by itself", "forwarding threads",
              at<&D::workers>()),
    dataplane("cores", {Type::cores, {0, 1023}}, "chosen by itself",
              "cores the workers are bound to", at<&D::cores>()),
    dataplane("memory", {Type::size, {16u << 20, 1ull << 40}}, "by the number of ports",
              "memory for packet buffers", at<&D::memory>()),
    dataplane("profile", word(kProfiles), "idle",
              "idle: workers sleep when there is nothing to do; busy: they poll for ever",
              at<&D::profile>()),
    dataplane("huge-pages", word(kHugePages), "auto",
              "auto: huge pages when there are enough; off: never", at<&D::huge_pages>()),
    dataplane("rx-buffer", {Type::size, {16u << 10, 1u << 30}}, "16M",
              "packets that wait on an af-packet port while its worker is busy",
              at<&D::rx_buffer>()),
    dataplane("driver", {Type::path, {1, 300}}, "Debian's drivers", "file of a further DPDK driver",
              at<&D::driver>()),

    setting("api", "group", {Type::name, {1, 32}}, "the agent's group",
            "members may look and change", at<&ApiConfig::group>()),
    setting("api", "readers", {Type::name, {1, 32}}, "none", "members may look and change nothing",
            at<&ApiConfig::readers>()),

    setting("bridge", "dpid", {Type::dpid, {1, ~0ull}}, "hashed from machine-id and name",
            "OpenFlow datapath id", at<&BridgeConfig::dpid>()),
    setting("bridge", "fail-mode", word(kFailModes), "secure when a controller is named",
            "while no controller is connected: secure: flows only; standalone: learning switch",
            at<&BridgeConfig::fail_mode>()),
    setting("bridge", "max-flows", number(1, 1u << 26), "as many as the arena holds",
            "flow entries of the bridge at most", at<&BridgeConfig::max_flows>()),
    setting("bridge", "max-tables", number(1, 255), "255", "flow tables of the bridge, from 0 on",
            at<&BridgeConfig::max_tables>()),
    setting("bridge", "table-template", word(kTableTemplates), "auto",
            "how tables are searched where their flows allow it; auto: as suits each; exact: a "
            "table whose flows all have one mask; tuple-merge: every table",
            at<&BridgeConfig::table_template>()),
    object("bridge", "mac-table", Object::mac_table, "what NORMAL knows of addresses"),
    object("bridge", "local", Object::local, "the bridge's own host interface, OFPP_LOCAL"),
    keyed(object("bridge", "port", Object::port, "a port of the bridge"), Key::name, {1, 31}),
    keyed(object("bridge", "controller", Object::controller, "connect to an OpenFlow controller"),
          Key::endpoint),
    keyed(object("bridge", "listen", Object::listen, "wait for OpenFlow connections"),
          Key::listener),
    keyed(object("bridge", "meter", Object::meter, "a meter entry"), Key::entry, {1, 0xffff0000}),
    keyed(object("bridge", "group", Object::group, "a group entry"), Key::entry, {0, 0xffffff00}),
    keyed(object("bridge", "flow", Object::flow, "a flow entry that is there from the start"),
          Key::flow, {1, 63}),

    setting("bridge mac-table", "ageing", {Type::seconds, {10, 1000000}}, "300s",
            "time until a learned address that was not seen is forgotten",
            at<&BridgeConfig::mac_ageing_s>()),
    setting("bridge mac-table", "limit", number(10, 1u << 20), "8192",
            "addresses that are learned at most", at<&BridgeConfig::mac_limit>()),
    keyed(object("bridge mac-table", "static", Object::static_mac,
                 "an address that is always at a port"),
          Key::mac),

    setting("bridge mac-table static", "port", {Type::name, {1, 31}}, "must be given",
            "the port it is behind", at<&StaticMac::port>()),
    setting("bridge mac-table static", "vlan", number(1, 4094), "untagged", "the VLAN it is in",
            at<&StaticMac::vlan>()),

    many(setting("bridge local", "address", {Type::prefix}, "none", "address of the interface",
                 at<&LocalConfig::addresses>())),
    setting("bridge local", "mac", {Type::mac}, "chosen by the host", "hardware address",
            at<&LocalConfig::mac>()),
    setting("bridge local", "mtu", kMtu, "1500", kMtuHelp, at<&LocalConfig::mtu>()),

    setting("bridge port", "number", number(1, port::kMax.value()), "the lowest that is free",
            "OpenFlow port number; may stand behind the name as well", at<&PortConfig::number>()),
    setting("bridge port", "device", {Type::device}, "af-packet, the interface of the port's name",
            "what the port is made of", at<&PortConfig::device>()),
    setting("bridge port", "mtu", kMtu, "left as it is", kMtuHelp, at<&PortConfig::mtu>()),
    setting("bridge port", "queues", number(1, 64), "one a worker", "receive and transmit queues",
            at<&PortConfig::queues>()),
    setting("bridge port", "description", {Type::text, {0, 200}}, "none", "a note for people",
            at<&PortConfig::description>()),
    setting("bridge port", "admin", word(kAdminStates), "up", "down: neither receive nor send",
            at<&PortConfig::admin>()),
    setting("bridge port", "force", {Type::flag}, "off",
            "take the interface although it carries the default route or your connection",
            at<&PortConfig::force>()),

    setting("bridge port", "max-rate", kRate, "as its device can",
            "bits a second that it sends at most, all its queues together",
            at<&PortConfig::max_rate_bps>()),

    object("bridge port", "vlan", Object::vlan, "how NORMAL takes the port"),
    object("bridge port", "policer", Object::policer, "limit of what the port receives"),
    keyed(object("bridge port", "queue", Object::queue, "an egress queue, for set_queue"),
          Key::number, {0, 0xfffffffe}),

    setting("bridge port vlan", "access", kVlan, "none",
            "untagged frames only, all of them in this VLAN", at<&VlanConfig::access>()),
    setting("bridge port vlan", "trunk", {Type::vlans, {1, 4094}}, "all",
            "VLANs that are carried with their tag", at<&VlanConfig::trunk>()),
    setting("bridge port vlan", "native", kVlan, "none", "VLAN of untagged frames on a trunk",
            at<&VlanConfig::native>()),

    setting("bridge port policer", "rate", kRate, "must be given", "bits a second",
            at<&PolicerConfig::rate_bps>()),
    setting("bridge port policer", "burst", {Type::size, {1500, 1u << 30}}, "100 ms of the rate",
            "bytes that may come at once", at<&PolicerConfig::burst_bytes>()),

    setting("bridge port queue", "min-rate", kRate, "none", "bits a second it gets at least",
            at<&QueueConfig::min_rate_bps>()),
    setting("bridge port queue", "max-rate", kRate, "none", "bits a second it gets at most",
            at<&QueueConfig::max_rate_bps>()),
    setting("bridge port queue", "priority", number(0, 7), "0", "the higher one is served first",
            at<&QueueConfig::priority>()),
    setting("bridge port queue", "weight", number(1, 65535), "by min-rate",
            "share of what is left among queues of one priority", at<&QueueConfig::weight>()),

    setting("bridge controller", "probe", kProbe, "5s", kProbeHelp, at<&C::probe_ms>()),
    setting("bridge controller", "backoff-min", kBackoff, "1s", "first wait before a new attempt",
            at<&C::backoff_min_ms>()),
    setting("bridge controller", "backoff-max", kBackoff, "8s", "longest wait before a new attempt",
            at<&C::backoff_max_ms>()),
    setting("bridge controller", "source", {Type::address}, "chosen by the host",
            "local address of the connection", at<&C::source>()),
    setting("bridge controller", "auxiliary", number(0, 255), "0",
            "auxiliary connections, made when the next session begins", at<&C::auxiliary>()),

    setting("bridge listen", "allow-remote", {Type::flag}, "off",
            "listen on an address that other hosts reach", at<&ListenConfig::allow_remote>()),
    setting("bridge listen", "probe", kProbe, "5s", kProbeHelp, at<&ListenConfig::probe_ms>()),

    setting("bridge meter", "unit", word(kMeterUnits), "kbps", "what rates count",
            at<&MeterConfig::unit>()),
    setting("bridge meter", "burst", {Type::flag}, "off", "bands have a burst size",
            at<&MeterConfig::burst>()),
    setting("bridge meter", "stats", {Type::flag}, "off", "count packets and bytes",
            at<&MeterConfig::stats>()),
    many(setting("bridge meter", "band", {Type::flow_text}, "none",
                 "what happens above a rate: type=drop,rate=1000", at<&MeterConfig::bands>())),

    setting("bridge group", "type", word(kGroupTypes), "must be given",
            "which of its buckets a packet gets", at<&GroupConfig::type>()),
    many(setting("bridge group", "bucket", {Type::flow_text}, "none",
                 "as ovs-ofctl writes it: weight=1,actions=output:2", at<&GroupConfig::buckets>())),

    setting("bridge flow", "table", number(0, 254), "0", "table of the entry",
            at<&FlowParts::table>()),
    setting("bridge flow", "priority", number(0, 65535), "32768", "the higher one wins",
            at<&FlowParts::priority>()),
    setting("bridge flow", "cookie", number(0, ~0ull - 1), "0",
            "mark that a controller may look for", at<&FlowParts::cookie>()),
    setting("bridge flow", "idle-timeout", kTimeout, "0 = never",
            "seconds without a packet after which the entry goes", at<&FlowParts::idle_timeout>()),
    setting("bridge flow", "hard-timeout", kTimeout, "0 = never",
            "seconds after which the entry goes", at<&FlowParts::hard_timeout>()),
    setting("bridge flow", "flags", {Type::words, {}, kFlowFlags}, "none",
            "OFPFF_ flags of the entry", at<&FlowParts::flags>()),
    setting("bridge flow", "match", {Type::flow_text}, "every packet",
            "what the packet must have, as ovs-ofctl writes it: arp,in_port=1",
            at<&FlowParts::match>()),
    setting("bridge flow", "actions", {Type::flow_text}, "must be given",
            "what is done with it, as ovs-ofctl writes it: dec_ttl,output:2",
            at<&FlowParts::actions>()),
};

consteval bool well_formed() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        const Row& r = kRows[i];
        if (r.name.empty() || r.help.empty()) return false;
        if ((r.type == Type::block) != (r.object != Object::none)) return false;
        const bool is_directive = r.type == Type::definition || r.type == Type::pattern;
        if ((r.type == Type::block || is_directive) == (r.access.set != nullptr)) return false;
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
    if (name == "include") parent = "";  // in every block
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

}  // namespace raicho::dsl
