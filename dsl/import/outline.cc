// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/outline.h"

#include <optional>

#include "base/text.h"
#include "dsl/syntax/utf8.h"

namespace raicho::dsl {

namespace {

/// Foreign text as a comment may hold it: one line, sound UTF-8, nothing that a terminal obeys.
std::string harmless(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const Character c = first_character(text);
        if (c.valid && c.code >= ' ' && c.code != 0x7f && !(c.code >= 0x80 && c.code < 0xa0))
            out += text.substr(0, c.size);
        else
            out += '?';
        text.remove_prefix(c.size);
    }
    return out;
}

/// A node and what is in it; within one that is commented out every line begins with `# ` in the
/// column of the first.
class NodePrinter {
  public:
    NodePrinter(std::string& out, std::vector<Outline::Node*>& lines) : out_(out), lines_(lines) {}

    void print(Outline::Node& node, std::size_t depth) {
        const bool begins = node.standing == Standing::commented_out && !comment_;
        if (begins) comment_ = depth;
        if (depth <= kOwnDepth) owner_ = &node;
        if (node.block.empty()) {
            line(depth, node.text);
        } else {
            line(depth, node.text + " {");
            for (Outline::Node& inner : node.block) print(inner, depth + 1);
            if (depth <= kOwnDepth) owner_ = &node;
            line(depth, "}");
        }
        if (begins) comment_.reset();
    }

  private:
    /// Statements down to here stand for themselves: a port, a flow, a setting of a bridge.
    static constexpr std::size_t kOwnDepth = 1;

    void line(std::size_t depth, std::string_view text) {
        constexpr std::size_t kIndent = 4;
        out_.append(comment_.value_or(depth) * kIndent, ' ');
        if (comment_) out_.append("# ").append((depth - *comment_) * kIndent, ' ');
        out_ += comment_ ? harmless(text) : std::string(text);
        out_ += '\n';
        lines_.push_back(owner_);
    }

    std::string& out_;
    std::vector<Outline::Node*>& lines_;
    Outline::Node* owner_ = nullptr;
    std::optional<std::size_t> comment_;
};

}  // namespace

void Outline::Node::comment(std::string_view line) {
    block.push_back({std::string(line), Standing::commented_out, place});
}

std::string Outline::print() {
    std::string out;
    lines_.clear();
    bool first = true;
    for (Node& node : root_.block) {
        if (!first && !node.block.empty()) {
            out += '\n';
            lines_.push_back(nullptr);
        }
        NodePrinter(out, lines_).print(node, 0);
        first = false;
    }
    return out;
}

Outline::Node* Outline::at_line(std::size_t line) const {
    return line == 0 || line > lines_.size() ? nullptr : lines_[line - 1];
}

std::string print_sound(Outline& outline, const FlowChecker& flows, ImportReport& report) {
    for (;;) {
        std::string text = outline.print();
        const Checked checked = check(text, "imported", flows);
        bool changed = false;
        for (const Diagnostic& d : checked.diagnostics) {
            if (d.severity != Severity::error) continue;
            Outline::Node* node = outline.at_line(d.line);
            if (node == nullptr || node->standing == Standing::commented_out) continue;
            node->standing = Standing::commented_out;
            report.lost(node->place, format("{}: {}", harmless(node->text), d.text), d.help);
            changed = true;
        }
        if (!changed) return text;
    }
}

}  // namespace raicho::dsl
