// SPDX-License-Identifier: Apache-2.0
// The configuration language as one table: every object and setting with its type, limits,
// default and help. Parsing, checking, printing, completion, help and documentation derive from
// it; a new setting is a row here and a member in config.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/addr.h"
#include "dsl/model/config.h"

namespace raicho::dsl {

/// Form of a statement's value.
enum class Type : std::uint8_t {
    block,     // an object: Row::object says which
    flag,      // no value, being there is enough
    word,      // one of Row::words
    words,     // some of Row::words, as list or one after the other
    number,    // decimal or 0x, multipliers k M G (1000) and Ki Mi Gi (1024)
    size,      // bytes, multipliers K M G T (1024)
    seconds,   // `5`, `5s`, `2m`, `1h`; whole seconds
    duration,  // the same and `500ms`; milliseconds inside, a plain number means seconds
    cores,     // numbers and ranges: [ 2 4-7 ]
    dpid,      // decimal, 0x…, or 16 hex digits with or without colons
    mac,
    prefix,      // ADDRESS/LENGTH, v4 or v6
    name,        // letters, digits, - _ .
    text,        // anything
    path,        // absolute file name
    device,      // KIND and its arguments (device.h)
    flow_text,   // ovs-ofctl text, values joined with commas
    address,     // v4 or v6
    vlans,       // numbers and ranges: [ 10 20-29 ]
    rate,        // bits a second, multipliers k M G (1000)
    definition,  // NAME and its value: define
    pattern,     // a file name with wildcards: include
};

enum class Object : std::uint8_t {
    none,
    system,
    agent,
    dataplane,
    log,
    api,
    bridge,
    mac_table,
    static_mac,
    local,
    port,
    vlan,
    policer,
    queue,
    controller,
    listen,
    flow,
    group,
    meter,
};

/// What stands between an object's keyword and its block and tells it from others.
enum class Key : std::uint8_t {
    none,
    name,      // at most Row::range.most characters
    endpoint,  // tcp:HOST[:PORT]
    listener,  // tcp:ADDRESS[:PORT]
    flow,      // a name, or ovs-ofctl text
    number,    // within Row::range
    entry,     // such a number, or ovs-ofctl text that has one in it
    mac,
};

enum class Cardinality : std::uint8_t { once, many };

/// When a change takes effect.
enum class Effect : std::uint8_t { live, dataplane_restart, new_arena };

/// A parsed value: numbers, word indexes and flags; texts; the rest.
using Parsed = std::variant<std::uint64_t, std::string, Mac, Prefix, std::vector<std::uint16_t>,
                            DeviceConfig, Address>;

/// How a row reaches its member of the object (a struct of config.h). `get` appends what is set
/// and not the default.
struct Access {
    void (*set)(void* object, Parsed&& value) = nullptr;
    void (*get)(const void* object, std::vector<Parsed>& out) = nullptr;
};

struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = ~0ull;
};

struct Row {
    std::string_view parent;  // path of the object, `bridge port`; empty at the top
    std::string_view name;
    Type type = Type::block;
    std::string_view fallback;  // default, as text; what happens when it is left out
    std::string_view help;
    Cardinality cardinality = Cardinality::once;
    Object object = Object::none;
    Effect effect = Effect::live;
    Range range{};
    std::span<const std::string_view> words{};
    Access access{};
    Key key = Key::none;

    [[nodiscard]] std::string path() const {
        return parent.empty() ? std::string(name) : std::string(parent) + ' ' + std::string(name);
    }
};

/// All rows; those of one parent stand together, in the order of printing.
[[nodiscard]] std::span<const Row> schema();
/// The rows below a path; `` is the top.
[[nodiscard]] std::span<const Row> children(std::string_view parent);
[[nodiscard]] const Row* find(std::string_view parent, std::string_view name);
/// The row of an object.
[[nodiscard]] const Row& row(Object object);

/// What may be written as the value: `<68..65535>`, `secure|standalone`, `<address/length>`.
[[nodiscard]] std::string value_text(const Row& row);
/// What stands between an object's keyword and its block: `<name> [<number>]`; empty for settings.
[[nodiscard]] std::string_view head_text(Object object);
/// What is added to a help where a change takes effect later: `; takes effect when …`.
[[nodiscard]] std::string_view effect_text(Effect effect);
/// Whether the row's values are members of a list: `[ a b ]`.
[[nodiscard]] bool takes_list(const Row& row);

}  // namespace raicho::dsl
