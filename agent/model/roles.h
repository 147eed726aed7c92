// SPDX-License-Identifier: Apache-2.0
// Roles of controllers (OF 1.3.5 §6.3.5, §7.3.9) and which asynchronous message goes to whom
// (§7.3.10). Pure: who is connected is the datapath's business.
#pragma once

#include <optional>

#include "openflow/message.h"

namespace raicho::agent {

/// What a connection gets until it says otherwise: equal and master everything, a slave port-status
/// only (§7.3.10).
[[nodiscard]] openflow::AsyncConfig default_async();

/// Whether a controller of that role wants the message; true for what is not asynchronous.
[[nodiscard]] bool wants(const openflow::AsyncConfig& config, openflow::ControllerRole role,
                         const openflow::Message& message);

/// Whether the message changes the switch or sends packets, which a slave may not (§6.3.5).
[[nodiscard]] bool changes(const openflow::Message& message);

/// The newest generation of mastership that any controller has shown.
class Generation {
  public:
    /// A request for master or slave with that id. Errors: RoleRequestFailed::stale.
    [[nodiscard]] openflow::OfResult<void> see(std::uint64_t id);
    /// The newest one, all ones before the first (§7.3.9).
    [[nodiscard]] std::uint64_t newest() const { return newest_.value_or(~0ull); }

  private:
    std::optional<std::uint64_t> newest_;
};

}  // namespace raicho::agent
