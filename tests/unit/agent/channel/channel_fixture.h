// SPDX-License-Identifier: Apache-2.0
// A bridge that records what its channel says, a network that behaves as told, and the fixture of
// the channel's tests.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agent/channel/channel.h"
#include "tests/unit/agent/channel/loop_peer.h"

namespace raicho::agent {

inline constexpr std::string_view kFeatures = "0405000800000007";
inline constexpr std::string_view kBarrier = "0414000800000009";
inline constexpr Time kMilli = 1'000'000;

/// Records what the channel says; answers barrier requests.
class Bridge final : public ChannelHandler {
  public:
    explicit Bridge(boost::asio::io_context& loop, const ConnectionConfig& config = {},
                    std::unique_ptr<Network> network = nullptr)
        : channel(loop.get_executor(), "br0", numbers, *this, config, std::move(network)) {}

    void session_up(ConnectionId id) override { up.push_back(id); }
    void auxiliary_up(ConnectionId id, ConnectionId main, std::uint8_t auxiliary_id) override {
        auxiliary.push_back({id, main, auxiliary_id});
    }
    void session_down(ConnectionId id) override { down.push_back(id); }
    void message(ConnectionId id, std::uint32_t xid, const openflow::Message& message,
                 Bytes) override {
        from.push_back(id);
        if (std::holds_alternative<openflow::BarrierRequest>(message))
            channel.send(id, xid, openflow::BarrierReply{});
        if (std::holds_alternative<openflow::FeaturesRequest>(message) && reply_size > 0)
            channel.send(id, xid, openflow::EchoReply{openflow::ByteVector(reply_size)});
        if (pauses) accepting = channel.writable(id);
    }
    bool accepts(ConnectionId) const override { return accepting; }
    void drained(ConnectionId) override {
        ++n_drained;
        accepting = true;
        if (pauses) channel.resume();
    }
    void controllers_changed() override { ++n_changes; }

    ConnectionNumbers numbers;
    struct AuxiliaryUp {
        ConnectionId id;
        ConnectionId main;
        std::uint8_t number;
    };
    std::vector<ConnectionId> up, down, from;
    std::vector<AuxiliaryUp> auxiliary;
    bool accepting = true;
    bool pauses = false;  // accepts nothing while its answers are not taken
    std::size_t reply_size = 0;
    int n_changes = 0;
    int n_drained = 0;
    Channel channel;
};

/// Any name has the addresses that it is given; what stands for an address: a port of this
/// machine, silence, or a refusal.
class ScriptedNetwork final : public Network {
  public:
    explicit ScriptedNetwork(boost::asio::io_context& loop) : loop_(loop) {}
    std::vector<Tcp::endpoint> addresses;
    std::map<Tcp::endpoint, std::uint16_t> listening;
    std::set<Tcp::endpoint> silent;
    /// What answers together with the end of the time that it is given.
    std::chrono::milliseconds late{};

    void resolve(const Endpoint&, Resolved done) override {
        boost::asio::post(loop_, [this, done = std::move(done)] { done({}, addresses); });
    }
    void connect(Tcp::socket& socket, const Tcp::endpoint& to, Connected done) override {
        if (silent.contains(to)) return;
        const auto found = listening.find(to);
        if (found != listening.end() && late.count() != 0) {
            socket.connect({boost::asio::ip::address_v4::loopback(), found->second});
            boost::asio::post(loop_, [this, done = std::move(done)]() mutable {
                const auto end = std::chrono::steady_clock::now() + late;
                while (std::chrono::steady_clock::now() < end) continue;
                boost::asio::post(loop_, [done = std::move(done)] { done({}); });
            });
            return;
        }
        if (found != listening.end())
            return socket.async_connect({boost::asio::ip::address_v4::loopback(), found->second},
                                        std::move(done));
        boost::asio::post(
            loop_, [done = std::move(done)] { done(boost::asio::error::connection_refused); });
    }

  private:
    boost::asio::io_context& loop_;
};

inline Tcp::endpoint at(const char* address, std::uint16_t port) {
    return {boost::asio::ip::make_address(address), port};
}

class ChannelTest : public testing::Test {
  protected:
    ControllerConfig quick(std::uint16_t port) {
        return {.endpoint = {"127.0.0.1", port},
                .min_backoff = 5 * kMilli,
                .max_backoff = 20 * kMilli,
                .probe_interval = 5 * kSecond};
    }
    ScriptedPeer accept(ScriptedController& controller) {
        std::optional<ScriptedPeer> peer;
        EXPECT_TRUE(run_until(loop, [&] { return (peer = controller.take()).has_value(); }));
        return std::move(*peer);
    }
    std::uint16_t listen(Bridge& bridge, Time probe = 5 * kSecond) {
        return bridge.channel.add_listener({.endpoint = {"127.0.0.1", 0}, .probe_interval = probe})
            ->port;
    }
    boost::asio::io_context loop;
};

}  // namespace raicho::agent
