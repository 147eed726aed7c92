// SPDX-License-Identifier: Apache-2.0
// Every option of the ancestor's objects and global commands as one table: what values it takes
// and what becomes of it here.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace raicho::dsl {

enum class LagopusValue : std::uint8_t { number, word, text, ipaddress, mac, boolean };

enum class Treatment : std::uint8_t {
    carried,      // read by who writes our text
    meaningless,  // nothing here depends on it
    lost,         // it did something that the switch does not do
};

/// How a second setting of the option joins the first.
enum class Repeat : bool { replaces, adds };

struct LagopusOption {
    std::string_view object;  // `bridge`, `log`
    std::string_view name;    // without its `-`
    LagopusValue value = LagopusValue::text;
    std::size_t n_values = 1;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    std::string_view words{};     // for word: `tcp|tls`
    std::string_view fallback{};  // what it is when it is not given: then nothing is reported
    Treatment treatment = Treatment::carried;
    std::string_view why{};  // for meaningless and lost
    Repeat repeat = Repeat::replaces;
};

/// The table, objects together.
[[nodiscard]] std::span<const LagopusOption> lagopus_options();
/// The option of that name, nullptr when there is none.
[[nodiscard]] const LagopusOption* find_lagopus_option(std::string_view object,
                                                       std::string_view name);
/// What is wrong with a value of the option; nothing when it is good.
[[nodiscard]] std::expected<void, std::string> judge_lagopus_value(const LagopusOption& option,
                                                                   std::string_view value);

}  // namespace raicho::dsl
