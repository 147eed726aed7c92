// SPDX-License-Identifier: Apache-2.0
// Matches as sets of packets: equality, inclusion and overlap (OF 1.3.5 §6.4), field by field on
// values and masks. Not the lookup key, no index: openflow::Match in, an answer out.
#pragma once

#include "openflow/match.h"

namespace raicho::agent {

/// The same set written one way: fields in ascending order, value bits outside the mask cleared,
/// all-zero masks left out, all-ones masks as no mask.
[[nodiscard]] openflow::Match canonical(const openflow::Match& match);

/// Whether both are the same once canonical: what "identical match fields" means for ADD and the
/// strict commands.
[[nodiscard]] bool same_match(const openflow::Match& a, const openflow::Match& b);

/// Whether `specific` is equal to `general` or more specific: each bit that `general` wants,
/// `specific` wants with the same value.
[[nodiscard]] bool within(const openflow::Match& specific, const openflow::Match& general);

/// Whether a single packet may match both. Fields that only one of them has never separate them;
/// prerequisites are fields of the match and do.
[[nodiscard]] bool overlaps(const openflow::Match& a, const openflow::Match& b);

}  // namespace raicho::agent
