// SPDX-License-Identifier: Apache-2.0
// Statements into statements, and texts into texts.
#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dsl/edit/editor.h"
#include "dsl/edit/forms_read.h"
#include "dsl/edit/load.h"

namespace raicho::dsl {

namespace {

/// A setting's values over those that were there.
void merge_values(Node& into, const Row& r, Node&& more) {
    if (listed(r) && !refers(into.values) && !refers(more.values)) {
        Value list;
        list.kind = ValueKind::list;
        std::vector<Value> all(into.values.begin() + 1, into.values.end());
        all.insert(all.end(), more.values.begin() + 1, more.values.end());
        list.items = members(r, all);
        into.values = {into.values[0], std::move(list)};
    } else {
        into.values = std::move(more.values);
    }
}

void append(std::vector<std::string>& lines, std::vector<std::string>&& more) {
    for (std::string& l : more)
        if (!l.empty() && std::ranges::find(lines, l) == lines.end()) lines.push_back(std::move(l));
}

/// One statement over the one of the same identity.
void merge_node(Node& into, const Row& r, Node&& more) {
    append(into.above, std::move(more.above));
    append(into.tail, std::move(more.tail));
    if (into.beside.empty()) into.beside = std::move(more.beside);
    into.activity = more.activity;
    if (r.type != Type::block) return merge_values(into, r, std::move(more));
    if (r.key == Key::entry &&
        (is_entry_text(r, into.values[1]) || is_entry_text(r, more.values[1]))) {
        into.values = std::move(more.values);  // a text and a block have no parts in common
        into.nodes = std::move(more.nodes);
        into.braces = more.braces;
        into.one_line = more.one_line;
        return;
    }
    if (more.values.size() > 2) {
        into.values.resize(2);
        into.values.push_back(std::move(more.values[2]));
        std::erase_if(into.nodes, [](const Node& n) { return n.keyword().text == "number"; });
    }
    if (more.nodes.empty()) return;
    into.braces = true;
    into.one_line = false;
    merge_nodes(into, &r, std::move(more.nodes));
}

/// Words of the edit level as one command's, with `nodes` as its block.
Node level_command(const Value& verb, std::vector<Node> nodes) {
    Node command;
    command.values.push_back(verb);
    command.braces = true;
    command.nodes = std::move(nodes);
    return command;
}

}  // namespace

void merge_nodes(Node& owner, Level level, std::vector<Node> more) {
    take_apart(owner.nodes, level);
    take_apart(more, level);
    const bool numbered =
        std::ranges::any_of(more, [](const Node& n) { return n.keyword().text == "number"; });
    if (level != nullptr && level->object == Object::port && owner.values.size() > 2 && numbered)
        owner.values.resize(2);
    std::unordered_map<std::string, std::size_t> index;
    if (more.size() > 1)
        for (std::size_t i = 0; i < owner.nodes.size(); ++i)
            index.try_emplace(identity(level, owner.nodes[i]), i);
    std::vector<Node> fresh;
    std::unordered_map<std::string, std::size_t> fresh_index;
    for (Node& n : more) {
        const Row* r = row_at(level, n.keyword().text);
        if (r == nullptr) continue;
        const std::string id = identity(level, n);
        Node* there = nullptr;
        if (more.size() == 1) {
            const auto alike = std::ranges::find_if(
                owner.nodes, [&](const Node& o) { return identity(level, o) == id; });
            if (alike != owner.nodes.end()) there = &*alike;
        } else if (const auto old = index.find(id); old != index.end()) {
            there = &owner.nodes[old->second];
        } else if (const auto added = fresh_index.find(id); added != fresh_index.end()) {
            there = &fresh[added->second];
        }
        if (there != nullptr) {
            merge_node(*there, *r, std::move(n));
        } else {
            fresh_index.emplace(id, fresh.size());
            fresh.push_back(std::move(n));
        }
    }
    if (owner.nodes.empty()) {
        owner.nodes = std::move(fresh);
        return;
    }
    for (Node& n : fresh) insert(owner.nodes, level, std::move(n));
}

std::optional<LoadMode> load_mode_by_name(std::string_view name) {
    constexpr std::array<std::string_view, 4> kNames{"merge", "replace", "override", "set"};
    const auto at = std::ranges::find(kNames, name);
    if (at == kNames.end()) return std::nullopt;
    return static_cast<LoadMode>(at - kNames.begin());
}

OrRefusal<std::string> load(std::string_view base, LoadMode mode, std::string_view text,
                            std::string_view file, std::string_view at) {
    OrRefusal<Document> document = read_document(std::string(base), "configuration");
    if (!document) return std::unexpected(std::move(document.error()));
    OrRefusal<Document> level = read_document(std::string(at), "path");
    if (!level) return std::unexpected(std::move(level.error()));
    std::vector<Value> words;
    for (const Node& n : level->root.nodes)
        words.insert(words.end(), n.values.begin(), n.values.end());

    const Form form = mode == LoadMode::set ? Form::set : guess_form(text);
    if (form == Form::set && (mode == LoadMode::set || mode == LoadMode::merge)) {
        OrRefusal<Document> commands = read_document(std::string(text), std::string(file));
        if (!commands) return std::unexpected(std::move(commands.error()));
        Diagnostics diagnostics(*commands->source);
        Editor editor(*document, words, diagnostics);
        for (const Node& n : commands->root.nodes) editor.run(n);
        if (diagnostics.failed()) return refuse(diagnostics);
        return lay_out(*document);
    }
    OrRefusal<Document> loaded = read_form(text, file, form, level_at(words));
    if (!loaded) return std::unexpected(std::move(loaded.error()));
    Diagnostics diagnostics(*loaded->source);
    if (words.empty() && mode == LoadMode::override_all) return lay_out(*loaded);
    if (words.empty() && mode == LoadMode::replace) {
        take_apart(loaded->root.nodes, nullptr);
        for (const Node& n : loaded->root.nodes) {
            const std::string id = identity(nullptr, n);
            std::erase_if(document->root.nodes,
                          [&](const Node& o) { return identity(nullptr, o) == id; });
        }
    }
    Editor editor(*document, words, diagnostics);
    Value verb = make_value("set");
    if (!words.empty() && mode != LoadMode::merge) {  // the level itself is what is replaced
        Node remove;
        remove.values.push_back(make_value("delete"));
        Document trial = *document;
        const Source nowhere("path", std::string(at));
        Diagnostics quiet(nowhere);
        Editor(trial, words, quiet).run(remove);
        if (!quiet.failed()) *document = std::move(trial);
    }
    editor.run(level_command(verb, std::move(loaded->root.nodes)));
    if (diagnostics.failed()) return refuse(diagnostics);
    std::ranges::move(loaded->root.tail, std::back_inserter(document->root.tail));
    return lay_out(*document);
}

}  // namespace raicho::dsl
