// SPDX-License-Identifier: Apache-2.0
// A match as lookup key and mask, and the coarser masks under which tuple-merge tables group
// flows. Two matches of the same packets field by field give the same key and mask.
#pragma once

#include <array>

#include "openflow/match.h"
#include "shm/key.h"

namespace raicho::agent {

/// `key` has no bits outside `mask`.
struct MaskedKey {
    shm::Key key;
    shm::Key mask;
};
[[nodiscard]] MaskedKey masked_key(const openflow::Match& match);

/// The masks of the tuples that a flow of this mask may lie in, from the coarsest that is a good
/// group to the mask itself; each is a part of the next. Addresses go down to a grid of prefix
/// lengths, odd bits of other fields away (after TupleMerge).
inline constexpr std::size_t kTupleLevels = 3;
[[nodiscard]] std::array<shm::Key, kTupleLevels> tuple_masks(const shm::Key& mask);

}  // namespace raicho::agent
