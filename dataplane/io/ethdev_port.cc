// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/ethdev_port.h"

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_log.h>
#include <rte_spinlock.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cstring>

#include "base/handle.h"
#include "base/log.h"
#include "base/text.h"
#include "dataplane/io/driver_library.h"
#include "dataplane/io/receive_set.h"
#include "dataplane/io/vnet_send.h"

namespace raicho::io {
namespace {

constexpr std::uint16_t kRxRing = 512;
constexpr std::uint16_t kTxRing = 512;

class DeviceRx final : public RxQueue {
  public:
    /// `interrupts` is an epoll descriptor with the queue's interrupt in it, or empty.
    DeviceRx(std::uint16_t port, std::uint16_t queue, PortSlot slot, Fd interrupts)
        : port_(port), queue_(queue), slot_(slot), interrupts_(std::move(interrupts)) {}
    ~DeviceRx() override {
        if (interrupts_)
            rte_eth_dev_rx_intr_ctl_q(port_, queue_, interrupts_.get(), RTE_INTR_EVENT_DEL,
                                      nullptr);
    }

    std::size_t receive(ReceiveSet&, std::span<Packet*> out, RxTally&) noexcept override {
        std::array<rte_mbuf*, pipeline::kMaxBurst> mbufs;
        const auto most = static_cast<std::uint16_t>(std::min(out.size(), mbufs.size()));
        const std::uint16_t n = rte_eth_rx_burst(port_, queue_, mbufs.data(), most);
        for (std::uint16_t i = 0; i < n; ++i) {
            if (i + 1 < n) rte_prefetch0(rte_pktmbuf_mtod(mbufs[i + 1], void*));
            describe(mbufs[i], slot_);
            out[i] = packet_of(mbufs[i]);
        }
        return n;
    }
    [[nodiscard]] Wait wait() const noexcept override {
        return interrupts_ ? Wait::interrupt : Wait::poll;
    }
    [[nodiscard]] int fd() const noexcept override { return interrupts_.get(); }
    void arm() noexcept override {
        if (interrupts_) rte_eth_dev_rx_intr_enable(port_, queue_);
    }
    void disarm() noexcept override {
        if (!interrupts_) return;
        rte_eth_dev_rx_intr_disable(port_, queue_);
        rte_epoll_event event{};  // takes the interrupt out of its descriptor
        rte_epoll_wait(interrupts_.get(), &event, 1, 0);
    }
    void collect(RxTally& tally) noexcept override {
        if (queue_ != 0) return;  // the device counts for all its queues
        rte_eth_stats stats{};
        if (rte_eth_stats_get(port_, &stats) != 0) return;
        const std::uint64_t dropped = stats.imissed + stats.rx_nombuf;
        tally.dropped += dropped - dropped_;
        tally.errors += stats.ierrors - errors_;
        dropped_ = dropped;
        errors_ = stats.ierrors;
    }

  private:
    std::uint16_t port_;
    std::uint16_t queue_;
    PortSlot slot_;
    Fd interrupts_;
    std::uint64_t dropped_ = 0;
    std::uint64_t errors_ = 0;
};

/// Whether other workers send into the same queue of the device.
enum class Sharing : std::uint8_t { own, shared };
/// Whether the device sends chains of buffers.
enum class Chains : std::uint8_t { sent, flattened };

class DeviceTx final : public TxQueue {
  public:
    DeviceTx(std::uint16_t port, std::uint16_t queue, std::shared_ptr<rte_spinlock_t> lock,
             Sharing sharing, Chains chains, const Buffers& buffers)
        : port_(port),
          queue_(queue),
          lock_(std::move(lock)),
          sharing_(sharing),
          chains_(chains),
          buffers_(buffers) {}

    void send(std::span<Packet* const> packets, TxTally& tally) noexcept override {
        std::array<rte_mbuf*, kTxBatch> mbufs;
        for (auto rest = packets; !rest.empty();) {
            const std::size_t n = std::min(rest.size(), kTxBatch);
            std::size_t ready = 0;
            std::uint64_t bytes = 0;
            for (Packet* packet : rest.first(n)) {
                rte_mbuf* mbuf = mbuf_of(packet);
                if (mbuf->nb_segs != 1 && chains_ == Chains::flattened) [[unlikely]] {
                    mbuf = flatten(mbuf, tally);
                    if (mbuf == nullptr) continue;
                }
                mbuf->ol_flags = 0;
                bytes += mbuf->pkt_len;
                mbufs[ready++] = mbuf;
            }
            push({mbufs.data(), ready}, bytes, tally);
            rest = rest.subspan(n);
        }
    }

