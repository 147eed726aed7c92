// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/document.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "dsl/syntax/parser.h"

namespace raicho::dsl {

namespace {

class Reader {
  public:
    explicit Reader(const Tree& tree) : tree_(tree), source_(*tree.source) {}

    Node root() {
        Node root;
        const auto n = static_cast<std::uint32_t>(tree_.tokens.size());
        block(tree_.root, {0, n}, root);
        return root;
    }

  private:
    [[nodiscard]] const Token& token(std::uint32_t i) const { return tree_.tokens[i]; }
    [[nodiscard]] std::string comment(std::uint32_t i) const {
        std::string_view text = source_.text(token(i).span);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
            text.remove_suffix(1);
        return std::string(text);
    }

    /// What stands between two statements, or between one of them and a brace.
    struct Between {
        std::vector<std::string> beside;  // behind what was before
        std::uint32_t column = 0;
        std::vector<std::string> above;
    };
    Between between(std::uint32_t first, std::uint32_t last, bool begins) const {
        Between out;
        std::size_t lines = begins ? 1 : 0;  // ends of line since the last comment
        bool same_line = !begins;
        for (std::uint32_t i = first; i < last; ++i) {
            const TokenKind kind = token(i).kind;
            if (kind == TokenKind::newline) {
                same_line = false;
                ++lines;
            }
            if (kind != TokenKind::comment) continue;
            if (same_line) {
                if (out.beside.empty()) out.column = column(i);
                out.beside.push_back(comment(i));
                continue;
            }
            if (lines > 1) out.above.emplace_back();
            out.above.push_back(comment(i));
            lines = 0;
        }
        if (lines > 1) out.above.emplace_back();
        return out;
    }
    [[nodiscard]] std::uint32_t column(std::uint32_t i) const {
        return source_.position(token(i).span.offset).column - 1;
    }

    static void strip_front(std::vector<std::string>& lines) {
        while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
    }
    static void strip_back(std::vector<std::string>& lines) {
        while (!lines.empty() && lines.back().empty()) lines.pop_back();
    }

    /// The statements of `block`, whose inner tokens are `inner`.
    void block(const Block& block, TokenRange inner, Node& owner) {
        std::uint32_t at = inner.first;
        const bool root = &block == &tree_.root;
        for (const Statement& s : block.statements) {
            Between loose = between(at, s.tokens.first, root && owner.nodes.empty());
            beside(owner, std::move(loose.beside), loose.column);
            if (owner.nodes.empty()) strip_front(loose.above);
            owner.nodes.push_back(statement(s, std::move(loose.above)));
            at = s.tokens.last;
        }
        Between loose = between(at, inner.last, root && owner.nodes.empty());
        beside(owner, std::move(loose.beside), loose.column);
        if (owner.nodes.empty()) strip_front(loose.above);
        strip_back(loose.above);
        owner.tail = std::move(loose.above);
    }

    static void beside(Node& owner, std::vector<std::string> comments, std::uint32_t column) {
        if (comments.empty()) return;
        std::string text;
        for (const std::string& c : comments) text += (text.empty() ? "" : " ") + c;
        if (owner.nodes.empty()) {
            owner.brace_beside = std::move(text);
            owner.brace_column = column;
            return;
        }
        owner.nodes.back().beside = std::move(text);
        owner.nodes.back().beside_column = column;
    }

    Node statement(const Statement& s, std::vector<std::string> above) {
        Node node;
        node.values = s.values;
        node.activity = s.activity;
        node.above = std::move(above);
        const std::uint32_t head_end = s.block ? s.block->tokens.first : s.tokens.last;
        for (std::uint32_t i = s.tokens.first; i < head_end; ++i)
            if (token(i).kind == TokenKind::comment) node.above.push_back(comment(i));
        if (!s.block) return node;
        node.braces = true;
        const Span inside = s.block->span;
        node.one_line = source_.text(inside).find('\n') == std::string_view::npos;
        block(*s.block, {s.block->tokens.first + 1, s.block->tokens.last - 1}, node);
        return node;
    }

    const Tree& tree_;
    const Source& source_;
};

}  // namespace

Document to_document(const Tree& tree) {
    return {tree.source, Reader(tree).root()};
}

std::unexpected<Refusal> refuse(Diagnostics& diagnostics, std::size_t command) {
    Refusal refusal;
    refusal.command = command;
    refusal.diagnostics = diagnostics.take();
    refusal.rendered = to_text(refusal.diagnostics, diagnostics.source());
    return std::unexpected(std::move(refusal));
}

OrRefusal<Document> read_document(std::string text, std::string file) {
    const std::size_t size = text.size();
    const bool fits = size <= kMaxTextSize;
    auto source = std::make_shared<const Source>(std::move(file), fits ? std::move(text) : "");
    Diagnostics diagnostics(*source);
    if (!fits) {
        diagnostics.error(Place{}, format("{} bytes are too large for a configuration", size),
                          format("at most {} bytes", kMaxTextSize));
        return refuse(diagnostics);
    }
    const Tree tree = parse(source, diagnostics);
    if (diagnostics.failed()) return refuse(diagnostics);
    return to_document(tree);
}

}  // namespace raicho::dsl
