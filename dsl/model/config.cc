// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/config.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace raicho::dsl {

std::string to_string(const Address& address) {
    return std::visit([](const auto& a) { return raicho::to_string(a); }, address);
}

std::string to_string(const Prefix& prefix) {
    return format("{}/{}", to_string(prefix.address), prefix.length);
}

namespace {
std::string endpoint(const std::string& host, std::uint16_t port) {
    if (host.find(':') != std::string::npos) return format("tcp:[{}]:{}", host, port);
    return format("tcp:{}:{}", host, port);
}
}  // namespace

std::string to_string(const ControllerConfig& controller) {
    return endpoint(controller.host, controller.port);
}

std::string to_string(const ListenConfig& listen) {
    return endpoint(to_string(listen.address), listen.port);
}

std::string group_text(const GroupConfig& group) {
    if (!group.text.empty()) return group.text;
    constexpr std::array<std::string_view, 4> kTypes{"all", "select", "indirect", "ff"};
    std::string out = format("group_id={},type={}", group.id,
                             kTypes[static_cast<std::size_t>(group.type.value_or(GroupType::all))]);
    for (const std::string& bucket : group.buckets) out += ",bucket=" + bucket;
    return out;
}

std::string meter_text(const MeterConfig& meter) {
    if (!meter.text.empty()) return meter.text;
    std::string out =
        format("meter={},{}", meter.id, meter.unit == MeterUnit::kbps ? "kbps" : "pktps");
    if (meter.burst == MeterBurst::yes) out += ",burst";
    if (meter.stats == MeterStats::yes) out += ",stats";
    std::string_view separator = ",bands=";
    for (const std::string& band : meter.bands) {
        out += separator;
        out += band;
        separator = ",";
    }
    return out;
}

Span FlowConfig::locate(std::size_t offset, std::size_t length) const {
    for (const Piece& p : pieces) {
        if (offset < p.text || offset >= p.text + p.length) continue;
        const auto into = static_cast<std::uint32_t>(offset - p.text);
        // A fault may run over an escape; its end is then looked up in its own piece.
        const std::size_t last = offset + std::max<std::size_t>(length, 1) - 1;
        std::uint32_t end = p.source + p.length;
        for (const Piece& q : pieces)
            if (last >= q.text && last < q.text + q.length)
                end = q.source + static_cast<std::uint32_t>(last - q.text) + 1;
        const std::uint32_t begin = p.source + into;
        return {begin, end > begin ? end - begin : 1};
    }
    if (!pieces.empty() && offset >= pieces.back().text + pieces.back().length)
        return {pieces.back().source + pieces.back().length, 1};  // at the end of the text
    return place.span;
}

const PortConfig* BridgeConfig::find_port(std::string_view port) const {
    const auto at = std::ranges::find(ports, port, &PortConfig::name);
    return at == ports.end() ? nullptr : &*at;
}

const BridgeConfig* Config::find_bridge(std::string_view name) const {
    const auto at = std::ranges::find(bridges, name, &BridgeConfig::name);
    return at == bridges.end() ? nullptr : &*at;
}

BridgeConfig* Config::find_bridge(std::string_view name) {
    const auto at = std::ranges::find(bridges, name, &BridgeConfig::name);
    return at == bridges.end() ? nullptr : &*at;
}

}  // namespace raicho::dsl
