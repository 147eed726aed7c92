// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/ovs_read.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace raicho::dsl {

namespace {

using std::string_view;

bool uuid(string_view text) {
    return text.size() == 36 && text.find_first_not_of("0123456789abcdef-") == string_view::npos;
}

/// The rest of `line` after `word` and a blank, nothing when it does not begin so.
std::optional<string_view> after(string_view line, string_view word) {
    if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ')
        return std::nullopt;
    return trim(line.substr(word.size()));
}

/// `{key="100", remote_ip="10.0.0.2"}`.
std::map<std::string, std::string, std::less<>> read_map(string_view text) {
    std::map<std::string, std::string, std::less<>> out;
    if (text.starts_with('{')) text.remove_prefix(1);
    if (text.ends_with('}')) text.remove_suffix(1);
    while (!text.empty()) {
        std::size_t end = 0;
        for (bool quote = false; end < text.size() && (quote || text[end] != ','); ++end)
            if (text[end] == '"' && (end == 0 || text[end - 1] != '\\')) quote = !quote;
        const string_view item = trim(text.substr(0, end));
        const std::size_t equals = item.find('=');
        if (equals != string_view::npos)
            out[ovs_unquoted(item.substr(0, equals))] = ovs_unquoted(item.substr(equals + 1));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return out;
}

/// A dump-flows text: whose it is may be known only when everything is read.
struct Dump {
    std::string bridge;
    ForeignPlace place;
    std::vector<OvsLine> flows;
};

class Reader {
  public:
    explicit Reader(ImportReport& report) : report_(report) {}

    void file(const OvsText& text) {
        bridge_ = text.bridge;
        section_ = Section::none;
        const auto lines = split(text.text, '\n');
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const string_view line = trim(lines[i]);
            if (!line.empty()) this->line({text.name, i + 1}, line);
        }
    }

    std::vector<OvsBridge> finish() {
        for (Dump& dump : dumps_) place_dump(dump);
        return std::move(bridges_);
    }

  private:
    enum class Section : std::uint8_t { none, vsctl, ports, flows };

    void line(const ForeignPlace& place, string_view text) {
        if (command(text)) return;
        if (uuid(text)) {
            section_ = Section::vsctl;
            return;
        }
        if (text.starts_with("OFP") || text.starts_with("NXST")) return header(text);
        if (text.starts_with("cookie=") || text.find("actions=") != string_view::npos)
            return flow(place, text);
        if (section_ == Section::ports && port_line(text)) return;
        if (vsctl(place, text)) return;
        if (text.starts_with('#')) return;
        report_.lost(place, format("not understood: {}", text.substr(0, 100)),
                     "taken are: ovs-vsctl show, ovs-ofctl show BRIDGE, ovs-ofctl dump-flows "
                     "BRIDGE");
    }

    /// `$ ovs-ofctl -O OpenFlow13 dump-flows br0`: whose answer follows.
    bool command(string_view text) {
        const std::size_t tool = text.find("ovs-ofctl ");
        if (tool == string_view::npos || text.find("actions=") != string_view::npos)
            return text.find("ovs-vsctl ") != string_view::npos && text.ends_with(" show");
        bool verb = false;
        for (const string_view word : split(text.substr(tool), ' ')) {
            if (verb && !word.empty() && !word.starts_with('-')) {
                bridge_ = word;
                break;
            }
            verb = verb || word == "show" || word == "dump-flows" || word == "dump-ports-desc";
            if (word == "dump-flows") {
                dump_open_ = false;
                section_ = Section::flows;
            }
        }
        return true;
    }

    void header(string_view text) {
        if (text.find("FLOW reply") != string_view::npos) {
            section_ = Section::flows;
            if (!more_) dump_open_ = false;
            more_ = text.find("[more]") != string_view::npos;
            return;
        }
        if (text.starts_with("OFPT_FEATURES_REPLY")) {
            section_ = Section::ports;
            pending_ = {};
            settled_.clear();
            last_port_.clear();
            if (const std::size_t at = text.find("dpid:"); at != string_view::npos)
                pending_.dpid = parse_number("0x" + std::string(text.substr(at + 5, 16)));
            if (!bridge_.empty()) settle(bridge_);
        }
        if (text.find("PORT_DESC") != string_view::npos) {
            section_ = Section::ports;
            if (!bridge_.empty() && settled_ != bridge_) settle(bridge_);
        }
    }

    /// ` 1(h1-br): addr:…`, `config: PORT_DOWN`, and the rest of what ovs-ofctl show says.
    bool port_line(string_view text) {
        constexpr std::array<string_view, 10> kRest{
            "n_tables:",   "capabilities:", "actions:", "state:", "current:",
            "advertised:", "supported:",    "peer:",    "speed:", "config:"};
        if (text.starts_with("config:") && text.find("PORT_DOWN") != string_view::npos &&
            !last_port_.empty()) {
            (settled_.empty() ? pending_.down : bridge(settled_, {}).down).push_back(last_port_);
            return true;
        }
        for (const string_view rest : kRest)
            if (text.starts_with(rest)) return true;
        const std::size_t open = text.find('(');
        const std::size_t close = text.find("): addr:");
        if (open == string_view::npos || close == string_view::npos || close < open) return false;
        const std::string name = ovs_unquoted(text.substr(open + 1, close - open - 1));
        const string_view number = text.substr(0, open);
        if (number == "LOCAL") {
            last_port_.clear();  // down until the host sets it up
            if (settled_.empty()) settle(name);
            return true;
        }
        const auto n = parse_number(number);
        if (!n || *n == 0 || *n > port::kMax.value()) return false;
        last_port_ = name;
        auto& numbers = settled_.empty() ? pending_.numbers : bridge(settled_, {}).numbers;
        numbers[name] = static_cast<std::uint32_t>(*n);
        return true;
    }

    /// The bridge of a features reply is known: by the command, or by its LOCAL port.
    void settle(const std::string& name) {
        settled_ = name;
        OvsBridge& b = bridge(name, {});
        if (pending_.dpid) b.dpid = pending_.dpid;
        b.numbers.merge(pending_.numbers);
        b.down.insert(b.down.end(), pending_.down.begin(), pending_.down.end());
        pending_ = {};
    }

    bool vsctl(const ForeignPlace& place, string_view text) {
        constexpr std::array<string_view, 6> kState{
            "is_connected:", "ovs_version:", "error:", "datapath_type:", "is_active:", "role:"};
        if (const auto name = after(text, "Bridge")) {
            section_ = Section::vsctl;
            open_ = &bridge(ovs_unquoted(*name), place);
            open_->place = place;
            manager_ = false;
            return true;
        }
        if (const auto target = after(text, "Manager")) {
            report_.remark(place, format("manager {}: there is no OVSDB", *target),
                           "lagosh and the HTTP API change the configuration");
            manager_ = true;
            return true;
        }
        for (const string_view state : kState)
            if (section_ == Section::vsctl && text.starts_with(state))
                return attribute(place, text);
        if (open_ == nullptr || manager_) return false;
        if (const auto target = after(text, "Controller")) {
            open_->controllers.push_back({place, ovs_unquoted(*target)});
            return true;
        }
        if (const auto name = after(text, "Port")) {
            open_->ports.push_back({ovs_unquoted(*name), place, {}, {}, {}, {}});
            return true;
        }
        if (const auto name = after(text, "Interface"); name && !open_->ports.empty()) {
            open_->ports.back().interfaces.push_back({ovs_unquoted(*name), place, {}, {}, {}});
            return true;
        }
        return attribute(place, text);
    }

    bool attribute(const ForeignPlace& place, string_view text) {
        const std::size_t colon = text.find(": ");
        if (colon == string_view::npos) return false;
        const string_view key = text.substr(0, colon);
        const string_view value = trim(text.substr(colon + 2));
        if (key == "is_connected" || key == "ovs_version" || key == "datapath_type" ||
            key == "is_active" || key == "role")
            return true;
        if (open_ == nullptr) return false;
        if (key == "fail_mode") {
            open_->fail_mode = value;
            return true;
        }
        if (open_->ports.empty()) return false;
        OvsPort& port = open_->ports.back();
        if (key == "tag" || key == "trunks") {
            (key == "tag" ? port.tag : port.trunks) = value;
            port.vlan_place = place;
            return true;
        }
        if (port.interfaces.empty()) return false;
        OvsInterface& interface = port.interfaces.back();
        if (key == "type") {
            interface.type = ovs_unquoted(value);
        } else if (key == "options") {
            interface.options = read_map(value);
            interface.options_text = value;
        } else if (key == "error") {
            report_.remark(place, format("interface \"{}\": Open vSwitch says: {}", interface.name,
                                         ovs_unquoted(value)));
        } else {
            return false;
        }
        return true;
    }

    void flow(const ForeignPlace& place, string_view text) {
        section_ = Section::flows;
        if (!dump_open_ || dumps_.empty() || dumps_.back().place.file != place.file) {
            dumps_.push_back({bridge_, place, {}});
            dump_open_ = true;
        }
        dumps_.back().flows.push_back({place, std::string(text)});
    }

    void place_dump(Dump& dump) {
        if (dump.bridge.empty() && bridges_.size() == 1) dump.bridge = bridges_.front().name;
        if (dump.bridge.empty())
            return report_.lost(dump.place,
                                format("{} flows: whose they are is not said", dump.flows.size()),
                                "name the file's bridge: lagosh import ovs SHOW BRIDGE=FILE");
        OvsBridge& b = bridge(dump.bridge, dump.place);
        if (!b.flows.empty())
            report_.remark(dump.place, format("bridge \"{}\" has a dump of its flows already: this "
                                              "one counts",
                                              b.name));
        b.flows = std::move(dump.flows);
    }

    OvsBridge& bridge(const std::string& name, const ForeignPlace& place) {
        for (OvsBridge& b : bridges_)
            if (b.name == name) return b;
        OvsBridge fresh;
        fresh.name = name;
        fresh.place = place;
        // open_ points into the vector.
        const std::string open = open_ == nullptr ? "" : open_->name;
        bridges_.push_back(std::move(fresh));
        if (open_ != nullptr) open_ = &*std::ranges::find(bridges_, open, &OvsBridge::name);
        return bridges_.back();
    }

    struct Pending {
        std::optional<std::uint64_t> dpid;
        std::map<std::string, std::uint32_t, std::less<>> numbers;
        std::vector<std::string> down;
    };

    ImportReport& report_;
    std::vector<OvsBridge> bridges_;
    std::vector<Dump> dumps_;
    Section section_ = Section::none;
    std::string bridge_;         // whose answer is read, empty = not known
    OvsBridge* open_ = nullptr;  // of ovs-vsctl show
    bool manager_ = false;
    bool dump_open_ = false;
    bool more_ = false;
    Pending pending_;
    std::string settled_;
    std::string last_port_;
};

}  // namespace

std::string ovs_unquoted(string_view text) {
    if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) return std::string(text);
    std::string out;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && i + 2 < text.size()) ++i;
        out += text[i];
    }
    return out;
}

std::vector<OvsBridge> read_ovs(std::span<const OvsText> files, ImportReport& report) {
    Reader reader(report);
    for (const OvsText& file : files) reader.file(file);
    return reader.finish();
}

}  // namespace raicho::dsl
