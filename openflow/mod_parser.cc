// SPDX-License-Identifier: Apache-2.0
#include "openflow/mod_parser.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "openflow/action_words.h"
#include "openflow/mod_check.h"
#include "openflow/mod_words.h"

namespace raicho::openflow {
namespace {

Parsed<std::uint32_t> number32(const Item& item) {
    TRY_ASSIGN(const auto value, number(item, 0xffffffff));
    return static_cast<std::uint32_t>(value);
}

/// The text as a whole breaks a rule of check_group() or check_meter().
std::unexpected<FlowTextError> refused(const Word& text, const OfpError& error) {
    return wrong(text, error.why);
}

std::unexpected<FlowTextError> unknown(const Item& item, std::span<const std::string_view> words) {
    return wrong(item.name, format("unknown word \"{}\"", item.name.text),
                 suggestion(lower(item.name.text), words));
}

class GroupParser {
  public:
    explicit GroupParser(const PortByName& ports) : ports_(ports) {}

    [[nodiscard]] Parsed<GroupMod> parse(const Word& text) {
        ItemScanner scanner(text);
        for (;;) {
            TRY_ASSIGN(const auto item, scanner.next());
            if (!item) break;
            TRY(mod_.buckets.empty() ? head(*item) : in_bucket(*item));
        }
        if (!named_) return wrong(text, "group_id is missing", "write group_id=N");
        if (const auto ok = check_group(mod_.group, mod_.type, mod_.buckets); !ok)
            return refused(text, ok.error());
        return std::move(mod_);
    }

  private:
    Parsed<void> head(const Item& item) {
        const std::string name = lower(item.name.text);
        if (name == "bucket") return begin_bucket(item);
        if (name == "group_id" || name == "group") {
            named_ = true;
            TRY_ASSIGN(const auto id, number32(item));
            mod_.group = GroupId(id);
            return {};
        }
        if (name == "type") return type(item);
        constexpr std::array<std::string_view, 3> kWords{"group_id", "type", "bucket"};
        return unknown(item, kWords);
    }

    Parsed<void> type(const Item& item) {
        const std::string value = lower(item.value.text);
        const auto found = std::ranges::find(kGroupTypeNames, value);
        if (found != kGroupTypeNames.end())
            mod_.type = static_cast<GroupType>(found - kGroupTypeNames.begin());
        else if (value == "fast_failover")
            mod_.type = GroupType::fast_failover;
        else
            return wrong(item.value, format("unknown group type \"{}\"", item.value.text),
                         "all, select, indirect or ff");
        return {};
    }

    /// `bucket=weight:2` and what follows up to the next bucket.
    Parsed<void> begin_bucket(const Item& item) {
        mod_.buckets.emplace_back();
        return nested(item.value);
    }
    Parsed<void> nested(const Word& text) {
        ItemScanner scanner(text);
        for (;;) {
            TRY_ASSIGN(const auto item, scanner.next());
            if (!item) return {};
            TRY(in_bucket(*item));
        }
    }

    Parsed<void> in_bucket(const Item& item) {
        const std::string name = lower(item.name.text);
        Bucket& bucket = mod_.buckets.back();
        if (name == "bucket") return begin_bucket(item);
        if (name == "actions" || name == "action") return nested(item.value);
        if (name == "weight") {
            TRY_ASSIGN(const auto weight, number(item, 0xffff));
            bucket.weight = static_cast<std::uint16_t>(weight);
            return {};
        }
        if (name == "watch_port") {
            TRY_ASSIGN(bucket.watch_port, port(item.value, ports_));
            return {};
        }
        if (name == "watch_group") {
            TRY_ASSIGN(const auto watched, number32(item));
            bucket.watch_group = GroupId(watched);
            return {};
        }
        if (name == "drop" && item.separator == 0) return {};
        TRY_ASSIGN(const Action action, parse_action(item, FlowProtocol{}, ports_));
        bucket.actions.push_back(action);
        return {};
    }

    const PortByName& ports_;
    GroupMod mod_;
    bool named_ = false;
};

class MeterParser {
  public:
    [[nodiscard]] Parsed<MeterMod> parse(const Word& text) {
        ItemScanner scanner(text);
        for (;;) {
            TRY_ASSIGN(const auto item, scanner.next());
            if (!item) break;
            TRY(add(*item));
        }
        if (!named_) return wrong(text, "meter is missing", "write meter=N");
        if (const auto ok = check_meter(mod_.meter, mod_.flags, mod_.bands); !ok)
            return refused(text, ok.error());
        return std::move(mod_);
    }

  private:
    Parsed<void> add(const Item& item) {
        const std::string name = lower(item.name.text);
        for (const MeterFlagName& flag : kMeterFlagNames)
            if (name == flag.name && item.separator == 0) {
                mod_.flags = static_cast<std::uint16_t>(mod_.flags | flag.bit);
                return {};
            }
        if (name == "meter") return meter(item);
        if (name == "bands" || name == "band") {
            ItemScanner scanner(item.value);
            TRY_ASSIGN(const auto first, scanner.next());
            if (!first)
                return wrong(item.whole, "bands: a band is missing",
                             "write bands=type=drop rate=N");
            return add(*first);
        }
        if (name == "type") return begin_band(item);
        if (mod_.bands.empty() || !is_of_band(name)) {
            constexpr std::array<std::string_view, 10> kWords{
                "meter", "kbps", "pktps", "burst",      "stats",
                "bands", "type", "rate",  "burst_size", "prec_level"};
            if (is_of_band(name))
                return wrong(item.name, format("{} before the band's type", name),
                             "write bands=type=drop rate=N");
            return unknown(item, kWords);
        }
        MeterBand& band = mod_.bands.back();
        if (name == "prec_level") {
            TRY_ASSIGN(const auto level, number(item, 0xff));
            band.prec_level = static_cast<std::uint8_t>(level);
            return {};
        }
        TRY_ASSIGN((name == "rate" ? band.rate : band.burst_size), number32(item));
        return {};
    }

    static bool is_of_band(std::string_view name) {
        return name == "rate" || name == "burst_size" || name == "prec_level";
    }

    Parsed<void> meter(const Item& item) {
        named_ = true;
        const std::string value = lower(item.value.text);
        for (const MeterName& name : kMeterNames)
            if (value == name.name) {
                mod_.meter = name.meter;
                return {};
            }
        TRY_ASSIGN(const auto id, number32(item));
        mod_.meter = MeterId(id);
        return {};
    }

    Parsed<void> begin_band(const Item& item) {
        const std::string value = lower(item.value.text);
        if (value != "drop" && value != "dscp_remark")
            return wrong(item.value, format("unknown band type \"{}\"", item.value.text),
                         "drop or dscp_remark");
        mod_.bands.push_back({.type = value == "drop" ? BandType::drop : BandType::dscp_remark});
        return {};
    }

    MeterMod mod_;
    bool named_ = false;
};

}  // namespace

std::expected<GroupMod, FlowTextError> parse_group(std::string_view text, const PortByName& ports) {
    return GroupParser(ports).parse({text, 0});
}

std::expected<MeterMod, FlowTextError> parse_meter(std::string_view text) {
    return MeterParser().parse({text, 0});
}

}  // namespace raicho::openflow
