// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/quantity.h"

#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "dsl/model/reference.h"

namespace raicho::dsl {

namespace {

/// A suffix of a number and what it multiplies by.
struct Unit {
    std::string_view suffix;
    std::uint64_t factor;
};
constexpr std::uint64_t kKi = 1024;
constexpr std::array<Unit, 9> kNumberUnits{{{"Ki", kKi},
                                            {"Mi", kKi* kKi},
                                            {"Gi", kKi* kKi* kKi},
                                            {"k", 1000},
                                            {"K", 1000},
                                            {"m", 1000000},
                                            {"M", 1000000},
                                            {"g", 1000000000},
                                            {"G", 1000000000}}};
constexpr std::array<Unit, 12> kSizeUnits{{{"KiB", kKi},
                                           {"MiB", kKi* kKi},
                                           {"GiB", kKi* kKi* kKi},
                                           {"K", kKi},
                                           {"k", kKi},
                                           {"M", kKi* kKi},
                                           {"m", kKi* kKi},
                                           {"G", kKi* kKi* kKi},
                                           {"g", kKi* kKi* kKi},
                                           {"T", kKi* kKi* kKi* kKi},
                                           {"t", kKi* kKi* kKi* kKi},
                                           {"B", 1}}};
constexpr std::array<Unit, 5> kTimeUnits{
    {{"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 3600 * 1000}, {"d", 24 * 3600 * 1000}}};

/// `text` = number and one of the units (or none: `plain`); nothing when it is neither or too
/// large.
std::optional<std::uint64_t> with_unit(std::string_view text, std::span<const Unit> units,
                                       std::uint64_t plain) {
    std::uint64_t factor = plain;
    if (!text.starts_with("0x") && !text.starts_with("0X")) {
        for (const Unit& u : units) {
            if (!text.ends_with(u.suffix)) continue;
            text.remove_suffix(u.suffix.size());
            factor = u.factor;
            break;
        }
    }
    const std::optional<std::uint64_t> number = parse_number(text);
    std::uint64_t product = 0;
    if (!number || __builtin_mul_overflow(*number, factor, &product)) return std::nullopt;
    return product;
}

std::string time_text(std::uint64_t ms) {
    return ms % 1000 == 0 ? format("{}s", ms / 1000) : format("{}ms", ms);
}

std::string size_text(std::uint64_t bytes) {
    for (const std::string_view unit : {"T", "G", "M", "K"})
        for (const Unit& u : kSizeUnits)
            if (u.suffix == unit && bytes != 0 && bytes % u.factor == 0)
                return format("{}{}", bytes / u.factor, unit);
    return format("{}", bytes);
}

std::string rate_text(std::uint64_t rate) {
    constexpr std::array<Unit, 3> kUnits{{{"G", 1000000000}, {"M", 1000000}, {"k", 1000}}};
    for (const Unit& u : kUnits)
        if (rate != 0 && rate % u.factor == 0) return format("{}{}", rate / u.factor, u.suffix);
    return format("{}", rate);
}

/// A limit of the row, in its unit; those of seconds are plain numbers.
std::string limit_text(const Row& r, std::uint64_t limit) {
    return r.type == Type::seconds ? format("{}", limit) : quantity_text(r, limit);
}

}  // namespace

std::string quantity_text(const Row& r, std::uint64_t value) {
    switch (r.type) {
        case Type::size: return size_text(value);
        case Type::rate: return rate_text(value);
        case Type::duration: return time_text(value);
        case Type::seconds: return format("{}s", value);
        default: return format("{}", value);
    }
}

std::string range_help(const Row& r) {
    return format("allowed: {} to {}", limit_text(r, r.range.least), limit_text(r, r.range.most));
}

ValueResult<std::uint64_t> parse_quantity(const Row& r, const Value& value) {
    std::optional<std::uint64_t> number;
    std::string_view what = "number";
    std::string_view example;
    switch (r.type) {
        case Type::size:
            number = with_unit(value.text, kSizeUnits, 1);
            what = "size";
            example = "512M";
            break;
        case Type::rate:
            number = with_unit(value.text, kNumberUnits, 1);
            what = "rate";
            example = "100M or 1G (bits a second)";
            break;
        case Type::seconds:
        case Type::duration:
            number = with_unit(value.text, kTimeUnits, 1000);
            what = "time";
            example = r.type == Type::seconds ? "30, 30s or 5m" : "500ms, 5s or 2m";
            break;
        default: number = with_unit(value.text, kNumberUnits, 1);
    }
    if (!number)
        return fault(value.span, format("{}: \"{}\" is not a {}", r.name, value.text, what),
                     example.empty() ? format("write {} {}", r.name, value_text(r))
                                     : format("for example: {}", example));
    if (r.type == Type::seconds) {
        if (*number % 1000 != 0)
            return fault(value.span,
                         format("{}: \"{}\" is not in whole seconds", r.name, value.text));
        *number /= 1000;
    }
    if (*number < r.range.least || *number > r.range.most)
        return fault(value.span, format("{}: {} is out of range", r.name, value.text),
                     range_help(r));
    return *number;
}

ValueResult<std::uint64_t> parse_limited(const Value& value, std::string_view what, Range range) {
    Row r;
    r.name = what;
    r.type = Type::number;
    r.range = range;
    return parse_quantity(r, value);
}

}  // namespace raicho::dsl
