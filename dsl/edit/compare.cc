// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/compare.h"

#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dsl/edit/canonical.h"
#include "dsl/edit/forms_read.h"

namespace raicho::dsl {

namespace {

OrRefusal<Document> canonical_document(std::string_view text, std::string_view file) {
    OrRefusal<Document> document = read_form(text, file, Form::conf);
    if (document) make_canonical(document->root.nodes, nullptr, Numbers::as_setting);
    return document;
}

/// Statements of one level by what tells them apart.
class Index {
  public:
    Index(const std::vector<Node>& nodes, Level level) {
        for (const Node& n : nodes) found_.emplace(identity(level, n), &n);
    }
    [[nodiscard]] const Node* find(const std::string& id) const {
        const auto at = found_.find(id);
        return at == found_.end() ? nullptr : at->second;
    }

  private:
    std::unordered_map<std::string, const Node*> found_;
};

void forget_comments(Node& n) {
    n.above.clear();
    n.tail.clear();
    n.beside.clear();
    n.brace_beside.clear();
    for (Node& inner : n.nodes) forget_comments(inner);
}

/// The statement without comments, numbers in their heads.
Node bare(const Node& node, Level level) {
    Node copy = node;
    forget_comments(copy);
    place_numbers(copy, level, Numbers::in_head);
    return copy;
}

std::string name_of(const Node& node, Level level) {
    Node head;
    head.values = node.values;
    const Row* r = row_at(level, node.keyword().text);
    head.values.resize(r != nullptr && keyed(*r) && node.values.size() > 1 ? 2 : 1);
    return head_of(head);
}

bool object(const Node& n, Level level) {
    const Row* r = row_at(level, n.keyword().text);
    return r != nullptr && r->type == Type::block;
}

/// Whether an object of one identity is on either side a whole text: there are no statements in it.
bool other_text(const Node& a, const Node& b, Level level) {
    const Row* r = row_at(level, a.keyword().text);
    return r != nullptr && r->key == Key::entry &&
           (is_entry_text(*r, a.values[1]) || is_entry_text(*r, b.values[1]));
}

/// Calls `here(level, path, before, after)` for each statement of which one side is missing or
/// that says something else; of objects on both sides only the activity is judged there, then what
/// is in them.
template <class Here>
void walk(const std::vector<Node>& before, const std::vector<Node>& after, Level level,
          const std::string& path, const Here& here) {
    const Index old(before, level);
    const Index now(after, level);
    std::vector<std::pair<const Node*, const Node*>> inside;
    for (const Node& n : before) {
        const Node* other = now.find(identity(level, n));
        if (other == nullptr || !object(n, level) || other_text(n, *other, level)) {
            if (other == nullptr || !same(n, *other)) here(level, path, &n, other);
            continue;
        }
        if (n.activity != other->activity) here(level, path, &n, other);
        inside.emplace_back(&n, other);
    }
    for (const Node& n : after)
        if (old.find(identity(level, n)) == nullptr) here(level, path, nullptr, &n);
    for (const auto& [a, b] : inside)
        walk(a->nodes, b->nodes, row_at(level, a->keyword().text),
             path + (path.empty() ? "" : " ") + name_of(*a, level), here);
}

class Lines {
  public:
    void operator()(Level level, const std::string& path, const Node* before, const Node* after) {
        if (path != path_ || out_.empty()) {
            path_ = path;
            out_ += format("[edit{}{}]\n", path.empty() ? "" : " ", path);
        }
        const bool stays = before != nullptr && after != nullptr;
        if (stays && before->activity != after->activity) {
            out_ +=
                format("!  {}: {}\n", after->activity == Activity::active ? "active" : "inactive",
                       name_of(*after, level));
            Node a = *before;
            a.activity = after->activity;
            if ((object(a, level) && !other_text(a, *after, level)) || same(a, *after)) return;
        }
        if (before != nullptr) put('-', *before, level);
        if (after != nullptr) put('+', *after, level);
    }
    std::string take() { return std::move(out_); }

