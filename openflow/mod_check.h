// SPDX-License-Identifier: Apache-2.0
// What of a group or meter can be judged without its datapath (OF 1.3.5 §6.7, §6.8, §7.3.4.2,
// §7.3.4.4): numbers, types, weights, watches, flags, rates. Which groups and ports there are, the
// model knows (agent/model). Neighbour: text.h has the checks of flows.
#pragma once

#include "openflow/error.h"
#include "openflow/group.h"
#include "openflow/meter.h"

namespace raicho::openflow {

/// A group to add or modify. Errors: GroupModFailed invalid_group (a reserved number; an indirect
/// group without exactly one bucket), bad_bucket (a weight outside select), watch_unsupported (a
/// watch outside select and fast failover), bad_watch (fast failover without a watch; a watch that
/// no port or group can have; itself), loop (an action to itself); BadAction of check_action(), and
/// bad_out_group for a reserved number.
[[nodiscard]] OfResult<void> check_group(GroupId id, GroupType type, const Buckets& buckets);

/// A meter to add or modify. Errors: MeterModFailed invalid_meter (a number that no meter can
/// have), bad_flags (unknown ones; both units), bad_rate (0), bad_band_value (raises the drop
/// precedence by more than there is).
[[nodiscard]] OfResult<void> check_meter(MeterId id, std::uint16_t flags, const MeterBands& bands);

}  // namespace raicho::openflow
