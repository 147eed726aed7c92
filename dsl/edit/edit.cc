// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/edit.h"

#include <utility>

#include "base/text.h"
#include "dsl/edit/editor.h"

namespace raicho::dsl {

namespace {

/// The words of a path, without a block.
OrRefusal<std::vector<Value>> path_words(std::string_view path) {
    OrRefusal<Document> read = read_document(std::string(path), "path");
    if (!read) return std::unexpected(std::move(read.error()));
    if (read->root.nodes.empty()) return std::vector<Value>{};
    Node& first = read->root.nodes.front();
    if (read->root.nodes.size() > 1 || first.braces) {
        Diagnostics diagnostics(*read->source);
        diagnostics.error(first.keyword().span, "a path is one line of words",
                          "for example: bridge br0 port p1");
        return refuse(diagnostics);
    }
    return std::move(first.values);
}

std::string joined(std::span<const Value> words) {
    std::string out;
    for (const Value& v : words) out += (out.empty() ? "" : " ") + written(v);
    return out;
}

/// Where each object of a path ends, in words.
struct Steps {
    std::vector<std::size_t> ends;
    Level level = nullptr;
};

/// Follows objects as far as they go; a fault is reported.
Steps follow(std::vector<Value>& words, Diagnostics& diagnostics) {
    Steps steps;
    for (std::size_t i = 0; i < words.size();) {
        const Row* r = row_at(steps.level, words[i].text);
        if (r == nullptr) {
            unknown_word(steps.level, words[i], diagnostics);
            return steps;
        }
        if (r->type != Type::block) {
            diagnostics.error(words[i].span, format("{} is a setting, not a level", r->name),
                              format("change it with: set {}", joined(words)));
            return steps;
        }
        ++i;
        if (r->key != Key::none) {
            if (i == words.size()) {
                diagnostics.error(words[i - 1].span,
                                  format("{} needs {}", r->name, head_text(r->object)),
                                  format("write {} {}", r->name, head_text(r->object)));
                return steps;
            }
            const auto key = key_of(*r, words[i]);
            if (!key) {
                diagnostics.error(key.error().span, key.error().text, key.error().help);
                return steps;
            }
            if (is_entry_text(*r, words[i])) {
                diagnostics.error(words[i].span,
                                  format("a {} text has no level of its own", r->name),
                                  format("give the {0} a {1}: {0} {1} {{ ... }}", r->name,
                                         r->key == Key::flow ? "NAME" : "NUMBER"));
                return steps;
            }
            words[i] = make_value(*key);
            ++i;
        }
        steps.ends.push_back(i);
        steps.level = r;
    }
    return steps;
}

}  // namespace

OrRefusal<std::string> edit(std::string_view text, std::span<const std::string> commands,
                            std::string_view at) {
    OrRefusal<Document> document = read_document(std::string(text), "configuration");
    if (!document) return std::unexpected(std::move(document.error()));
    OrRefusal<std::vector<Value>> level = path_words(at);
    if (!level) return std::unexpected(std::move(level.error()));
    for (std::size_t i = 0; i < commands.size(); ++i) {
        OrRefusal<Document> command = read_document(commands[i], "command");
        if (!command) {
            command.error().command = i;
            return std::unexpected(std::move(command.error()));
        }
        Diagnostics diagnostics(*command->source);
        Editor editor(*document, *level, diagnostics);
        for (const Node& n : command->root.nodes) editor.run(n);
        if (diagnostics.failed()) return refuse(diagnostics, i);
    }
    return lay_out(*document);
}

OrRefusal<std::string> edit_level(std::string_view path, std::string_view at) {
    OrRefusal<std::vector<Value>> words = path_words(format("{} {}", at, path));
    if (!words) return std::unexpected(std::move(words.error()));
    const Source source("path", format("{} {}", at, path));
    Diagnostics diagnostics(source);
    static_cast<void>(follow(*words, diagnostics));
    if (diagnostics.failed()) return refuse(diagnostics);
    return joined(*words);
}

std::string level_up(std::string_view path) {
    OrRefusal<std::vector<Value>> words = path_words(path);
    if (!words) return "";
    const Source source("path", std::string(path));
    Diagnostics diagnostics(source);
    const Steps steps = follow(*words, diagnostics);
    if (steps.ends.size() < 2) return "";
    return joined(std::span(*words).first(steps.ends[steps.ends.size() - 2]));
}

}  // namespace raicho::dsl
