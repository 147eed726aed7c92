// SPDX-License-Identifier: Apache-2.0
// Groups, meters and queues from outside: what was sent and what was counted. Part of
// switch_view.h.
#pragma once

#include <string>

#include "openflow/group.h"
#include "openflow/meter.h"
#include "openflow/queue.h"

namespace raicho::agent {

struct GroupView {
    openflow::GroupDesc desc;
    openflow::GroupStats stats;  // of the same group, its buckets in step with the description's
};

struct MeterView {
    openflow::MeterConfig config;
    openflow::MeterStats stats;  // of the same meter, its bands in step with the config's
};

struct QueueView {
    std::string port_name;
    openflow::QueueDesc desc;
    openflow::QueueStats stats;
};

}  // namespace raicho::agent
