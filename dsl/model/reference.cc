// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/reference.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dsl/model/value.h"
#include "dsl/syntax/parser.h"

namespace raicho::dsl {

namespace {

bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool name_character(char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '-';
}

/// One `$…` of a text.
struct Reference {
    std::size_t begin = 0;
    std::size_t size = 0;
    std::string_view name;  // empty for `$$`
};

/// The first one from `from` on.
std::optional<Reference> next_reference(std::string_view text, std::size_t from) {
    for (std::size_t i = text.find('$', from); i != std::string_view::npos && i + 1 < text.size();
         i = text.find('$', i + 1)) {
        const char c = text[i + 1];
        if (c == '$') return Reference{i, 2, {}};
        const bool braces = c == '{';
        const std::size_t begin = i + (braces ? 2 : 1);
        std::size_t end = begin;
        if (end == text.size() || !letter(text[end])) continue;
        while (end < text.size() && name_character(text[end])) ++end;
        if (braces && (end == text.size() || text[end] != '}')) continue;
        return Reference{i, end + (braces ? 1 : 0) - i, text.substr(begin, end - begin)};
    }
    return std::nullopt;
}

/// Bytes that definitions may become in one text.
constexpr std::size_t kMost = std::size_t{16} << 20;

void place(Value& v, Span span) {
    v.span = span;
    v.made = true;
    for (Value& item : v.items) place(item, span);
}

std::size_t size_of(const Value& v) {
    std::size_t sum = v.text.size() + sizeof v;
    for (const Value& item : v.items) sum += size_of(item);
    return sum;
}

void resolve_block(References& references, Block& block) {
    for (Statement& s : block.statements) {
        if (!s.sound || s.activity == Activity::inactive || s.keyword().text == "define") continue;
        for (std::size_t i = 1; i < s.values.size(); ++i) references.resolve(s.values[i]);
        if (s.block) resolve_block(references, *s.block);
    }
}

}  // namespace

void References::define(std::span<const Value> s) {
    const Span whole = join(s.front().span, s.back().span);
    if (s.size() != 3)
        return diagnostics_.error(whole, "define needs a name and one value",
                                  "write define uplink eth7, or define cores [ 2 3 ]");
    const auto name = parse_name(s[1], "name", 63);
    if (!name || !letter(name->front()) || !std::ranges::all_of(*name, name_character))
        return diagnostics_.error(s[1].span, "this cannot be a name to define",
                                  "use letters, digits, - and _, a letter first");
    const auto [at, fresh] = definitions_.try_emplace(*name, Definition{*name, s[2], s[1].span});
    if (fresh) return;
    diagnostics_.error(s[1].span, format("\"{}\" is defined twice", *name),
                       format("first defined at {}", diagnostics_.source().where(at->second.span)));
}

void References::resolve_all() {
    for (auto& [name, d] : definitions_) resolve(d);
}

void References::resolve(Definition& d) {
    if (d.state == State::done) return;
    if (d.state == State::busy) {
        std::string chain;
        for (auto i = std::ranges::find(chain_, d.name); i != chain_.end(); ++i)
            chain += *i + " -> ";
        return diagnostics_.error(d.span, format("\"{}\" is defined by itself", d.name),
                                  chain + d.name);
    }
    d.state = State::busy;
    chain_.push_back(d.name);
    if (chain_.size() > kMaxDepth)
        diagnostics_.error(d.span, format("definitions name each other deeper than {}", kMaxDepth));
    else
        resolve(d.value);
    chain_.pop_back();
    d.state = State::done;
}

References::Definition* References::find(const Value& v, std::string_view name) {
    const auto at = definitions_.find(name);
    if (at != definitions_.end()) {
        at->second.used = true;
        resolve(at->second);
        return &at->second;
    }
    std::vector<std::string_view> names;
    for (const auto& [known, d] : definitions_) names.push_back(known);
    diagnostics_.error(
        v.span, format("\"{}\" is not defined", name),
        names.empty()
            ? format("write define {} VALUE at the top level; a plain dollar is written $$", name)
            : suggest(name, names, "defined"));
    return nullptr;
}

void References::warn_unused() {
    for (const auto& [name, d] : definitions_)
        if (!d.used) diagnostics_.warning(d.span, format("\"{}\" is not used", name));
}

bool References::spend(std::size_t bytes, Span span) {
    const bool before = spent_ <= kMost;
    spent_ += bytes;
    if (spent_ > kMost && before)
        diagnostics_.error(span, format("definitions make more than {} bytes", kMost));
    return spent_ <= kMost;
}

void References::resolve(Value& v) {
    if (v.kind == ValueKind::list) {
        std::vector<Value> items;
        for (Value& item : v.items) {
            resolve(item);
            if (item.kind == ValueKind::list)
                std::ranges::move(item.items, std::back_inserter(items));
            else
                items.push_back(std::move(item));
        }
        v.items = std::move(items);
        return;
    }
    if (v.literal || v.made) return;
    const std::optional<Reference> r = next_reference(v.text, 0);
    if (!r) return;
    const bool whole = r->size == v.text.size() && v.kind == ValueKind::word && !r->name.empty();
    if (!whole) return resolve_text(v);
    const Definition* d = find(v, r->name);
    if (d == nullptr || !spend(size_of(d->value), v.span)) return;
    const Span span = v.span;
    v = d->value;
    place(v, span);
}

void References::resolve_text(Value& v) {
    std::string out;
    std::size_t from = 0;
    for (auto r = next_reference(v.text, 0); r; r = next_reference(v.text, from)) {
        out.append(v.text, from, r->begin - from);
        from = r->begin + r->size;
        if (r->name.empty()) {
            out += '$';
            continue;
        }
        const Definition* d = find(v, r->name);
        if (d == nullptr) continue;
        if (d->value.kind == ValueKind::list)
            return diagnostics_.error(v.span, format("\"{}\" is a list inside a text", r->name),
                                      format("write ${} alone", r->name));
        if (!spend(d->value.text.size(), v.span)) return;
        out += d->value.text;
    }
    out.append(v.text, from);
    v.text = std::move(out);
    v.made = true;
}

bool has_reference(std::string_view text) {
    return next_reference(text, 0).has_value();
}

std::string without_references(std::string_view text) {
    std::string out;
    std::size_t from = 0;
    for (auto r = next_reference(text, 0); r; r = next_reference(text, from)) {
        out.append(text, from, r->begin - from);
        out += "$$";
        if (r->name.empty())
            out += "$$";
        else
            out.append(text, r->begin + 1, r->size - 1);
        from = r->begin + r->size;
    }
    return out.append(text, from);
}

void resolve_references(Tree& tree, Diagnostics& diagnostics) {
    References references(diagnostics);
    for (const Statement& s : tree.root.statements)
        if (s.sound && s.activity == Activity::active && s.keyword().text == "define")
            references.define(s.values);
    references.resolve_all();
    resolve_block(references, tree.root);
    references.warn_unused();
}

}  // namespace raicho::dsl