  private:
    rte_mbuf* flatten(rte_mbuf* chain, TxTally& tally) const noexcept {
        rte_mbuf* flat = buffers_.flatten(chain);
        if (flat == nullptr) ++tally.errors;
        rte_pktmbuf_free(chain);
        return flat;
    }
    /// `bytes` of all together.
    void push(std::span<rte_mbuf*> mbufs, std::uint64_t bytes, TxTally& tally) noexcept {
        if (sharing_ == Sharing::shared) rte_spinlock_lock(lock_.get());
        std::size_t sent = 0;
        for (int tries = 0; sent < mbufs.size() && tries < kTries; ++tries)
            sent += rte_eth_tx_burst(port_, queue_, &mbufs[sent],
                                     static_cast<std::uint16_t>(mbufs.size() - sent));
        if (sharing_ == Sharing::shared) rte_spinlock_unlock(lock_.get());
        tally.packets += sent;
        tally.bytes += bytes;
        tally.full += mbufs.size() - sent;
        for (rte_mbuf* unsent : mbufs.subspan(sent)) {
            tally.bytes -= unsent->pkt_len;
            rte_pktmbuf_free(unsent);
        }
    }

    static constexpr int kTries = 4;
    std::uint16_t port_;
    std::uint16_t queue_;
    std::shared_ptr<rte_spinlock_t> lock_;
    Sharing sharing_;
    Chains chains_;
    const Buffers& buffers_;
};

std::unexpected<Error> refuse(const PortSettings& settings, std::string_view what, int code) {
    return std::unexpected(Error{format("device \"{}\": {}: {}", settings.device, what,
                                        rte_strerror(code < 0 ? -code : code)),
                                 {},
                                 code < 0 ? -code : code});
}

/// The number the device got when it was plugged in.
std::optional<std::uint16_t> find_port(const std::string& device) {
    rte_dev_iterator iterator{};
    std::optional<std::uint16_t> found;
    std::uint16_t id = 0;
    RTE_ETH_FOREACH_MATCHING_DEV(id, device.c_str(), &iterator) {
        found = id;
        rte_eth_iterator_cleanup(&iterator);
        break;
    }
    return found;
}

/// While it lives the ethdev library says nothing: for questions whose `no` is no error.
class QuietEthdev {
  public:
    QuietEthdev() : type_(rte_log_register("lib.ethdev")), level_(rte_log_get_level(number())) {
        rte_log_set_level(number(), RTE_LOG_EMERG);
    }
    ~QuietEthdev() { rte_log_set_level(number(), static_cast<std::uint32_t>(level_)); }
    QuietEthdev(const QuietEthdev&) = delete;
    QuietEthdev& operator=(const QuietEthdev&) = delete;

