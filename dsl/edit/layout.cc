// SPDX-License-Identifier: Apache-2.0
// How statements are laid out as text: the one style of fmt(), edit() and every printed form.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "dsl/edit/document.h"

namespace raicho::dsl {

namespace {

constexpr std::size_t kIndent = 4;

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Whether something in the block needs lines of its own.
bool needs_lines(const Node& node) {
    return !node.brace_beside.empty() || !node.tail.empty() ||
           std::ranges::any_of(node.nodes, [](const Node& n) {
               return !n.above.empty() || !n.beside.empty() || (n.braces && !n.one_line) ||
                      needs_lines(n);
           });
}

/// Head and block on one line, or nothing when it cannot be so.
std::string one_line(const Node& node) {
    std::string out = head_of(node);
    if (!node.braces) return out;
    out += " {";
    std::string_view separator = " ";
    for (const Node& n : node.nodes) {
        out += separator;
        out += one_line(n);
        separator = "; ";
    }
    return out + " }";
}

class Layout {
  public:
    std::string take() { return std::move(out_); }

    void nodes(const std::vector<Node>& nodes, std::size_t depth) {
        for (const Node& n : nodes) node(n, depth);
    }
    void comments(const std::vector<std::string>& lines, std::size_t depth) {
        for (const std::string& l : lines) {
            if (!l.empty()) indent(depth);
            out_ += l;
            out_ += '\n';
        }
    }

  private:
    void indent(std::size_t depth) { out_.append(depth * kIndent, ' '); }

    void node(const Node& n, std::size_t depth) {
        comments(n.above, depth);
        line_start_ = out_.size();
        indent(depth);
        if (n.braces && n.one_line && !needs_lines(n)) {
            const std::string whole = one_line(n);
            if (depth * kIndent + width_of(whole) <= kWidth) {
                out_ += whole;
                return beside(n.beside, n.beside_column);
            }
        }
        head(n, depth);
        if (n.braces) {
            out_ += " {";
            beside(n.brace_beside, n.brace_column);
            nodes(n.nodes, depth + 1);
            comments(n.tail, depth + 1);
            line_start_ = out_.size();
            indent(depth);
            out_ += '}';
        }
        beside(n.beside, n.beside_column);
    }

    /// A comment behind what was written, in its column where there is room; ends the line.
    void beside(const std::string& comment, std::size_t column) {
        if (!comment.empty()) {
            const std::size_t width = width_of(std::string_view(out_).substr(line_start_));
            if (column > kWidth) column = 0;  // there was much before it once
            out_.append(std::max(column, width + 1) - width, ' ');
            out_ += comment;
        }
        out_ += '\n';
    }

    /// The head; its lists are broken over lines when it is too wide.
    void head(const Node& n, std::size_t depth) {
        const std::string flat = head_of(n);
        const bool fits = depth * kIndent + width_of(flat) <= kWidth - (n.braces ? 2 : 0);
        const bool list = std::ranges::any_of(n.values, [](const Value& v) {
            return v.kind == ValueKind::list && v.items.size() > 1;
        });
        if (fits || !list) {
            out_ += flat;
            return;
        }
        if (n.activity == Activity::inactive) out_ += "inactive ";
        for (std::size_t i = 0; i < n.values.size(); ++i) {
            if (i != 0) out_ += ' ';
            if (n.values[i].kind == ValueKind::list)
                broken(n.values[i], depth);
            else
                out_ += written(n.values[i]);
        }
    }

    void broken(const Value& list, std::size_t depth) {
        out_ += "[\n";
        std::size_t width = 0;
        for (const Value& item : list.items) {
            const std::string text = written(item);
            const std::size_t more = width_of(text);
            if (width != 0 && width + 1 + more > kWidth) {
                out_ += '\n';
                width = 0;
            }
            if (width == 0) {
                indent(depth + 1);
                width = (depth + 1) * kIndent + more;
            } else {
                out_ += ' ';
                width += 1 + more;
            }
            out_ += text;
        }
        out_ += '\n';
        line_start_ = out_.size();
        indent(depth);
        out_ += ']';
    }

    std::string out_;
    std::size_t line_start_ = 0;
};

}  // namespace

std::string written(const Value& value) {
    switch (value.kind) {
        case ValueKind::word: return value.text;
        case ValueKind::text: return value.literal ? '\'' + value.text + '\'' : quoted(value.text);
        case ValueKind::list: break;
    }
    std::string out = "[ ";
    for (const Value& item : value.items) out += written(item) + ' ';
    return out + ']';
}

std::string head_of(const Node& node) {
    std::string out = node.activity == Activity::inactive ? "inactive" : "";
    for (const Value& v : node.values) {
        if (!out.empty()) out += ' ';
        out += written(v);
    }
    return out;
}

std::string lay_out(const std::vector<Node>& nodes, std::size_t depth) {
    Layout layout;
    layout.nodes(nodes, depth);
    return layout.take();
}

std::string lay_out(const Document& document) {
    Layout layout;
    layout.nodes(document.root.nodes, 0);
    layout.comments(document.root.tail, 0);
    return layout.take();
}

}  // namespace raicho::dsl
