// SPDX-License-Identifier: Apache-2.0
// The ancestor's objects as our text. Neighbour: lagopus_world.h has the objects.
#pragma once

#include "dsl/import/import.h"
#include "dsl/import/lagopus_world.h"
#include "dsl/import/outline.h"

namespace raicho::dsl {

/// Writes everything in `world`; what cannot be carried is reported and commented out.
void write_lagopus(const LagopusWorld& world, const ImportOptions& options, Outline& out,
                   ImportReport& report);

}  // namespace raicho::dsl
