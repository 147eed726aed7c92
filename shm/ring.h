// SPDX-License-Identifier: Apache-2.0
// Single-producer single-consumer ring of records over shared memory. Slots and producer index lie
// in the producer's pages, the consumer index in the consumer's: no page has two writers. A side
// killed at any moment leaves whole records only; the other side trusts no length.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace raicho::shm {

inline constexpr std::size_t kRingUnit = 64;

/// An index of a ring, counted in units, never wrapped.
struct alignas(64) RingIndex {
    std::atomic<std::uint64_t> units;
    std::array<std::uint8_t, 56> zero;
};
static_assert(sizeof(RingIndex) == 64);

/// In front of each record. `size` 0xffffffff fills the rest of the ring up to its end.
struct RingRecord {
    std::uint32_t size;
    std::uint32_t zero;
};
static_assert(sizeof(RingRecord) == 8);
inline constexpr std::uint32_t kRingFill = 0xffffffff;

namespace detail {
[[nodiscard]] constexpr std::uint64_t ring_units(std::size_t size) {
    return (size + sizeof(RingRecord) + kRingUnit - 1) / kRingUnit;
}
}  // namespace detail

/// The writing end.
class RingProducer {
  public:
    /// `slots.size()` is a power of two of at least two units, 64-byte aligned.
    RingProducer(std::span<std::byte> slots, RingIndex& producer, const RingIndex& consumer)
        : slots_(slots), producer_(&producer), consumer_(&consumer) {}

    /// Room for a record of `size` > 0 contiguous bytes, 8-byte aligned, or empty when the ring is
    /// full now. Nothing is seen by the consumer before commit(); a second reserve() replaces the
    /// first.
    [[nodiscard]] std::span<std::byte> reserve(std::size_t size) noexcept {
        const std::uint64_t capacity = slots_.size() / kRingUnit;
        const std::uint64_t need = detail::ring_units(size);
        const std::uint64_t head = producer_->units.load(std::memory_order_relaxed);
        // pairs with RingConsumer::pop()
        const std::uint64_t tail = consumer_->units.load(std::memory_order_acquire);
        const std::uint64_t at = head & (capacity - 1);
        const std::uint64_t skip = at + need > capacity ? capacity - at : 0;
        const std::uint64_t used = head - tail;
        if (used > capacity || need + skip > capacity - used) return {};
        if (skip != 0) put_size(at, kRingFill);
        const std::uint64_t start = skip != 0 ? 0 : at;
        put_size(start, static_cast<std::uint32_t>(size));
        next_ = head + skip + need;
        return slots_.subspan(start * kRingUnit + sizeof(RingRecord), size);
    }
    /// Publishes the record of the last reserve().
    void commit() noexcept {
        producer_->units.store(next_, std::memory_order_release);  // pairs with front()
    }
    /// reserve, copy of both parts, commit; false when full.
    [[nodiscard]] bool push(std::span<const std::byte> first,
                            std::span<const std::byte> second = {}) noexcept {
        const std::span<std::byte> room = reserve(first.size() + second.size());
        if (room.empty()) return false;
        std::memcpy(room.data(), first.data(), first.size());
        if (!second.empty()) std::memcpy(room.data() + first.size(), second.data(), second.size());
        commit();
        return true;
    }
    /// Position after the last committed record, for consumed().
    [[nodiscard]] std::uint64_t position() const noexcept {
        return producer_->units.load(std::memory_order_relaxed);
    }
    /// Whether the consumer is done with all records before `position`.
    [[nodiscard]] bool consumed(std::uint64_t position) const noexcept {
        return consumer_->units.load(std::memory_order_acquire) >= position;
    }

  private:
    void put_size(std::uint64_t unit, std::uint32_t size) noexcept {
        const RingRecord record{size, 0};
        std::memcpy(slots_.data() + unit * kRingUnit, &record, sizeof record);
    }

    std::span<std::byte> slots_;
    RingIndex* producer_;
    const RingIndex* consumer_;
    std::uint64_t next_ = 0;
};

/// The reading end.
class RingConsumer {
  public:
    RingConsumer(std::span<const std::byte> slots, const RingIndex& producer, RingIndex& consumer)
        : slots_(slots), producer_(&producer), consumer_(&consumer) {}

    /// Whether a record is there.
    [[nodiscard]] bool empty() const noexcept {
        return producer_->units.load(std::memory_order_acquire) ==
               consumer_->units.load(std::memory_order_relaxed);
    }
    /// The oldest record (8-byte aligned) or an empty span. Stays until pop(). A record whose
    /// length lies empties the ring: all of it is dropped.
    [[nodiscard]] std::span<const std::byte> front() noexcept {
        const std::uint64_t capacity = slots_.size() / kRingUnit;
        for (;;) {
            const std::uint64_t tail = consumer_->units.load(std::memory_order_relaxed);
            // pairs with RingProducer::commit()
            const std::uint64_t head = producer_->units.load(std::memory_order_acquire);
            if (head == tail) return {};
            const std::uint64_t at = tail & (capacity - 1);
            RingRecord record;
            std::memcpy(&record, slots_.data() + at * kRingUnit, sizeof record);
            if (head - tail > capacity) {
                discard();
                return {};
            }
            if (record.size == kRingFill) {
                if (head - tail < capacity - at) {
                    discard();
                    return {};
                }
                consumer_->units.store(tail + capacity - at, std::memory_order_release);
                continue;
            }
            const std::uint64_t units = detail::ring_units(record.size);
            if (record.size == 0 || units > head - tail || at + units > capacity) {
                discard();
                return {};
            }
            next_ = tail + units;
            return slots_.subspan(at * kRingUnit + sizeof(RingRecord), record.size);
        }
    }
    /// Done with front(): a packet-out is popped after it was executed, so that the barrier holds.
    void pop() noexcept { consumer_->units.store(next_, std::memory_order_release); }
    /// Drops everything: after the producer's process was replaced.
    void discard() noexcept {
        consumer_->units.store(producer_->units.load(std::memory_order_acquire),
                               std::memory_order_release);
    }

  private:
    std::span<const std::byte> slots_;
    const RingIndex* producer_;
    RingIndex* consumer_;
    std::uint64_t next_ = 0;
};

}  // namespace raicho::shm
