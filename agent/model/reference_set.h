// SPDX-License-Identifier: Apache-2.0
// The oracle of action sets (OF 1.3.5 §5.10): a list of actions, kept and sorted the plain way. The
// fast set of the pipeline is compared with it; buckets of groups are action sets too.
#pragma once

#include <vector>

#include "openflow/action.h"

namespace raicho::agent {

class ReferenceActionSet {
  public:
    /// Adds each action, in place of the one of its type that was there; set-fields by their field.
    void write(const openflow::ActionList& actions);
    void clear() { actions_.clear(); }

    /// What runs, in the order of §5.10: of group and output only the group; nothing at all where
    /// neither is there (the packet is dropped). Where §5.10 leaves the order open (pops, TTLs,
    /// set-fields) ours is that of the Action variant and of the fields' numbers, TTLs are set
    /// before fields.
    [[nodiscard]] openflow::ActionList ordered() const;

  private:
    openflow::ActionList actions_;
};

}  // namespace raicho::agent
