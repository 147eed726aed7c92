// SPDX-License-Identifier: Apache-2.0
// For tests of channels: a loop that runs until something came true or a deadline passed, and a
// scripted controller on the other end of a loopback connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "openflow/message.h"

namespace raicho::agent {

using Tcp = boost::asio::ip::tcp;

inline constexpr std::string_view kPeerHello = "04000010000000010001000800000010";

/// Runs `loop` until `done` is true; false when `limit` passed first.
template <class F>
[[nodiscard]] bool run_until(boost::asio::io_context& loop, F done,
                             std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!done()) {
        if (std::chrono::steady_clock::now() > end) return false;
        loop.restart();
        loop.run_one_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// The controller's end of one connection; reads and writes without blocking the loop under test.
class ScriptedPeer {
  public:
    explicit ScriptedPeer(Tcp::socket socket) : socket_(std::move(socket)) {
        socket_.non_blocking(true);
    }
    /// A peer that connects to a listener.
    ScriptedPeer(boost::asio::io_context& loop, std::uint16_t port) : socket_(loop, Tcp::v4()) {
        socket_.connect({boost::asio::ip::address_v4::loopback(), port});
        socket_.non_blocking(true);
    }

    void say(std::string_view hex) {
        const openflow::ByteVector bytes = *parse_hex(hex);
        boost::system::error_code error;
        socket_.write_some(boost::asio::buffer(bytes), error);
    }
    /// Tries to send all of `bytes`; how many were taken.
    std::size_t push(std::span<const std::byte> bytes) {
        boost::system::error_code error;
        const std::size_t n =
            socket_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), error);
        return error ? 0 : n;
    }
    /// All that was heard so far, as hex.
    std::string heard() {
        listen();
        return hex_text(heard_);
    }
    std::size_t heard_size() {
        listen();
        return heard_.size();
    }
    /// What was sent to it so far is not heard again.
    void forget() {
        listen();
        heard_.clear();
    }
    /// The other side ended the connection.
    bool closed() {
        listen();
        return closed_;
    }
    void close() { socket_.close(); }
    /// The address it came from.
    [[nodiscard]] std::string remote() const {
        return socket_.remote_endpoint().address().to_string();
    }
    /// Ends the connection with a reset.
    void reset() {
        socket_.set_option(Tcp::socket::linger(true, 0));
        socket_.close();
    }

  private:
    void listen() {
        std::array<std::byte, 65536> buffer;
        boost::system::error_code error;
        for (;;) {
            const std::size_t n = socket_.read_some(boost::asio::buffer(buffer), error);
            if (error) break;
            heard_.insert(heard_.end(), buffer.begin(),
                          buffer.begin() + static_cast<std::ptrdiff_t>(n));
        }
        if (error != boost::asio::error::would_block && error != boost::asio::error::try_again)
            closed_ = true;
    }

    Tcp::socket socket_;
    openflow::ByteVector heard_;
    bool closed_ = false;
};

/// A loopback port that scripted controllers accept on.
class ScriptedController {
  public:
    explicit ScriptedController(boost::asio::io_context& loop)
        : acceptor_(loop, {boost::asio::ip::address_v4::loopback(), 0}) {
        acceptor_.non_blocking(true);
    }
    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    /// A connection that came in, if any.
    std::optional<ScriptedPeer> take() {
        boost::system::error_code error;
        Tcp::socket socket = acceptor_.accept(error);
        if (error) return std::nullopt;
        return ScriptedPeer(std::move(socket));
    }

  private:
    Tcp::acceptor acceptor_;
};

}  // namespace raicho::agent
