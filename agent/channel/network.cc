// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/network.h"

#include <string>
#include <utility>

namespace raicho::agent {

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
