// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/scheme.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dsl/model/reference.h"
#include "dsl/model/scope.h"
#include "dsl/syntax/parser.h"

namespace raicho::dsl {

namespace {

constexpr std::size_t kDefinitionName = 63;

std::size_t order_of(const Row* r) {
    return r == nullptr ? schema().size() : static_cast<std::size_t>(r - schema().data());
}

bool names_several(const Node& node, const Row& r) {
    return keyed(r) && node.values.size() == 2 && node.values[1].kind == ValueKind::list;
}

}  // namespace

std::string path_of(Level level) {
    return level == nullptr ? std::string() : level->path();
}

const Row* row_at(Level level, std::string_view keyword) {
    return find(path_of(level), keyword);
}

std::vector<std::string_view> words_at(Level level) {
    std::vector<std::string_view> out;
    const std::string path = path_of(level);
    for (const Row& r : children(path)) out.push_back(r.name);
    if (level != nullptr) out.push_back("include");
    return out;
}

bool keyed(const Row& r) {
    return r.key != Key::none || (r.type != Type::block && r.cardinality == Cardinality::many);
}

bool listed(const Row& r) {
    return takes_list(r);
}

bool refers(const Value& value) {
    if (value.kind == ValueKind::list) return refers(std::span(value.items));
    return !value.literal && has_reference(value.text);
}

bool refers(std::span<const Value> values) {
    return std::ranges::any_of(values, [](const Value& v) { return refers(v); });
}

ValueResult<std::string> key_of(const Row& r, const Value& value) {
    if (refers(value)) return value.text;
    if (r.type == Type::block) return parse_key(r, value);
    if (r.type == Type::definition) return parse_name(value, "name", kDefinitionName);
    if (r.type == Type::pattern) {
        if (value.kind == ValueKind::list || value.text.empty())
            return fault(value.span, "include takes one file name", "write include ports.d/*.conf");
        return value.text;
    }
    auto parsed = parse_value(r, value, {&value, 1});
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    return format_value(r, *parsed);
}

std::string identity(Level level, const Node& node) {
    const Row* r = row_at(level, node.keyword().text);
    if (r == nullptr) return "? " + head_of(node);
    if (!keyed(*r) || node.values.size() < 2) return std::string(r->name);
    const auto key = key_of(*r, node.values[1]);
    return format("{} {}", r->name, key ? *key : node.values[1].text);
}

Value make_value(std::string_view text) {
    Value v;
    v.text = text;
    v.kind = quoted_if_needed(text) == text ? ValueKind::word : ValueKind::text;
    return v;
}

std::vector<Value> read_values(std::string_view text) {
    if (text.empty()) return {};
    auto source = std::make_shared<const Source>("value", "value " + std::string(text));
    Diagnostics diagnostics(*source);
    Tree tree = parse(source, diagnostics);
    if (diagnostics.failed() || tree.root.statements.size() != 1 ||
        tree.root.statements.front().block)
        return {make_value(text)};
    std::vector<Value> values = std::move(tree.root.statements.front().values);
    values.erase(values.begin());
    return values;
}

std::vector<Value> members(const Row& r, std::span<const Value> values) {
    std::vector<Value> out;
    const auto add = [&](Value v) {
        const auto same = [&](const Value& o) { return o.text == v.text; };
        if (std::ranges::none_of(out, same)) out.push_back(std::move(v));
    };
    const auto item = [&](const Value& v) {
        const std::size_t dash = v.text.find('-');
        const auto first = parse_number(std::string_view(v.text).substr(0, dash));
        const auto last = dash == std::string::npos
                              ? first
                              : parse_number(std::string_view(v.text).substr(dash + 1));
        if (r.type == Type::words || !first || !last || *last > r.range.most) return add(v);
        for (std::uint64_t i = *first; i <= *last; ++i) add(make_value(format("{}", i)));
    };
    for (const Value& v : values) {
        if (v.kind != ValueKind::list)
            item(v);
        else
            for (const Value& i : v.items) item(i);
    }
    return out;
}

std::vector<FlowItem> items_of(const std::vector<Node>& nodes) {
    std::vector<FlowItem> out;
    for (const Node& n : nodes)
        if (n.activity == Activity::active) out.push_back({n.values, items_of(n.nodes), n.braces});
    return out;
}

Node& insert(std::vector<Node>& nodes, Level level, Node node) {
    const std::size_t mine = order_of(row_at(level, node.keyword().text));
    std::size_t after = nodes.size();  // the last of its kind, else of what stands before it
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const std::size_t other = order_of(row_at(level, nodes[i].keyword().text));
        if (other > mine) after = i;
        if (other == mine) {
            after = i + 1;
            break;
        }
    }
    return *nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(after), std::move(node));
}

void take_apart(std::vector<Node>& nodes, Level level) {
    std::vector<Node> out;
    out.reserve(nodes.size());
    for (Node& node : nodes) {
        const Row* r = row_at(level, node.keyword().text);
        if (r == nullptr || !names_several(node, *r)) {
            out.push_back(std::move(node));
            continue;
        }
        const std::vector<Value> items = std::move(node.values[1].items);
        for (std::size_t i = 0; i < items.size(); ++i) {
            Node one = node;
            one.values[1] = items[i];
            if (i != 0) one.above.clear();
            if (i + 1 != items.size()) one.beside.clear();
            out.push_back(std::move(one));
        }
    }
    nodes = std::move(out);
}

Node* find_node(std::vector<Node>& nodes, Level level, const Row& r, std::string_view key) {
    // Names and flow texts have one spelling; there may be very many of them.
    const bool verbatim = r.key == Key::name || r.key == Key::flow || r.type == Type::definition;
    const auto is = [&](const Value& v) {
        if (verbatim || v.text == key) return v.text == key;
        const auto k = key_of(r, v);
        return (k ? *k : v.text) == key;
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Node& node = nodes[i];
        if (node.keyword().text != r.name) continue;
        if (!keyed(r)) return &node;
        if (node.values.size() < 2) continue;
        if (names_several(node, r)) {
            if (std::ranges::none_of(node.values[1].items, is)) continue;
            std::vector<Node> apart{std::move(node)};
            take_apart(apart, level);
            nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i));
            nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(i),
                         std::make_move_iterator(apart.begin()),
                         std::make_move_iterator(apart.end()));
            return find_node(nodes, level, r, key);
        }
        if (is(node.values[1])) return &node;
    }
    return nullptr;
}

void unknown_word(Level level, const Value& word, Diagnostics& diagnostics) {
    const std::string text = word.kind == ValueKind::list ? "[" : word.text;
    const std::vector<std::string_view> here = words_at(level);
    diagnostics.error(word.span,
                      format("unknown statement \"{}\" {}", text,
                             level == nullptr ? "at the top level" : format("in {}", level->name)),
                      suggest(text, here, "known here"));
}

}  // namespace raicho::dsl
