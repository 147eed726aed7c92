// SPDX-License-Identifier: Apache-2.0
// Port kind null: swallows what it is given, never receives. For benchmarks and rows that keep a
// number occupied.
#pragma once

#include <memory>

#include "dataplane/io/port.h"

namespace raicho::io {

class NullPort final : public Port {
  public:
    NullPort() : Port(pipeline::Offload::large) {}

    [[nodiscard]] std::span<const std::unique_ptr<RxQueue>> rx() const noexcept override {
        return {};
    }
    [[nodiscard]] TxQueue& tx(WorkerId) noexcept override { return sink_; }

  private:
    class Sink final : public TxQueue {
      public:
        void send(std::span<Packet* const> packets, TxTally& tally) noexcept override {
            for (Packet* packet : packets) {
                ++tally.packets;
                tally.bytes += packet->size;
                rte_pktmbuf_free(mbuf_of(packet));
            }
        }
    };
    Sink sink_;
};

}  // namespace raicho::io
