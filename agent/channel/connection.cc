// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "agent/channel/endpoint.h"
#include "base/log.h"
#include "base/text.h"

namespace raicho::agent {

namespace {

using boost::system::error_code;
namespace asio = boost::asio;

/// A buffer that grew for one large reply is given back when it was sent.
constexpr std::size_t kKeepCapacity = 4u << 20;
/// After a last message to the peer: how long it may take to read it.
constexpr auto kLingerTime = std::chrono::seconds(1);

}  // namespace

Time monotonic_now() {
    return static_cast<Time>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

std::string to_text(const asio::ip::tcp::endpoint& address) {
    return to_text(Endpoint{address.address().to_string(), address.port()});
}

Connection::Connection(Socket socket, ConnectionId id, const ConnectionConfig& config,
                       ConnectionEvents& events)
    : socket_(std::move(socket)),
      id_(id),
      config_(config),
      events_(&events),
      session_(config.session, monotonic_now()),
      timer_(socket_.get_executor()) {}

std::shared_ptr<Connection> Connection::open(Socket socket, ConnectionId id,
                                             const ConnectionConfig& config,
                                             ConnectionEvents& events) {
    std::shared_ptr<Connection> self(new Connection(std::move(socket), id, config, events));
    error_code error;
    self->socket_.set_option(asio::ip::tcp::no_delay(true), error);
    self->peer_address_ = self->socket_.remote_endpoint(error);
    if (!error) self->peer_ = to_text(self->peer_address_);
    self->session_.start(self->pending_);
    self->schedule_flush();
    self->arm_timer();
    self->read();
    return self;
}

bool Connection::admit(Output kind) {
    if (events_ == nullptr || doomed_) return false;
    switch (kind) {
        case Output::reply: break;
        case Output::async:
            if (queued() > reply_mark_ + config_.output.async) {
                doom(format("does not read: {} bytes wait for it", with_thousands(queued())));
                return false;
            }
            break;
        case Output::packet_in:
            if (queued() > config_.output.packet_in) {
                ++counts_.packet_ins_dropped;
                return false;
            }
            break;
    }
    ++counts_.messages_out;
    return true;
}

void Connection::send(Output kind, std::uint32_t xid, const openflow::Message& message) {
    if (!admit(kind)) return;
    openflow::encode(message, openflow::version::k13, xid, pending_);
    if (kind == Output::reply) reply_mark_ = queued();
    schedule_flush();
}

void Connection::send_encoded(Output kind, Bytes message) {
    if (!admit(kind)) return;
    pending_.insert(pending_.end(), message.begin(), message.end());
    if (kind == Output::reply) reply_mark_ = queued();
    schedule_flush();
}

void Connection::drop() {
    events_ = nullptr;
    error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
}

void Connection::read() {
    if (std::exchange(reading_, true)) return;
    const std::span<std::byte> space = session_.space();
    socket_.async_read_some(asio::buffer(space.data(), space.size()),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                                self->reading_ = false;
                                if (self->lingering_) return self->drained(error);
                                if (self->events_ == nullptr) return;
                                if (error == asio::error::eof)
                                    return self->end("closed by the controller");
                                if (error) return self->end(error.message());
                                self->session_.received(size, monotonic_now());
                                self->take_turn();
                            });
}

/// Handles a bounded batch; what it answers leaves in one write at its end.
void Connection::take_turn() {
    if (events_ == nullptr) return;
    flush_scheduled_ = true;
    WireSession::Step step = WireSession::Step::handled;
    for (std::size_t n = 0; n < config_.batch && events_ != nullptr && !doomed_; ++n) {
        output_full_ = queued() > config_.output.pause;
        refused_ = up() && !events_->accepts(*this);
        if (output_full_ || refused_) break;
        step = session_.next(pending_);
        if (step == WireSession::Step::starved || step == WireSession::Step::closed) break;
        ++counts_.messages_in;
        if (step == WireSession::Step::up) {
            arm_timer();  // for the first probe instead of the HELLO
            events_->session_up(*this);
        }
        if (step == WireSession::Step::message)
            events_->message(*this, session_.xid(), session_.message(), session_.raw());
    }
    flush_scheduled_ = false;
    if (events_ == nullptr || doomed_) return;
    if (step == WireSession::Step::closed) return end(session_.close_reason());
    flush();
    if (events_ == nullptr) return;
    give_up_after(refused_ ? 2 * config_.session.probe_interval : 0);
    if (output_full_ || refused_) return watch();
    if (step == WireSession::Step::starved)
        read();
    else
        schedule_turn();
}

/// Without a read no reset would be noticed, nor the kernel's finding that a host is gone.
void Connection::watch() {
    if (std::exchange(watching_, true)) return;
    socket_.async_wait(Socket::wait_error, [self = shared_from_this()](error_code error) {
        self->watching_ = false;
        if (error || self->events_ == nullptr) return;
        int cause = 0;
        socklen_t size = sizeof cause;
        if (::getsockopt(self->socket_.native_handle(), SOL_SOCKET, SO_ERROR, &cause, &size) == 0 &&
            cause != 0)
            self->end(error_code(cause, boost::system::system_category()).message());
    });
}

void Connection::resume() {
    if (!refused_ || output_full_) return;
    refused_ = false;
    schedule_turn();
}

/// A host that vanished acknowledges nothing: the kernel ends the connection when what was sent to
/// it, the echo requests among it, waits that long. 0 = TCP's own patience.
void Connection::give_up_after(Time time) {
    if (std::exchange(patience_, time) == time) return;
    const auto ms =
        static_cast<unsigned>(std::min<Time>(time / 1'000'000, std::numeric_limits<int>::max()));
    // Without it such a host is noticed later: no reason to end anything.
    (void)::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

void Connection::set_probe_interval(Time interval) {
    config_.session.probe_interval = interval;
    session_.set_probe_interval(interval);
    if (events_ != nullptr) arm_timer();
}

void Connection::schedule_turn() {
    if (std::exchange(turn_scheduled_, true)) return;
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        self->turn_scheduled_ = false;
        self->take_turn();
    });
}

