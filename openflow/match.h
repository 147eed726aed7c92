// SPDX-License-Identifier: Apache-2.0
// A match as a controller sent it: fields in the order of the message, masks as given, nothing
// normalised away, so that statistics echo it. Not the lookup key (shm/key.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/be.h"
#include "base/fields.h"
#include "base/ids.h"

namespace raicho::openflow {

enum class HasMask : bool { no, yes };

/// One OXM TLV (OF 1.3.5 §7.2.3.2). Without a mask `mask` holds all ones for the field's bits.
struct MatchField {
    Field field{};
    HasMask has_mask = HasMask::no;
    FieldValue value;
    FieldValue mask;
    friend bool operator==(const MatchField&, const MatchField&) = default;
};

/// Up to one of each field; decode refuses duplicates. No allocation.
class Match {
  public:
    [[nodiscard]] std::span<const MatchField> fields() const { return {fields_.data(), n_}; }
    [[nodiscard]] bool empty() const { return n_ == 0; }
    [[nodiscard]] const MatchField* find(Field field) const {
        for (const MatchField& f : fields())
            if (f.field == field) return &f;
        return nullptr;
    }
    /// Appends; false when the field is already there.
    [[nodiscard]] bool add(const MatchField& field) {
        if (find(field.field) != nullptr) return false;
        fields_[n_++] = field;
        return true;
    }
    void clear() { n_ = 0; }
    /// Same fields, same order, same values and masks.
    friend bool operator==(const Match& a, const Match& b) {
        return std::equal(a.fields().begin(), a.fields().end(), b.fields().begin(),
                          b.fields().end());
    }

  private:
    std::array<MatchField, kFields> fields_;
    std::uint8_t n_ = 0;
};

/// All ones for the field's bits (0x1fff for vlan_vid).
[[nodiscard]] FieldValue exact_mask(Field field);
/// A value from an integer (fields of up to 8 bytes).
[[nodiscard]] FieldValue field_value(Field field, std::uint64_t value);
/// The integer of a value of up to 8 bytes.
[[nodiscard]] std::uint64_t to_integer(Field field, const FieldValue& value);
/// An exact match field from an integer.
[[nodiscard]] MatchField exact(Field field, std::uint64_t value);

}  // namespace raicho::openflow
