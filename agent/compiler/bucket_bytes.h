// SPDX-License-Identifier: Apache-2.0
// Buckets as a group's body keeps what the controller sent (shm/group.h, GroupBody::sent): for each
// bucket 16 bytes {u16 weight, u16 zero, u32 watch_port, u32 watch_group, u32 size}, host order,
// and `size` bytes of an apply-actions instruction in OpenFlow 1.3 wire form with its actions.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "openflow/group.h"

namespace raicho::agent {

[[nodiscard]] std::vector<std::byte> encode_buckets(const openflow::Buckets& buckets);
/// Nothing when the bytes are damaged.
[[nodiscard]] std::optional<openflow::Buckets> decode_buckets(Bytes bytes);

}  // namespace raicho::agent
