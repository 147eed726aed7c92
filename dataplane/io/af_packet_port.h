// SPDX-License-Identifier: Apache-2.0
// Port kind af-packet: a host interface through packet sockets. One receive socket, or one a
// worker with PACKET_FANOUT when the port asks for queues; one send socket a worker.
#pragma once

#include <memory>
#include <vector>

#include "dataplane/io/port.h"

namespace raicho::io {

class AfPacketPort final : public Port {
  public:
    /// `queues` receive queues of `buffer` bytes (0 = the default); the interface exists and may
    /// be taken.
    static Result<std::unique_ptr<Port>> open(std::uint32_t ifindex, PortSlot slot,
                                              std::uint16_t queues, std::uint8_t workers,
                                              std::uint32_t buffer);

    [[nodiscard]] std::span<const std::unique_ptr<RxQueue>> rx() const noexcept override {
        return rx_;
    }
    [[nodiscard]] TxQueue& tx(WorkerId worker) noexcept override { return *tx_[worker.value()]; }

  private:
    AfPacketPort() : Port(pipeline::Offload::large) {}
    std::vector<std::unique_ptr<RxQueue>> rx_;
    std::vector<std::unique_ptr<TxQueue>> tx_;
};

}  // namespace raicho::io
