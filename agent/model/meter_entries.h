// SPDX-License-Identifier: Apache-2.0
// The life of meter entries: meter-mods that add, change and delete them (OF 1.3.5 §6.8), and what
// the meter multiparts say of them (§7.3.5.12 to §7.3.5.14). The entries themselves lie in the
// store.
#pragma once

#include <vector>

#include "agent/model/flow_entries.h"
#include "agent/model/meter_store.h"
#include "openflow/message.h"

namespace raicho::agent {

class MeterEntries {
  public:
    /// Both outlive it.
    MeterEntries(MeterStore& store, FlowEntries& flows) : store_(store), flows_(flows) {}

    /// One meter-mod; an error changes nothing. A delete takes the flows that name the meter; the
    /// virtual meters are never deleted.
    [[nodiscard]] openflow::OfResult<void> apply(const openflow::MeterMod& mod, Time now);

    /// Of one meter or of meter::kAll. Errors: MeterModFailed::unknown_meter.
    [[nodiscard]] openflow::OfResult<std::vector<openflow::MeterStats>> stats(MeterId meter,
                                                                              Time now) const;
    [[nodiscard]] openflow::OfResult<std::vector<openflow::MeterConfig>> configs(
        MeterId meter) const;
    [[nodiscard]] openflow::MeterFeatures features() const;

  private:
    [[nodiscard]] openflow::OfResult<void> remove(MeterId meter, Time now);
    /// The meter, or all in ascending order.
    [[nodiscard]] openflow::OfResult<std::vector<MeterId>> selected(MeterId meter) const;

    MeterStore& store_;
    FlowEntries& flows_;
};

}  // namespace raicho::agent
