// SPDX-License-Identifier: Apache-2.0
// What tables can do, as the reply to OFPMP_TABLE_FEATURES (OF 1.3.5 §7.3.5.5): ovs-ofctl asks for
// it before each flow-mod. Changing features is not served. Fields come from base/fields.h: every
// field can be matched in every table, masked and set where its row says so.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "openflow/message.h"

namespace raicho::openflow {

struct TableFeatures {
    TableId table;
    std::uint32_t max_entries = 0;
    /// Bit n: ofp_instruction_type n.
    std::uint32_t instructions = 0;
    /// Bit n: alternative n of Action; the same for apply-actions and write-actions.
    std::uint32_t actions = 0;
};

/// The bodies of as many replies as `tables` need; all but the last go with ReplyMore::yes.
[[nodiscard]] std::vector<UnservedMultipart> encode_table_features(
    std::span<const TableFeatures> tables);

}  // namespace raicho::openflow
