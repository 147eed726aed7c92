// SPDX-License-Identifier: Apache-2.0
// Whether statements can be by the schema, one by one: words, keys, types, ranges, repetitions.
#include <string>
#include <unordered_map>

#include "base/ids.h"
#include "base/text.h"
#include "dsl/edit/scheme.h"
#include "dsl/model/quantity.h"

namespace raicho::dsl {

namespace {

class Judge {
  public:
    explicit Judge(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    void block(const std::vector<Node>& nodes, Level level, bool in_force) {
        std::unordered_map<std::string, Span> seen;
        for (const Node& n : nodes) {
            const bool active = in_force && n.activity == Activity::active;
            const Row* r = row_at(level, n.keyword().text);
            if (r == nullptr) {
                unknown_word(level, n.keyword(), diagnostics_);
                continue;
            }
            if (r->type == Type::block)
                object(n, *r, active);
            else
                setting(n, *r);
            repeated(n, *r, level, seen);
        }
    }

  private:
    void error(Span span, std::string text, std::string help = {}) {
        diagnostics_.error(span, std::move(text), std::move(help));
    }
    template <class T>
    bool good(const ValueResult<T>& result) {
        if (!result) error(result.error().span, result.error().text, result.error().help);
        return result.has_value();
    }
    void usage(Span span, std::string text, const Row& r) {
        error(span, std::move(text), format("write {} {}", r.name, value_text(r)));
    }

    void repeated(const Node& n, const Row& r, Level level,
                  std::unordered_map<std::string, Span>& seen) {
        if (keyed(r) && n.values.size() == 2 && n.values[1].kind == ValueKind::list) {
            std::vector<Node> apart(1);
            apart[0].values = n.values;
            take_apart(apart, level);
            for (const Node& one : apart) repeated(one, r, level, seen);
            return;
        }
        const Span span = n.values[keyed(r) && n.values.size() > 1 ? 1 : 0].span;
        const auto [at, fresh] = seen.emplace(identity(level, n), span);
        if (fresh) return;
        error(span, format("{} is given twice", keyed(r) ? head_of(n) : std::string(r.name)),
              format("first given at {}", diagnostics_.source().where(at->second)));
    }

    void object(const Node& n, const Row& r, bool active) {
        if (r.key == Key::none) {
            if (n.values.size() > 1)
                return error(n.values[1].span, format("{} takes no name", r.name),
                             format("write {} {{ ... }}", r.name));
        } else {
            if (n.values.size() < 2)
                return usage(n.keyword().span, format("{} needs {}", r.name, head_text(r.object)),
                             r);
            head(n, r);
        }
        block(n.nodes, &r, active);
    }

    void head(const Node& n, const Row& r) {
        const Value& first = n.values[1];
        const bool several = first.kind == ValueKind::list && r.key == Key::endpoint;
        if (several && first.items.empty())
            return usage(first.span, format("{}: the list is empty", r.name), r);
        for (const Value& v : several ? std::span(first.items) : std::span(&first, 1))
            if (!good(key_of(r, v))) return;
        if (is_entry_text(r, first) && n.braces)
            return error(first.span, format("a {} with a block has a {}, not a text", r.name,
                                            r.key == Key::flow ? "name" : "number"));
        const std::size_t most = r.object == Object::port ? 3 : 2;
        if (n.values.size() > most)
            return usage(n.values[most].span,
                         format("unexpected \"{}\" after {} {}", written(n.values[most]), r.name,
                                written(first)),
                         r);
        if (n.values.size() == 3) number_twice(n);
        if (n.values.size() == 3 && !refers(n.values[2]))
            good(parse_limited(n.values[2], "port number", {1, port::kMax.value()}));
    }

    void setting(const Node& n, const Row& r) {
        if (n.braces && takes_flow_block(r) && n.values.size() == 1) {
            good(flow_words(r, items_of(n.nodes)));
            return;
        }
        if (n.braces)
            return usage(n.keyword().span, format("{} takes a value, not a block", r.name), r);
        const std::span<const Value> values = std::span(n.values).subspan(1);
        if (r.type == Type::definition || r.type == Type::pattern) {
            const std::size_t wanted = r.type == Type::definition ? 2 : 1;
            if (values.size() != wanted)
                return usage(n.keyword().span, format("{} needs {}", r.name, value_text(r)), r);
            good(key_of(r, values[0]));
            return;
        }
        if (refers(values)) return counted(n, r, values);
        if (r.cardinality == Cardinality::many && values.size() == 1 &&
            values[0].kind == ValueKind::list) {
            for (const Value& v : values[0].items) good(parse_value(r, n.keyword(), {&v, 1}));
            return;
        }
        good(parse_value(r, n.keyword(), values));
    }

    /// Values that only the whole text can judge: how many there may be.
    void counted(const Node& n, const Row& r, std::span<const Value> values) {
        if (r.type == Type::flag)
            return usage(values[0].span, format("{} takes no value", r.name), r);
        const bool several = r.type == Type::device || takes_list(r) ||
                             (r.type == Type::flow_text && r.cardinality == Cardinality::once);
        if (!several && values.size() > 1)
            usage(values[1].span,
                  format("unexpected \"{}\" after {}", written(values[1]), head_of(n)), r);
    }

    /// A port's number behind its name and another one in its block.
    void number_twice(const Node& n) {
        for (const Node& inner : n.nodes)
            if (inner.keyword().text == "number")
                error(inner.keyword().span, "number is given twice",
                      format("first given at {}", diagnostics_.source().where(n.values[2].span)));
    }

    Diagnostics& diagnostics_;
};

}  // namespace

void judge(const std::vector<Node>& nodes, Level level, Diagnostics& diagnostics) {
    Judge(diagnostics).block(nodes, level, true);
}

}  // namespace raicho::dsl