void Connection::schedule_flush() {
    if (std::exchange(flush_scheduled_, true)) return;
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        self->flush_scheduled_ = false;
        self->flush();
    });
}

void Connection::flush() {
    if (write_running_ || !socket_.is_open()) return;
    if (written_ == writing_.size()) {
        writing_.clear();
        if (writing_.capacity() > kKeepCapacity) openflow::ByteVector().swap(writing_);
        written_ = 0;
        writing_.swap(pending_);
    }
    if (writing_.empty()) {
        reply_mark_ = 0;
        if (lingering_) {
            error_code ignored;
            socket_.shutdown(Socket::shutdown_send, ignored);
        }
        return;
    }
    write_running_ = true;
    socket_.async_write_some(asio::buffer(writing_.data() + written_, writing_.size() - written_),
                             [self = shared_from_this()](error_code error, std::size_t size) {
                                 self->write_running_ = false;
                                 if (error)
                                     return self->lingering_ ? self->drop()
                                                             : self->end(error.message());
                                 self->wrote(size);
                             });
}

void Connection::wrote(std::size_t size) {
    const bool was_writable = writable();
    written_ += size;
    // While nothing is read from the peer, its taking bytes is its only sign of life.
    if (output_full_) session_.progressed(monotonic_now());
    flush();
    if (events_ == nullptr || was_writable || !writable()) return;
    if (std::exchange(output_full_, false)) schedule_turn();
    events_->drained(*this);
}

void Connection::arm_timer() {
    const Time deadline = session_.deadline();
    if (deadline == kNever) {
        timer_.cancel();
        return;
    }
    timer_.expires_at(std::chrono::steady_clock::time_point(
        std::chrono::nanoseconds(static_cast<std::int64_t>(deadline))));
    timer_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->on_timer();
    });
}

void Connection::on_timer() {
    if (events_ == nullptr) return;
    // It is we who do not read: that no answer was read says nothing about the peer. The request
    // is sent all the same, for a host without the peer answers it with a reset.
    if (refused_ && !output_full_) session_.excuse(monotonic_now());
    session_.tick(monotonic_now(), pending_);
    if (session_.state() == WireSession::State::closed)
        return end(output_full_ ? "does not read what is sent to it" : session_.close_reason());
    schedule_flush();
    arm_timer();
}

/// Ends from the loop: who sends is in the middle of its work on this very session.
void Connection::doom(std::string reason) {
    doomed_ = true;
    asio::post(socket_.get_executor(),
               [self = shared_from_this(), reason = std::move(reason)] { self->end(reason); });
}

/// From here on nothing of this connection reaches anybody; what is queued is still sent where
/// the session ended with an error message to the peer.
void Connection::end(const std::string& reason) {
    if (events_ == nullptr) return;
    ConnectionEvents& events = *std::exchange(events_, nullptr);
    const std::shared_ptr<Connection> self = shared_from_this();
    if (session_.state() == WireSession::State::closed && queued() > 0 && !output_full_) {
        linger();
    } else {
        error_code ignored;
        socket_.close(ignored);
        timer_.cancel();
    }
    events.ended(*this, reason);
}

/// Sends the rest, then waits for the peer's close: closing with unread bytes would reset the
/// connection and lose the error message on its way.
void Connection::linger() {
    lingering_ = true;
    timer_.expires_after(kLingerTime);
    timer_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->drop();
    });
    flush();
    drain();
}

void Connection::drain() {
    if (!socket_.is_open() || std::exchange(reading_, true)) return;
    const std::span<std::byte> space = session_.space();  // what lies there means nothing now
    socket_.async_read_some(asio::buffer(space.data(), space.size()),
                            [self = shared_from_this()](error_code error, std::size_t) {
                                self->reading_ = false;
                                self->drained(error);
                            });
}

void Connection::drained(const error_code& error) {
    if (error) return drop();
    drain();
}

}  // namespace raicho::agent
