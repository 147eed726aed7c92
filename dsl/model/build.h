// SPDX-License-Identifier: Apache-2.0
// From the tree to a Config by the schema table: names and values. What concerns several objects
// together is validate.h's.
#pragma once

#include "dsl/model/config.h"
#include "dsl/syntax/diagnostic.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

/// Adds what the tree says to `config`: objects of the same name are changed, others added; the
/// same object twice in the tree is an error.
void build(const Tree& tree, Config& config, Diagnostics& diagnostics);

}  // namespace raicho::dsl
