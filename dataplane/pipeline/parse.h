// SPDX-License-Identifier: Apache-2.0
// From bytes to the lookup key: one pass over the first segment that fills every match field of
// OF 1.3.5 §7.2.3.7 and remembers where the headers lie, for the actions. A frame may end
// anywhere: fields that are not wholly there stay zero and their layer is marked absent.
#pragma once

#include <cstdint>

#include "dataplane/pipeline/layers.h"
#include "dataplane/pipeline/packet.h"
#include "dataplane/pipeline/plain.h"
#include "shm/key.h"

namespace raicho::pipeline {

/// The specification of parse(): header by header, whatever they are.
void parse_any(const Packet& packet, shm::Key& key, Layers& layers) noexcept;

/// Fills `key` (all of it but in_port, in_phy_port, metadata and tunnel_id, which it leaves alone)
/// and `layers`. Never reads past `packet.first_size`.
/// A frame shorter than 14 bytes gives network none, type_at 0.
/// Both are written in place: a returned Layers is many small stores read back as one large load,
/// which costs as much as the parsing.
inline void parse(const Packet& packet, shm::Key& key, Layers& layers) noexcept {
    if (!parse_plain(packet, key, layers)) parse_any(packet, key, layers);
}

/// The same where a burst does not wait for it.
[[nodiscard]] inline Layers parse(const Packet& packet, shm::Key& key) noexcept {
    Layers layers;
    parse(packet, key, layers);
    return layers;
}

}  // namespace raicho::pipeline
