// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/scope.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dsl/model/flow_block.h"

namespace raicho::dsl {

namespace {

std::vector<std::string_view> names(std::string_view path) {
    std::vector<std::string_view> out;
    for (const Row& r : children(path)) out.push_back(r.name);
    return out;
}

std::string inside(std::string_view path) {
    if (path.empty()) return "at the top level";
    return format("in {}", path.substr(path.rfind(' ') + 1));
}

}  // namespace

void Scopes::read(const Block& block, std::string_view path, void* owner, const OnObject& on_object,
                  const OnSetting& on_setting) {
    std::unordered_map<const Row*, Span> given;
    for (const Statement& s : block.statements) {
        if (!s.sound || s.activity == Activity::inactive) continue;
        const Row* r = find(path, s.keyword().text);
        if (r == nullptr) {
            unknown(path, s);
            continue;
        }
        if (r->type == Type::definition || r->type == Type::pattern) continue;
        if (r->type == Type::block) {
            on_object(*r, s);
            continue;
        }
        if (s.block && !(takes_flow_block(*r) && s.values.size() == 1)) {
            error({s.block->span.offset, 1}, format("{} takes a value, not a block", r->name),
                  format("write {} {}", r->name, value_text(*r)));
            continue;
        }
        if (r->cardinality == Cardinality::once) {
            const auto [at, fresh] = given.emplace(r, s.span);
            if (!fresh) {
                error(s.span, format("{} is given twice", r->name),
                      format("first given at {}", source_.where(at->second)));
                continue;
            }
        }
        const std::size_t errors = diagnostics_.n_errors();
        setting(*r, s, owner);
        if (on_setting && errors == diagnostics_.n_errors()) on_setting(*r, s);
    }
}

void Scopes::setting(const Row& r, const Statement& s, void* owner) {
    std::span<const Value> values = std::span(s.values).subspan(1);
    std::optional<std::vector<Value>> words;
    if (s.block) {
        words = take(flow_words(r, flow_items(*s.block)));
        if (!words || words->empty()) return;  // an empty match matches everything
        values = *words;
    }
    if (r.cardinality == Cardinality::many && values.size() == 1 &&
        values.front().kind == ValueKind::list) {
        for (const Value& item : values.front().items)
            if (auto value = take(parse_value(r, s.keyword(), {&item, 1})))
                r.access.set(owner, std::move(*value));
        return;
    }
    auto parsed = parse_value(r, s.keyword(), values);
    if (!parsed && values.size() > 1 && parsed.error().span == values[1].span &&
        find(r.parent, values[1].text) != nullptr)
        parsed.error().help =
            format("put ; or a new line between {} and {}", r.name, values[1].text);
    if (auto value = take(std::move(parsed))) r.access.set(owner, std::move(*value));
}

void Scopes::unknown(std::string_view path, const Statement& s) {
    error(s.keyword().span, format("unknown statement \"{}\" {}", s.keyword().text, inside(path)),
          help_for_unknown(path, s));
}

std::string Scopes::help_for_unknown(std::string_view path, const Statement& s) const {
    const std::string_view word = s.keyword().text;
    const std::vector<std::string_view> here = names(path);
    // `mtu=9000`, `mtu:` and `mtu = 9000` are other languages' habits.
    const std::size_t sign = word.find_first_of("=:");
    if (sign != std::string_view::npos && find(path, word.substr(0, sign)) != nullptr) {
        std::string_view value = word.substr(sign + 1);
        if (value.empty() && s.values.size() > 1) value = s.values[1].text;
        return format("a blank stands between name and value: {} {}", word.substr(0, sign), value);
    }
    if (const auto near = did_you_mean(word, here)) return format("did you mean \"{}\"?", *near);
    std::vector<std::string_view> homes;
    for (const Row& r : schema()) {
        if (r.name != word) continue;
        if (r.parent.empty())
            return format("{} belongs at the top level; is a \"}}\" missing before it?", word);
        homes.push_back(r.parent.substr(r.parent.rfind(' ') + 1));
    }
    if (!homes.empty()) return format("{} belongs inside {}", word, fmt::join(homes, " or "));
    return here.empty() ? std::string() : format("known here: {}", fmt::join(here, ", "));
}

bool Scopes::first(const std::string& key, Span span, std::string_view what) {
    const auto [at, fresh] = seen_.emplace(key, span);
    if (fresh) return true;
    error(span, format("{} is defined twice", what),
          format("first defined at {}", source_.where(at->second)));
    return false;
}

bool Scopes::head(const Row& r, const Statement& s, std::size_t most) {
    const std::string usage = format("write {} {}", r.name, head_text(r.object));
    if (s.values.size() < 2) {
        error(s.keyword().span, format("{} needs {}", r.name, head_text(r.object)), usage);
        return false;
    }
    if (s.values.size() > most + 1) {
        const Value& extra = s.values[most + 1];
        const std::string_view text =
            extra.kind == ValueKind::list ? std::string_view("[") : std::string_view(extra.text);
        error(extra.span, format("unexpected \"{}\" after {} {}", text, r.name, s.values[1].text),
              find(r.path(), text) != nullptr
                  ? format("settings stand in braces: {} {} {{ {} ... }}", r.name, s.values[1].text,
                           text)
                  : usage);
        return false;
    }
    return true;
}

}  // namespace raicho::dsl
