// SPDX-License-Identifier: Apache-2.0
// What a router does to a packet, in one go: Ethernet addresses set, TTL of IP decremented. The
// bytes and the checksum end as edit.h's actions leave them; key and layers stay behind, for the
// packet leaves at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dataplane/pipeline/edit.h"
#include "shm/program.h"

namespace raicho::pipeline {

class HeaderEdit {
  public:
    /// Joins the operation to those before it; false when it is none of these: nothing changed.
    [[nodiscard]] bool add(const shm::Op& op) noexcept {
        if (op.mode != shm::OpMode::apply) return false;
        if (op.code == shm::OpCode::dec_nw_ttl) {
            if ((parts_ & kTtl) != 0) return false;
            parts_ |= kTtl;
            return true;
        }
        if (op.code != shm::OpCode::set_field) return false;
        const auto field = static_cast<Field>(op.arg16);
        if (field != Field::eth_dst && field != Field::eth_src) return false;
        parts_ |= field == Field::eth_dst ? kDestination : kSource;
        std::memcpy(&addresses_[field == Field::eth_dst ? 0 : kAddress], shm::op_value(&op),
                    kAddress);
        return true;
    }
    [[nodiscard]] bool none() const noexcept { return parts_ == 0; }

    /// Edits a frame that has an Ethernet header. False, with nothing changed, when it has no TTL
    /// that can be decremented.
    [[nodiscard]] bool apply(Frame& frame) const noexcept {
        std::byte* data = frame.packet->data;
        if ((parts_ & kTtl) != 0 && dec_nw_ttl(frame) != EditResult::done) return false;
        if ((parts_ & (kDestination | kSource)) == (kDestination | kSource)) [[likely]] {
            std::memcpy(data, addresses_.data(), addresses_.size());
        } else if ((parts_ & kDestination) != 0) {
            std::memcpy(data, addresses_.data(), kAddress);
        } else if ((parts_ & kSource) != 0) {
            std::memcpy(data + kAddress, &addresses_[kAddress], kAddress);
        }
        return true;
    }

  private:
    static constexpr std::size_t kAddress = 6;
    static constexpr unsigned kDestination = 1, kSource = 2, kTtl = 4;

    std::array<std::byte, 2 * kAddress> addresses_{};
    std::uint32_t parts_ = 0;
};

}  // namespace raicho::pipeline
