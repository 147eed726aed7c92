// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/complete.h"

#include <utility>

#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/model/schema.h"

namespace raicho::dsl {

namespace {

/// Words between an object's keyword and its block.
std::size_t head_words(const Row& r, std::span<const std::string_view> rest) {
    if (r.key == Key::none) return 0;
    return r.object == Object::port && rest.size() > 1 && parse_number(rest[1]) ? 2 : 1;
}

std::string placeholder(std::string_view text) {
    return text.starts_with('<') ? std::string(text) : format("<{}>", text);
}

void add(std::vector<Candidate>& out, std::string_view prefix, std::string word,
         std::string_view help) {
    if (word.starts_with('<') ? prefix.empty() : word.starts_with(prefix))
        out.push_back({std::move(word), std::string(help)});
}

}  // namespace

std::vector<Candidate> complete_value(const Row& r, std::span<const std::string_view> given,
                                      std::string_view prefix) {
    std::vector<Candidate> out;
    if (r.type == Type::device) {
        if (given.empty()) {
            for (const DeviceRow& d : device_rows())
                if (d.kind) add(out, prefix, std::string(d.word), d.help);
        } else if (given.size() == 1) {
            for (const DeviceRow& d : device_rows())
                if (d.word == given[0] && d.kind && !d.arguments.empty())
                    add(out, prefix, placeholder(d.arguments), d.help);
        }
        return out;
    }
    if (r.type == Type::flag || (!given.empty() && r.type != Type::words)) return out;
    if (!r.words.empty()) {
        for (const std::string_view word : r.words) add(out, prefix, std::string(word), r.help);
        return out;
    }
    add(out, prefix, placeholder(value_text(r)), r.help);
    return out;
}

std::vector<Candidate> complete(std::span<const std::string_view> path, std::string_view prefix) {
    std::string at;
    while (!path.empty()) {
        const Row* r = find(at, path.front());
        if (r == nullptr) return {};
        path = path.subspan(1);
        if (r->type != Type::block) return complete_value(*r, path, prefix);
        const std::size_t words = head_words(*r, path);
        if (path.size() < words) {
            std::vector<Candidate> out;
            add(out, prefix, placeholder(head_text(r->object)), r->help);
            return out;
        }
        path = path.subspan(words);
        at = r->path();
    }
    std::vector<Candidate> out;
    for (const Row& r : children(at)) add(out, prefix, std::string(r.name), r.help);
    return out;
}

std::string_view help(std::span<const std::string_view> path) {
    std::string at;
    std::string_view found;
    for (const std::string_view word : path) {
        const Row* r = find(at, word);
        if (r == nullptr) return {};
        found = r->help;
        at = r->path();
    }
    return found;
}

}  // namespace raicho::dsl
