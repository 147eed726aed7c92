// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/controller.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace raicho::agent {

namespace {

using boost::system::error_code;
namespace asio = boost::asio;

constexpr const char* kRefused = "refused";

/// The usual reasons in the words of `show controller`.
std::string reason_text(const error_code& error) {
    if (error == asio::error::connection_refused) return kRefused;
    if (error == asio::error::host_unreachable || error == asio::error::network_unreachable)
        return "unreachable";
    if (error == asio::error::host_not_found || error == asio::error::host_not_found_try_again)
        return "name not found";
    if (error == asio::error::timed_out) return "no answer";
    return error.message();
}

/// A callback that is not called when `alive` expired meanwhile.
template <class F>
auto guarded(std::weak_ptr<int> alive, F callback) {
    return [alive = std::move(alive), callback = std::move(callback)](error_code error,
                                                                      auto&&... rest) mutable {
        if (!alive.expired()) callback(error, std::forward<decltype(rest)>(rest)...);
    };
}

}  // namespace

Controller::Controller(asio::any_io_executor executor, Network& network, std::string label,
                       const ControllerConfig& config, Connected connected)
    : executor_(executor),
      network_(network),
      label_(std::move(label)),
      config_(config),
      make_connection_(std::move(connected)),
      since_(monotonic_now()),
      timer_(executor),
      backoff_(config.min_backoff) {
    resolve();
}

Controller::~Controller() {
    if (connection_) connection_->drop();
}

void Controller::enter(State state) {
    state_ = state;
    since_ = monotonic_now();
}

void Controller::resolve() {
    ++attempts_;
    attempt_began_ = monotonic_now();
    try_ = std::make_shared<int>(0);
    old_port_socket_.reset();
    addresses_.clear();
    enter(State::resolving);
    error_code error;
    const auto address = asio::ip::make_address(config_.endpoint.host, error);
    if (!error) {
        addresses_.emplace_back(address, config_.endpoint.port);
        return connect(0);
    }
    timer_.expires_after(std::chrono::nanoseconds(config_.max_backoff));
    timer_.async_wait(guarded(try_, [this](error_code cancelled) {
        if (!cancelled) wait(reason_text(asio::error::timed_out));
    }));
    network_.resolve(
        config_.endpoint,
        guarded(try_, [this](error_code failed, const std::vector<Tcp::endpoint>& addresses) {
            if (failed) return wait(reason_text(failed));
            addresses_ = addresses;
            connect(0);
        }));
}

/// The addresses share what is left of the longest back-off, so that a silent one does not take
/// the time of the next.
void Controller::connect(std::size_t index) {
    if (index >= addresses_.size()) return wait("name has no address");
    enter(State::connecting);
    try_ = std::make_shared<int>(0);
    const Time end = attempt_began_ + config_.max_backoff;
    const Time left = end > since_ ? end - since_ : 0;
    timer_.expires_after(std::chrono::nanoseconds(left / (addresses_.size() - index)));
    timer_.async_wait(guarded(try_, [this, index](error_code cancelled) {
        if (!cancelled) next_address(index, asio::error::timed_out);
    }));
    socket_ = std::make_unique<Tcp::socket>(executor_);
    if (const error_code error = bind_source(*socket_, config_.source, addresses_[index]))
        return next_address(index, error);
    network_.connect(*socket_, addresses_[index], guarded(try_, [this, index](error_code error) {
        if (!error) return connected(std::move(*socket_));
        next_address(index, error);
    }));
}

void Controller::next_address(std::size_t index, const error_code& error) {
    if (index + 1 < addresses_.size()) return connect(index + 1);
    if (error == asio::error::connection_refused) look_at_old_port(addresses_[index]);
    wait(reason_text(error));
}

void Controller::connected(Tcp::socket socket) {
    socket_.reset();
    // Its time may have run out in the same turn of the loop: then the timer cannot be cancelled.
    try_ = std::make_shared<int>(0);
    timer_.cancel();
    error_code error;
    // A port of our own range that met itself: nobody listens there.
    const auto local = socket.local_endpoint(error);
    const auto remote = socket.remote_endpoint(error);
    if (error || local == remote) return wait(kRefused);
    enter(State::hello);
    connection_ = make_connection_(std::move(socket));
}

