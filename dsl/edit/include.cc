// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/include.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "dsl/edit/document.h"
#include "dsl/edit/scheme.h"
#include "dsl/model/reference.h"
#include "dsl/syntax/parser.h"

namespace raicho::dsl {

namespace {

void include_nodes(Includes& includes, std::vector<Node>& nodes) {
    std::vector<Node> out;
    for (Node& n : nodes) {
        if (n.activity == Activity::active && n.keyword().text == "include" && !n.braces) {
            std::vector<std::string> above = std::move(n.above);
            includes.read(n.values, [&](Tree&& tree) {
                Node root = to_document(tree).root;
                include_nodes(includes, root.nodes);
                if (!root.nodes.empty())
                    root.nodes.front().above.insert(root.nodes.front().above.begin(), above.begin(),
                                                    above.end());
                above = std::move(root.tail);
                std::ranges::move(root.nodes, std::back_inserter(out));
            });
            continue;
        }
        include_nodes(includes, n.nodes);
        out.push_back(std::move(n));
    }
    nodes = std::move(out);
}

bool is_definition(const Node& n) {
    return n.keyword().text == "define" && n.activity == Activity::active;
}

/// What came from definitions, as it is written without them.
void write_out(Value& v) {
    for (Value& item : v.items) write_out(item);
    if (v.made && v.kind != ValueKind::list) v = make_value(without_references(v.text));
}

void resolve_nodes(References& references, std::vector<Node>& nodes) {
    for (Node& n : nodes) {
        if (n.activity == Activity::inactive || is_definition(n)) continue;
        for (std::size_t i = 1; i < n.values.size(); ++i) {
            references.resolve(n.values[i]);
            write_out(n.values[i]);
        }
        resolve_nodes(references, n.nodes);
    }
}

}  // namespace

OrRefusal<std::string> expand(std::string text, std::string file, const FileReader& files) {
    const bool fits = text.size() <= kMaxTextSize;
    auto source = std::make_shared<Source>(std::move(file), fits ? std::move(text) : "");
    Diagnostics diagnostics(*source);
    if (!fits)
        diagnostics.error(Place{}, "too large for a configuration",
                          format("at most {} bytes", kMaxTextSize));
    const Tree tree = parse(source, diagnostics);
    if (diagnostics.failed()) return refuse(diagnostics);
    Document document = to_document(tree);
    Includes includes(source, files, diagnostics);
    include_nodes(includes, document.root.nodes);
    if (diagnostics.failed()) return refuse(diagnostics);
    References references(diagnostics);
    for (const Node& n : document.root.nodes)
        if (is_definition(n)) references.define(n.values);
    references.resolve_all();
    resolve_nodes(references, document.root.nodes);
    if (diagnostics.failed()) return refuse(diagnostics);
    std::erase_if(document.root.nodes, is_definition);
    return lay_out(document);
}

OrRefusal<std::string> read_expanded(const std::string& path) {
    auto text = read_file(path);
    if (text) return expand(std::move(*text), path, disk_files());
    const Source nothing(path, "");
    Diagnostics diagnostics(nothing);
    diagnostics.error(Place{}, text.error());
    return refuse(diagnostics);
}

}  // namespace raicho::dsl
