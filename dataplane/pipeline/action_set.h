// SPDX-License-Identifier: Apache-2.0
// A packet's action set (OF 1.3.5 §5.10): at most one action of each type and set-field of each
// field, run in the order of the specification whatever the order of writing. It points at the
// operations where they lie in the action programs, which stay for the burst.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/fields.h"
#include "shm/program.h"

namespace raicho::pipeline {

namespace detail {
using shm::OpCode;
/// The places before and after the set-fields, in the order of §5.10.
inline constexpr std::array kBeforeFields = {
    OpCode::copy_ttl_in,  OpCode::pop_vlan,   OpCode::pop_mpls,     OpCode::pop_pbb,
    OpCode::push_mpls,    OpCode::push_pbb,   OpCode::push_vlan,    OpCode::copy_ttl_out,
    OpCode::dec_mpls_ttl, OpCode::dec_nw_ttl, OpCode::set_mpls_ttl, OpCode::set_nw_ttl};
inline constexpr std::array kAfterFields = {OpCode::set_queue, OpCode::group, OpCode::output};
inline constexpr std::size_t kSetPlaces = kBeforeFields.size() + kFields + kAfterFields.size();
inline constexpr std::uint8_t kNoPlace = 0xff;
static_assert(kSetPlaces <= 64);

consteval std::array<std::uint8_t, shm::kOpCodes> make_places() {
    std::array<std::uint8_t, shm::kOpCodes> places{};
    places.fill(kNoPlace);
    std::uint8_t next = 0;
    for (OpCode code : kBeforeFields) places[static_cast<std::size_t>(code)] = next++;
    places[static_cast<std::size_t>(OpCode::set_field)] = next;
    next = static_cast<std::uint8_t>(next + kFields);
    for (OpCode code : kAfterFields) places[static_cast<std::size_t>(code)] = next++;
    return places;
}
inline constexpr auto kPlaces = make_places();
constexpr std::uint64_t place_bit(OpCode code) {
    return std::uint64_t{1} << kPlaces[static_cast<std::size_t>(code)];
}
}  // namespace detail

/// Borrows the operations written to it.
class ActionSet {
  public:
    /// Puts an operation in its place, over one that was there. Those that are no actions are
    /// ignored.
    void write(const shm::Op* op) noexcept {
        const auto code = static_cast<std::size_t>(op->code);
        std::size_t place = code < shm::kOpCodes ? detail::kPlaces[code] : detail::kNoPlace;
        if (op->code == shm::OpCode::set_field) {
            if (op->arg16 >= kFields) return;
            place += op->arg16;
        }
        if (place == detail::kNoPlace) return;
        ops_[place] = op;
        present_ |= std::uint64_t{1} << place;
    }
    void clear() noexcept { present_ = 0; }
    [[nodiscard]] bool empty() const noexcept { return present_ == 0; }
    /// Whether a group or an output is there: without, the packet goes nowhere.
    [[nodiscard]] bool has_exit() const noexcept { return (present_ & kExits) != 0; }
    /// Takes the operations out in the order of §5.10; nullptr when none is left. An output beside
    /// a group is passed over, as §5.10 says.
    [[nodiscard]] const shm::Op* take() noexcept {
        if ((present_ & kGroup) != 0) present_ &= ~kOutput;
        if (present_ == 0) return nullptr;
        const auto place = static_cast<std::size_t>(std::countr_zero(present_));
        present_ &= present_ - 1;
        return ops_[place];
    }

  private:
    static constexpr std::uint64_t kGroup = detail::place_bit(shm::OpCode::group);
    static constexpr std::uint64_t kOutput = detail::place_bit(shm::OpCode::output);
    static constexpr std::uint64_t kExits = kGroup | kOutput;

    std::uint64_t present_ = 0;
    std::array<const shm::Op*, detail::kSetPlaces> ops_;
};

}  // namespace raicho::pipeline
