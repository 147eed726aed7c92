// SPDX-License-Identifier: Apache-2.0
// One OpenFlow session, sans-I/O: bytes and the time go in, messages and answers come out. It
// frames the stream, negotiates the version (OF 1.3.5 §6.3.1), answers what cannot be decoded,
// answers and sends echoes (§6.4). It does not know sockets (connection.h) nor what a message
// means (the handler of channel.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/model/types.h"
#include "openflow/codec.h"

namespace raicho::agent {

/// Largest message: the length field has 16 bits.
inline constexpr std::size_t kMaxFrame = 0xffff;

struct SessionConfig {
    /// Silence before an echo request, and again before the peer counts as dead. 0 = never.
    Time probe_interval = 5 * kSecond;
    /// How long a peer may take to send its HELLO.
    Time hello_timeout = 10 * kSecond;
};

class WireSession {
  public:
    enum class State : std::uint8_t { hello, up, closed };
    enum class Step : std::uint8_t {
        starved,  // no whole message is there
        up,       // the version is agreed: the session begins
        message,  // message(), xid() and raw() hold one for the handler
        handled,  // one was dealt with here
        closed,   // the session ended: close_reason() says why, send what is in `out`
    };

    WireSession(const SessionConfig& config, Time now);

    /// Appends our HELLO with its version bitmap to `out`.
    void start(openflow::ByteVector& out);

    /// Room for the next bytes of the peer, never empty while next() is called until `starved`.
    [[nodiscard]] std::span<std::byte> space();
    /// The first `size` bytes of space() were filled.
    void received(std::size_t size, Time now);
    /// Deals with at most one message; answers go to `out`. Call again unless starved or closed.
    [[nodiscard]] Step next(openflow::ByteVector& out);

    /// The message of the last `Step::message`; valid until the next call of next() or space().
    [[nodiscard]] const openflow::Message& message() const { return *message_; }
    [[nodiscard]] std::uint32_t xid() const { return xid_; }
    [[nodiscard]] Bytes raw() const { return raw_; }

    /// The peer is known to live although nothing was read from it.
    void progressed(Time now) { last_sign_ = now; }
    /// Nothing was read from the peer for our own reasons: an echo request that waits for its
    /// answer counts as answered, the next one is sent when it is due.
    void excuse(Time now) {
        if (!probed_) return;
        probed_.reset();
        last_sign_ = now;
    }
    /// A request that is answered with an error: for trouble() and the log.
    void refused(std::uint32_t xid, const openflow::OfpError& error, Bytes request);
    void set_probe_interval(Time interval) { config_.probe_interval = interval; }
    /// Sends the echo request that is due or closes a session whose peer is silent.
    void tick(Time now, openflow::ByteVector& out);
    /// When tick() is due next; kNever without probes.
    [[nodiscard]] Time deadline() const;

    [[nodiscard]] State state() const { return state_; }
    /// Why the session ended, for a person; what the peer said where it said something.
    [[nodiscard]] const std::string& close_reason() const { return close_reason_; }
    /// The last request that was refused, or the last OFPT_ERROR that the peer sent; empty = none.
    [[nodiscard]] const std::string& trouble() const { return trouble_; }

  private:
    Step handle_frame(const openflow::Header& header, Bytes frame, openflow::ByteVector& out);
    Step negotiate(const openflow::Header& header, Bytes frame, openflow::ByteVector& out);
    Step close(std::string reason);

    SessionConfig config_;
    State state_ = State::hello;
    std::vector<std::byte> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::optional<openflow::Message> message_;
    std::uint32_t xid_ = 0;
    Bytes raw_;
    Time last_sign_;
    std::optional<Time> probed_;
    std::uint32_t next_xid_ = 1;
    std::string close_reason_;
    std::string trouble_;
};

/// `1.3 (0x04)`; an unknown number as `0x09`.
[[nodiscard]] std::string version_text(std::uint8_t version);

}  // namespace raicho::agent