  private:
    void put(char sign, const Node& node, Level level) {
        const std::string text = lay_out({bare(node, level)});
        for (const std::string_view line :
             split(std::string_view(text).substr(0, text.size() - 1), '\n'))
            out_ += format("{}  {}\n", sign, line);
    }
    std::string path_;
    std::string out_;
};

/// What stands at a statement's path.
std::string content(const Node* node, Level level) {
    if (node == nullptr) return "";
    std::string out = node->activity == Activity::inactive ? "inactive " : "";
    if (object(*node, level) && other_text(*node, *node, level))
        return out + written(node->values[1]);
    if (object(*node, level)) {
        Node copy = bare(*node, level);
        place_numbers(copy, level, Numbers::as_setting);
        if (copy.nodes.empty()) return out + "{ }";
        return out + "{\n" + lay_out(copy.nodes, 1) + "}";
    }
    Node values;
    const Row* r = row_at(level, node->keyword().text);
    const std::size_t head = r != nullptr && keyed(*r) ? 2 : 1;
    for (std::size_t i = head; i < node->values.size(); ++i)
        values.values.push_back(node->values[i]);
    if (values.values.empty()) return out + "set";
    return out + head_of(values);
}

Difference difference(Level level, const std::string& path, const Node* before, const Node* after) {
    const Node& some = before != nullptr ? *before : *after;
    Difference d;
    d.path = path + (path.empty() ? "" : " ") + name_of(some, level);
    const bool objects = before != nullptr && after != nullptr && object(some, level) &&
                         !other_text(*before, *after, level);
    d.before = objects ? (before->activity == Activity::active ? "active" : "inactive")
                       : content(before, level);
    d.after = objects ? (after->activity == Activity::active ? "active" : "inactive")
                      : content(after, level);
    return d;
}

/// Three-way merge of statements.
class Merger {
  public:
    std::vector<Difference> conflicts;

    std::vector<Node> run(const std::vector<Node>& base, const std::vector<Node>& mine,
                          const std::vector<Node>& theirs, Level level, const std::string& path) {
        const Index old(base, level);
        const Index other(theirs, level);
        const Index own(mine, level);
        std::vector<Node> out;
        for (const Node& m : mine) {
            const std::string id = identity(level, m);
            const Node* b = old.find(id);
            const Node* t = other.find(id);
            if (t == nullptr) {
                if (b != nullptr && same(*b, m)) continue;  // they deleted it
                if (b != nullptr) conflict(level, path, nullptr, &m);
                out.push_back(m);
            } else {
                out.push_back(both(b, m, *t, level, path));
            }
        }
        for (const Node& t : theirs) {
            const std::string id = identity(level, t);
            if (own.find(id) != nullptr) continue;
            const Node* b = old.find(id);
            if (b == nullptr)
                out.push_back(t);
            else if (!same(*b, t))
                conflict(level, path, &t, nullptr);  // mine deleted it
        }
        return out;
    }

  private:
    void conflict(Level level, const std::string& path, const Node* theirs, const Node* mine) {
        conflicts.push_back(difference(level, path, theirs, mine));
    }

    Node both(const Node* base, const Node& mine, const Node& theirs, Level level,
              const std::string& path) {
        if (same(mine, theirs)) return mine;
        if (!object(mine, level) || other_text(mine, theirs, level)) {
            if (base != nullptr && same(*base, mine)) return theirs;
            if (base == nullptr || !same(*base, theirs)) conflict(level, path, &theirs, &mine);
            return mine;
        }
        Node out = mine;
        const Node nothing;
        const Node& from = base != nullptr ? *base : nothing;
        if (mine.activity == from.activity) out.activity = theirs.activity;
        const std::string deeper = path + (path.empty() ? "" : " ") + name_of(mine, level);
        out.nodes =
            run(from.nodes, mine.nodes, theirs.nodes, row_at(level, mine.keyword().text), deeper);
        return out;
    }
};

}  // namespace

OrRefusal<std::string> compare(std::string_view before, std::string_view after) {
    const OrRefusal<Document> a = canonical_document(before, "before");
    if (!a) return std::unexpected(a.error());
    const OrRefusal<Document> b = canonical_document(after, "after");
    if (!b) return std::unexpected(b.error());
    Lines lines;
    walk(a->root.nodes, b->root.nodes, nullptr, "",
         [&](Level level, const std::string& path, const Node* x, const Node* y) {
             lines(level, path, x, y);
         });
    return lines.take();
}

OrRefusal<std::vector<Difference>> differences(std::string_view before, std::string_view after) {
    const OrRefusal<Document> a = canonical_document(before, "before");
    if (!a) return std::unexpected(a.error());
    const OrRefusal<Document> b = canonical_document(after, "after");
    if (!b) return std::unexpected(b.error());
    std::vector<Difference> out;
    walk(a->root.nodes, b->root.nodes, nullptr, "",
         [&](Level level, const std::string& path, const Node* x, const Node* y) {
             out.push_back(difference(level, path, x, y));
         });
    return out;
}

OrRefusal<Merged> merge_changes(std::string_view base, std::string_view mine,
                                std::string_view theirs) {
    const OrRefusal<Document> b = canonical_document(base, "base");
    if (!b) return std::unexpected(b.error());
    OrRefusal<Document> m = canonical_document(mine, "mine");
    if (!m) return std::unexpected(m.error());
    const OrRefusal<Document> t = canonical_document(theirs, "theirs");
    if (!t) return std::unexpected(t.error());
    Merger merger;
    m->root.nodes = merger.run(b->root.nodes, m->root.nodes, t->root.nodes, nullptr, "");
    make_canonical(m->root.nodes, nullptr, Numbers::in_head);
    return Merged{lay_out(*m), std::move(merger.conflicts)};
}

}  // namespace raicho::dsl
