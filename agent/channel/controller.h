// SPDX-License-Identifier: Apache-2.0
// One configured controller of a bridge: resolves, connects, waits, connects again. The session on
// the connection is connection.h's; what came of it is told by established() and lost().
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/channel/connection.h"
#include "agent/channel/endpoint.h"
#include "agent/channel/network.h"
#include "agent/view/channel_view.h"

namespace raicho::agent {

struct ControllerConfig {
    Endpoint endpoint;
    std::string source{};  // local address to connect from; empty = the kernel chooses
    Time min_backoff = 1 * kSecond;
    Time max_backoff = 8 * kSecond;
    Time probe_interval = 5 * kSecond;
    std::uint8_t auxiliary = 0;  // connections beside the main one (OF 1.3.5 §6.3.6)
    friend bool operator==(const ControllerConfig&, const ControllerConfig&) = default;
};

class Controller {
  public:
    using Tcp = boost::asio::ip::tcp;
    /// Makes a Connection of a connected socket.
    using Connected = std::function<std::shared_ptr<Connection>(Tcp::socket)>;

    /// Starts to connect at once. `label` (the bridge's name) is for the log; `network` outlives
    /// the controller.
    Controller(boost::asio::any_io_executor executor, Network& network, std::string label,
               const ControllerConfig& config, Connected connected);
    /// Drops the connection, if any, without a further call.
    ~Controller();
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    [[nodiscard]] const ControllerConfig& config() const { return config_; }
    [[nodiscard]] const Connection* connection() const { return connection_.get(); }
    [[nodiscard]] bool up() const { return state_ == State::up; }

    /// New times for the same endpoint and source.
    void change(const ControllerConfig& config);
    /// Its connection agreed on the version.
    void established();
    /// Its connection ended: the next try waits.
    void lost(const std::string& reason);

    [[nodiscard]] ControllerView view() const;

  private:
    enum class State : std::uint8_t { resolving, connecting, hello, up, waiting };

    void enter(State state);
    void resolve();
    void connect(std::size_t index);
    void next_address(std::size_t index, const boost::system::error_code& error);
    void connected(Tcp::socket socket);
    void wait(std::string why);
    void look_at_old_port(const Tcp::endpoint& refused);

    boost::asio::any_io_executor executor_;
    Network& network_;
    std::string label_;
    ControllerConfig config_;
    Connected make_connection_;
    State state_ = State::resolving;
    Time since_;
    boost::asio::steady_timer timer_;
    std::unique_ptr<Tcp::socket> socket_;
    std::unique_ptr<Tcp::socket> old_port_socket_;
    std::vector<Tcp::endpoint> addresses_;
    std::shared_ptr<Connection> connection_;
    Time backoff_;
    Time attempt_began_ = 0;
    Time next_try_ = 0;
    std::string why_waiting_;
    std::string old_port_hint_;
    std::string last_error_;
    std::uint64_t attempts_ = 0;
    std::uint64_t packet_ins_dropped_ = 0;  // of connections that ended
    /// Expires with this object: callbacks that outlive a try ask it.
    std::shared_ptr<int> self_ = std::make_shared<int>(0);
    /// The current try; callbacks of an older one hold an expired reference.
    std::shared_ptr<int> try_;
};

}  // namespace raicho::agent
