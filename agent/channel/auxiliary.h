// SPDX-License-Identifier: Apache-2.0
// One auxiliary connection of a controller (OF 1.3.5 §6.3.6): connects to where the main connection
// leads, and again when it is lost. It lives as long as the main session does; channel.h owns it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/channel/connection.h"

namespace raicho::agent {

class Auxiliary {
  public:
    using Tcp = boost::asio::ip::tcp;
    /// Makes a Connection of a connected socket.
    using Connected = std::function<std::shared_ptr<Connection>(Tcp::socket)>;

    /// Starts to connect to `peer` from the local address `source` (empty: the host's choice);
    /// tries again after `retry`. `id` is 1 to 255.
    Auxiliary(boost::asio::any_io_executor executor, const Tcp::endpoint& peer, std::string source,
              std::uint8_t id, Time retry, Connected connected);
    /// Drops the connection, if any, without a further call.
    ~Auxiliary();
    Auxiliary(const Auxiliary&) = delete;
    Auxiliary& operator=(const Auxiliary&) = delete;

    [[nodiscard]] std::uint8_t id() const { return id_; }
    [[nodiscard]] const Connection* connection() const { return connection_.get(); }
    /// Its connection ended: the next try waits.
    void lost();

  private:
    void connect();
    void wait();

    Tcp::endpoint peer_;
    std::string source_;
    std::uint8_t id_;
    Time retry_;
    Connected make_connection_;
    Tcp::socket socket_;
    boost::asio::steady_timer timer_;
    std::shared_ptr<Connection> connection_;
    /// Expires with this object: callbacks that outlive it ask it.
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace raicho::agent
