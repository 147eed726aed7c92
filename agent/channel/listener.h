// SPDX-License-Identifier: Apache-2.0
// One passive endpoint of a bridge: accepts connections and hands their sockets on. Which
// addresses may be listened on is checked by dsl, not here.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>

#include "agent/channel/endpoint.h"
#include "agent/model/types.h"
#include "base/error.h"

namespace raicho::agent {

struct ListenerConfig {
    Endpoint endpoint;  // a numeric address; port 0: the kernel chooses
    Time probe_interval = 5 * kSecond;
    friend bool operator==(const ListenerConfig&, const ListenerConfig&) = default;
};

class Listener {
  public:
    using Tcp = boost::asio::ip::tcp;
    using Accepted = std::function<void(Tcp::socket)>;

    /// Binds and listens. Errors: the address is not numeric, in use, or not ours.
    [[nodiscard]] static Result<std::unique_ptr<Listener>> open(
        boost::asio::any_io_executor executor, const ListenerConfig& config, Accepted accepted);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    [[nodiscard]] const ListenerConfig& config() const { return config_; }
    /// Where it listens in fact (the port that the kernel chose).
    [[nodiscard]] const Endpoint& bound() const { return bound_; }

  private:
    Listener(boost::asio::any_io_executor executor, const ListenerConfig& config,
             Accepted accepted);
    void accept();

    ListenerConfig config_;
    Accepted accepted_;
    Tcp::acceptor acceptor_;
    boost::asio::steady_timer retry_;
    Endpoint bound_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace raicho::agent
