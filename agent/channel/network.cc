// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/network.h"

#include <utility>

namespace raicho::agent {

boost::system::error_code bind_source(Network::Tcp::socket& socket, const std::string& source,
                                      const Network::Tcp::endpoint& to) {
    namespace asio = boost::asio;
    boost::system::error_code error;
    if (source.empty()) return error;
    const asio::ip::address address = asio::ip::make_address(source, error);
    if (error) return error;
    if (address.is_v4() != to.address().is_v4()) return asio::error::address_family_not_supported;
    socket.open(to.protocol(), error);
    if (!error) socket.bind(Network::Tcp::endpoint(address, 0), error);
    return error;
}

void SystemNetwork::resolve(const Endpoint& endpoint, Resolved done) {
    resolver_.async_resolve(endpoint.host, std::to_string(endpoint.port),
                            Tcp::resolver::numeric_service,
                            [done = std::move(done)](boost::system::error_code error,
                                                     const Tcp::resolver::results_type& results) {
                                std::vector<Tcp::endpoint> addresses;
                                for (const auto& result : results)
                                    addresses.push_back(result.endpoint());
                                done(error, addresses);
                            });
}

void SystemNetwork::connect(Tcp::socket& socket, const Tcp::endpoint& to, Connected done) {
    socket.async_connect(to, std::move(done));
}

}  // namespace raicho::agent
