// SPDX-License-Identifier: Apache-2.0
#include "agent/model/match_set.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"

namespace raicho::agent {
namespace {

using openflow::HasMask;
using openflow::Match;
using openflow::MatchField;

/// 128 bits of a value or mask, for whole-word arithmetic; byte order does not matter to it.
struct Bits {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    explicit Bits(const FieldValue& value) {
        std::memcpy(&high, value.bytes.data(), sizeof high);
        std::memcpy(&low, value.bytes.data() + sizeof high, sizeof low);
    }
    [[nodiscard]] bool zero() const { return (high | low) == 0; }
    friend Bits operator&(Bits a, Bits b) { return {a.high & b.high, a.low & b.low}; }
    friend Bits operator^(Bits a, Bits b) { return {a.high ^ b.high, a.low ^ b.low}; }
    friend bool operator==(Bits, Bits) = default;
    [[nodiscard]] FieldValue value() const {
        FieldValue out;
        std::memcpy(out.bytes.data(), &high, sizeof high);
        std::memcpy(out.bytes.data() + sizeof high, &low, sizeof low);
        return out;
    }

  private:
    Bits(std::uint64_t h, std::uint64_t l) : high(h), low(l) {}
};

/// A masked vlan_vid that says "no tag" and wants bits of a VLAN number: no packet has that
/// (OF 1.3.5 table 13), which the bits alone do not tell.
bool impossible_vlan(const MatchField& a, const MatchField& b) {
    const auto value = static_cast<unsigned>(
        openflow::to_integer(Field::vlan_vid, ((Bits(a.value) & Bits(a.mask))).value()) |
        openflow::to_integer(Field::vlan_vid, ((Bits(b.value) & Bits(b.mask))).value()));
    const auto mask = static_cast<unsigned>(openflow::to_integer(Field::vlan_vid, a.mask) |
                                            openflow::to_integer(Field::vlan_vid, b.mask));
    return (mask & kVlanPresent) != 0 && (value & kVlanPresent) == 0 && value != 0;
}

}  // namespace

Match canonical(const Match& match) {
    std::array<const MatchField*, kFields> by_field{};
    for (const MatchField& f : match.fields()) by_field[static_cast<std::size_t>(f.field)] = &f;
    Match out;
    for (const MatchField* f : by_field) {
        if (f == nullptr || Bits(f->mask).zero()) continue;
        MatchField g = *f;
        g.value = (Bits(f->value) & Bits(f->mask)).value();
        g.has_mask = g.mask == openflow::exact_mask(g.field) ? HasMask::no : HasMask::yes;
        const bool added = out.add(g);
        ASSERT(added);
    }
    return out;
}

bool same_match(const Match& a, const Match& b) {
    return within(a, b) && within(b, a);
}

bool within(const Match& specific, const Match& general) {
    return std::ranges::all_of(general.fields(), [&](const MatchField& g) {
        const Bits wanted(g.mask);
        if (wanted.zero()) return true;
        const MatchField* s = specific.find(g.field);
        return s != nullptr && (Bits(s->mask) & wanted) == wanted &&
               ((Bits(s->value) ^ Bits(g.value)) & wanted).zero();
    });
}

bool overlaps(const Match& a, const Match& b) {
    return std::ranges::all_of(a.fields(), [&](const MatchField& f) {
        const MatchField* g = b.find(f.field);
        if (g == nullptr) return true;
        if (f.field == Field::vlan_vid && impossible_vlan(f, *g)) return false;
        return ((Bits(f.value) ^ Bits(g->value)) & Bits(f.mask) & Bits(g->mask)).zero();
    });
}

}  // namespace raicho::agent
