// SPDX-License-Identifier: Apache-2.0
// The slow model's frame: plain bytes, read anew from the first one for every question, edited in
// place of the specification's words, checksums made by adding up everything. Shares no code with
// the pipeline; what the pipeline does to a frame must be what this one does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "agent/model/reference.h"
#include "openflow/action.h"
#include "shm/key.h"
#include "tests/pipeline/frame_spec.h"

namespace raicho::test {

class SlowFrame {
  public:
    enum class Fragment { none, first, later };

    explicit SlowFrame(FrameBytes frame) : bytes(std::move(frame)) {}

    /// An Ethernet header is there: the frame can go through tables.
    [[nodiscard]] bool whole() const { return bytes.size() >= 14; }
    /// What the tables see.
    [[nodiscard]] agent::FieldValues fields(PortNo ingress, std::uint64_t context) const;
    /// The header fields as a key, for the hash of select groups.
    [[nodiscard]] shm::Key key() const;
    [[nodiscard]] Fragment fragment() const;
    /// Does an action that changes the frame (or set_queue, which does not); false when it does not
    /// fit the frame or its TTL has expired, which ends the packet.
    [[nodiscard]] bool act(const openflow::Action& action);
    /// Raises the drop precedence of an assured forwarding class (RFC 2597).
    void remark(std::uint8_t prec_level);
    /// As it leaves: 60 bytes at least.
    [[nodiscard]] FrameBytes padded() const;

    FrameBytes bytes;
    std::uint64_t tunnel_id = 0;

  private:
    struct Doer;
};

}  // namespace raicho::test
