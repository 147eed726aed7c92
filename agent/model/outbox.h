// SPDX-License-Identifier: Apache-2.0
// Where the model puts messages for controllers. Production: the bounded queues of agent/channel;
// tests: a vector. It calls nothing of the datapath: a connection that breaks while sending is
// reported by disconnected() later, from the loop.
#pragma once

#include <span>

#include "agent/model/types.h"
#include "base/bytes.h"
#include "openflow/error.h"
#include "openflow/message.h"

namespace raicho::agent {

class Outbox {
  public:
    virtual ~Outbox() = default;

    /// Queues an answer. A connection that is gone takes nothing and says nothing.
    virtual void send(ConnectionId to, std::uint32_t xid, const openflow::Message& message) = 0;

    /// Answers `request` (its first bytes suffice) with the error; what it says beside the code is
    /// for the operator.
    virtual void refuse(ConnectionId to, std::uint32_t xid, const openflow::OfpError& error,
                        Bytes request) = 0;

    /// Queues an asynchronous message (xid 0) for each of `to`; what the bounded queue of a slow
    /// controller cannot take is dropped for that one alone.
    virtual void send_all(std::span<const ConnectionId> to, const openflow::Message& message) = 0;

    /// False while the connection's queue is above its high-water mark: long multipart replies
    /// pause until a tick() finds it true again. A connection that is gone is not writable.
    [[nodiscard]] virtual bool writable(ConnectionId to) const = 0;
};

}  // namespace raicho::agent
