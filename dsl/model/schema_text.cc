// SPDX-License-Identifier: Apache-2.0
// Rows of the schema in words, for help, errors and the reference.
#include <utility>

#include "base/text.h"
#include "dsl/model/schema.h"

namespace raicho::dsl {

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
        case Type::address: return "<address>";
        case Type::vlans: return "[ <vlan> ... ]";
        case Type::rate: return "<rate>";
        case Type::definition: return "<name> <value>";
        case Type::pattern: return "<file>";
    }
    std::unreachable();
}

std::string_view head_text(Object object) {
    if (object == Object::none) return "";
    if (object == Object::port) return "<name> [<number>]";
    switch (row(object).key) {
        case Key::none: return "";
        case Key::name: return "<name>";
        case Key::endpoint: return "tcp:<host>[:<port>]";
        case Key::listener: return "tcp:<address>[:<port>]";
        case Key::flow: return "\"<flow-text>\"|<name>";
        case Key::number: return "<number>";
        case Key::entry: return "<number>|\"<text>\"";
        case Key::mac: return "<mac>";
    }
    std::unreachable();
}

std::string_view effect_text(Effect effect) {
    switch (effect) {
        case Effect::live: return "";
        case Effect::dataplane_restart: return "; takes effect when the dataplane starts anew";
        case Effect::new_arena: return "; needs a new arena: the switch is stopped and started";
    }
    std::unreachable();
}

bool takes_list(const Row& r) {
    return r.type == Type::words || r.type == Type::cores || r.type == Type::vlans;
}

}  // namespace raicho::dsl
