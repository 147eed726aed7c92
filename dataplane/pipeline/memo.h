// SPDX-License-Identifier: Apache-2.0
// A worker's memory of what packets found in tables that take long to search (dataplane.md §3.6):
// the header fields of a packet and the flow that they led to. An answer holds for one version of
// its table, which the agent raises with every change. Where packets seldom come again the memo
// rests, so that a table is never much slower with it than without.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/handle.h"
#include "shm/hash.h"
#include "shm/key.h"

namespace raicho::pipeline {

class Memo {
  public:
    /// Most keys of a call.
    static constexpr std::size_t kMost = 64;
    static constexpr std::size_t kEntries = std::size_t{1} << 18;

    /// Without memory to be had it remembers nothing. Pages are taken as they are used.
    explicit Memo(const shm::HashKey& secret) noexcept;

    /// A table, and the version of its content that was read before this call.
    struct Table {
        std::uint32_t row = 0;  // tells it from the others
        std::uint32_t version = 0;
    };
    /// The flows of the keys: remembered, or what `search(keys, flows)` says of the others.
    template <class Search>
    void find(Table table, std::span<const shm::Key* const> keys, std::span<std::uint32_t> flows,
              const Search& search) noexcept {
        Use& use = use_of(table);
        if (use.rest != 0 || entries_ == nullptr) {
            use.rest -= use.rest < keys.size() ? use.rest : static_cast<std::uint32_t>(keys.size());
            return search(keys, flows);
        }
        std::array<Entry*, kMost> places;
        for (std::size_t k = 0; k < keys.size(); ++k) {
            places[k] = place_of(*keys[k]);
            __builtin_prefetch(places[k]);
        }
        std::array<const shm::Key*, kMost> asked;
        std::array<std::uint8_t, kMost> which;
        std::size_t n = 0;
        for (std::size_t k = 0; k < keys.size(); ++k) {
            if (places[k]->is(*keys[k], use.stamp)) [[likely]] {
                flows[k] = places[k]->flow;
                continue;
            }
            which[n] = static_cast<std::uint8_t>(k);
            asked[n++] = keys[k];
        }
        if (n != 0) {
            std::array<std::uint32_t, kMost> found;
            search(std::span<const shm::Key* const>(asked).first(n), std::span(found).first(n));
            for (std::size_t i = 0; i < n; ++i) {
                flows[which[i]] = found[i];
                Entry* place = places[which[i]];
                if (place != &none_) place->remember(*asked[i], found[i], use.stamp);
            }
        }
        use.asked += static_cast<std::uint32_t>(keys.size());
        use.searched += static_cast<std::uint32_t>(n);
        if (use.asked >= kWindow) judge(use);
    }

  private:
    /// The words of a key that have the fields of most packets: all but those of IPv6, MPLS, PBB
    /// and ARP's Ethernet addresses. Keys with more are not remembered.
    static constexpr std::size_t kWords = 7;

    struct alignas(64) Entry {
        std::array<std::uint64_t, kWords> words;
        std::uint32_t flow;
        std::uint32_t stamp;  // 0 = free

        [[nodiscard]] bool is(const shm::Key& key, std::uint32_t wanted) const noexcept {
            std::uint64_t difference = stamp ^ wanted;
            for (std::size_t i = 0; i < kWords; ++i) difference |= words[i] ^ key.words[i];
            return difference == 0;
        }
        void remember(const shm::Key& key, std::uint32_t found, std::uint32_t now) noexcept {
            for (std::size_t i = 0; i < kWords; ++i) words[i] = key.words[i];
            flow = found;
            stamp = now;
        }
    };
    static_assert(sizeof(Entry) == 64);

    /// How a table fares with it.
    struct Use {
        std::uint32_t row = UINT32_MAX;
        std::uint32_t version = 0;
        std::uint32_t stamp = 0;  // of this table and version; none other has it
        std::uint32_t asked = 0, searched = 0;
        std::uint32_t rest = 0;  // packets that it sits out
        std::uint32_t next_rest = kLeastRest;
    };
    /// It is judged by so many packets, and then sits out some: more each time that it fails, so
    /// that one packet in 64 pays for it at last.
    static constexpr std::uint32_t kWindow = 2048, kLeastRest = 4 * kWindow,
                                   kMostRest = 64 * kWindow;

    [[nodiscard]] Use& use_of(Table table) noexcept {
        Use& use = uses_[(table.row ^ table.row >> 8) % uses_.size()];
        if (use.row != table.row || use.version != table.version) [[unlikely]]
            renew(use, table);
        return use;
    }
    [[nodiscard]] Entry* place_of(const shm::Key& key) noexcept {
        const auto& w = key.words;
        std::uint64_t more = 0;
        for (std::size_t i = kWords; i < shm::kKeyWords; ++i) more |= w[i];
        if (more != 0) return &none_;
        const std::uint64_t hash = shm::fold_multiply(w[0] ^ secret_[0], w[1] ^ secret_[1]) ^
                                   shm::fold_multiply(w[2] ^ secret_[2], w[3] ^ secret_[3]) ^
                                   shm::fold_multiply(w[4] ^ secret_[1], w[5] ^ w[6] ^ secret_[2]);
        return &entries_[hash & (kEntries - 1)];
    }
    void renew(Use& use, Table table) noexcept;
    static void judge(Use& use) noexcept;

    const shm::HashKey secret_;
    Mapping memory_;
    Entry* entries_ = nullptr;
    Entry none_{};  // what keys that are not remembered find
    std::uint32_t last_stamp_ = 0;
    std::array<Use, 1024> uses_{};
};

}  // namespace raicho::pipeline
