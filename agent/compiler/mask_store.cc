// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/mask_store.h"

#include "shm/hash.h"
#include "shm/walk.h"

namespace raicho::agent {
namespace {

std::uint64_t hash_of(const shm::Key& mask) {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (const std::uint64_t word : mask.words)
        hash = shm::fold_multiply(hash ^ word, 0xa0761d6478bd642f) + 0xe7037ed1a0b428db;
    return hash;
}

}  // namespace

bool is_part(const shm::Key& part, const shm::Key& whole) {
    std::uint64_t outside = 0;
    for (std::size_t i = 0; i < shm::kKeyWords; ++i) outside |= part.words[i] & ~whole.words[i];
    return outside == 0;
}

std::optional<std::uint32_t> MaskStore::find(const shm::Key& mask) const {
    const auto [first, last] = by_hash_.equal_range(hash_of(mask));
    for (auto at = first; at != last; ++at)
        if (shm::expanded_mask(arena_.mask(at->second)) == mask) return at->second;
    return std::nullopt;
}

std::optional<std::uint32_t> MaskStore::acquire(const shm::Key& mask) {
    if (const auto known = find(mask)) {
        use(*known);
        return known;
    }
    const auto index = pool_.take();
    if (!index) return std::nullopt;
    shm::MaskRecord& record = arena_.mask(*index);
    record = {};
    for (std::size_t i = 0; i < shm::kKeyWords; ++i) {
        if (mask.words[i] == 0) continue;
        record.index[record.n_words] = static_cast<std::uint8_t>(i);
        record.words[record.n_words] = mask.words[i];
        ++record.n_words;
    }
    uses_[*index] = 1;
    by_hash_.emplace(hash_of(mask), *index);
    return index;
}

void MaskStore::release(std::uint32_t index) {
    if (--uses_[index] != 0) return;
    const auto [first, last] =
        by_hash_.equal_range(hash_of(shm::expanded_mask(arena_.mask(index))));
    for (auto at = first; at != last; ++at) {
        if (at->second != index) continue;
        by_hash_.erase(at);
        break;
    }
    pool_.give(index);
}

void MaskStore::adopt(std::uint32_t index) {
    if (uses_[index]++ == 0)
        by_hash_.emplace(hash_of(shm::expanded_mask(arena_.mask(index))), index);
}

void MaskStore::adopted() {
    std::vector<bool> referenced(uses_.size());
    for (std::size_t i = 0; i < uses_.size(); ++i) referenced[i] = uses_[i] != 0;
    pool_.rebuild(referenced);
}

}  // namespace raicho::agent
