// SPDX-License-Identifier: Apache-2.0
// One TCP connection to a controller: moves bytes between a socket and a WireSession, bounds what
// waits to be sent, keeps the times. Active or passive makes no difference here. Neighbours:
// session.h knows the protocol, controller.h and listener.h make connections, channel.h owns them.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "agent/channel/session.h"
#include "agent/model/types.h"

namespace raicho::agent {

/// What a message is to its sender; decides what happens when the peer does not keep up.
enum class Output : std::uint8_t {
    reply,      // never dropped: the peer's requests wait instead
    async,      // port-status, flow-removed: beyond the bound the connection is closed
    packet_in,  // dropped first, and counted
};

/// Bounds on the bytes that wait for one peer.
struct OutputLimits {
    std::size_t packet_in = 1u << 20;  // more than this waiting: packet-ins are dropped
    std::size_t pause = 4u << 20;      // more than this: no further message of the peer is read
    std::size_t resume = 1u << 20;     // less than this: reading goes on, long replies too
    std::size_t async = 16u << 20;     // this much more since the last reply: closed
};

struct ConnectionConfig {
    SessionConfig session{};
    OutputLimits output{};
    /// Messages handled before every other connection gets its turn.
    std::size_t batch = 256;
};

class Connection;

/// What happens on a connection; Channel implements it. `ended` is the last call.
class ConnectionEvents {
  public:
    virtual void session_up(Connection& connection) = 0;
    virtual void message(Connection& connection, std::uint32_t xid,
                         const openflow::Message& message, Bytes raw) = 0;
    /// False: hand in nothing more until resume().
    [[nodiscard]] virtual bool accepts(const Connection& connection) const = 0;
    /// What waited for the peer went below OutputLimits::resume.
    virtual void drained(Connection& connection) = 0;
    virtual void ended(Connection& connection, const std::string& reason) = 0;

  protected:
    ~ConnectionEvents() = default;
};

/// Shared only with its own pending socket operations, which must outlive a close().
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    using Socket = boost::asio::ip::tcp::socket;

    struct Counts {
        std::uint64_t messages_in = 0;
        std::uint64_t messages_out = 0;
        std::uint64_t packet_ins_dropped = 0;
    };

    /// Takes a connected socket and sends HELLO. `events` must live until ended() was called or
    /// drop() was.
    [[nodiscard]] static std::shared_ptr<Connection> open(Socket socket, ConnectionId id,
                                                          const ConnectionConfig& config,
                                                          ConnectionEvents& events);

    /// Queues a message; it travels at the end of the current turn of the loop.
    void send(Output kind, std::uint32_t xid, const openflow::Message& message);
    /// Queues one message that is encoded already.
    void send_encoded(Output kind, Bytes message);
    /// A request of the peer that is about to be answered with an error: for trouble() and the log.
    void refused(std::uint32_t xid, const openflow::OfpError& error, Bytes request) {
        session_.refused(xid, error, request);
    }
    /// accepts() may have become true again.
    void resume();
    void set_probe_interval(Time interval);
    /// Ends the connection at once without calling ended().
    void drop();

    [[nodiscard]] ConnectionId id() const { return id_; }
    [[nodiscard]] bool up() const { return session_.state() == WireSession::State::up; }
    [[nodiscard]] const std::string& peer() const { return peer_; }
    [[nodiscard]] const Socket::endpoint_type& peer_address() const { return peer_address_; }
    [[nodiscard]] const Counts& counts() const { return counts_; }
    /// The last request that was refused or the last error of the peer; empty = none.
    [[nodiscard]] const std::string& trouble() const { return session_.trouble(); }
    /// Room for more of a long reply.
    [[nodiscard]] bool writable() const { return queued() < config_.output.resume; }
    /// Bytes that wait for the peer.
    [[nodiscard]] std::size_t queued() const {
        return pending_.size() + writing_.size() - written_;
    }

  private:
    Connection(Socket socket, ConnectionId id, const ConnectionConfig& config,
               ConnectionEvents& events);
    bool admit(Output kind);
    void read();
    void take_turn();
    void schedule_turn();
    void schedule_flush();
    void flush();
    void wrote(std::size_t size);
    void arm_timer();
    void on_timer();
    void watch();
    void give_up_after(Time time);
    void doom(std::string reason);
    void end(const std::string& reason);
    void linger();
    void drain();
    void drained(const boost::system::error_code& error);

    Socket socket_;
    ConnectionId id_;
    ConnectionConfig config_;
    ConnectionEvents* events_;
    WireSession session_;
    std::string peer_;
    Socket::endpoint_type peer_address_;
    boost::asio::steady_timer timer_;
    openflow::ByteVector pending_;
    openflow::ByteVector writing_;
    std::size_t written_ = 0;     // of writing_
    std::size_t reply_mark_ = 0;  // queued() right after the last reply
    bool write_running_ = false;
    bool flush_scheduled_ = false;  // or a turn is running, which flushes at its end
    bool turn_scheduled_ = false;
    bool reading_ = false;      // a read into the session's space is under way
    bool doomed_ = false;       // end() is posted
    bool output_full_ = false;  // nothing is read until the peer takes more
    bool refused_ = false;      // nothing is read until the handler accepts more
    Time patience_ = 0;         // give_up_after()
    bool watching_ = false;     // for the end of the connection while nothing is read
    bool lingering_ = false;
    Counts counts_{};
};

/// ns of CLOCK_MONOTONIC.
[[nodiscard]] Time monotonic_now();

/// `tcp:127.0.0.1:6653` of a socket address.
[[nodiscard]] std::string to_text(const boost::asio::ip::tcp::endpoint& address);

}  // namespace raicho::agent
