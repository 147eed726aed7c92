// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as a frame, parsed, edited and finished. The first bytes choose what is
// done; the frame lies in memory of exactly its size, so that the sanitizer sees a read past it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "base/error.h"
#include "dataplane/pipeline/edit.h"
#include "dataplane/pipeline/gso.h"

namespace raicho::pipeline {
namespace {

/// One packet at a time in exact memory behind its headroom.
struct FuzzIo {
    [[nodiscard]] Packet* clone(const Packet&) noexcept { return nullptr; }
    [[nodiscard]] Packet* alloc(std::size_t size) noexcept {
        memory = std::make_unique<std::byte[]>(kHeadroom + size);
        part = Packet{};
        part.data = memory.get() + kHeadroom;
        part.headroom = kHeadroom;
        part.tailroom = static_cast<std::uint16_t>(size);
        return &part;
    }
    void free(Packet*) noexcept {}
    void send(PortSlot, Packet*) noexcept {}
    void send(PortSlot, std::span<Packet* const>) noexcept {}
    [[nodiscard]] std::size_t read(const Packet& packet, std::size_t offset,
                                   std::span<std::byte> out) noexcept {
        if (offset >= packet.first_size) return 0;
        const std::size_t n = std::min<std::size_t>(out.size(), packet.first_size - offset);
        std::memcpy(out.data(), packet.data + offset, n);
        return n;
    }
    [[nodiscard]] bool packet_in(const shm::PacketInHead&, const Packet&) noexcept { return false; }
    [[nodiscard]] std::uint64_t clock_ns() noexcept { return 0; }
    [[nodiscard]] PortView port(PortSlot) noexcept { return {}; }

    Packet part;
    std::unique_ptr<std::byte[]> memory;
};

void edit(Frame& frame, std::uint8_t choice, const std::byte* value) {
    switch (choice % 56) {
        case 40: (void)push_vlan(frame, 0x8100); break;
        case 41: (void)push_vlan(frame, 0x88a8); break;
        case 42: (void)pop_vlan(frame); break;
        case 43: (void)push_mpls(frame, 0x8847); break;
        case 44: (void)pop_mpls(frame, 0x0800); break;
        case 45: (void)pop_mpls(frame, 0x86dd); break;
        case 46: (void)push_pbb(frame, 0x88e7); break;
        case 47: (void)pop_pbb(frame); break;
        case 48: (void)set_nw_ttl(frame, choice); break;
        case 49: (void)dec_nw_ttl(frame); break;
        case 50: (void)set_mpls_ttl(frame, choice); break;
        case 51: (void)dec_mpls_ttl(frame); break;
        case 52: (void)copy_ttl_in(frame); break;
        case 53: (void)copy_ttl_out(frame); break;
        case 54: (void)find_ip(*frame.packet); break;
        case 55: reparse(frame); break;
        default: (void)set_field(frame, static_cast<Field>(choice % 56), value); break;
    }
}

/// What the layers say must be what a new parse says.
void check(const Frame& frame) {
    shm::Key key = frame.key;
    const Layers fresh = parse(*frame.packet, key);
    ASSERT(key == frame.key);
    ASSERT(fresh.network == frame.layers.network);
    ASSERT(fresh.transport == frame.layers.transport);
    ASSERT(fresh.network_at == frame.layers.network_at);
}

}  // namespace
}  // namespace raicho::pipeline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
    using namespace raicho::pipeline;  // NOLINT: the entry point has its name from libFuzzer
    constexpr std::size_t kHead = 8 + 8 + 16;
    if (size < kHead || size > kHead + 0x4000) return 0;
    const std::uint8_t* steps = input;
    const std::uint8_t* offload = input + 8;
    const auto* value = reinterpret_cast<const std::byte*>(input + 16);
    const std::size_t n = size - kHead;

    const auto memory = std::make_unique<std::byte[]>(kHeadroom + n);
    Packet packet;
    packet.data = memory.get() + kHeadroom;
    packet.headroom = kHeadroom;
    packet.size = packet.first_size = static_cast<std::uint32_t>(n);
    std::memcpy(packet.data, input + kHead, n);
    if ((offload[0] & 1) != 0) {
        packet.checksum = Checksum::partial;
        packet.csum_start = offload[1];
        packet.csum_offset = offload[2] % 20;
        packet.gso = static_cast<Gso>(offload[3] % 6);
        packet.gso_size = static_cast<std::uint16_t>(offload[4] | offload[5] << 8);
    }
    Frame frame;
    frame.packet = &packet;
    reparse(frame);
    for (std::size_t i = 0; i < 8 && steps[i] != 0; ++i) {
        edit(frame, steps[i], value);
        check(frame);
    }
    FuzzIo io;
    if (const auto plan = plan_segments(packet); plan.has_value() && plan->count() < 2000)
        (void)segment(io, packet, *plan, [](Packet*) {});
    if (packet.checksum == Checksum::partial) (void)complete_checksum(io, packet);
    return 0;
}
