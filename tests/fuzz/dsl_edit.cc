// SPDX-License-Identifier: Apache-2.0
// The language's tools on any bytes. The first line is a command, the rest a text: laying out is
// idempotent, forms convert there and back, an edit leaves a text that reads, a text differs from
// itself in nothing, and merging nobody's changes changes nothing.
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "dsl/edit/compare.h"
#include "dsl/edit/complete.h"
#include "dsl/edit/edit.h"
#include "dsl/edit/forms.h"
#include "dsl/edit/include.h"
#include "dsl/edit/load.h"
#include "dsl/model/check.h"

using namespace raicho;
using namespace raicho::dsl;

namespace {

void conversions(const std::string& text) {
    const auto conf = convert(text, "fuzz", Form::conf, Form::conf);
    if (!conf) return;
    const auto again = convert(*conf, "again", Form::conf, Form::conf);
    ASSERT(again && *again == *conf);
    const auto same = compare(text, *conf);
    ASSERT(same && same->empty());
    for (const Form form : {Form::set, Form::json}) {
        const auto there = convert(text, "fuzz", Form::conf, form);
        ASSERT(there);
        const auto back = convert(*there, "there", form, Form::conf);
        ASSERT(back);
        const auto difference = compare(*conf, *back);
        ASSERT(difference && difference->empty());
        const auto second = convert(*back, "back", Form::conf, form);
        ASSERT(second && *second == *there);
    }
    const auto merged = merge_changes(*conf, *conf, *conf);
    ASSERT(merged && merged->conflicts.empty() && merged->text == *conf);
    const auto loaded = load(*conf, LoadMode::merge, *conf, "fuzz");
    ASSERT(loaded);
    const auto nothing = compare(*conf, *loaded);
    ASSERT(nothing && nothing->empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(input.find('\n'), input.size());
    const std::string command = input.substr(0, line);
    const std::string text = input.substr(std::min(line + 1, input.size()));

    const auto laid_out = dsl::fmt(text, "fuzz");
    if (laid_out) {
        const auto again = dsl::fmt(*laid_out, "again");
        ASSERT(again && *again == *laid_out);
        ASSERT(check(text, "fuzz").ok() == check(*laid_out, "fuzz").ok());
    }
    conversions(text);
    (void)convert(text, "fuzz", Form::json, Form::conf);
    (void)convert(text, "fuzz", Form::set, Form::conf);
    if (const auto whole = expand(text, "fuzz")) {
        ASSERT(expand(*whole, "again"));
    }
    for (const Candidate& c : complete_edit(text, EditVerb::set, command, {}, ""))
        ASSERT(!c.word.empty());

    const std::vector<std::string> commands{command};
    if (const auto edited = edit(text, commands)) {
        const auto read = dsl::fmt(*edited, "edited");
        ASSERT(read && *read == *edited);
        const bool good = convert(text, "fuzz", Form::conf, Form::conf).has_value();
        ASSERT(!good || convert(*edited, "edited", Form::conf, Form::conf));
    }
    return 0;
}
