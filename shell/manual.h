// SPDX-License-Identifier: Apache-2.0
// The manual page lagosh(1), made from the command table, so that it cannot be out of date. A test
// compares docs/man/lagosh.1 with it; `lagosh --manual > docs/man/lagosh.1` renews it.
#pragma once

#include <string>

namespace raicho::shell {

[[nodiscard]] std::string manual_page();

}  // namespace raicho::shell
