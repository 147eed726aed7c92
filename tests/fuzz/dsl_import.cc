// SPDX-License-Identifier: Apache-2.0
// Any bytes as the ancestor's commands and as what Open vSwitch's tools print: the text that comes
// out is a sound configuration, and the report can be shown.
#include <cstdint>
#include <string>

#include "base/error.h"
#include "dsl/import/import.h"
#include "tests/unit/dsl/each_text.h"

using namespace raicho;
using namespace raicho::dsl;

namespace {

/// Refuses some flows, and asks for names as a flow parser does.
std::optional<FlowFault> judge(std::string_view text, const PortByName& ports) {
    if (text.size() % 7 == 0) return FlowFault{"refused", "", text.size() / 2, 1};
    (void)ports(text.substr(text.size() / 2));
    return std::nullopt;
}

void judge_import(const Imported& made) {
    const Checked checked = check(made.text, "imported", each_text(judge));
    ASSERT(checked.ok());
    ASSERT(made.notes.empty() == made.report().empty());
    ASSERT(made.n_lost() <= made.notes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    ImportOptions options;
    options.flows = each_text(judge);
    // What a file loads is the file itself, and its second half.
    options.read_file = [&](const std::string& path) -> std::expected<std::string, std::string> {
        if (path.size() % 2 == 0) return std::unexpected("no such file");
        return text.substr(text.size() / 2);
    };
    const ForeignText commands{"commands", text};
    judge_import(import_lagopus({&commands, 1}, options));
    const OvsText dumps{{"dumps", text}, size % 3 == 0 ? "br0" : ""};
    judge_import(import_ovs({&dumps, 1}, options));
    return 0;
}
