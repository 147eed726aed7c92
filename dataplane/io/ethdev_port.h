// SPDX-License-Identifier: Apache-2.0
// Port kind ethdev: any DPDK device by its device string (`net_pcap0,iface=eth1`, `net_null0`, a
// PCI address). DPDK as Debian builds it has room for 32 of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataplane/io/port.h"

struct rte_device;

namespace raicho::io {

class Buffers;

class EthdevPort final : public Port {
  public:
    /// Plugs the device in and starts it. Queues: settings.queues, else one a worker, at most what
    /// the device has.
    static Result<std::unique_ptr<EthdevPort>> open(const PortSettings& settings,
                                                    const Buffers& buffers, std::uint8_t workers);
    /// Stops and unplugs.
    ~EthdevPort() override;

    [[nodiscard]] std::span<const std::unique_ptr<RxQueue>> rx() const noexcept override {
        return rx_;
    }
    [[nodiscard]] TxQueue& tx(WorkerId worker) noexcept override { return *tx_[worker.value()]; }

    /// Asks the device.
    [[nodiscard]] PortState state() const;
    [[nodiscard]] Result<void> set_mtu(std::uint16_t mtu);

  private:
    EthdevPort() : Port(pipeline::Offload::none) {}
    Result<void> configure(const PortSettings& settings, const Buffers& buffers,
                           std::uint8_t workers);

    std::uint16_t id_ = 0xffff;
    rte_device* device_ = nullptr;
    enum class Stage : std::uint8_t { plugged, started } stage_ = Stage::plugged;
    std::vector<std::unique_ptr<RxQueue>> rx_;
    std::vector<std::unique_ptr<TxQueue>> tx_;
};

}  // namespace raicho::io
