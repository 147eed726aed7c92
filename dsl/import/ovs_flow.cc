// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/ovs_flow.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/addr.h"
#include "base/text.h"
#include "dsl/import/ovs_read.h"

namespace raicho::dsl {

namespace {

using std::string_view;

/// What a dump says besides the flow.
constexpr std::array<string_view, 7> kCounted{"duration", "n_packets",  "n_bytes",  "idle_age",
                                              "hard_age", "importance", "n_matches"};

/// Parts between commas (and blanks, where `blanks`) outside parentheses and quotes.
std::vector<string_view> items(string_view text, bool blanks) {
    std::vector<string_view> out;
    std::size_t depth = 0;
    bool quote = false;
    std::size_t from = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ',';
        if (i < text.size() && c == '"') quote = !quote;
        const bool inside = i < text.size() && (quote || depth != 0);
        if (!quote && c == '(') ++depth;
        if (!quote && c == ')' && depth != 0) --depth;
        if (inside || !(c == ',' || (blanks && c == ' '))) continue;
        if (const string_view item = trim(text.substr(from, i - from)); !item.empty())
            out.push_back(item);
        from = i + 1;
    }
    return out;
}

/// NXM and OXM names that OVS writes in load, and how their values are written here.
enum class Shape : std::uint8_t { number, mac, ipv4 };
struct NxmName {
    string_view nxm;
    string_view field;
    Shape shape;
};
constexpr std::array<NxmName, 20> kNxm{{{"NXM_OF_ETH_DST", "eth_dst", Shape::mac},
                                        {"NXM_OF_ETH_SRC", "eth_src", Shape::mac},
                                        {"NXM_OF_IP_SRC", "ipv4_src", Shape::ipv4},
                                        {"NXM_OF_IP_DST", "ipv4_dst", Shape::ipv4},
                                        {"NXM_OF_TCP_SRC", "tcp_src", Shape::number},
                                        {"NXM_OF_TCP_DST", "tcp_dst", Shape::number},
                                        {"NXM_OF_UDP_SRC", "udp_src", Shape::number},
                                        {"NXM_OF_UDP_DST", "udp_dst", Shape::number},
                                        {"NXM_OF_ARP_OP", "arp_op", Shape::number},
                                        {"NXM_OF_ARP_SPA", "arp_spa", Shape::ipv4},
                                        {"NXM_OF_ARP_TPA", "arp_tpa", Shape::ipv4},
                                        {"NXM_NX_ARP_SHA", "arp_sha", Shape::mac},
                                        {"NXM_NX_ARP_THA", "arp_tha", Shape::mac},
                                        {"NXM_NX_TUN_ID", "tunnel_id", Shape::number},
                                        {"NXM_NX_IP_ECN", "ip_ecn", Shape::number},
                                        {"OXM_OF_IPV4_SRC", "ipv4_src", Shape::ipv4},
                                        {"OXM_OF_IPV4_DST", "ipv4_dst", Shape::ipv4},
                                        {"OXM_OF_ETH_DST", "eth_dst", Shape::mac},
                                        {"OXM_OF_ETH_SRC", "eth_src", Shape::mac},
                                        {"OXM_OF_TUNNEL_ID", "tunnel_id", Shape::number}}};

template <class Address>
std::string address_text(std::uint64_t value) {
    Address out;
    for (std::size_t i = out.bytes.size(); i-- > 0; value >>= 8)
        out.bytes[i] = static_cast<std::uint8_t>(value);
    return to_string(out);
}

/// `load:0x2->NXM_OF_TCP_DST[]` as a set_field; nothing for a part of a field or a register.
std::optional<std::string> load_as_set(string_view item) {
    constexpr string_view kLoad = "load:";
    const std::size_t arrow = item.find("->");
    if (!item.starts_with(kLoad) || arrow == string_view::npos || !item.ends_with("[]"))
        return std::nullopt;
    const auto value = parse_number(item.substr(kLoad.size(), arrow - kLoad.size()));
    const string_view name = item.substr(arrow + 2, item.size() - arrow - 4);
    const auto row = std::ranges::find(kNxm, name, &NxmName::nxm);
    if (!value || row == kNxm.end()) return std::nullopt;
    switch (row->shape) {
        case Shape::number: return format("set_field:{}->{}", *value, row->field);
        case Shape::mac: return format("set_field:{}->{}", address_text<Mac>(*value), row->field);
        case Shape::ipv4: return format("set_field:{}->{}", address_text<Ipv4>(*value), row->field);
    }
    std::unreachable();
}

/// Reads a line into its parts and writes it anew.
class Line {
  public:
    explicit Line(const PortRename& ports) : ports_(ports) {}

