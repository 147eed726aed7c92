// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/complete.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "dsl/edit/scheme.h"

namespace raicho::dsl {

namespace {

constexpr std::size_t kNames = 500;  // more would help nobody

class Completer {
  public:
    Completer(std::string_view text, EditVerb verb, std::string_view prefix)
        : verb_(verb), prefix_(prefix) {
        if (OrRefusal<Document> read = read_document(std::string(text), "configuration"))
            document_ = std::move(*read);
    }

    std::vector<Candidate> run(std::span<const Value> words) {
        std::vector<Node>* nodes = &document_.root.nodes;  // nullptr: nothing is there
        Level level = nullptr;
        bool complete = false;
        while (!words.empty()) {
            const Row* r = row_at(level, words[0].text);
            if (r == nullptr) return {};
            words = words.subspan(1);
            if (r->type != Type::block) return values(*r, nodes, words);
            std::string key;
            if (r->key != Key::none) {
                if (words.empty()) return names(*r, nodes);
                const auto good = key_of(*r, words[0]);
                if (!good) return {};
                key = *good;
                const bool text = is_entry_text(*r, words[0]);
                words = words.subspan(1);
                if (text) return end();
            }
            Node* node = nodes == nullptr ? nullptr : find_node(*nodes, level, *r, key);
            nodes = node == nullptr ? nullptr : &node->nodes;
            number_in_head_ = node != nullptr && node->values.size() > 2;
            level = r;
            complete = true;
            if (r->object == Object::port && verb_ == EditVerb::set && !words.empty() &&
                parse_number(words[0].text))
                words = words.subspan(1);
        }
        if (complete || verb_ == EditVerb::show) add("<enter>", "end of the command");
        below(level, nodes);
        return std::move(out_);
    }

  private:
    void add(std::string word, std::string_view help) {
        if (!word.starts_with(prefix_) && !(word.starts_with('<') && prefix_.empty())) return;
        const auto same = [&](const Candidate& c) { return c.word == word; };
        if (std::ranges::none_of(out_, same)) out_.push_back({std::move(word), std::string(help)});
    }
    std::vector<Candidate> end() {
        add("<enter>", "end of the command");
        return std::move(out_);
    }
    [[nodiscard]] bool schema_wide() const {
        return verb_ == EditVerb::set || verb_ == EditVerb::edit;
    }
    [[nodiscard]] bool there(const Row& r, const std::vector<Node>* nodes) const {
        if (nodes == nullptr) return false;
        return (r.name == "number" && number_in_head_) ||
               std::ranges::any_of(*nodes,
                                   [&](const Node& n) { return n.keyword().text == r.name; });
    }

    /// Statements that may stand at a level.
    void below(Level level, const std::vector<Node>* nodes) {
        const std::string path = path_of(level);
        const auto offer = [&](const Row& r) {
            if (verb_ == EditVerb::edit && r.type != Type::block) return;
            if (schema_wide() || there(r, nodes)) add(std::string(r.name), r.help);
        };
        for (const Row& r : children(path)) offer(r);
        if (level != nullptr) offer(*row_at(level, "include"));
    }

    std::vector<Candidate> names(const Row& r, const std::vector<Node>* nodes) {
        std::vector<std::string> known;
        if (nodes != nullptr)
            for (const Node& n : *nodes) {
                if (n.keyword().text != r.name || n.values.size() < 2) continue;
                const Value& v = n.values[1];
                for (const Value& name :
                     v.kind == ValueKind::list ? std::span(v.items) : std::span(&v, 1))
                    known.push_back(written(name));
            }
        std::ranges::sort(known, natural_less);
        if (known.size() > kNames) known.resize(kNames);
        for (std::string& name : known) add(std::move(name), r.help);
        if (schema_wide()) {
            const std::string head(head_text(r.object));
            add(head.starts_with('<') ? head : format("<{}>", head), r.help);
        }
        return std::move(out_);
    }

    std::vector<Candidate> values(const Row& r, std::vector<Node>* nodes,
                                  std::span<const Value> given) {
        switch (verb_) {
            case EditVerb::set: break;
            case EditVerb::edit: return {};
            case EditVerb::show: return end();
            case EditVerb::remove:
            case EditVerb::activate:
            case EditVerb::deactivate:
                if (!given.empty()) return end();
                if (!keyed(r) || verb_ == EditVerb::remove) add("<enter>", "end of the command");
                if (keyed(r)) return names(r, nodes);
                if (verb_ == EditVerb::remove && listed(r)) list_members(r, nodes);
                return std::move(out_);
        }
        std::vector<std::string_view> words;
        for (const Value& v : given) words.push_back(v.text);
        if (r.type == Type::flag) return end();
        for (Candidate& c : complete_value(r, words, prefix_)) out_.push_back(std::move(c));
        if (!given.empty()) add("<enter>", "end of the command");
        return std::move(out_);
    }

    void list_members(const Row& r, std::vector<Node>* nodes) {
        Node* node = nodes == nullptr ? nullptr : find_node(*nodes, nullptr, r, "");
        if (node == nullptr) return;
        for (const Value& v : members(r, std::span(node->values).subspan(1)))
            add(written(v), r.help);
    }

    EditVerb verb_;
    std::string_view prefix_;
    Document document_;
    bool number_in_head_ = false;
    std::vector<Candidate> out_;
};

}  // namespace

std::vector<Candidate> complete_edit(std::string_view text, EditVerb verb, std::string_view at,
                                     std::span<const std::string_view> words,
                                     std::string_view prefix) {
    std::vector<Value> all = read_values(at);
    for (const std::string_view w : words) all.push_back(make_value(w));
    return Completer(text, verb, prefix).run(all);
}

}  // namespace raicho::dsl
