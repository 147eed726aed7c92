// SPDX-License-Identifier: Apache-2.0
#include "agent/config/start_text.h"

#include <expected>

#include "agent/config/flow_check.h"
#include "base/text.h"
#include "dsl/import/import.h"
#include "dsl/model/include.h"

namespace raicho::agent::config {

Result<StartText> read_start_text(const std::string& path) {
    auto text = dsl::read_file(path);
    if (!text) return fail(format("configuration \"{}\": {}", path, text.error()));
    if (!path.ends_with(dsl::kLagopusSuffix)) return StartText{std::move(*text)};
    dsl::ImportOptions options;
    options.flows = flow_checker();
    options.read_file = dsl::read_file;
    const dsl::ForeignText file{path, std::move(*text)};
    dsl::Imported imported = dsl::import_lagopus({&file, 1}, options);
    return StartText{std::move(imported.text), imported.report()};
}

}  // namespace raicho::agent::config
