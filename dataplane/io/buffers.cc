// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/buffers.h"

#include <rte_errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "shm/port.h"

namespace raicho::io {
namespace {

constexpr unsigned kCacheLength = 256;
// what one worker holds: its receive set, its cache, frames on their way
constexpr std::uint32_t kSmallPerWorker = 2048;
constexpr std::uint32_t kSmallBase = 4096;
// a flooded burst has a copy for each port
constexpr std::uint32_t kSmallPerPort = 32;
// rx and tx descriptors of a device
constexpr std::uint32_t kSmallPerEthdev = 1536;
constexpr std::uint32_t kLargePerWorker = 160;
// header, private area and the pool's own words around each buffer's room
constexpr std::size_t kHugePage = 2 << 20;
constexpr std::size_t kPerBuffer = sizeof(rte_mbuf) + kPrivateSize + 128;

/// One mbuf pool; nullptr with rte_errno set.
rte_mempool* make_pool(const char* name, std::uint32_t n, unsigned cache, std::uint16_t room,
                       BufferMemory memory) {
    if (memory == BufferMemory::dpdk)
        return rte_pktmbuf_pool_create(name, n, cache, kPrivateSize, room, SOCKET_ID_ANY);
    rte_pktmbuf_pool_private layout{};
    layout.mbuf_data_room_size = room;
    layout.mbuf_priv_size = kPrivateSize;
    rte_mempool* pool =
        rte_mempool_create_empty(name, n, sizeof(rte_mbuf) + kPrivateSize + room, cache,
                                 sizeof layout, SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
    if (pool == nullptr) return nullptr;
    rte_mempool_set_ops_byname(pool, "ring_mp_mc", nullptr);
    rte_pktmbuf_pool_init(pool, &layout);
    const std::size_t each = std::size_t{pool->header_size} + pool->elt_size + pool->trailer_size;
    const std::size_t size = (each * n / kHugePage + 1) * kHugePage;
    void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        rte_mempool_free(pool);
        rte_errno = ENOMEM;
        return nullptr;
    }
    ::madvise(base, size, MADV_HUGEPAGE);  // where the kernel has some
    const auto unmap = [](rte_mempool_memhdr* chunk, void*) { ::munmap(chunk->addr, chunk->len); };
    if (::madvise(base, size, MADV_POPULATE_WRITE) != 0 ||
        rte_mempool_populate_iova(pool, static_cast<char*>(base),
                                  reinterpret_cast<rte_iova_t>(base), size, unmap,
                                  nullptr) < static_cast<int>(n)) {
        if (pool->nb_mem_chunks == 0) ::munmap(base, size);
        rte_mempool_free(pool);
        rte_errno = ENOMEM;
        return nullptr;
    }
    rte_mempool_obj_iter(pool, rte_pktmbuf_init, nullptr);
    return pool;
}

}  // namespace

std::size_t BufferPlan::bytes() const {
    return small * (kPerBuffer + kSmallRoom) + large * (kPerBuffer + kLargeRoom);
}

BufferPlan plan_buffers(std::uint32_t workers, std::uint32_t ports, std::uint32_t ethdevs) {
    return {.small = kSmallBase + kSmallPerWorker * workers + kSmallPerPort * ports +
                     kSmallPerEthdev * ethdevs,
            .large = kLargePerWorker * workers};
}

Result<Buffers> Buffers::create(const BufferPlan& plan, BufferMemory memory) {
    const auto make = [&](const char* name, std::uint32_t n, unsigned cache, std::uint16_t room) {
        return Pool(make_pool(name, n, cache, room, memory));
    };
    const auto refused = [&](const char* name, std::uint32_t n) {
        return fail(
            format("packet buffers: {} {} do not fit into the dataplane's memory: {}", n, name,
                   rte_strerror(rte_errno)),
            format("give it at least {} MB (dataplane {{ memory … }})", (plan.bytes() >> 20) + 16));
    };
    Pool small = make("small", plan.small, kCacheLength, kSmallRoom);
    if (!small) return refused("small ones", plan.small);
    Pool large = make("large", plan.large, 0, kLargeRoom);
    if (!large) return refused("large ones", plan.large);
    return Buffers(std::move(small), std::move(large));
}

Packet* Buffers::alloc(std::size_t size) const noexcept {
    const bool fits_small = size <= kSmallRoom - pipeline::kHeadroom;
    rte_mbuf* mbuf = rte_pktmbuf_alloc(fits_small ? small_.get() : large_.get());
    if (mbuf == nullptr) return nullptr;
    mbuf->data_off = pipeline::kHeadroom;
    describe(mbuf, PortSlot(shm::kNoSlot));
    if (packet_of(mbuf)->tailroom < size) {
        rte_pktmbuf_free(mbuf);
        return nullptr;
    }
    return packet_of(mbuf);
}

Packet* Buffers::clone(const Packet& packet) const noexcept {
    const rte_mbuf* original = mbuf_of(&packet);
    const std::size_t headroom = std::max<std::size_t>(packet.headroom, pipeline::kHeadroom);
    const bool fits_small = headroom + packet.first_size <= kSmallRoom;
    rte_mbuf* copy = rte_pktmbuf_alloc(fits_small ? small_.get() : large_.get());
    if (copy == nullptr) return nullptr;
    const std::size_t room = copy->buf_len;
    // a large first segment with a large headroom: what matters is that the bytes fit
    const std::size_t start = std::min(headroom, room - packet.first_size);
    if (packet.first_size > room || start < pipeline::kHeadroom) {
        rte_pktmbuf_free(copy);
        return nullptr;
    }
    copy->data_off = static_cast<std::uint16_t>(start);
    Packet& twin = *packet_of(copy);
    twin = packet;
    twin.data = rte_pktmbuf_mtod(copy, std::byte*);
    twin.headroom = static_cast<std::uint16_t>(start);
    twin.tailroom = static_cast<std::uint16_t>(room - start - packet.first_size);
    std::memcpy(twin.data, packet.data, packet.first_size);
    copy->next = original->next;
    copy->nb_segs = original->nb_segs;
    for (rte_mbuf* tail = original->next; tail != nullptr; tail = tail->next)
        rte_mbuf_refcnt_update(tail, 1);
    settle(&twin);
    return &twin;
}

rte_mbuf* Buffers::flatten(const rte_mbuf* mbuf) const noexcept {
    const std::size_t size = mbuf->pkt_len;
    rte_mbuf* flat = rte_pktmbuf_alloc(size <= kFirstBytes ? small_.get() : large_.get());
    if (flat == nullptr) return nullptr;
    flat->data_off = pipeline::kHeadroom;
    if (rte_pktmbuf_tailroom(flat) < size) {
        rte_pktmbuf_free(flat);
        return nullptr;
    }
    std::byte* at = rte_pktmbuf_mtod(flat, std::byte*);
    for (const rte_mbuf* segment = mbuf; segment != nullptr; segment = segment->next) {
        std::memcpy(at, rte_pktmbuf_mtod(segment, const std::byte*), segment->data_len);
        at += segment->data_len;
    }
    flat->data_len = static_cast<std::uint16_t>(size);
    flat->pkt_len = static_cast<std::uint32_t>(size);
    return flat;
}

std::size_t read_bytes(const Packet& packet, std::size_t offset,
                       std::span<std::byte> out) noexcept {
    std::size_t done = 0;
    std::size_t segment_start = 0;
    const std::byte* data = packet.data;
    std::size_t size = packet.first_size;
    const rte_mbuf* next = mbuf_of(&packet)->next;
    for (;;) {
        if (offset + done < segment_start + size && done < out.size()) {
            const std::size_t from = offset + done - segment_start;
            const std::size_t n = std::min(size - from, out.size() - done);
            std::memcpy(out.data() + done, data + from, n);
            done += n;
        }
        if (next == nullptr || done == out.size()) return done;
        segment_start += size;
        data = rte_pktmbuf_mtod(next, const std::byte*);
        size = next->data_len;
        next = next->next;
    }
}

}  // namespace raicho::io
