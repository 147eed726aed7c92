// SPDX-License-Identifier: Apache-2.0
// Packets in plain memory and ports that only remember: the PacketIo of tests. Frames may be cut
// into a first segment and a rest, as io delivers large ones.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "dataplane/pipeline/packet_io.h"
#include "shm/packet_record.h"

namespace raicho::test {

/// A packet that left, as it was given to send().
struct Sent {
    PortSlot slot;
    std::vector<std::byte> bytes;
    pipeline::Packet packet;  // its offload fields; data is gone
};
struct PacketIn {
    shm::PacketInHead head;
    std::vector<std::byte> bytes;
};

class FakeIo {
  public:
    using Packet = pipeline::Packet;

    ~FakeIo() = default;

    /// A packet with the first `first_size` bytes in its first segment.
    [[nodiscard]] Packet* make(const std::vector<std::byte>& bytes,
                               std::size_t first_size = SIZE_MAX) {
        const std::size_t first = std::min(first_size, bytes.size());
        Buffer& buffer = take(first + kTail);
        std::copy_n(bytes.begin(), first, buffer.packet.data);
        buffer.packet.first_size = static_cast<std::uint32_t>(first);
        buffer.packet.size = static_cast<std::uint32_t>(bytes.size());
        buffer.packet.tailroom = kTail;
        buffer.rest.assign(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end());
        return &buffer.packet;
    }
    /// All bytes of a packet.
    [[nodiscard]] std::vector<std::byte> bytes(const Packet& packet) const {
        std::vector<std::byte> all(packet.data, packet.data + packet.first_size);
        const auto& rest = buffer_of(packet).rest;
        all.insert(all.end(), rest.begin(), rest.end());
        return all;
    }
    /// Packets made and not yet sent or freed.
    [[nodiscard]] std::size_t live() const { return live_.size(); }
    void set_port(PortSlot slot, pipeline::PortView view) { ports_[slot] = view; }

    // PacketIo
    [[nodiscard]] Packet* clone(const Packet& packet) noexcept {
        if (clones_left == 0) return nullptr;
        --clones_left;
        Packet* copy = make(bytes(packet), packet.first_size);
        Packet fields = packet;
        fields.data = copy->data;
        fields.headroom = copy->headroom;
        fields.tailroom = copy->tailroom;
        *copy = fields;
        return copy;
    }
    [[nodiscard]] Packet* alloc(std::size_t size) noexcept {
        if (allocs_left == 0) return nullptr;
        --allocs_left;
        Buffer& buffer = take(size + kTail);
        buffer.packet.tailroom = static_cast<std::uint16_t>(size + kTail);
        return &buffer.packet;
    }
    void free(Packet* packet) noexcept { live_.erase(find(*packet)); }
    void send(PortSlot slot, Packet* packet) noexcept {
        sent.push_back({slot, bytes(*packet), *packet});
        sent.back().packet.data = nullptr;
        free(packet);
    }
    void send(PortSlot slot, std::span<Packet* const> packets) noexcept {
        for (Packet* packet : packets) send(slot, packet);
        sent_in_runs += packets.size();
    }
    [[nodiscard]] std::size_t read(const Packet& packet, std::size_t offset,
                                   std::span<std::byte> out) noexcept {
        const std::vector<std::byte> all = bytes(packet);
        if (offset >= all.size()) return 0;
        const std::size_t n = std::min(out.size(), all.size() - offset);
        std::memcpy(out.data(), all.data() + offset, n);
        return n;
    }
    [[nodiscard]] bool packet_in(const shm::PacketInHead& head, const Packet& packet) noexcept {
        if (packet_ins.size() >= packet_in_room) return false;
        std::vector<std::byte> data = bytes(packet);
        data.resize(head.data_size);
        packet_ins.push_back({head, std::move(data)});
        return true;
    }
    [[nodiscard]] std::uint64_t clock_ns() noexcept { return clock; }
    [[nodiscard]] pipeline::PortView port(PortSlot slot) noexcept { return ports_[slot]; }

    std::uint64_t clock = 1'000'000'000'000;
    std::vector<Sent> sent;
    std::size_t sent_in_runs = 0;  // of them, those that came several in one call
    std::vector<PacketIn> packet_ins;
    std::size_t clones_left = SIZE_MAX, allocs_left = SIZE_MAX, packet_in_room = SIZE_MAX;

  private:
    static constexpr std::size_t kTail = 64;
    struct Buffer {
        Packet packet;
        std::unique_ptr<std::byte[]> memory;
        std::vector<std::byte> rest;
    };
    Buffer& take(std::size_t size) {
        auto buffer = std::make_unique<Buffer>();
        buffer->memory = std::make_unique<std::byte[]>(pipeline::kHeadroom + size);
        buffer->packet.data = buffer->memory.get() + pipeline::kHeadroom;
        buffer->packet.headroom = pipeline::kHeadroom;
        Buffer& made = *buffer;
        live_.emplace(&made.packet, std::move(buffer));
        return made;
    }
    using Live = std::map<const Packet*, std::unique_ptr<Buffer>>;
    [[nodiscard]] Live::iterator find(const Packet& packet) { return live_.find(&packet); }
    [[nodiscard]] const Buffer& buffer_of(const Packet& packet) const { return *live_.at(&packet); }

    Live live_;
    std::map<PortSlot, pipeline::PortView> ports_;
};
static_assert(pipeline::PacketIo<FakeIo>);

}  // namespace raicho::test
