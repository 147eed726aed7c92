// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/listener.h"

#include <boost/asio/ip/v6_only.hpp>

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace raicho::agent {

namespace {

using boost::system::error_code;
namespace asio = boost::asio;

/// Out of descriptors: accept() would fail at once again.
constexpr auto kAcceptRetry = std::chrono::milliseconds(100);

}  // namespace

Listener::Listener(asio::any_io_executor executor, const ListenerConfig& config, Accepted accepted)
    : config_(config),
      accepted_(std::move(accepted)),
      acceptor_(executor),
      retry_(executor),
      bound_(config.endpoint) {}

Listener::~Listener() = default;

Result<std::unique_ptr<Listener>> Listener::open(asio::any_io_executor executor,
                                                 const ListenerConfig& config, Accepted accepted) {
    std::unique_ptr<Listener> self(new Listener(executor, config, std::move(accepted)));
    const auto failed = [&](const error_code& error) {
        const bool in_use = error == asio::error::address_in_use;
        return std::unexpected(
            Error{.text = format("listen {}: {}", to_text(config.endpoint), error.message()),
                  .hint = in_use ? "another program listens there (ss -ltnp shows which)" : "",
                  .code = error.value()});
    };
    error_code error;
    const auto address = asio::ip::make_address(config.endpoint.host, error);
    if (error) return failed(error);
    const Tcp::endpoint where(address, config.endpoint.port);
    Tcp::acceptor& acceptor = self->acceptor_;
    acceptor.open(where.protocol(), error);
    if (error) return failed(error);
    acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
    if (where.protocol() == Tcp::v6())
        acceptor.set_option(asio::ip::v6_only(true), error);  // `::` is not also 0.0.0.0
    acceptor.bind(where, error);
    if (error) return failed(error);
    acceptor.listen(Tcp::acceptor::max_listen_connections, error);
    if (error) return failed(error);
    const auto bound = acceptor.local_endpoint(error);
    if (!error) self->bound_.port = bound.port();
    self->accept();
    return self;
}

void Listener::accept() {
    acceptor_.async_accept(
        [this, alive = std::weak_ptr(alive_)](error_code error, Tcp::socket socket) {
            if (alive.expired() || error == asio::error::operation_aborted) return;
            if (!error) {
                accepted_(std::move(socket));
                return accept();
            }
            LOG(warning, "channel", "accept failed listen={} why=\"{}\"", to_text(bound_),
                error.message());
            retry_.expires_after(kAcceptRetry);
            retry_.async_wait([this, alive](error_code cancelled) {
                if (!alive.expired() && !cancelled) accept();
            });
        });
}

}  // namespace raicho::agent
