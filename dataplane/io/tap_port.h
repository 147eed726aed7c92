// SPDX-License-Identifier: Apache-2.0
// Port kinds tap and local: a host interface of ours, made by /dev/net/tun. Persistent, so that
// addresses on it survive the death of the dataplane; its alias says which run directory it belongs
// to, so that only what we made is ever removed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/handle.h"
#include "dataplane/io/netlink.h"
#include "dataplane/io/port.h"

namespace raicho::io {

/// The alias of taps that the dataplane of this run directory made: `raicho RUNDIR`.
[[nodiscard]] std::string tap_alias(std::string_view rundir);

class TapPort final : public Port {
  public:
    /// Makes the tap, or takes over the persistent one of that name, and sets it up.
    static Result<std::unique_ptr<Port>> open(Netlink& netlink, const PortSettings& settings,
                                              const std::string& interface, std::string_view rundir,
                                              std::uint8_t workers);
    /// Removes the interface when we made it; a persistent tap of someone else stays.
    ~TapPort() override;

    [[nodiscard]] std::span<const std::unique_ptr<RxQueue>> rx() const noexcept override {
        return rx_;
    }
    [[nodiscard]] TxQueue& tx(WorkerId worker) noexcept override { return *tx_[worker.value()]; }

  private:
    explicit TapPort(Fd fd) : Port(pipeline::Offload::large), fd_(std::move(fd)) {}

    Fd fd_;
    enum class Owner : std::uint8_t { other, us } owner_ = Owner::other;
    std::vector<std::unique_ptr<RxQueue>> rx_;
    std::vector<std::unique_ptr<TxQueue>> tx_;
};

}  // namespace raicho::io
