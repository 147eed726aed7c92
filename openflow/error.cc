// SPDX-License-Identifier: Apache-2.0
#include "openflow/error.h"

#include "base/text.h"
#include "openflow/error_table.h"

namespace raicho::openflow {

std::string error_type_name(std::uint16_t type) {
    for (const ErrorTypeRow& row : kErrorTypeRows)
        if (static_cast<std::uint16_t>(row.type) == type) return format("{} ({})", row.name, type);
    return format("type {}", type);
}

std::string error_code_name(std::uint16_t type, std::uint16_t code) {
    for (const ErrorCodeRow& row : kErrorCodeRows)
        if (static_cast<std::uint16_t>(row.type) == type && row.code == code)
            return format("{} ({})", row.name, code);
    return format("code {}", code);
}

}  // namespace raicho::openflow
