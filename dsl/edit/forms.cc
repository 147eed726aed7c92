// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/forms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "dsl/edit/canonical.h"
#include "dsl/edit/editor.h"
#include "dsl/edit/forms_read.h"

namespace raicho::dsl {

namespace {

constexpr std::array<std::string_view, 3> kForms{"conf", "set", "json"};

OrRefusal<Document> read_commands(std::string_view text, std::string_view file) {
    OrRefusal<Document> commands = read_document(std::string(text), std::string(file));
    if (!commands) return commands;
    Document document{commands->source, {}};
    Diagnostics diagnostics(*commands->source);
    Editor editor(document, {}, diagnostics);
    for (const Node& n : commands->root.nodes) editor.run(n);
    if (diagnostics.failed()) return refuse(diagnostics);
    return document;
}

std::string write(Document&& document, Level level, Form form, const std::string& before) {
    std::vector<Node>& nodes = document.root.nodes;
    make_canonical(nodes, level, form == Form::conf ? Numbers::in_head : Numbers::as_setting);
    switch (form) {
        case Form::conf: return lay_out(document);
        case Form::set: return to_set(nodes, level, before);
        case Form::json: return to_json(nodes, level);
    }
    std::unreachable();
}

}  // namespace

std::optional<Form> form_by_name(std::string_view name) {
    const auto at = std::ranges::find(kForms, name);
    if (at == kForms.end()) return std::nullopt;
    return static_cast<Form>(at - kForms.begin());
}

Form guess_form(std::string_view text) {
    constexpr std::array<std::string_view, 5> kVerbs{"set", "delete", "activate", "deactivate",
                                                     "rename"};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#') continue;
        if (line.front() == '{') return Form::json;
        const std::string_view word = line.substr(0, line.find_first_of(" \t"));
        return std::ranges::find(kVerbs, word) != kVerbs.end() ? Form::set : Form::conf;
    }
    return Form::conf;
}

Level level_at(std::span<const Value> words) {
    Level level = nullptr;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Row* r = row_at(level, words[i].text);
        if (r == nullptr || r->type != Type::block) return level;
        level = r;
        if (r->key != Key::none) ++i;
    }
    return level;
}

OrRefusal<Document> read_form(std::string_view text, std::string_view file, Form form,
                              Level level) {
    if (form == Form::set) return read_commands(text, file);
    if (form == Form::conf) {
        OrRefusal<Document> document = read_document(std::string(text), std::string(file));
        if (!document) return document;
        Diagnostics diagnostics(*document->source);
        judge(document->root.nodes, level, diagnostics);
        if (diagnostics.failed()) return refuse(diagnostics);
        return document;
    }
    Document document{std::make_shared<const Source>(std::string(file), std::string(text)), {}};
    Diagnostics diagnostics(*document.source);
    document.root.nodes = from_json(*document.source, level, diagnostics);
    if (!diagnostics.failed()) judge(document.root.nodes, level, diagnostics);
    if (diagnostics.failed()) return refuse(diagnostics);
    return document;
}

OrRefusal<std::string> convert(std::string_view text, std::string_view file, Form from, Form to) {
    OrRefusal<Document> document = read_form(text, file, from);
    if (!document) return std::unexpected(std::move(document.error()));
    return write(std::move(*document), nullptr, to, "");
}

OrRefusal<std::string> fmt(std::string_view text, std::string_view file) {
    OrRefusal<Document> document = read_document(std::string(text), std::string(file));
    if (!document) return std::unexpected(std::move(document.error()));
    return lay_out(*document);
}

OrRefusal<std::string> subtree(std::string_view text, std::string_view path, Form form) {
    OrRefusal<Document> document = read_document(std::string(text), "configuration");
    if (!document) return std::unexpected(std::move(document.error()));
    OrRefusal<Document> wanted = read_document(std::string(path), "path");
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    std::vector<Value> words;
    for (const Node& n : wanted->root.nodes)
        words.insert(words.end(), n.values.begin(), n.values.end());

    Diagnostics diagnostics(*wanted->source);
    Node* owner = &document->root;
    Level level = nullptr;
    std::string before;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Row* r = row_at(level, words[i].text);
        if (r == nullptr) {
            unknown_word(level, words[i], diagnostics);
            return refuse(diagnostics);
        }
        const bool block = r->type == Type::block;
        const bool with_key = r->key != Key::none && i + 1 < words.size();
        std::string key;
        if (with_key) {
            const auto good = key_of(*r, words[++i]);
            if (!good) {
                diagnostics.error(good.error().span, good.error().text, good.error().help);
                return refuse(diagnostics);
            }
            key = *good;
        }
        if (!block || (r->key != Key::none && !with_key)) {  // all statements of that word
            Node some;
            for (Node& n : owner->nodes)
                if (n.keyword().text == r->name) some.nodes.push_back(std::move(n));
            return write({document->source, std::move(some)}, level, form, before);
        }
        Node* found = find_node(owner->nodes, level, *r, key);
        if (found == nullptr) return "";
        before += format("{} ", r->name);
        if (with_key) before += written(found->values[1]) + ' ';
        // Only of a port itself the number has no other place to stand.
        const bool in_heads = form == Form::conf && r->object != Object::port;
        place_numbers(*found, level, in_heads ? Numbers::in_head : Numbers::as_setting);
        owner = found;
        level = r;
    }
    if (form == Form::conf) return lay_out({document->source, std::move(*owner)});
    return write({document->source, std::move(*owner)}, level, form, before);
}

}  // namespace raicho::dsl
