// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration: the tree prints back to them, the report can be printed, and what
// is sound has a canonical text that means the same.
#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "dsl/model/check.h"
#include "dsl/model/plan.h"
#include "dsl/model/print.h"
#include "dsl/syntax/parser.h"
#include "tests/unit/dsl/each_text.h"

using namespace raicho;
using namespace raicho::dsl;

namespace {

/// Blames every flow in its middle, so that places are looked up in all their forms.
std::optional<FlowFault> blame(std::string_view text, const PortByName& ports) {
    (void)ports(text.substr(0, 3));
    return FlowFault{"blamed", "", text.size() / 2, text.size()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto source = std::make_shared<const Source>("fuzz", text);
    Diagnostics diagnostics(*source);
    ASSERT(print(parse(source, diagnostics)) == text);

    (void)check(text, "fuzz", each_text(blame)).report();
    Checked checked = check(text, "fuzz");
    const std::string report = checked.report();
    ASSERT(checked.ok() == (checked.n_errors == 0));
    if (!checked.ok()) return 0;
    const std::string printed = print(checked.config);
    Checked again = check(printed, "again");
    ASSERT(again.ok());
    ASSERT(print(again.config) == printed);
    assign_port_numbers(checked.config, {});
    assign_port_numbers(again.config, {});
    for (const AnyStep& step : plan(checked.config, again.config)) ASSERT(to_text(step).empty());
    return 0;
}
