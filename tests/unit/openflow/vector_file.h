// SPDX-License-Identifier: Apache-2.0
// Reads the vector files beside the tests: hex lines, then `= text` or `! TYPE CODE`.
#pragma once

#include <string>
#include <vector>

#include "openflow/message.h"

namespace raicho::openflow {

enum class Expect : bool { text, error };

struct Vector {
    ByteVector bytes;
    Expect expect{};
    std::string expected;
    std::string where;  // `oxm.txt:17`
};

/// Every vector of vectors/`name`; a line that is none of them becomes a failed expectation.
[[nodiscard]] std::vector<Vector> read_vectors(const std::string& name);

/// `OFPET_BAD_MATCH OFPBMC_DUP_FIELD`, as the files write it.
[[nodiscard]] std::string names_of(const OfpError& error);

}  // namespace raicho::openflow