void Controller::established() {
    enter(State::up);
    backoff_ = config_.min_backoff;
    old_port_hint_.clear();
    LOG(info, "channel", "controller connected bridge={} controller={} version=1.3", label_,
        to_text(config_.endpoint));
}

void Controller::change(const ControllerConfig& config) {
    config_ = config;
    backoff_ = std::clamp(backoff_, config.min_backoff, config.max_backoff);
    if (connection_) connection_->set_probe_interval(config.probe_interval);
}

void Controller::lost(const std::string& reason) {
    if (connection_) packet_ins_dropped_ += connection_->counts().packet_ins_dropped;
    connection_.reset();
    wait(reason);
}

void Controller::wait(std::string why) {
    // The operator reads each change once, not each try.
    if (why != why_waiting_ || state_ == State::up)
        LOG(warning, "channel", "controller not connected bridge={} controller={} why=\"{}\"",
            label_, to_text(config_.endpoint), why);
    if (why != kRefused) old_port_hint_.clear();
    // A session that was up waits from its end on, a try from its beginning: with its own time
    // and the pause after it, no address would be asked within the longest back-off.
    const Time now = monotonic_now();
    next_try_ = std::max(now, (state_ == State::up ? now : attempt_began_) + backoff_);
    backoff_ = std::min(backoff_ * 2, config_.max_backoff);
    last_error_ = why;
    why_waiting_ = std::move(why);
    socket_.reset();
    enter(State::waiting);
    try_ = std::make_shared<int>(0);
    timer_.expires_after(std::chrono::nanoseconds(next_try_ - now));
    timer_.async_wait(guarded(try_, [this](error_code cancelled) {
        if (!cancelled) resolve();
    }));
}

/// Many controllers still wait on 6633: asked once for each series of refusals, never used.
void Controller::look_at_old_port(const Tcp::endpoint& refused) {
    if (refused.port() != kOpenFlowPort || why_waiting_ == kRefused) return;
    old_port_socket_ = std::make_unique<Tcp::socket>(executor_);
    const Tcp::endpoint old(refused.address(), kOldOpenFlowPort);
    // Outlives the try that began it, not the next one: resolve() closes the socket.
    network_.connect(*old_port_socket_, old, guarded(self_, [this](error_code error) {
        if (error == asio::error::operation_aborted) return;
        old_port_socket_.reset();
        if (error) return;
        Endpoint endpoint = config_.endpoint;
        endpoint.port = kOldOpenFlowPort;
        old_port_hint_ =
            format("but port {} listens: write {}", kOldOpenFlowPort, to_text(endpoint));
        LOG(warning, "channel", "controller refused bridge={} controller={}, {}", label_,
            to_text(config_.endpoint), old_port_hint_);
    }));
}

ControllerView Controller::view() const {
    const Time now = monotonic_now();
    ControllerView view{.target = to_text(config_.endpoint),
                        .last_error = last_error_,
                        .since_ns = now - since_,
                        .packet_ins_dropped = packet_ins_dropped_,
                        .attempts = attempts_};
    if (connection_) {
        view.peer = connection_->peer();
        view.messages_in = connection_->counts().messages_in;
        view.messages_out = connection_->counts().messages_out;
        view.packet_ins_dropped += connection_->counts().packet_ins_dropped;
        if (!connection_->trouble().empty()) view.last_error = connection_->trouble();
    }
    switch (state_) {
        case State::resolving: view.state = "resolving its name"; break;
        case State::connecting: view.state = "connecting"; break;
        case State::hello: view.state = "connected, waiting for its HELLO"; break;
        case State::up:
            view.connected = true;
            view.version = openflow::version::k13;
            view.state = format("connected (1.3) for {}", age_text(view.since_ns));
            break;
        case State::waiting: {
            // Whole seconds, rounded up: "next try in 0s" helps nobody.
            const Time left = next_try_ > now ? next_try_ - now : 0;
            view.state =
                format("{}{}{}, next try in {}s", why_waiting_, old_port_hint_.empty() ? "" : ", ",
                       old_port_hint_, std::max<Time>((left + kSecond - 1) / kSecond, 1));
            break;
        }
    }
    return view;
}

}  // namespace raicho::agent
