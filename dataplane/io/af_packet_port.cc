// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/af_packet_port.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "dataplane/io/packet_socket.h"
#include "dataplane/io/receive_set.h"
#include "dataplane/io/vnet_send.h"

namespace raicho::io {
namespace {

class SocketRx final : public RxQueue {
  public:
    SocketRx(Fd fd, PortSlot slot) : fd_(std::move(fd)), slot_(slot) {}

    std::size_t receive(ReceiveSet& set, std::span<Packet*> out, RxTally& tally) noexcept override {
        const std::size_t ready = set.refill();
        if (ready == 0) return 0;  // the kernel keeps them until there is memory
        auto& messages = set.messages();
        for (std::size_t i = 0; i < ready; ++i)
            messages[i].msg_hdr.msg_controllen = sizeof(ReceiveSet::Message::control);
        const int n = ::recvmmsg(fd_.get(), messages.data(), static_cast<unsigned>(ready),
                                 MSG_DONTWAIT, nullptr);
        if (n < 0) {
            // EINVAL: a frame whose offload the vnet header cannot express was taken and lost
            if (errno == EINVAL) ++tally.errors;
            return 0;
        }
        std::size_t taken = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
            if (Packet* packet = mend(set, i, messages[i], tally)) out[taken++] = packet;
        return taken;
    }
    [[nodiscard]] Wait wait() const noexcept override { return Wait::descriptor; }
    [[nodiscard]] int fd() const noexcept override { return fd_.get(); }
    void collect(RxTally& tally) noexcept override { tally.dropped += packet_drops(fd_); }

  private:
    Packet* mend(ReceiveSet& set, std::size_t slot, const mmsghdr& message,
                 RxTally& tally) const noexcept {
        if (message.msg_len <= sizeof(VnetHeader)) {
            ++tally.errors;
            return nullptr;
        }
        if ((message.msg_hdr.msg_flags & MSG_TRUNC) != 0) {  // no large buffer was left
            ++tally.dropped;
            return nullptr;
        }
        Packet* packet = set.take(slot, message.msg_len - sizeof(VnetHeader), slot_);
        if (packet == nullptr) {
            ++tally.errors;
            return nullptr;
        }
        if (const auto tag = stripped_tag(message.msg_hdr);
            tag && !insert_vlan_tag(*packet, tag->tpid, tag->tci)) {
            ++tally.errors;
            rte_pktmbuf_free(mbuf_of(packet));
            return nullptr;
        }
        return packet;
    }

    Fd fd_;
    PortSlot slot_;
};

class SocketTx final : public TxQueue {
  public:
    explicit SocketTx(Fd fd) : fd_(std::move(fd)) {}

    void send(std::span<Packet* const> packets, TxTally& tally) noexcept override {
        for (auto rest = packets; !rest.empty();) {
            const std::size_t n = batch_.fill(rest);
            if (n == 0) {  // a chain of more segments than a batch holds
                ++tally.errors;
                rest = rest.subspan(1);
                continue;
            }
            push(batch_.messages(), rest, tally);
            rest = rest.subspan(n);
        }
        for (Packet* packet : packets) rte_pktmbuf_free(mbuf_of(packet));
    }

  private:
    void push(std::span<mmsghdr> messages, std::span<Packet* const> packets,
              TxTally& tally) noexcept {
        std::size_t done = 0;
        int waits = 0;
        while (done < messages.size()) {
            const int sent =
                ::sendmmsg(fd_.get(), &messages[done],
                           static_cast<unsigned>(messages.size() - done), MSG_DONTWAIT);
            if (sent > 0) {
                for (const auto end = done + static_cast<std::size_t>(sent); done < end; ++done) {
                    ++tally.packets;
                    tally.bytes += packets[done]->size;
                }
                continue;
            }
            if (errno == EINTR) continue;
            if (errno == EAGAIN && waits++ < kWaits && wait_for_room()) continue;
            count_refusal(errno, tally);
            ++done;  // the first message is the one refused
        }
    }

    /// A short wait when the device's queue is behind; a longer one would hold up other ports.
    [[nodiscard]] bool wait_for_room() const noexcept {
        pollfd poll{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
        constexpr timespec kWait{.tv_sec = 0, .tv_nsec = 20'000};
        return ::ppoll(&poll, 1, &kWait, nullptr) > 0;
    }

    static constexpr int kWaits = 2;
    Fd fd_;
    VnetBatch batch_;
};

}  // namespace

Result<std::unique_ptr<Port>> AfPacketPort::open(std::uint32_t ifindex, PortSlot slot,
                                                 std::uint16_t queues, std::uint8_t workers,
                                                 std::uint32_t buffer) {
    std::unique_ptr<AfPacketPort> port(new AfPacketPort);
    Fanout group;
    for (std::uint16_t q = 0; q < queues; ++q) {
        TRY_ASSIGN(Fd fd, open_packet_rx(ifindex, buffer));
        if (queues > 1) {
            TRY_ASSIGN(group, join_fanout(fd, group));
        }
        port->rx_.push_back(std::make_unique<SocketRx>(std::move(fd), slot));
    }
    for (std::uint8_t w = 0; w < workers; ++w) {
        TRY_ASSIGN(Fd fd, open_packet_tx(ifindex));
        port->tx_.push_back(std::make_unique<SocketTx>(std::move(fd)));
    }
    return port;
}

}  // namespace raicho::io
