// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/flow.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dsl/model/flow_block.h"

namespace raicho::dsl {

namespace {

/// Builds the text part by part; `on_part` is told the setting's name and where its value lies.
std::string compose(
    const FlowParts& parts,
    const std::function<void(std::string_view, std::size_t, std::size_t)>& on_part) {
    std::string out;
    const auto put = [&](std::string_view name, std::string_view label, std::string_view value) {
        if (value.empty()) return;
        if (!out.empty()) out += name == "actions" ? ' ' : ',';
        out += label;
        const std::size_t at = out.size();
        out += value;
        if (on_part) on_part(name, at, value.size());
    };
    const auto number = [&](std::string_view name, std::string_view label, const auto& value) {
        if (value) put(name, label, format("{}", *value));
    };
    number("table", "table=", parts.table);
    number("priority", "priority=", parts.priority);
    if (parts.cookie) put("cookie", "cookie=", format("0x{:x}", *parts.cookie));
    number("idle-timeout", "idle_timeout=", parts.idle_timeout);
    number("hard-timeout", "hard_timeout=", parts.hard_timeout);
    put("flags", "", parts.flags);
    put("match", "", parts.match);
    put("actions", "actions=", parts.actions);
    return out;
}

class FlowReader {
  public:
    FlowReader(const Statement& statement, Scopes& scopes) : s_(statement), scopes_(scopes) {}

    std::optional<FlowConfig> run() {
        const Value& first = s_.values[1];
        const bool flow_like = looks_like_flow(first);
        if (first.kind == ValueKind::list) return refuse(first.span, "a list where a flow belongs");
        if (s_.values.size() > 2)
            return refuse(join(first.span, s_.values.back().span),
                          "a flow text with blanks must stand in quotes");
        if (s_.block) {
            if (flow_like) return refuse(first.span, "a flow with a block has a name, not a text");
            return named(first);
        }
        if (!flow_like)
            return refuse(first.span, format("flow \"{}\" has neither text nor block", first.text));
        FlowConfig f;
        f.text = first.text;
        map(f, first, 0);
        return f;
    }

  private:
    std::nullopt_t refuse(Span span, std::string text) {
        scopes_.error(span, std::move(text),
                      R"(write flow "priority=10,arp actions=CONTROLLER" )"
                      "or flow NAME { priority 10; match arp; actions CONTROLLER }");
        return std::nullopt;
    }

    std::optional<FlowConfig> named(const Value& name) {
        FlowConfig f;
        const auto good = scopes_.take(parse_key(row(Object::flow), name));
        if (!good) return std::nullopt;
        f.name = *good;
        std::unordered_map<std::string_view, const Statement*> given;
        FlowParts& parts = f.parts.emplace();
        scopes_.read(*s_.block, "bridge flow", &parts, {},
                     [&](const Row& r, const Statement& s) { given.emplace(r.name, &s); });
        if (parts.actions.empty()) {
            const bool faulty = std::ranges::any_of(s_.block->statements, [](const Statement& s) {
                return s.keyword().text.starts_with("act");
            });
            if (!faulty)  // else its own fault was reported
                scopes_.error(s_.span, format("flow \"{}\" has no actions", f.name),
                              "write actions drop when its packets are to be dropped");
            return std::nullopt;
        }
        f.text = compose(parts, [&](std::string_view part, std::size_t at, std::size_t length) {
            if (const auto s = given.find(part); s != given.end())
                map_part(f, *s->second, at, length);
        });
        return f;
    }

    void map_part(FlowConfig& f, const Statement& s, std::size_t at, std::size_t length) {
        const bool text = s.keyword().text == "match" || s.keyword().text == "actions" ||
                          s.keyword().text == "flags";
        if (!text) {
            const Span span = s.values[1].span;
            f.pieces.push_back({static_cast<std::uint32_t>(at), span.offset,
                                std::min(span.length, static_cast<std::uint32_t>(length))});
            return;
        }
        std::vector<Value> values(s.values.begin() + 1, s.values.end());
        if (s.block)
            if (auto words =
                    flow_words(*find("bridge flow", s.keyword().text), flow_items(*s.block)))
                values = std::move(*words);
        for (const Value& v : values) {
            const std::span<const Value> items =
                v.kind == ValueKind::list ? std::span(v.items) : std::span(&v, 1);
            for (const Value& item : items) {
                map(f, item, at);
                at += item.text.size() + 1;  // and the comma
            }
        }
    }

    void map(FlowConfig& f, const Value& value, std::size_t at) {
        for (const Stretch& s : stretches(value, scopes_.source()))
            f.pieces.push_back({static_cast<std::uint32_t>(at) + s.text, s.source, s.length});
    }

    const Statement& s_;
    Scopes& scopes_;
};

}  // namespace

std::optional<FlowConfig> read_flow(const Statement& statement, Scopes& scopes) {
    return FlowReader(statement, scopes).run();
}

std::string flow_text(const FlowParts& parts) {
    return compose(parts, {});
}

}  // namespace raicho::dsl
