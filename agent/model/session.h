// SPDX-License-Identifier: Apache-2.0
// What the model keeps of one connection: its role and what it wants to hear, the
// barrier, long reply or held message under way, and the messages that wait behind it in order
// (OF 1.3.5 §6.2, §7.3.8).
#pragma once

#include <deque>
#include <optional>
#include <variant>

#include "agent/model/multipart.h"
#include "agent/model/plane.h"
#include "agent/model/roles.h"

namespace raicho::agent {

/// A barrier request that is not answered yet.
struct PendingBarrier {
    std::uint32_t xid = 0;
    BarrierToken token;
    std::uint64_t removals = 0;  // answered once so many flow-removed messages were given
};

/// A message that waits, with its first bytes for the error it may earn.
struct WaitingMessage {
    std::uint32_t xid = 0;
    openflow::Message message;
    openflow::ByteVector raw;
};

/// A change that a store has no room for yet, or a packet-out that the ring has none for: carried
/// out after what a barrier would wait for, or at its deadline.
struct HeldMessage {
    WaitingMessage held;
    PendingBarrier until;
    Time deadline = kNever;
};

class Session {
  public:
    /// Reading stops here; what was read already may come on top.
    static constexpr std::size_t kMaxWaiting = 1024;

    /// `main` is another connection for an auxiliary one (OF 1.3.5 §6.3.6).
    Session(ConnectionId connection, ConnectionId main, std::uint8_t auxiliary_id)
        : connection_(connection), main_(main), auxiliary_id_(auxiliary_id) {}

    [[nodiscard]] ConnectionId connection() const { return connection_; }
    [[nodiscard]] ConnectionId main() const { return main_; }
    [[nodiscard]] std::uint8_t auxiliary_id() const { return auxiliary_id_; }
    [[nodiscard]] bool auxiliary() const { return main_ != connection_; }

    // Of a main connection; its auxiliary ones go by them too.
    openflow::ControllerRole role = openflow::ControllerRole::equal;
    openflow::AsyncConfig async = default_async();

    /// Takes one part of a table-features request (OFPMPF_REQ_MORE); the whole when it was the
    /// last. Errors: BadRequest::multipart_buffer_overflow, after which the parts are forgotten.
    enum class More : bool { no, yes };
    [[nodiscard]] openflow::OfResult<std::optional<std::vector<openflow::TableFeatures>>> collect(
        std::uint32_t xid, std::vector<openflow::TableFeatures> part, More more);

    /// Whether the next message has to wait.
    [[nodiscard]] bool blocked() const { return occupied() || !waiting_.empty(); }
    /// Whether a barrier, a long reply or a held message is under way.
    [[nodiscard]] bool occupied() const {
        return !std::holds_alternative<std::monostate>(occupation_);
    }
    [[nodiscard]] bool accepts() const { return waiting_.size() < kMaxWaiting; }

    void begin(PendingBarrier barrier) { occupation_ = barrier; }
    void begin(HeldMessage held) { occupation_ = std::move(held); }
    void begin(FlowDump dump) { occupation_ = std::move(dump); }
    [[nodiscard]] const PendingBarrier* barrier() const {
        return std::get_if<PendingBarrier>(&occupation_);
    }
    [[nodiscard]] HeldMessage* held() { return std::get_if<HeldMessage>(&occupation_); }
    /// Goes on with the long reply that occupies the session (FlowDump::go_on).
    [[nodiscard]] FlowDump::Progress go_on(const FlowStore& store, Time now, std::size_t limit,
                                           Outbox& outbox) {
        progress_ = std::get<FlowDump>(occupation_).go_on(store, now, limit, outbox);
        return progress_;
    }
    void finish() { occupation_ = std::monostate{}; }
    /// Whether it would go on by itself, without an event of its connection.
    [[nodiscard]] bool wants_poll() const {
        if (std::holds_alternative<FlowDump>(occupation_))
            return progress_ == FlowDump::Progress::limit;
        return occupied();
    }

    void wait(WaitingMessage message) { waiting_.push_back(std::move(message)); }
    [[nodiscard]] std::optional<WaitingMessage> pop_waiting() {
        if (waiting_.empty()) return std::nullopt;
        WaitingMessage message = std::move(waiting_.front());
        waiting_.pop_front();
        return message;
    }

  private:
    struct Collected {
        std::uint32_t xid = 0;
        std::vector<openflow::TableFeatures> tables;
    };

    ConnectionId connection_;
    ConnectionId main_;
    std::uint8_t auxiliary_id_;
    std::optional<Collected> collected_;
    std::variant<std::monostate, PendingBarrier, HeldMessage, FlowDump> occupation_;
    FlowDump::Progress progress_{};  // of the FlowDump
    std::deque<WaitingMessage> waiting_;
};

}  // namespace raicho::agent
