// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/auxiliary.h"

#include <chrono>
#include <utility>

#include "agent/channel/network.h"

namespace raicho::agent {

using boost::system::error_code;

Auxiliary::Auxiliary(boost::asio::any_io_executor executor, const Tcp::endpoint& peer,
                     std::string source, std::uint8_t id, Time retry, Connected connected)
    : peer_(peer),
      source_(std::move(source)),
      id_(id),
      retry_(retry),
      make_connection_(std::move(connected)),
      socket_(executor),
      timer_(executor) {
    connect();
}

Auxiliary::~Auxiliary() {
    if (connection_) connection_->drop();
}

void Auxiliary::connect() {
    if (bind_source(socket_, source_, peer_)) return wait();
    socket_.async_connect(peer_,
                          [this, alive = std::weak_ptr<int>(alive_)](const error_code& error) {
                              if (alive.expired()) return;
                              if (error) return wait();
                              connection_ = make_connection_(std::move(socket_));
                          });
}

void Auxiliary::lost() {
    connection_.reset();
    wait();
}

void Auxiliary::wait() {
    error_code ignored;
    socket_.close(ignored);
    timer_.expires_after(std::chrono::nanoseconds(retry_));
    timer_.async_wait([this, alive = std::weak_ptr<int>(alive_)](const error_code& cancelled) {
        if (!alive.expired() && !cancelled) connect();
    });
}

}  // namespace raicho::agent
