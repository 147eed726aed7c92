// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/tap_port.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "dataplane/io/receive_set.h"
#include "dataplane/io/vnet_send.h"

namespace raicho::io {
namespace {

// absent from Debian 12's headers; kernels from 6.2 on know them
constexpr unsigned kTunUdpSegments = 0x20 | 0x40;  // TUN_F_USO4 | TUN_F_USO6

class TapRx final : public RxQueue {
  public:
    TapRx(int fd, PortSlot slot) : fd_(fd), slot_(slot) {}

    std::size_t receive(ReceiveSet& set, std::span<Packet*> out, RxTally& tally) noexcept override {
        const std::size_t ready = set.refill();
        std::size_t taken = 0;
        for (std::size_t i = 0; i < ready; ++i) {
            const std::span<iovec> vectors = set.vectors(i);
            const ssize_t size = ::readv(fd_, vectors.data(), static_cast<int>(vectors.size()));
            if (size < 0) break;
            // a tap cuts what does not fit, without a word; the last slots may lack the large
            // buffer
            if (vectors.size() < 3 &&
                static_cast<std::size_t>(size) >= sizeof(VnetHeader) + kFirstBytes) {
                ++tally.dropped;
                continue;
            }
            Packet* packet = nullptr;
            if (static_cast<std::size_t>(size) > sizeof(VnetHeader))
                packet = set.take(i, static_cast<std::size_t>(size) - sizeof(VnetHeader), slot_);
            if (packet == nullptr)
                ++tally.errors;
            else
                out[taken++] = packet;
        }
        return taken;
    }
    [[nodiscard]] Wait wait() const noexcept override { return Wait::descriptor; }
    [[nodiscard]] int fd() const noexcept override { return fd_; }

  private:
    int fd_;
    PortSlot slot_;
};

/// The kernel takes writes of several workers at a time: they share the descriptor.
class TapTx final : public TxQueue {
  public:
    explicit TapTx(int fd) : fd_(fd) {}

    void send(std::span<Packet* const> packets, TxTally& tally) noexcept override {
        for (auto rest = packets; !rest.empty();) {
            const std::size_t n = batch_.fill(rest);
            for (std::size_t i = 0; i < n; ++i) {
                const msghdr& message = batch_.messages()[i].msg_hdr;
                const ssize_t size =
                    ::writev(fd_, message.msg_iov, static_cast<int>(message.msg_iovlen));
                if (size < 0) {
                    count_refusal(errno, tally);
                } else {
                    ++tally.packets;
                    tally.bytes += rest[i]->size;
                }
            }
            if (n == 0) ++tally.errors;  // a chain of more segments than a batch holds
            rest = rest.subspan(std::max<std::size_t>(n, 1));
        }
        for (Packet* packet : packets) rte_pktmbuf_free(mbuf_of(packet));
    }

  private:
    int fd_;
    VnetBatch batch_;
};

Result<void> attach(const Fd& fd, const std::string& interface) {
    ifreq request{};
    std::memcpy(request.ifr_name, interface.data(), interface.size());
    request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
    if (::ioctl(fd.get(), TUNSETIFF, &request) == 0) {
        // a persistent tap keeps the size that its last user chose
        int header = sizeof(VnetHeader);
        if (::ioctl(fd.get(), TUNSETVNETHDRSZ, &header) == 0) return {};
        return fail_errno(format("tap {}: offload header", interface), errno);
    }
    const int code = errno;
    auto error = fail_errno(format("tap {}", interface), code);
    if (code == EBUSY)
        error.error().hint = "another program has this tap open: stop it, or name another tap";
    else if (code == EINVAL)
        error.error().hint = "an interface of this name exists and is no tap: name another";
    else if (code == EPERM || code == EACCES)
        error.error().hint = "raicho-dataplane needs root or CAP_NET_ADMIN";
    return error;
}

/// Checksums and large frames stay unfinished on the way to us.
Result<void> offer_offloads(const Fd& fd, const std::string& interface) {
    constexpr unsigned kBasic = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
    for (const unsigned offloads : {kBasic | kTunUdpSegments, kBasic})
        if (::ioctl(fd.get(), TUNSETOFFLOAD, static_cast<unsigned long>(offloads)) == 0) return {};
    return fail_errno(format("tap {}: offloads", interface), errno);
}

}  // namespace

std::string tap_alias(std::string_view rundir) {
    return format("raicho {}", rundir);
}

Result<std::unique_ptr<Port>> TapPort::open(Netlink& netlink, const PortSettings& settings,
                                            const std::string& interface, std::string_view rundir,
                                            std::uint8_t workers) {
    if (interface.empty() || interface.size() >= IFNAMSIZ)
        return fail(format("tap \"{}\": an interface name has 1 to {} characters", interface,
                           IFNAMSIZ - 1));
    TRY_ASSIGN(const auto before, netlink.link(interface));
    Fd fd(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!fd) {
        auto error = fail_errno("open /dev/net/tun", errno);
        error.error().hint = "load the module: modprobe tun";
        return error;
    }
    TRY(attach(fd, interface));
    std::unique_ptr<TapPort> port(new TapPort(std::move(fd)));
    TRY(offer_offloads(port->fd_, interface));
    TRY_ASSIGN(const auto link, netlink.link(interface));
    if (!link) return fail(format("tap {}: it went away while it was opened", interface));
    const std::string alias = tap_alias(rundir);
    if (!before) {
        // the alias first: a persistent tap of ours is never without it
        TRY(netlink.set_alias(link->ifindex, alias));
        port->owner_ = Owner::us;
        if (::ioctl(port->fd_.get(), TUNSETPERSIST, 1UL) != 0)
            return fail_errno(format("tap {}: make it persistent", interface), errno);
    } else if (link->alias == alias) {
        port->owner_ = Owner::us;
    }
    if (settings.mac && *settings.mac != link->mac)
        TRY(netlink.set_mac(link->ifindex, *settings.mac));
    TRY(netlink.set_up(link->ifindex));
    port->rx_.push_back(std::make_unique<TapRx>(port->fd_.get(), settings.slot));
    for (std::uint8_t w = 0; w < workers; ++w)
        port->tx_.push_back(std::make_unique<TapTx>(port->fd_.get()));
    return port;
}

TapPort::~TapPort() {
    if (owner_ == Owner::us) ::ioctl(fd_.get(), TUNSETPERSIST, 0UL);
}

}  // namespace raicho::io
