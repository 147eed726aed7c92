// SPDX-License-Identifier: Apache-2.0
// The OpenFlow channels of one bridge: its controllers, its listeners and every connection of
// both. It hands decoded messages to a handler and is the Outbox of the bridge's datapath.
// Everything runs on one loop; nothing here blocks.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/channel/auxiliary.h"
#include "agent/channel/controller.h"
#include "agent/channel/listener.h"
#include "agent/model/outbox.h"
#include "agent/view/channel_view.h"

namespace raicho::agent {

/// What the bridge does with its connections; the calls stand in Datapath's order.
class ChannelHandler {
  public:
    virtual void session_up(ConnectionId connection) = 0;
    /// The session of an auxiliary connection of `main`, which is up; it goes down before main
    /// does.
    virtual void auxiliary_up(ConnectionId connection, ConnectionId main,
                              std::uint8_t auxiliary_id) = 0;
    virtual void session_down(ConnectionId connection) = 0;
    virtual void message(ConnectionId connection, std::uint32_t xid,
                         const openflow::Message& message, Bytes raw) = 0;
    [[nodiscard]] virtual bool accepts(ConnectionId connection) const = 0;
    /// A connection became writable() again.
    virtual void drained(ConnectionId connection) = 0;
    /// A configured controller came, went, or its session began or ended.
    virtual void controllers_changed() = 0;

  protected:
    ~ChannelHandler() = default;
};

/// Numbers connections; one for the whole agent.
class ConnectionNumbers {
  public:
    [[nodiscard]] ConnectionId next() { return ConnectionId(++last_); }

  private:
    std::uint64_t last_ = 0;
};

class Channel final : public Outbox, private ConnectionEvents {
  public:
    /// `numbers` and `handler` outlive the channel. `bridge` is for the log. Without a `network` it
    /// is the machine's own.
    Channel(boost::asio::any_io_executor executor, std::string bridge, ConnectionNumbers& numbers,
            ChannelHandler& handler, const ConnectionConfig& defaults = {},
            std::unique_ptr<Network> network = nullptr);
    /// Drops every connection without a further call of the handler.
    ~Channel() override;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Begins to connect. Error: the endpoint is named already.
    [[nodiscard]] Result<void> add_controller(const ControllerConfig& config);
    /// Its connection, if any, ends (session_down is called).
    void remove_controller(const Endpoint& endpoint);
    /// A new number of auxiliary connections counts from the next session on.
    void change_controller(const ControllerConfig& config);

    /// Binds and listens; the value is where in fact.
    [[nodiscard]] Result<Endpoint> add_listener(const ListenerConfig& config);
    /// Connections that came in through it end.
    void remove_listener(const Endpoint& endpoint);

    void send(ConnectionId to, std::uint32_t xid, const openflow::Message& message) override;
    void send_all(std::span<const ConnectionId> to, const openflow::Message& message) override;
    void refuse(ConnectionId to, std::uint32_t xid, const openflow::OfpError& error,
                Bytes request) override;
    [[nodiscard]] bool writable(ConnectionId to) const override;

    /// Ends every session; controllers are connected anew.
    void end_sessions(const std::string& reason);
    /// Lets connections go on whose messages the handler did not accept.
    void resume();

    [[nodiscard]] std::size_t n_controllers() const { return controllers_.size(); }
    [[nodiscard]] std::size_t n_controllers_up() const;
    /// Sessions, active and passive.
    [[nodiscard]] std::size_t n_sessions() const;

    [[nodiscard]] std::vector<ControllerView> controllers() const;
    [[nodiscard]] std::vector<ListenView> listens() const;

  private:
    struct Open {
        Connection* connection;
        bool announced = false;  // the handler knows the session
    };
    struct Passive {
        std::shared_ptr<Connection> connection;
        const Listener* listener;
        Time since;
    };

    void session_up(Connection& connection) override;
    void message(Connection& connection, std::uint32_t xid, const openflow::Message& message,
                 Bytes raw) override;
    [[nodiscard]] bool accepts(const Connection& connection) const override;
    void drained(Connection& connection) override;
    void ended(Connection& connection, const std::string& reason) override;

    std::shared_ptr<Connection> open(Connection::Socket socket, Time probe_interval);
    [[nodiscard]] Connection* find(ConnectionId id) const;
    [[nodiscard]] Controller* controller_of(const Connection& connection) const;
    void open_auxiliaries(const Connection& main, const ControllerConfig& config);
    void close_auxiliaries(ConnectionId main);
    /// The auxiliary connection that this is, with its main one.
    struct AuxiliaryOf {
        Auxiliary* auxiliary = nullptr;
        ConnectionId main;
    };
    [[nodiscard]] AuxiliaryOf auxiliary_of(const Connection& connection) const;
    void forget(ConnectionId id);

    boost::asio::any_io_executor executor_;
    std::string bridge_;
    ConnectionNumbers& numbers_;
    ChannelHandler& handler_;
    ConnectionConfig defaults_;
    std::unique_ptr<Network> network_;  // outlives the controllers
    std::vector<std::unique_ptr<Controller>> controllers_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::map<ConnectionId, Passive> passive_;
    std::map<ConnectionId, Open> open_;  // all, active, passive and auxiliary
    std::map<ConnectionId, std::vector<std::unique_ptr<Auxiliary>>> auxiliaries_;  // by main
};

}  // namespace raicho::agent
