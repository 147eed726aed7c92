// SPDX-License-Identifier: Apache-2.0
// Statements as a JSON object and back. A keyed object or setting is a member of the object of
// its keyword (`"port": {"p1": {"mtu": 1500}}`), a setting is a string, a number, true or an array,
// what is inactive has `"@": {"inactive": true}` in it or `"@mtu": {"inactive": true}` beside it.
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "dsl/edit/forms_read.h"
#include "dsl/edit/json.h"

namespace raicho::dsl {

namespace {

constexpr std::size_t kExact = 15;  // digits of a number that every reader keeps

bool plain_number(std::string_view text) {
    return !text.empty() && text.size() <= kExact && (text == "0" || text.front() != '0') &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

// --- out -------------------------------------------------------------------------------------

class Writer {
  public:
    std::string run(const std::vector<Node>& nodes, Level level) {
        block(nodes, level, false, 0);
        return std::move(out_) + '\n';
    }

  private:
    void line(std::size_t depth) {
        out_ += '\n';
        out_.append(depth * 2, ' ');
    }
    /// Begins a member of an object that already has `n`.
    void member(std::string_view name, std::size_t& n, std::size_t depth) {
        if (n++ != 0) out_ += ',';
        line(depth);
        out_ += json_string(name);
        out_ += ": ";
    }

    void block(const std::vector<Node>& nodes, Level level, bool inactive, std::size_t depth) {
        out_ += '{';
        std::size_t n = 0;
        if (inactive) {
            member("@", n, depth + 1);
            out_ += R"({"inactive": true})";
        }
        std::set<std::string_view> done;
        for (const Node& node : nodes) {
            const Row* r = row_at(level, node.keyword().text);
            if (r == nullptr || !done.insert(r->name).second) continue;
            std::vector<const Node*> alike;
            for (const Node& other : nodes)
                if (other.keyword().text == r->name) alike.push_back(&other);
            group(*r, alike, n, depth + 1);
        }
        if (n != 0) line(depth);
        out_ += '}';
    }

    void group(const Row& r, const std::vector<const Node*>& alike, std::size_t& n,
               std::size_t depth) {
        const Node& first = *alike.front();
        if (r.type == Type::block && r.key == Key::none) {
            member(r.name, n, depth);
            return block(first.nodes, &r, first.activity == Activity::inactive, depth);
        }
        std::vector<std::string_view> inactive;
        for (const Node* node : alike)
            if (node->activity == Activity::inactive && keyed(r))
                inactive.push_back(node->values[1].text);
        member(r.name, n, depth);
        if (r.type == Type::block || r.type == Type::definition) {
            std::size_t inner = 0;
            out_ += '{';
            for (const Node* node : alike) {
                member(node->values[1].text, inner, depth + 1);
                if (r.type == Type::block)
                    block(node->nodes, &r, node->activity == Activity::inactive, depth + 1);
                else
                    value(node->values[2], false);
            }
            line(depth);
            out_ += '}';
            if (r.type == Type::block) return;
        } else if (keyed(r)) {
            std::string_view separator = "[";
            for (const Node* node : alike) {
                out_ += separator;
                value(node->values[1], false);
                separator = ", ";
            }
            out_ += ']';
        } else {
            setting(r, first);
            if (first.activity == Activity::active) return;
            member(format("@{}", r.name), n, depth);
            out_ += R"({"inactive": true})";
            return;
        }
        if (inactive.empty()) return;
        member(format("@{}", r.name), n, depth);
        std::string_view separator = R"({"inactive": [)";
        for (const std::string_view name : inactive) {
            out_ += separator;
            out_ += json_string(name);
            separator = ", ";
        }
        out_ += "]}";
    }

    void setting(const Row& r, const Node& node) {
        if (r.type == Type::flag || node.values.size() < 2) {
            out_ += "true";
        } else if (node.values.size() == 2) {
            value(node.values[1], r.type == Type::number || takes_list(r));
        } else {  // several words: a device
            std::string words;
            for (std::size_t i = 1; i < node.values.size(); ++i)
                words += (i == 1 ? "" : " ") + written(node.values[i]);
            out_ += json_string(words);
        }
    }

    void value(const Value& v, bool numbers) {
        if (v.kind != ValueKind::list) {
            out_ += numbers && plain_number(v.text) ? v.text : json_string(v.text);
            return;
        }
        std::string_view separator = "[";
        for (const Value& item : v.items) {
            out_ += separator;
            value(item, numbers);
            separator = ", ";
        }
        out_ += v.items.empty() ? "[]" : "]";
    }

    std::string out_;
};

// --- in --------------------------------------------------------------------------------------

class FromJson {
  public:
    explicit FromJson(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    std::vector<Node> block(const JsonValue& json, Level level) {
        std::vector<Node> nodes;
        if (json.kind != JsonKind::object) {
            error(json.span, "an object expected");
            return nodes;
        }
        for (const JsonValue& m : json.items)
            if (!m.name.starts_with('@')) member(m, level, nodes);
        for (const JsonValue& m : json.items)
            if (m.name.starts_with('@') && m.name.size() > 1) deactivate(m, level, nodes);
        return nodes;
    }

  private:
    void error(Span span, std::string text) { diagnostics_.error(span, std::move(text)); }

    static Value at(Span span, Value v) {
        v.span = span;
        for (Value& item : v.items) item.span = span;
        return v;
    }
    static Node node(const JsonValue& m) {
        Node n;
        n.values.push_back({ValueKind::word, m.name_span, m.name});
        return n;
    }

    std::optional<Value> value(const JsonValue& json) {
        switch (json.kind) {
            case JsonKind::string: return at(json.span, make_value(json.text));
            case JsonKind::number: return Value{ValueKind::word, json.span, json.text};
            case JsonKind::array: {
                Value list{ValueKind::list, json.span, ""};
                for (const JsonValue& item : json.items) {
                    if (item.kind == JsonKind::array) break;
                    auto one = value(item);
                    if (!one) return std::nullopt;
                    list.items.push_back(std::move(*one));
                }
                if (list.items.size() == json.items.size()) return list;
                break;
            }
            default: break;
        }
        error(json.span, "a string, a number or an array of them expected");
        return std::nullopt;
    }

    void member(const JsonValue& m, Level level, std::vector<Node>& nodes) {
        const Row* r = row_at(level, m.name);
        if (r == nullptr)
            return unknown_word(level, {ValueKind::word, m.name_span, m.name}, diagnostics_);
        if (r->type == Type::block && r->key == Key::none) {
            Node n = node(m);
            object(m, *r, n);
            nodes.push_back(std::move(n));
        } else if (r->type == Type::block || r->type == Type::definition) {
            if (m.kind != JsonKind::object)
                return error(m.span, format("{}: an object of names expected", m.name));
            for (const JsonValue& one : m.items) {
                Node n = node(m);
                n.values.push_back(at(one.name_span, make_value(one.name)));
                if (r->type == Type::block) {
                    object(one, *r, n);
                } else if (auto v = value(one)) {
                    n.values.push_back(std::move(*v));
                }
                nodes.push_back(std::move(n));
            }
        } else if (keyed(*r)) {
            const std::span<const JsonValue> items =
                m.kind == JsonKind::array ? std::span(m.items) : std::span(&m, 1);
            for (const JsonValue& item : items) {
                Node n = node(m);
                auto v = value(item);
                if (!v) return;
                n.values.push_back(std::move(*v));
                nodes.push_back(std::move(n));
            }
        } else {
            setting(m, *r, nodes);
        }
    }

    void object(const JsonValue& json, const Row& r, Node& n) {
        n.nodes = block(json, &r);
        const bool text = r.key != Key::none && is_entry_text(r, n.values[1]);
        if (text) n.values[1].kind = ValueKind::text;
        n.braces = !n.nodes.empty() || (r.key == Key::flow && !text);
        if (json.kind != JsonKind::object) return;
        for (const JsonValue& m : json.items)
            if (m.name == "@" && inactive(m) != nullptr) n.activity = Activity::inactive;
    }

    void setting(const JsonValue& m, const Row& r, std::vector<Node>& nodes) {
        Node n = node(m);
        if (m.kind == JsonKind::boolean) {
            if (r.type != Type::flag) return error(m.span, format("{} is no flag", m.name));
            if (m.text == "false") return;
        } else if (r.type == Type::device && m.kind == JsonKind::string) {
            for (Value& v : read_values(m.text)) n.values.push_back(at(m.name_span, std::move(v)));
        } else if (auto v = value(m)) {
            n.values.push_back(std::move(*v));
        } else {
            return;
        }
        nodes.push_back(std::move(n));
    }

    /// The value of the member `inactive`, the only one there may be.
    const JsonValue* inactive(const JsonValue& json) {
        if (json.kind == JsonKind::object && json.items.size() == 1 &&
            json.items[0].name == "inactive")
            return &json.items[0];
        error(json.span, R"({"inactive": true} expected)");
        return nullptr;
    }

    void deactivate(const JsonValue& m, Level level, std::vector<Node>& nodes) {
        const std::string_view name = std::string_view(m.name).substr(1);
        const Row* r = row_at(level, name);
        if (r == nullptr) return error(m.name_span, format("there is no {}", name));
        const JsonValue* which = inactive(m);
        if (which == nullptr) return;
        const auto off = [&](const std::string& key) {
            Node* n = find_node(nodes, level, *r, key);
            if (n == nullptr) return error(m.name_span, format("there is no {} {}", name, key));
            n->activity = Activity::inactive;
        };
        if (!keyed(*r)) return off("");
        for (const JsonValue& item : which->items) off(item.text);
    }

    Diagnostics& diagnostics_;
};

}  // namespace

std::string to_json(const std::vector<Node>& nodes, Level level) {
    return Writer().run(nodes, level);
}

std::vector<Node> from_json(const Source& source, Level level, Diagnostics& diagnostics) {
    const std::optional<JsonValue> json = read_json(source, diagnostics);
    if (!json) return {};
    return FromJson(diagnostics).block(*json, level);
}

}  // namespace raicho::dsl
