// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/canonical.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "dsl/model/quantity.h"
#include "dsl/model/reference.h"

namespace raicho::dsl {

namespace {

constexpr std::string_view kNumber = "number";

/// Single quotes off: what they kept from being a reference is escaped.
void plain(Value& value) {
    for (Value& item : value.items) plain(item);
    if (value.kind == ValueKind::list) return;
    if (value.literal) {
        value.text = without_references(value.text);
        value.literal = false;
    }
    if (value.kind == ValueKind::text && quoted_if_needed(value.text) == value.text)
        value.kind = ValueKind::word;
}

void canonical_values(Node& node, const Row& r) {
    if (node.keyword().text != r.name) node.values[0] = make_value(r.name);
    if (r.key != Key::none) {
        Value& name = node.values[1];
        const bool text = is_entry_text(r, name);
        if (!text && !refers(name))
            if (const auto key = parse_key(r, name)) name = make_value(*key);
        plain(name);
        if (text) name.kind = ValueKind::text;
        for (std::size_t i = 2; i < node.values.size(); ++i) {
            Value& v = node.values[i];
            plain(v);
            if (const auto number = parse_limited(v, "", {})) v.text = format("{}", *number);
        }
        return;
    }
    const std::span<Value> values = std::span(node.values).subspan(1);
    const bool is_setting =
        r.type != Type::block && r.type != Type::definition && r.type != Type::pattern;
    if (is_setting && !refers(values)) {
        const auto parsed = parse_value(r, node.keyword(), values);
        if (parsed) {
            node.values.resize(1);
            for (Value& v : read_values(format_value(r, *parsed)))
                node.values.push_back(std::move(v));
        }
    }
    for (Value& v : std::span(node.values).subspan(1)) plain(v);
    if (node.values.size() > 2 && (takes_list(r) || r.type == Type::flow_text)) {
        Value list;  // several words with references among them
        list.kind = ValueKind::list;
        for (Value& v : std::span(node.values).subspan(1)) {
            if (v.kind == ValueKind::list)
                std::ranges::move(v.items, std::back_inserter(list.items));
            else
                list.items.push_back(std::move(v));
        }
        node.values.resize(1);
        node.values.push_back(std::move(list));
    }
}

/// Takes the braces off a block that says nothing; its comment goes behind the statement.
void close_if_empty(Node& node) {
    node.braces = !node.nodes.empty() || !node.tail.empty();
    if (node.braces || node.brace_beside.empty()) return;
    if (node.beside.empty()) {
        node.beside = std::move(node.brace_beside);
        node.beside_column = node.brace_column;
    } else {
        node.above.push_back(std::move(node.brace_beside));
    }
    node.brace_beside.clear();
}

/// All comments inside a block, in order.
void take_comments(const Node& node, std::vector<std::string>& out) {
    if (!node.brace_beside.empty()) out.push_back(node.brace_beside);
    for (const Node& n : node.nodes) {
        out.insert(out.end(), n.above.begin(), n.above.end());
        take_comments(n, out);
        if (!n.beside.empty()) out.push_back(n.beside);
    }
    out.insert(out.end(), node.tail.begin(), node.tail.end());
}

/// A flow's `match { … }` as the words it means; its comments go before it.
void close_flow_block(Node& node, const Row& r) {
    auto words = flow_words(r, items_of(node.nodes));
    if (!words) return;
    for (Value& v : *words) v.made = false;
    node.values.resize(1);
    std::ranges::move(*words, std::back_inserter(node.values));
    take_comments(node, node.above);
    node.brace_beside.clear();
    node.tail.clear();
    node.nodes.clear();
    node.braces = false;
}

/// The number of a group or meter, however it was written.
std::string entry_key(const std::pair<const Row*, const Node*>& entry) {
    const Value& name = entry.second->values[1];
    return key_of(*entry.first, name).value_or(name.text);
}

/// By row, then by name or number where order says nothing else.
bool before(const std::pair<const Row*, const Node*>& a,
            const std::pair<const Row*, const Node*>& b) {
    if (a.first != b.first) {
        if (a.first == nullptr || b.first == nullptr) return b.first == nullptr;
        return a.first < b.first;
    }
    if (a.first == nullptr || a.second->values.size() < 2 || b.second->values.size() < 2)
        return false;
    const Key key = a.first->key;
    if (key == Key::entry) return natural_less(entry_key(a), entry_key(b));
    if (key != Key::name && key != Key::number && key != Key::mac) return false;
    return natural_less(a.second->values[1].text, b.second->values[1].text);
}

void sort_by_row(std::vector<Node>& nodes, Level level) {
    std::vector<std::pair<const Row*, const Node*>> order;
    order.reserve(nodes.size());
    for (const Node& n : nodes) order.emplace_back(row_at(level, n.keyword().text), &n);
    std::ranges::stable_sort(order, before);
    std::vector<Node> out;
    out.reserve(nodes.size());
    for (const auto& [r, n] : order)
        out.push_back(std::move(nodes[static_cast<std::size_t>(n - nodes.data())]));
    nodes = std::move(out);
}

bool same_values(const std::vector<Value>& a, const std::vector<Value>& b) {
    return std::ranges::equal(a, b, [](const Value& x, const Value& y) {
        const bool lists = x.kind == ValueKind::list;
        if (lists != (y.kind == ValueKind::list)) return false;
        return lists ? same_values(x.items, y.items) : x.text == y.text;
    });
}

}  // namespace

void place_numbers(Node& node, Level level, Numbers numbers) {
    const Row* r = row_at(level, node.keyword().text);
    if (r == nullptr || r->type != Type::block) return;
    for (Node& n : node.nodes) place_numbers(n, r, numbers);
    if (r->object != Object::port) return;
    if (numbers == Numbers::as_setting) {
        if (node.values.size() < 3) return;
        Node number;
        number.values = {make_value(kNumber), std::move(node.values[2])};
        node.values.pop_back();
        insert(node.nodes, r, std::move(number));
        node.braces = true;
        return;
    }
    const auto at = std::ranges::find_if(node.nodes, [](const Node& n) {
        return n.keyword().text == kNumber && n.activity == Activity::active &&
               n.values.size() == 2 && n.above.empty() && n.beside.empty();
    });
    if (at == node.nodes.end() || node.values.size() != 2) return;
    node.values.push_back(std::move(at->values[1]));
    node.nodes.erase(at);
    close_if_empty(node);
}

void make_canonical(std::vector<Node>& nodes, Level level, Numbers numbers) {
    take_apart(nodes, level);
    std::erase_if(nodes, [&](const Node& n) {  // a match of nothing matches everything
        const Row* r = row_at(level, n.keyword().text);
        return r != nullptr && takes_flow_block(*r) && n.braces && items_of(n.nodes).empty();
    });
    for (Node& n : nodes) {
        const Row* r = row_at(level, n.keyword().text);
        if (r == nullptr) continue;
        if (n.braces && takes_flow_block(*r)) close_flow_block(n, *r);
        canonical_values(n, *r);
        std::erase(n.above, "");
        std::erase(n.tail, "");
        n.one_line = false;
        if (r->type != Type::block) continue;
        make_canonical(n.nodes, r, numbers);
        const bool always = r->object == Object::bridge ||
                            (r->object == Object::flow && !looks_like_flow(n.values[1]));
        if (always)
            n.braces = true;
        else
            close_if_empty(n);
        if (r->object == Object::port) place_numbers(n, level, numbers);
    }
    sort_by_row(nodes, level);
    if (level != nullptr) return;
    for (std::size_t i = 1; i < nodes.size(); ++i)
        if (nodes[i].keyword().text == row(Object::bridge).name)
            nodes[i].above.insert(nodes[i].above.begin(), "");
}

bool same(const Node& a, const Node& b) {
    return a.activity == b.activity && same_values(a.values, b.values) &&
           std::ranges::equal(a.nodes, b.nodes, same);
}

}  // namespace raicho::dsl
