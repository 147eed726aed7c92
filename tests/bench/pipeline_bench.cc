// SPDX-License-Identifier: Apache-2.0
// Cycles of the pipeline without devices: parse, lookup, a burst from port to port. Not a test; run
// it from a release build. `cycles` is TSC cycles per packet.
#include <benchmark/benchmark.h>
#include <x86intrin.h>

#include <array>
#include <cstring>

#include "dataplane/pipeline/pipeline.h"
#include "tests/pipeline/frame_spec.h"
#include "tests/pipeline/test_arena.h"

namespace raicho {
namespace {

using pipeline::Packet;

constexpr std::size_t kBurst = 32;
constexpr std::uint64_t kNow = 1'000'000'000'000;

/// Packets that are used again and again; what leaves is only counted.
class BenchIo {
  public:
    [[nodiscard]] Packet* clone(const Packet&) noexcept { return nullptr; }
    [[nodiscard]] Packet* alloc(std::size_t) noexcept { return nullptr; }
    void free(Packet*) noexcept {}
    void send(PortSlot, Packet*) noexcept { ++sent; }
    void send(PortSlot, std::span<Packet* const> packets) noexcept { sent += packets.size(); }
    [[nodiscard]] std::size_t read(const Packet&, std::size_t, std::span<std::byte>) noexcept {
        return 0;
    }
    [[nodiscard]] bool packet_in(const shm::PacketInHead&, const Packet&) noexcept { return true; }
    [[nodiscard]] std::uint64_t clock_ns() noexcept { return kNow; }
    [[nodiscard]] pipeline::PortView port(PortSlot) noexcept {
        return {.mtu = 1500, .link = pipeline::Link::up};
    }
    std::uint64_t sent = 0;
};
static_assert(pipeline::PacketIo<BenchIo>);

/// A burst of equal 64-byte frames (60 without FCS).
class Burst {
  public:
    explicit Burst(test::FrameSpec spec) {
        spec.payload.assign(18, 0);
        const test::FrameBytes bytes = build(spec).bytes;
        for (std::size_t i = 0; i < kBurst; ++i) {
            memory_[i].fill({});
            Packet& packet = packets_[i];
            packet.data = memory_[i].data() + pipeline::kHeadroom;
            packet.headroom = pipeline::kHeadroom;
            packet.size = packet.first_size = static_cast<std::uint32_t>(bytes.size());
            std::memcpy(packet.data, bytes.data(), bytes.size());
            pointers_[i] = &packet;
        }
    }
    [[nodiscard]] std::span<Packet* const> packets() const { return pointers_; }

  private:
    std::array<std::array<std::byte, 512>, kBurst> memory_;
    std::array<Packet, kBurst> packets_;
    std::array<Packet*, kBurst> pointers_;
};

void report(benchmark::State& state, std::uint64_t cycles) {
    const auto n = static_cast<double>(state.iterations()) * kBurst;
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBurst));
    state.counters["cycles"] = static_cast<double>(cycles) / n;
}

test::FrameSpec spec_of(std::int64_t kind) {
    test::FrameSpec spec;
    if (kind == 1) spec.tags = {{0x8100, 7}};
    if (kind == 2) spec.l3 = test::L3::ipv6;
    return spec;
}

/// 0 IPv4 UDP, 1 the same tagged, 2 IPv6 UDP.
void parse_burst(benchmark::State& state) {
    const Burst burst(spec_of(state.range(0)));
    std::array<shm::Key, kBurst> keys;
    std::array<pipeline::Layers, kBurst> layers;
    const std::uint64_t start = __rdtsc();
    for (auto _ : state)
        for (std::size_t i = 0; i < kBurst; ++i)
            pipeline::parse(*burst.packets()[i], keys[i], layers[i]);
    report(state, __rdtsc() - start);
}
BENCHMARK(parse_burst)->DenseRange(0, 2);

void lookup_miss_slot(benchmark::State& state) {
    test::TestArena arena;
    arena.any(0, test::Program().output(2));
    std::array<shm::Key, kBurst> keys;
    std::array<const shm::Key*, kBurst> pointers;
    for (std::size_t i = 0; i < kBurst; ++i) pointers[i] = &keys[i];
    std::array<std::uint32_t, kBurst> flows;
    const std::uint64_t start = __rdtsc();
    for (auto _ : state) {
        shm::lookup(arena.dataplane(), test::TestArena::kBridge, TableId(0), pointers, flows);
        benchmark::DoNotOptimize(flows);
    }
    report(state, __rdtsc() - start);
}
BENCHMARK(lookup_miss_slot);

void forward(benchmark::State& state, const test::Program& program, shm::BridgeMode mode) {
    test::TestArena arena;
    arena.add_port(0, PortNo(1));
    arena.add_port(1, PortNo(2));
    arena.bridge().mode = mode;
    arena.any(0, program);
    arena.any(1, test::Program().output(2));
    BenchIo io;
    pipeline::Pipeline<BenchIo> pipe(arena.dataplane(), WorkerId(0), io);
    const Burst burst{test::FrameSpec{}};
    const std::uint64_t start = __rdtsc();
    for (auto _ : state) pipe.run(PortSlot(0), burst.packets(), kNow);
    report(state, __rdtsc() - start);
    if (io.sent != static_cast<std::uint64_t>(state.iterations()) * kBurst)
        state.SkipWithError("packets were lost");
}
void forward_one_flow(benchmark::State& state) {
    forward(state, test::Program().output(2), shm::BridgeMode::flows_drop);
}
BENCHMARK(forward_one_flow);
void forward_rewrite(benchmark::State& state) {
    forward(state,
            test::Program()
                .set(Field::eth_dst, 0x020000000009)
                .set(Field::ipv4_dst, 0x0a000009)
                .output(2),
            shm::BridgeMode::flows_drop);
}
BENCHMARK(forward_rewrite);
void forward_two_tables(benchmark::State& state) {
    forward(state, test::Program().go_to(1), shm::BridgeMode::flows_drop);
}
BENCHMARK(forward_two_tables);
void forward_normal(benchmark::State& state) {
    forward(state, test::Program(), shm::BridgeMode::normal);
}
BENCHMARK(forward_normal);

}  // namespace
}  // namespace raicho

BENCHMARK_MAIN();
