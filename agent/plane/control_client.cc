// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/control_client.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "shm/layout.h"
#include "shm/port.h"
#include "shm/text_field.h"

namespace raicho::agent {

namespace {

using shm::ControlMessage;
using shm::ControlType;

/// A dataplane needs a second or so for EAL: look often at first, then each second.
constexpr Time kFirstRetry = 20'000'000;
constexpr Time kLastRetry = kSecond;
/// How long it may take to answer our hello.
constexpr Time kGreetingTime = 5 * kSecond;
/// A device may take seconds to open; one that takes longer than this hangs.
constexpr Time kAnswerTime = 10 * kSecond;
/// SCM_MAX_FD of the kernel.
constexpr std::size_t kMostDescriptors = 253;

constexpr std::size_t kMostInFlight = 32;

}  // namespace

ControlClient::ControlClient(Loop& loop, std::string path, std::uint64_t arena, Events events)
    : loop_(loop),
      path_(std::move(path)),
      arena_(arena),
      events_(std::move(events)),
      since_(loop.now()),
      backoff_(kFirstRetry) {}

Result<std::unique_ptr<ControlClient>> ControlClient::open(Loop& loop, const std::string& rundir,
                                                           const shm::ArenaView& arena,
                                                           Events events) {
    std::string path = rundir + "/dataplane.sock";
    if (path.size() >= sizeof(sockaddr_un::sun_path))
        return fail(
            format("run directory \"{}\": its sockets' paths may have {} bytes, that of the "
                   "dataplane has {}",
                   rundir, sizeof(sockaddr_un::sun_path) - 1, path.size()),
            "choose a shorter --rundir");
    std::unique_ptr<ControlClient> self(
        new ControlClient(loop, std::move(path), arena.identity(), std::move(events)));
    for (std::size_t i = 0; i < std::min(1 + arena.max_workers(), kMostDescriptors); ++i) {
        Fd bell(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        if (!bell) return fail_errno("eventfd", errno);
        self->bells_.push_back(std::move(bell));
    }
    self->bell_watch_ = loop.watch(self->bells_[0].get(), [raw = self.get()] { raw->on_bell(); });
    self->connect();
    return self;
}

ControlClient::~ControlClient() {
    loop_.cancel(timer_);
    loop_.unwatch(socket_watch_);
    loop_.unwatch(bell_watch_);
}

void ControlClient::connect() {
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return retry(fail_errno("socket", errno).error().text);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        const bool absent = errno == ENOENT || errno == ECONNREFUSED;
        return retry(absent ? "not running" : std::string(std::strerror(errno)));
    }
    socket_ = std::move(socket);
    state_ = State::greeting;
    since_ = loop_.now();
    ControlMessage hello{};
    hello.type = ControlType::hello;
    hello.request = next_request_++;
    hello.layout_hash = shm::layout_hash();
    hello.pid = static_cast<std::uint64_t>(::getpid());
    hello.arena = arena_;
    if (const auto sent = send(hello, true); !sent) return retry(sent.error().text);
    socket_watch_ = loop_.watch(socket_.get(), [this] { on_socket(); });
    timer_ = loop_.after(kGreetingTime, [this] { retry("does not answer"); });
}

void ControlClient::retry(std::string why, const Result<void>& outcome) {
    const bool was_attached = state_ == State::attached;
    loop_.cancel(timer_);
    loop_.unwatch(std::exchange(socket_watch_, WatchId{}));
    socket_.reset();
    pid_ = 0;
    if (why != last_error_ || was_attached)
        LOG(info, "plane", "dataplane not attached why=\"{}\"", why);
    last_error_ = std::move(why);
    if (was_attached) backoff_ = kFirstRetry;
    if (state_ != State::waiting) since_ = loop_.now();
    state_ = State::waiting;
    next_try_ = loop_.now() + backoff_;
    timer_ = loop_.after(backoff_, [this] { connect(); });
    backoff_ = std::min(backoff_ * 2, kLastRetry);
    // What it was asked to do it does from the arena's rows when it starts.
    const auto pending = std::exchange(pending_, {});
    const auto queued = std::exchange(queued_, {});
    const std::weak_ptr<int> alive = alive_;
    for (const auto& [request, done] : pending)
        if (!alive.expired()) done(outcome);
    for (const Queued& request : queued)
        if (!alive.expired()) request.done(outcome);
    if (alive.expired()) return;
    if (was_attached) events_.lost();
}

void ControlClient::on_socket() {
    const std::weak_ptr<int> alive = alive_;
    for (;;) {
        ControlMessage message{};
        const ssize_t size = ::recv(socket_.get(), &message, sizeof message, MSG_TRUNC);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (size < 0 && errno != ECONNRESET) return retry(std::strerror(errno));
        if (size <= 0) return retry("not running");
        if (size != sizeof message) return retry("speaks another protocol");
        on_message(message);
        if (alive.expired() || !socket_) return;
    }
}

void ControlClient::on_message(const ControlMessage& message) {
    switch (message.type) {
        case ControlType::hello_reply:
            if (state_ != State::greeting) return;
            if (message.status != 0) return retry(std::string(shm::get_text(message.text)));
            loop_.cancel(std::exchange(timer_, TimerId{}));
            state_ = State::attached;
            since_ = loop_.now();
            pid_ = message.pid;
            backoff_ = kFirstRetry;
            LOG(info, "plane", "dataplane attached pid={}", pid_);
            // It may sleep over packet-outs that were queued before it knew its bells.
            wake_all();
            return events_.attached();
        case ControlType::reply: {
            const auto found = pending_.find(message.request);
            if (found == pending_.end()) return;
            const Done done = std::move(found->second);
            pending_.erase(found);
            loop_.cancel(std::exchange(timer_, TimerId{}));
            pump();
            if (message.status == 0) return done({});
            return done(std::unexpected(Error{.text = std::string(shm::get_text(message.text)),
                                              .code = static_cast<int>(message.status)}));
        }
        case ControlType::port_event:
            return events_.port_event(PortSlot(static_cast<std::uint16_t>(message.slot)));
        case ControlType::hello:
        case ControlType::open_port:
        case ControlType::close_port:
        case ControlType::stop: return;  // these go the other way
    }
}

void ControlClient::on_bell() {
    std::uint64_t rings = 0;
    if (::read(bells_[0].get(), &rings, sizeof rings) == sizeof rings) events_.rung();
}

Result<void> ControlClient::send(const ControlMessage& message, bool with_descriptors) {
    iovec part{const_cast<ControlMessage*>(&message), sizeof message};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
    if (with_descriptors) {
        header.msg_control = control.data();
        header.msg_controllen = CMSG_SPACE(bells_.size() * sizeof(int));
        cmsghdr* rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(bells_.size() * sizeof(int));
        std::vector<int> numbers;
        for (const Fd& bell : bells_) numbers.push_back(bell.get());
        std::memcpy(CMSG_DATA(rights), numbers.data(), numbers.size() * sizeof(int));
    }
    if (::sendmsg(socket_.get(), &header, MSG_NOSIGNAL) != sizeof message)
        return fail_errno("control socket", errno);
    return {};
}

void ControlClient::request(ControlType type, PortSlot slot, Done done) {
    if (!attached()) {
        loop_.after(0, [done = std::move(done)] { done({}); });
        return;
    }
    queued_.push_back({type, slot, std::move(done)});
    pump();
}

/// A socket's buffer holds few messages: the rest waits for answers.
void ControlClient::pump() {
    while (!queued_.empty() && pending_.size() < kMostInFlight) {
        Queued next = std::move(queued_.front());
        queued_.pop_front();
        ControlMessage message{};
        message.type = next.type;
        message.request = next_request_++;
        message.slot = next.slot.value();
        if (auto sent = send(message, false)) {
            pending_.emplace(message.request, std::move(next.done));
        } else {
            loop_.after(0, [done = std::move(next.done), error = sent.error()] {
                done(std::unexpected(error));
            });
        }
    }
    // Requests are answered one by one: each has its time from the answer before it on.
    if (timer_ == TimerId{} && !pending_.empty())
        timer_ = loop_.after(kAnswerTime, [this] {
            retry("does not answer",
                  std::unexpected(
                      Error{.text = format("dataplane (pid {}) does not answer", pid_),
                            .hint = "it is stopped, or stuck: its log says more; restart dataplane",
                            .code = ETIMEDOUT}));
        });
}

void ControlClient::open_port(PortSlot slot, Done done) {
    request(ControlType::open_port, slot, std::move(done));
}

void ControlClient::close_port(PortSlot slot, Done done) {
    request(ControlType::close_port, slot, std::move(done));
}

void ControlClient::stop_dataplane(Done done) {
    request(ControlType::stop, PortSlot(shm::kNoSlot), std::move(done));
}

void ControlClient::wake(WorkerId worker) const {
    if (worker.value() + 1u >= bells_.size()) return;
    const std::uint64_t one = 1;
    // A full counter means that it is rung already.
    [[maybe_unused]] const ssize_t written =
        ::write(bells_[worker.value() + 1u].get(), &one, sizeof one);
}

void ControlClient::wake_all() const {
    for (std::size_t i = 1; i < bells_.size(); ++i)
        wake(WorkerId(static_cast<std::uint8_t>(i - 1)));
}

std::string ControlClient::state_text() const {
    switch (state_) {
        case State::waiting: {
            const Time now = loop_.now();
            const Time left = next_try_ > now ? next_try_ - now : 0;
            return format("{}, next try in {}", last_error_, age_text(left));
        }
        case State::greeting: return "waiting for its answer";
        case State::attached:
            return format("attached (pid {}) for {}", pid_, age_text(loop_.now() - since_));
    }
    return {};
}

}  // namespace raicho::agent
