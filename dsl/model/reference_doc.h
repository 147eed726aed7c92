// SPDX-License-Identifier: Apache-2.0
// What the schema table says, for people and for programs: docs/dsl.md, the manual page and the
// JSON Schema.
#pragma once

#include <string>

namespace raicho::dsl {

/// docs/dsl.md whole, in Markdown.
[[nodiscard]] std::string language_reference();
/// docs/man/raicho.conf.5 whole, for man.
[[nodiscard]] std::string language_manual();
/// JSON Schema (draft 2020-12) of the JSON form.
[[nodiscard]] std::string json_schema();

}  // namespace raicho::dsl
