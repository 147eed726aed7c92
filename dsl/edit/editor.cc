// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/editor.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "dsl/model/quantity.h"

namespace raicho::dsl {

namespace {

bool digits(const Value& v) {
    return v.kind != ValueKind::list && !v.text.empty() && v.text[0] >= '0' && v.text[0] <= '9';
}

Node make_node(std::string_view keyword, std::vector<Value> values) {
    Node n;
    n.values.push_back(make_value(keyword));
    std::ranges::move(values, std::back_inserter(n.values));
    return n;
}

/// A block that something is put into.
void open(Node& owner) {
    owner.braces = true;
    owner.one_line = false;
}

Value list_of(std::vector<Value> items) {
    Value list;
    list.kind = ValueKind::list;
    list.items = std::move(items);
    return list;
}

const Row& number_row() {
    return *find("bridge port", "number");
}

}  // namespace

/// Where a path leads: `node` (nullptr: all of `row` there), the words that follow it.
struct Editor::Found {
    Node* owner = nullptr;
    Level level = nullptr;
    const Row* row = nullptr;
    Node* node = nullptr;
    Words rest{};
    Span span{};  // of the word that names it
};

void Editor::error(Span span, std::string text, std::string help) {
    diagnostics_.error(span, std::move(text), std::move(help));
}

void Editor::run(const Node& command) {
    constexpr std::array<std::string_view, 5> kVerbs{"set", "delete", "activate", "deactivate",
                                                     "rename"};
    const Value& verb = command.keyword();
    std::vector<Value> words(level_.begin(), level_.end());
    for (Value& v : words) v.span = verb.span;
    words.insert(words.end(), command.values.begin() + 1, command.values.end());
    const bool is_set = verb.text == "set";
    if (std::ranges::find(kVerbs, verb.text) == kVerbs.end())
        return error(verb.span, format("unknown command \"{}\"", verb.text),
                     suggest(verb.text, kVerbs));
    if (command.braces && !is_set)
        return error(verb.span, format("{} takes a path, not a block", verb.text));
    if (command.activity == Activity::inactive)
        return error(verb.span, "inactive before a command", "write deactivate and the path");
    if (words.empty() && !command.braces && verb.text != "delete")
        return error(verb.span, format("{} needs a path", verb.text),
                     format("for example: {} bridge br0 port p1", verb.text));
    if (is_set) return set(document_.root, nullptr, words, command);
    if (verb.text == "delete" && words.empty()) {
        document_.root.nodes.clear();
        return;
    }
    if (verb.text == "delete") return remove(words);
    if (verb.text == "rename") return rename(words);
    stand(words, verb.text == "activate" ? Activity::active : Activity::inactive);
}

// --- set -------------------------------------------------------------------------------------

void Editor::set(Node& owner, Level level, Words words, const Node& command) {
    if (words.empty()) {
        if (!command.braces) return;
        const std::size_t errors = diagnostics_.n_errors();
        judge(command.nodes, level, diagnostics_);
        if (diagnostics_.n_errors() != errors) return;
        if (!command.nodes.empty() && &owner != &document_.root) open(owner);
        return merge_nodes(owner, level, command.nodes);
    }
    const Value& word = words.front();
    const Row* r = word.kind == ValueKind::list ? nullptr : row_at(level, word.text);
    if (r == nullptr) return unknown_word(level, word, diagnostics_);
    if (r->type == Type::block) return set_object(owner, level, *r, words, command);
    if (command.braces)
        return error(word.span, format("{} takes a value, not a block", r->name),
                     format("write {} {}", r->name, value_text(*r)));
    set_setting(owner, level, *r, words);
}

void Editor::set_object(Node& owner, Level level, const Row& r, Words words, const Node& command) {
    const Value& keyword = words.front();
    Words rest = words.subspan(1);
    std::string key;
    std::vector<Value> head;
    bool text = false;  // a whole entry as ovs-ofctl text
    if (r.key != Key::none) {
        if (rest.empty())
            return error(keyword.span, format("{} needs {}", r.name, head_text(r.object)),
                         format("write {} {}", r.name, head_text(r.object)));
        if (rest[0].kind == ValueKind::list && r.key == Key::endpoint) {
            std::vector<Value> one(words.begin(), words.end());
            for (const Value& item : rest[0].items) {
                one[1] = item;
                set_object(owner, level, r, one, command);
            }
            return;
        }
        const auto good = key_of(r, rest[0]);
        if (!good) return error(good.error().span, good.error().text, good.error().help);
        key = *good;
        text = is_entry_text(r, rest[0]);
        if (text && (rest.size() > 1 || command.braces))
            return error(rest[0].span, format("a {} text stands alone", r.name),
                         format("put it in quotes whole: {} \"{}\"", r.name,
                                r.object == Object::flow    ? "priority=1,arp actions=drop"
                                : r.object == Object::group ? "group_id=1,type=all,bucket=output:2"
                                                            : "meter=1,bands=type=drop rate=1000"));
        head.push_back(rest[0]);
        if (text) head[0].kind = ValueKind::text;
        rest = rest.subspan(1);
    }
    Node* node = find_node(owner.nodes, level, r, key);
    if (node == nullptr) {
        if (&owner != &document_.root) open(owner);
        Node fresh = make_node(r.name, std::move(head));
        fresh.braces = r.object == Object::bridge || (r.key == Key::flow && !text);
        node = &insert(owner.nodes, level, std::move(fresh));
    } else if (r.key == Key::entry && text) {
        node->values[1] = head[0];
        node->nodes.clear();
        node->braces = false;
    } else if (r.key == Key::entry && is_entry_text(r, node->values[1]) &&
               (!rest.empty() || command.braces)) {
        return error(words[1].span, format("{} {} is ovs-ofctl text here", r.name, key),
                     format("set the whole text anew, or delete {} {} first", r.name, key));
    }
    if (r.object == Object::port && !rest.empty() && digits(rest[0])) {
        set_number(*node, &r, rest[0]);
        rest = rest.subspan(1);
    }
    set(*node, &r, rest, command);
}

void Editor::set_number(Node& port, Level level, const Value& number) {
    if (!refers(number)) {
        const auto good = parse_limited(number, "port number", {1, port::kMax.value()});
        if (!good) return error(good.error().span, good.error().text, good.error().help);
    }
    Node* child = find_node(port.nodes, level, number_row(), "");
    if (child != nullptr)
        child->values = {child->values[0], number};
    else if (port.values.size() > 2)
        port.values[2] = number;
    else
        port.values.push_back(number);
}

void Editor::set_setting(Node& owner, Level level, const Row& r, Words words) {
    const Value& keyword = words.front();
    const Words values = words.subspan(1);
    if (&r == &number_row()) {
        if (values.size() != 1)
            return error(keyword.span, "number needs one value", "write number 1");
        return set_number(owner, level, values[0]);
    }
    std::vector<Node> one{make_node(r.name, {values.begin(), values.end()})};
    one[0].values[0].span = keyword.span;
    const std::size_t errors = diagnostics_.n_errors();
    judge(one, level, diagnostics_);
    if (diagnostics_.n_errors() != errors) return;
    if (&owner != &document_.root) open(owner);
    merge_nodes(owner, level, std::move(one));
}

// --- paths that must be there ----------------------------------------------------------------

void Editor::absent(const Row& r, const Value& key, const std::vector<Node>& there) {
    std::vector<std::string> names;
    for (const Node& n : there) {
        if (n.keyword().text != r.name || n.values.size() < 2) continue;
        if (n.values[1].kind == ValueKind::list)
            for (const Value& v : n.values[1].items) names.push_back(v.text);
        else
            names.push_back(n.values[1].text);
    }
    constexpr std::size_t kListed = 12;
    std::ranges::sort(names, natural_less);
    std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = did_you_mean(key.text, views);
    if (views.size() > kListed) views.resize(kListed);
    error(key.span, format("{} {} is not there", r.name, written(key)),
          near            ? format("did you mean \"{}\"?", *near)
          : views.empty() ? format("there is no {}", r.name)
                          : format("there are: {}", fmt::join(views, ", ")));
}

bool Editor::locate(Words words, Found& found) {
    Node* owner = &document_.root;
    Level level = nullptr;
    for (;;) {
        const Value& word = words.front();
        const Row* r = word.kind == ValueKind::list ? nullptr : row_at(level, word.text);
        if (r == nullptr) {
            unknown_word(level, word, diagnostics_);
            return false;
        }
        found = {owner, level, r, nullptr, words.subspan(1), word.span};
        if (keyed(*r)) {
            if (found.rest.empty()) return true;  // all of them
            if (r->type != Type::block && found.rest.size() == 1 &&
                found.rest[0].kind == ValueKind::list)
                return true;  // several members
            const auto key = key_of(*r, found.rest[0]);
            if (!key) {
                error(key.error().span, key.error().text, key.error().help);
                return false;
            }
            found.node = find_node(owner->nodes, level, *r, *key);
            if (found.node == nullptr) {
                absent(*r, found.rest[0], owner->nodes);
                return false;
            }
            found.span = found.rest[0].span;
            found.rest = found.rest.subspan(1);
        } else {
            found.node = find_node(owner->nodes, level, *r, "");
            const bool head_number = r == &number_row() && owner->values.size() > 2;
            if (found.node == nullptr && !head_number) {
                error(word.span, format("{} is not there", r->name));
                return false;
            }
        }
        if (r->type != Type::block || found.rest.empty()) return true;
        owner = found.node;
        level = r;
        words = found.rest;
    }
}

void Editor::remove(Words words) {
    Found found;
    if (!locate(words, found)) return;
    std::vector<Node>& nodes = found.owner->nodes;
    if (found.row == &number_row() && found.owner->values.size() > 2) {
        if (!found.rest.empty() && found.rest[0].text != found.owner->values[2].text)
            return error(found.rest[0].span,
                         format("number is {}, not {}", written(found.owner->values[2]),
                                written(found.rest[0])));
        found.owner->values.resize(2);
        return;
    }
    if (found.node == nullptr && found.rest.empty()) {
        const std::string name(found.row->name);
        if (std::erase_if(nodes, [&](const Node& n) { return n.keyword().text == name; }) == 0)
            error(found.span, format("there is no {}", name));
        return;
    }
    const bool whole =
        found.node != nullptr && (found.rest.empty() || found.row->type == Type::definition);
    if (!whole) return remove_values(found, found.rest);
    nodes.erase(nodes.begin() + (found.node - nodes.data()));
}

void Editor::remove_values(Found& found, Words values) {
    const Row& r = *found.row;
    std::vector<Node>& nodes = found.owner->nodes;
    if (found.node == nullptr) {  // members that are statements of their own
        for (const Value& item : values[0].items) {
            const auto key = key_of(r, item);
            if (!key) return error(key.error().span, key.error().text, key.error().help);
            Node* node = find_node(nodes, found.level, r, *key);
            if (node == nullptr) return absent(r, item, nodes);
            nodes.erase(nodes.begin() + (node - nodes.data()));
        }
        return;
    }
    Node& node = *found.node;
    if (listed(r)) {
        std::vector<Value> left = members(r, std::span(node.values).subspan(1));
        for (const Value& v : members(r, values)) {
            const auto at = std::ranges::find(left, v.text, &Value::text);
            if (at == left.end())
                return error(values[0].span, format("{} has no {}", r.name, written(v)),
                             format("it is {}", head_of(node)));
            left.erase(at);
        }
        if (left.empty())
            nodes.erase(nodes.begin() + (found.node - nodes.data()));
        else
            node.values = {node.values[0], list_of(std::move(left))};
        return;
    }
    const auto canonical = [&](Words words) {
        const auto parsed = parse_value(r, node.values[0], words);
        return parsed ? format_value(r, *parsed) : written(words[0]);
    };
    const Words mine = std::span(node.values).subspan(1);
    if (keyed(r) || mine.empty() || canonical(mine) != canonical(values))
        return error(values[0].span, format("it says {}", head_of(node)),
                     format("write delete ... {}", r.name));
    nodes.erase(nodes.begin() + (found.node - nodes.data()));
}

void Editor::stand(Words words, Activity activity) {
    Found found;
    if (!locate(words, found)) return;
    if (found.row == &number_row() && found.node == nullptr)
        return error(found.span, "the number stands behind the port's name",
                     "deactivate the port, or delete the number");
    if (found.node == nullptr)
        return error(found.span, format("{} needs {}", found.row->name, value_text(*found.row)));
    if (!found.rest.empty() && found.row->type != Type::definition)
        return error(found.rest[0].span, "a value where the path should end");
    found.node->activity = activity;
}

void Editor::rename(Words words) {
    const Span span = words.back().span;
    const std::size_t at = words.size() < 3 ? 0 : words.size() - 2;
    if (at == 0 || words[at].text != "to")
        return error(span, "rename needs a path and a name", "write rename bridge br0 to br1");
    Found found;
    if (!locate(words.first(at), found)) return;
    if (found.node == nullptr || found.row->type != Type::block)
        return error(found.span, format("{} has no name", found.row->name));
    const auto key = key_of(*found.row, words.back());
    if (!key) return error(key.error().span, key.error().text, key.error().help);
    if (is_entry_text(*found.row, words.back()) ||
        (found.row->key != Key::none && is_entry_text(*found.row, found.node->values[1])))
        return error(span, format("a {} text has no name", found.row->name));
    Node* node = found.node;
    const auto index = node - found.owner->nodes.data();
    if (find_node(found.owner->nodes, found.level, *found.row, *key) != nullptr)
        return error(span, format("{} {} is there already", found.row->name, *key));
    found.owner->nodes[static_cast<std::size_t>(index)].values[1] = make_value(*key);
}

}  // namespace raicho::dsl
