// SPDX-License-Identifier: Apache-2.0
// The fixture of the pipeline's tests: frames in on a port, frames out a port, counters.
#pragma once

#include <gtest/gtest.h>

#include "base/text.h"
#include "dataplane/pipeline/pipeline.h"
#include "tests/pipeline/fake_io.h"
#include "tests/pipeline/frame_spec.h"
#include "tests/pipeline/test_arena.h"

namespace raicho::test {

/// Ports 1 to 4 in slots 0 to 3, all up.
class SwitchFixture : public ::testing::Test {
  protected:
    static constexpr std::uint64_t kSecond = 1'000'000'000;

    SwitchFixture() : pipeline_(arena_.dataplane(), WorkerId(0), io_) {
        for (std::uint16_t slot = 0; slot < 4; ++slot) {
            arena_.add_port(slot, PortNo(slot + 1u));
            io_.set_port(PortSlot(slot), view());
        }
        arena_.bridge().controller_connected = 1;
    }
    ~SwitchFixture() override { EXPECT_EQ(io_.live(), 0u) << "packets leaked"; }

    [[nodiscard]] static pipeline::PortView view(
        std::uint32_t mtu = 1500, pipeline::Offload offload = pipeline::Offload::none) {
        return {.mtu = mtu, .link = pipeline::Link::up, .offload = offload};
    }
    /// Runs frames that came in on `port`.
    void run(unsigned port, const std::vector<FrameBytes>& frames) {
        std::vector<pipeline::Packet*> burst;
        for (const FrameBytes& frame : frames) burst.push_back(io_.make(frame));
        run_packets(port, burst);
    }
    void run(unsigned port, const FrameSpec& spec) {
        run(port, std::vector<FrameBytes>{build(spec).bytes});
    }
    void run_packets(unsigned port, const std::vector<pipeline::Packet*>& burst) {
        for (pipeline::Packet* p : burst)
            p->in_port = PortSlot(static_cast<std::uint16_t>(port - 1));
        pipeline_.run(PortSlot(static_cast<std::uint16_t>(port - 1)), burst, now_ns_);
    }
    void packet_out(PortNo in_port, const Program& program, const FrameSpec& spec) {
        const FrameBytes bytes = build(spec).bytes;
        const std::vector<std::uint64_t> words = program.linear();
        shm::PacketOutHead head{};
        head.data_size = static_cast<std::uint32_t>(bytes.size());
        head.program_size = static_cast<std::uint32_t>(words.size() * 8);
        head.in_port = in_port.value();
        pipeline_.packet_out(head, std::as_bytes(std::span(words)), io_.make(bytes), now_ns_);
    }
    /// `1:HEX 2:HEX`: what left since the last call, in order; short frames' padding is kept.
    [[nodiscard]] std::vector<std::pair<unsigned, std::string>> take_sent() {
        std::vector<std::pair<unsigned, std::string>> all;
        for (const Sent& s : io_.sent) all.emplace_back(s.slot.value() + 1u, hex_text(s.bytes));
        io_.sent.clear();
        return all;
    }
    /// The ports that got something, in order.
    [[nodiscard]] std::vector<unsigned> take_ports() {
        std::vector<unsigned> ports;
        for (const auto& [port, frame] : take_sent()) ports.push_back(port);
        return ports;
    }
    [[nodiscard]] static std::string padded(const FrameSpec& spec) {
        FrameBytes bytes = build(spec).bytes;
        if (bytes.size() < 60) bytes.resize(60);
        return hex_text(bytes);
    }
    [[nodiscard]] std::uint64_t drops(unsigned port, shm::DropReason reason) {
        return arena_.drops(static_cast<std::uint16_t>(port - 1), reason);
    }

    TestArena arena_;
    FakeIo io_;
    pipeline::Pipeline<FakeIo> pipeline_;
    std::uint64_t now_ns_ = 1000 * kSecond;
};

using Ports = std::vector<unsigned>;

/// A packet whose checksum is partial; with `gso_size` a large one.
inline pipeline::Packet* offloaded(FakeIo& io, const FrameSpec& spec, std::uint16_t gso_size = 0) {
    const Built built = build(spec);
    pipeline::Packet* packet = io.make(built.bytes, 300);
    packet->checksum = pipeline::Checksum::partial;
    packet->csum_start = static_cast<std::uint16_t>(built.transport_at);
    packet->csum_offset = static_cast<std::uint16_t>(built.csum_offset);
    if (gso_size != 0) {
        packet->gso = spec.l3 == L3::ipv4 ? pipeline::Gso::tcp4 : pipeline::Gso::tcp6;
        packet->gso_size = gso_size;
    }
    return packet;
}

}  // namespace raicho::test
