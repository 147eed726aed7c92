// SPDX-License-Identifier: Apache-2.0
// What a controller asks of the network: addresses of a name, and a connection to one of them. The
// seam at which tests put silence and refusals where no kernel can be told to make them.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>
#include <vector>

#include "agent/channel/endpoint.h"

namespace raicho::agent {

class Network {
  public:
    using Tcp = boost::asio::ip::tcp;
    using Resolved =
        std::function<void(boost::system::error_code, const std::vector<Tcp::endpoint>&)>;
    using Connected = std::function<void(boost::system::error_code)>;

    virtual ~Network() = default;
    /// Looks the host up; `done` is called once, later.
    virtual void resolve(const Endpoint& endpoint, Resolved done) = 0;
    /// Connects `socket`, which lives until `done` was called or it is closed.
    virtual void connect(Tcp::socket& socket, const Tcp::endpoint& to, Connected done) = 0;
};

/// Opens the socket with the local address `source`, an IPv4 or IPv6 address of the host; as the
/// host chooses when it is empty. Error: not an address of the kind that `to` is, or not of the
/// host.
[[nodiscard]] boost::system::error_code bind_source(Network::Tcp::socket& socket,
                                                    const std::string& source,
                                                    const Network::Tcp::endpoint& to);

/// The machine's own: getaddrinfo and connect.
class SystemNetwork final : public Network {
  public:
    explicit SystemNetwork(boost::asio::any_io_executor executor)
        : resolver_(std::move(executor)) {}
    void resolve(const Endpoint& endpoint, Resolved done) override;
    void connect(Tcp::socket& socket, const Tcp::endpoint& to, Connected done) override;

  private:
    Tcp::resolver resolver_;
};

}  // namespace raicho::agent
