// SPDX-License-Identifier: Apache-2.0
// How the rows of schema.cc are written down: what reaches a member of an object, and the words the
// table is made of. Included by schema.cc alone.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dsl/model/schema.h"

namespace raicho::dsl::schema_row {

using std::string_view;

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
    } else if constexpr (std::is_same_v<T, std::vector<Prefix>> ||
                         std::is_same_v<T, std::vector<std::string>>) {
        slot.push_back(std::get<typename T::value_type>(std::move(value)));
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
        slot = static_cast<T>(std::get<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, Dpid>) {
        slot = T(std::get<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, PortNo>) {
        slot = T(static_cast<std::uint32_t>(std::get<std::uint64_t>(value)));
    } else {
        slot = std::get<T>(std::move(value));
    }
}

template <class T>
void fetch(const T& slot, std::vector<Parsed>& out) {
    if constexpr (is_optional<T>) {
        if (slot) fetch(*slot, out);
    } else if constexpr (std::is_same_v<T, std::vector<Prefix>> ||
                         std::is_same_v<T, std::vector<std::string>>) {
        out.insert(out.end(), slot.begin(), slot.end());
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
        out.emplace_back(static_cast<std::uint64_t>(slot));
    } else if constexpr (std::is_same_v<T, Dpid>) {
        out.emplace_back(slot.value());
    } else if constexpr (std::is_same_v<T, PortNo>) {
        out.emplace_back(std::uint64_t{slot.value()});
    } else {
        out.emplace_back(slot);
    }
}

/// The member a row sets.
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

/// Form of a value: type, limits or words.
struct Form {
    Type type;
    Range range{};
    std::span<const string_view> words{};
};
/// One of some words.
constexpr Form word(std::span<const string_view> words) {
    return {Type::word, {}, words};
}
/// A number between the limits.
constexpr Form number(std::uint64_t least, std::uint64_t most) {
    return {Type::number, {least, most}};
}

/// An object of which there is one.
constexpr Row object(string_view parent, string_view name, Object object, string_view help) {
    return {parent, name, Type::block, "", help, Cardinality::once, object};
}
/// An object of which there may be many, told apart by their key.
constexpr Row keyed(Row r, Key key, Range range = {}) {
    r.cardinality = Cardinality::many;
    r.key = key;
    r.range = range;
    return r;
}
/// A statement that is no setting of an object.
constexpr Row directive(string_view name, Type type, string_view help) {
    Row r{"", name, type, "none", help};
    r.cardinality = Cardinality::many;
    return r;
}
/// A statement with a value.
constexpr Row setting(string_view parent, string_view name, Form form, string_view fallback,
                      string_view help, Access access) {
    return {parent,       name,         form.type,  fallback,   help,  Cardinality::once,
            Object::none, Effect::live, form.range, form.words, access};
}
/// It may stand more than once.
constexpr Row many(Row r) {
    r.cardinality = Cardinality::many;
    return r;
}
/// It takes effect so.
constexpr Row with(Effect effect, Row r) {
    r.effect = effect;
    return r;
}
/// A setting of `agent`: the arena's size.
constexpr Row arena(string_view name, std::uint64_t least, std::uint64_t most, string_view fallback,
                    string_view help, Access access) {
    return with(Effect::new_arena,
                setting("agent", name, number(least, most), fallback, help, access));
}
/// A setting of `dataplane`.
constexpr Row dataplane(string_view name, Form form, string_view fallback, string_view help,
                        Access access) {
    return with(Effect::dataplane_restart,
                setting("dataplane", name, form, fallback, help, access));
}

}  // namespace raicho::dsl::schema_row
