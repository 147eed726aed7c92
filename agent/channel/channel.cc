// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/channel.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace raicho::agent {

Channel::Channel(boost::asio::any_io_executor executor, std::string bridge,
                 ConnectionNumbers& numbers, ChannelHandler& handler,
                 const ConnectionConfig& defaults, std::unique_ptr<Network> network)
    : executor_(std::move(executor)),
      bridge_(std::move(bridge)),
      numbers_(numbers),
      handler_(handler),
      defaults_(defaults),
      network_(network ? std::move(network) : std::make_unique<SystemNetwork>(executor_)) {}

Channel::~Channel() {
    for (const auto& [id, open] : open_) open.connection->drop();
}

std::shared_ptr<Connection> Channel::open(Connection::Socket socket, Time probe_interval) {
    ConnectionConfig config = defaults_;
    config.session.probe_interval = probe_interval;
    auto connection = Connection::open(std::move(socket), numbers_.next(), config, *this);
    open_.emplace(connection->id(), Open{connection.get()});
    return connection;
}

Result<void> Channel::add_controller(const ControllerConfig& config) {
    for (const auto& controller : controllers_)
        if (controller->config().endpoint == config.endpoint)
            return fail(format("controller \"{}\": named already in bridge \"{}\"",
                               to_text(config.endpoint), bridge_));
    controllers_.push_back(std::make_unique<Controller>(
        executor_, *network_, bridge_, config, [this, config](Connection::Socket socket) {
            return open(std::move(socket), config.probe_interval);
        }));
    handler_.controllers_changed();
    return {};
}

void Channel::remove_controller(const Endpoint& endpoint) {
    const auto found = std::ranges::find_if(controllers_, [&](const auto& controller) {
        return controller->config().endpoint == endpoint;
    });
    if (found == controllers_.end()) return;
    const std::unique_ptr<Controller> gone = std::move(*found);
    controllers_.erase(found);
    if (gone->connection() != nullptr) forget(gone->connection()->id());
    handler_.controllers_changed();
}

void Channel::change_controller(const ControllerConfig& config) {
    for (const auto& controller : controllers_) {
        if (controller->config().endpoint != config.endpoint) continue;
        if (controller->config().source == config.source) return controller->change(config);
        remove_controller(config.endpoint);
        (void)add_controller(config);  // its endpoint has just become free
        return;
    }
}

Result<Endpoint> Channel::add_listener(const ListenerConfig& config) {
    // The listener is named by its address, which does not move with the vector.
    auto self = std::make_shared<const Listener*>(nullptr);
    auto listener = Listener::open(executor_, config, [this, self](Connection::Socket socket) {
        auto connection = open(std::move(socket), (*self)->config().probe_interval);
        const ConnectionId id = connection->id();
        passive_.emplace(id, Passive{std::move(connection), *self, monotonic_now()});
    });
    if (!listener) return std::unexpected(std::move(listener.error()));
    *self = listener->get();
    listeners_.push_back(std::move(*listener));
    return listeners_.back()->bound();
}

void Channel::remove_listener(const Endpoint& endpoint) {
    const auto found = std::ranges::find_if(
        listeners_, [&](const auto& listener) { return listener->config().endpoint == endpoint; });
    if (found == listeners_.end()) return;
    std::vector<std::shared_ptr<Connection>> gone;
    for (const auto& [id, passive] : passive_)
        if (passive.listener == found->get()) gone.push_back(passive.connection);
    listeners_.erase(found);
    for (const auto& connection : gone) {
        connection->drop();
        forget(connection->id());
    }
}

Connection* Channel::find(ConnectionId id) const {
    const auto found = open_.find(id);
    return found == open_.end() ? nullptr : found->second.connection;
}

Controller* Channel::controller_of(const Connection& connection) const {
    for (const auto& controller : controllers_)
        if (controller->connection() == &connection) return controller.get();
    return nullptr;
}

void Channel::send(ConnectionId to, std::uint32_t xid, const openflow::Message& message) {
    if (Connection* connection = find(to)) connection->send(Output::reply, xid, message);
}

void Channel::send_all(std::span<const ConnectionId> to, const openflow::Message& message) {
    const Output kind =
        std::holds_alternative<openflow::PacketIn>(message) ? Output::packet_in : Output::async;
    openflow::ByteVector bytes;
    openflow::encode(message, openflow::version::k13, 0, bytes);
    for (const ConnectionId id : to)
        if (Connection* connection = find(id)) connection->send_encoded(kind, bytes);
}

void Channel::refuse(ConnectionId to, std::uint32_t xid, const openflow::OfpError& error,
                     Bytes request) {
    Connection* connection = find(to);
    if (connection == nullptr) return;
    connection->refused(xid, error, request);
    connection->send(Output::reply, xid, openflow::make_error(error, request));
}

bool Channel::writable(ConnectionId to) const {
    const Connection* connection = find(to);
    return connection != nullptr && connection->writable();
}

void Channel::end_sessions(const std::string& reason) {
    std::vector<std::shared_ptr<Connection>> all;
    for (const auto& [id, open] : open_) all.push_back(open.connection->shared_from_this());
    for (const auto& connection : all) {
        if (find(connection->id()) == nullptr) continue;  // went with its main connection
        connection->drop();
        ended(*connection, reason);
    }
}