  private:
    [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(type_); }
    int type_;
    int level_;
};

/// An epoll descriptor that becomes readable with the queue's interrupt; empty when the device has
/// none.
Fd interrupt_of(std::uint16_t port, std::uint16_t queue) {
    Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
    const QuietEthdev quiet;
    if (epoll &&
        rte_eth_dev_rx_intr_ctl_q(port, queue, epoll.get(), RTE_INTR_EVENT_ADD, nullptr) != 0)
        return {};
    return epoll;
}

std::uint16_t ring_size(std::uint16_t usual, const rte_eth_desc_lim& limit) {
    if (limit.nb_max == 0) return usual;
    return std::clamp(usual, limit.nb_min, limit.nb_max);
}

}  // namespace

Result<std::unique_ptr<EthdevPort>> EthdevPort::open(const PortSettings& settings,
                                                     const Buffers& buffers, std::uint8_t workers) {
    if (rte_eth_dev_count_total() >= RTE_MAX_ETHPORTS)
        return fail(format("device \"{}\": all {} devices that DPDK has room for are in use",
                           settings.device, RTE_MAX_ETHPORTS),
                    "delete one, or use device af-packet or tap: they take no such room");
    const std::string name = settings.device.substr(0, settings.device.find(','));
    std::uint16_t taken = 0;
    if (rte_eth_dev_get_port_by_name(name.c_str(), &taken) == 0)
        return fail(format("device \"{}\": {} is in use by another port", settings.device, name));
    const auto loaded = load_driver(settings.device);
    const int code = rte_dev_probe(settings.device.c_str());
    if (code < 0) {
        auto error = refuse(settings, "it cannot be plugged in", code);
        if (!loaded)
            error.error().hint = loaded.error().text;
        else if (is_bus_address(settings.device))
            error.error().hint = format(
                "is it there and bound to vfio-pci? `dpdk-devbind.py --status` tells, "
                "`dpdk-devbind.py -b vfio-pci {}` binds it",
                name);
        else
            error.error().hint = "the lines of the log before this one say why";
        return error;
    }
    const auto id = find_port(settings.device);
    if (!id) return fail(format("device \"{}\": it is no network device", settings.device));
    std::unique_ptr<EthdevPort> port(new EthdevPort);
    port->id_ = *id;
    TRY(port->configure(settings, buffers, workers));
    return port;
}

Result<void> EthdevPort::configure(const PortSettings& settings, const Buffers& buffers,
                                   std::uint8_t workers) {
    rte_eth_dev_info info{};
    if (const int code = rte_eth_dev_info_get(id_, &info); code != 0)
        return refuse(settings, "its properties", code);
    device_ = info.device;
    const auto wanted =
        static_cast<std::uint16_t>(settings.queues != 0 ? settings.queues : workers);
    const std::uint16_t n_rx = std::min({wanted, info.max_rx_queues, std::uint16_t{workers}});
    const std::uint16_t n_tx = std::min<std::uint16_t>(workers, info.max_tx_queues);
    if (n_rx == 0 || n_tx == 0)
        return fail(format("device \"{}\": it has no queues", settings.device));

    rte_eth_conf conf{};
    if (n_rx > 1) {
        conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        conf.rx_adv_conf.rss_conf.rss_hf =
            (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP) &
            info.flow_type_rss_offloads;
    }
    const Chains chains = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0
                              ? Chains::sent
                              : Chains::flattened;
    if (chains == Chains::sent) conf.txmode.offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
    conf.rxmode.offloads = info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
    if (settings.mtu != 0) conf.rxmode.mtu = settings.mtu;
    conf.intr_conf.rxq = 1;
    int code = 0;
    {
        const QuietEthdev quiet;
        code = rte_eth_dev_configure(id_, n_rx, n_tx, &conf);
    }
    const bool interrupts = code == 0;
    if (!interrupts) {
        conf.intr_conf.rxq = 0;
        code = rte_eth_dev_configure(id_, n_rx, n_tx, &conf);
    }
    if (code != 0) return refuse(settings, "it cannot be configured", code);
    const int socket = rte_eth_dev_socket_id(id_);
    const auto numa = static_cast<unsigned>(socket < 0 ? 0 : socket);
    for (std::uint16_t q = 0; q < n_rx; ++q) {
        code = rte_eth_rx_queue_setup(id_, q, ring_size(kRxRing, info.rx_desc_lim), numa, nullptr,
                                      buffers.small());
        if (code != 0) return refuse(settings, "its receive queue", code);
    }
    for (std::uint16_t q = 0; q < n_tx; ++q) {
        code = rte_eth_tx_queue_setup(id_, q, ring_size(kTxRing, info.tx_desc_lim), numa, nullptr);
        if (code != 0) return refuse(settings, "its send queue", code);
    }
    if (settings.mac) {
        rte_ether_addr mac;
        std::memcpy(mac.addr_bytes, settings.mac->bytes.data(), sizeof mac.addr_bytes);
        code = rte_eth_dev_default_mac_addr_set(id_, &mac);
        if (code != 0) return refuse(settings, "its address cannot be set", code);
    }
    code = rte_eth_dev_start(id_);
    if (code != 0) return refuse(settings, "it does not start", code);
    stage_ = Stage::started;
    // devices that are always promiscuous, or cannot be, answer ENOTSUP
    if (code = rte_eth_promiscuous_enable(id_); code != 0 && code != -ENOTSUP)
        LOG(warning, "port", "{}: not promiscuous: {}", settings.name, rte_strerror(-code));

    for (std::uint16_t q = 0; q < n_rx; ++q) {
        rx_.push_back(std::make_unique<DeviceRx>(id_, q, settings.slot,
                                                 interrupts ? interrupt_of(id_, q) : Fd()));
    }
    std::vector<std::shared_ptr<rte_spinlock_t>> locks;
    for (std::uint16_t q = 0; q < n_tx; ++q)
        locks.push_back(std::make_shared<rte_spinlock_t>());  // zero: free
    for (std::uint8_t w = 0; w < workers; ++w) {
        const auto q = static_cast<std::uint16_t>(w % n_tx);
        tx_.push_back(std::make_unique<DeviceTx>(
            id_, q, locks[q], n_tx < workers ? Sharing::shared : Sharing::own, chains, buffers));
    }
    return {};
}

EthdevPort::~EthdevPort() {
    if (id_ == 0xffff) return;
    rx_.clear();
    if (stage_ == Stage::started) rte_eth_dev_stop(id_);
    rte_eth_dev_close(id_);
    if (device_ != nullptr) rte_dev_remove(device_);
}

PortState EthdevPort::state() const {
    PortState state;
    rte_eth_link link{};
    rte_eth_link_get_nowait(id_, &link);
    state.health =
        link.link_status == RTE_ETH_LINK_UP ? shm::PortHealth::up : shm::PortHealth::down;
    if (state.health == shm::PortHealth::down) state.text = "no link";
    if (link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN) state.speed_mbps = link.link_speed;
    std::uint16_t mtu = 0;
    if (rte_eth_dev_get_mtu(id_, &mtu) == 0) state.mtu = mtu;
    rte_ether_addr mac{};
    if (rte_eth_macaddr_get(id_, &mac) == 0)
        std::memcpy(state.mac.bytes.data(), mac.addr_bytes, sizeof mac.addr_bytes);
    return state;
}

Result<void> EthdevPort::set_mtu(std::uint16_t mtu) {
    if (const int code = rte_eth_dev_set_mtu(id_, mtu); code != 0)
        return fail_errno(format("set the MTU to {}", mtu), -code);
    return {};
}

}  // namespace raicho::io