    std::string translate(string_view line) {
        constexpr string_view kActions = "actions=";
        const std::size_t at = line.find(kActions);
        const bool has_actions = at != string_view::npos;
        for (const string_view item : items(line.substr(0, at), true)) head(item);
        std::string text = format("table={}", table_);
        for (const std::string& part : head_) text += ',' + part;
        if (!has_actions) return text;
        const auto list = items(line.substr(at + kActions.size()), false);
        std::string actions;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (!actions.empty()) actions += ',';
            actions += action(list[i], i + 1 == list.size());
        }
        return text + " actions=" + actions;
    }

  private:
    void head(string_view item) {
        const std::size_t equals = item.find('=');
        const string_view name = item.substr(0, equals);
        const string_view value = equals == string_view::npos ? "" : item.substr(equals + 1);
        if (std::ranges::find(kCounted, name) != kCounted.end() || item == "reset_counts" ||
            item == "cookie=0x0" || item == "cookie=0")
            return;
        if (name == "table") {
            table_ = parse_number(value).value_or(0);
        } else if (name == "in_port") {
            head_.push_back("in_port=" + port(value));
        } else if (name == "tun_id") {
            head_.push_back(format("tunnel_id={}", value));
        } else if (name == "vlan_tci") {
            vlan_tci(item, value);
        } else {
            if (item == "dl_vlan=0xffff" || item == "vlan_vid=0") untagged_ = true;
            head_.emplace_back(item);
        }
    }

    /// The 16 bits of a tag that OpenFlow 1.0's extensions match at once: priority, present, VLAN.
    void vlan_tci(string_view item, string_view value) {
        constexpr std::uint64_t kPresent = 0x1000;
        constexpr std::uint64_t kVid = 0x1fff;
        const std::size_t slash = value.find('/');
        const auto tci = parse_number(value.substr(0, slash));
        const auto mask = slash == string_view::npos ? std::optional<std::uint64_t>(0xffff)
                                                     : parse_number(value.substr(slash + 1));
        if (!tci || !mask || (*mask & 0xe000) == 0x2000) {
            head_.emplace_back(item);
        } else if ((*mask & kPresent) != 0 && (*tci & kPresent) == 0) {
            untagged_ = true;
            head_.emplace_back("vlan_vid=0");
        } else if ((*mask & kVid) == kVid) {
            head_.push_back(format("vlan_vid={}", *tci & 0xfff));
            if ((*mask & 0xe000) == 0xe000) head_.push_back(format("vlan_pcp={}", *tci >> 13));
        } else if (*mask == kPresent) {
            head_.emplace_back("vlan_vid=0x1000/0x1000");
        } else {
            head_.emplace_back(item);
        }
    }

    std::string action(string_view item, bool last) {
        constexpr string_view kResubmit = "resubmit(,";
        if (item.starts_with(kResubmit) && item.ends_with(')') && last) {
            const auto next =
                parse_number(item.substr(kResubmit.size(), item.size() - kResubmit.size() - 1));
            if (next && *next > table_) return format("goto_table:{}", *next);
        }
        if (item.starts_with("output:")) return "output:" + port(item.substr(7));
        if (item.starts_with('"')) return "output:" + port(item);
        if (item.starts_with("enqueue:") && last) {
            const string_view rest = item.substr(8);
            const std::size_t split_at = rest.find_last_of(":q");
            if (split_at != string_view::npos)
                return format("set_queue:{},output:{}", rest.substr(split_at + 1),
                              port(rest.substr(0, split_at)));
        }
        if (untagged_ && item.starts_with("mod_vlan_vid:")) {
            untagged_ = false;
            return format("push_vlan:0x8100,set_field:{}->vlan_vid", item.substr(13));
        }
        if (item.starts_with("push_vlan:")) untagged_ = false;
        return load_as_set(item).value_or(std::string(item));
    }

    [[nodiscard]] std::string port(string_view text) const {
        if (text.starts_with('"')) return ports_(ovs_unquoted(text));
        return std::string(text);
    }

    const PortRename& ports_;
    std::uint64_t table_ = 0;
    std::vector<std::string> head_;
    bool untagged_ = false;
};

}  // namespace

std::string ovs_flow_text(string_view line, const PortRename& ports) {
    return Line(ports).translate(line);
}

}  // namespace raicho::dsl