void Channel::resume() {
    for (const auto& [id, open] : open_) open.connection->resume();
}

void Channel::session_up(Connection& connection) {
    if (const auto [auxiliary, main] = auxiliary_of(connection); auxiliary != nullptr) {
        LOG(debug, "channel", "auxiliary session up bridge={} peer={} id={}", bridge_,
            connection.peer(), auxiliary->id());
        open_.at(connection.id()).announced = true;
        return handler_.auxiliary_up(connection.id(), main, auxiliary->id());
    }
    Controller* controller = controller_of(connection);
    if (controller != nullptr)
        controller->established();
    else
        LOG(debug, "channel", "passive session up bridge={} peer={}", bridge_, connection.peer());
    open_.at(connection.id()).announced = true;
    handler_.session_up(connection.id());
    if (controller == nullptr) return;
    open_auxiliaries(connection, controller->config());
    handler_.controllers_changed();
}

void Channel::open_auxiliaries(const Connection& main, const ControllerConfig& config) {
    for (unsigned id = 1; id <= config.auxiliary; ++id)
        auxiliaries_[main.id()].push_back(std::make_unique<Auxiliary>(
            executor_, main.peer_address(), config.source, static_cast<std::uint8_t>(id),
            config.min_backoff, [this, config](Connection::Socket socket) {
                return open(std::move(socket), config.probe_interval);
            }));
}

void Channel::close_auxiliaries(ConnectionId main) {
    auto closing = auxiliaries_.extract(main);
    if (closing.empty()) return;
    for (const auto& auxiliary : closing.mapped())
        if (auxiliary->connection() != nullptr) forget(auxiliary->connection()->id());
}

Channel::AuxiliaryOf Channel::auxiliary_of(const Connection& connection) const {
    for (const auto& [main, auxiliaries] : auxiliaries_)
        for (const auto& auxiliary : auxiliaries)
            if (auxiliary->connection() == &connection) return {auxiliary.get(), main};
    return {};
}

void Channel::message(Connection& connection, std::uint32_t xid, const openflow::Message& message,
                      Bytes raw) {
    handler_.message(connection.id(), xid, message, raw);
}

bool Channel::accepts(const Connection& connection) const {
    return handler_.accepts(connection.id());
}

void Channel::drained(Connection& connection) {
    handler_.drained(connection.id());
}

void Channel::ended(Connection& connection, const std::string& reason) {
    const std::shared_ptr<Connection> keep = connection.shared_from_this();
    if (const auto [auxiliary, main] = auxiliary_of(connection); auxiliary != nullptr) {
        LOG(debug, "channel", "auxiliary session ended bridge={} peer={} id={} why=\"{}\"", bridge_,
            connection.peer(), auxiliary->id(), reason);
        auxiliary->lost();
        return forget(connection.id());
    }
    Controller* controller = controller_of(connection);
    const bool was_up = controller != nullptr && controller->up();
    if (controller == nullptr)
        LOG(debug, "channel", "passive session ended bridge={} peer={} why=\"{}\"", bridge_,
            connection.peer(), reason);
    if (controller != nullptr) controller->lost(reason);
    forget(connection.id());
    if (was_up) handler_.controllers_changed();
}

void Channel::forget(ConnectionId id) {
    close_auxiliaries(id);
    passive_.erase(id);
    const auto found = open_.find(id);
    if (found == open_.end()) return;
    const bool announced = found->second.announced;
    open_.erase(found);
    if (announced) handler_.session_down(id);
}

std::size_t Channel::n_controllers_up() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(controllers_, [](const auto& c) { return c->up(); }));
}

std::size_t Channel::n_sessions() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(open_, [](const auto& entry) { return entry.second.announced; }));
}

std::vector<ControllerView> Channel::controllers() const {
    std::vector<ControllerView> views;
    for (const auto& controller : controllers_) {
        views.push_back(controller->view());
        views.back().bridge = bridge_;
    }
    for (const auto& [id, passive] : passive_) {
        const Connection& connection = *passive.connection;
        const Time age = monotonic_now() - passive.since;
        const bool up = connection.up();
        views.push_back({.bridge = bridge_,
                         .target = connection.peer(),
                         .passive = true,
                         .connected = up,
                         .version = up ? openflow::version::k13 : std::uint8_t{0},
                         .peer = connection.peer(),
                         .state = up ? format("connected (1.3) for {}", age_text(age))
                                     : std::string("connected, waiting for its HELLO"),
                         .last_error = connection.trouble(),
                         .since_ns = age,
                         .messages_in = connection.counts().messages_in,
                         .messages_out = connection.counts().messages_out,
                         .packet_ins_dropped = connection.counts().packet_ins_dropped,
                         .attempts = 0});
    }
    return views;
}

std::vector<ListenView> Channel::listens() const {
    std::vector<ListenView> views;
    for (const auto& listener : listeners_) {
        const auto n = static_cast<std::size_t>(std::ranges::count_if(
            passive_, [&](const auto& entry) { return entry.second.listener == listener.get(); }));
        views.push_back({.bridge = bridge_,
                         .target = to_text(listener->bound()),
                         .state = format("listening, {} connection{}", n, n == 1 ? "" : "s"),
                         .connections = n});
    }
    return views;
}

}  // namespace raicho::agent
