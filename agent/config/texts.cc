// SPDX-License-Identifier: Apache-2.0
#include "agent/config/texts.h"

#include "dsl/model/print.h"

namespace raicho::agent::config {

std::string with_numbers(std::string_view, std::string_view, const dsl::Config& numbered) {
    return dsl::print(numbered);
}

}  // namespace raicho::agent::config
