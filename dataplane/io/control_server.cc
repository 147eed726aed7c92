// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/control_server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "base/text.h"
#include "dataplane/io/port_opener.h"
#include "shm/port.h"

namespace raicho::io {
namespace {

using shm::ControlMessage;
using shm::ControlType;

constexpr std::size_t kMaxDescriptors = 253;  // SCM_MAX_FD

ControlMessage answer(ControlType type, const ControlMessage& request, int status,
                      std::string_view text) {
    ControlMessage out{};
    out.type = type;
    out.request = request.request;
    out.slot = request.slot;
    out.status = static_cast<std::uint32_t>(status);
    out.pid = static_cast<std::uint64_t>(::getpid());
    std::ranges::copy(text.substr(0, out.text.size() - 1), out.text.begin());
    return out;
}

/// Whether the socket took it; one that is full or gone did not.
bool send(int fd, const ControlMessage& message) {
    return ::send(fd, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(sizeof message);
}

pid_t peer_of(int fd) {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return 0;
    return credentials.pid;
}

std::vector<Fd> descriptors_of(msghdr& message) {
    std::vector<Fd> out;
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < n; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            out.emplace_back(fd);
        }
    }
    return out;
}

}  // namespace

Result<ControlServer> ControlServer::open(const std::string& rundir, const shm::ArenaView& arena,
                                          std::size_t n_workers, Handlers handlers) {
    std::string path = rundir + "/dataplane.sock";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return fail(format("control socket {}: the path is {} characters long, {} is the limit",
                           path, path.size(), sizeof address.sun_path - 1),
                    "use a shorter --rundir");
    std::ranges::copy(path, address.sun_path);
    Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) return fail_errno("control socket", errno);
    ::unlink(path.c_str());  // of a dead one: the lock says that no other runs here
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail_errno(format("control socket {}", path), errno);
    if (::listen(fd.get(), 4) != 0) return fail_errno(format("control socket {}", path), errno);
    return ControlServer(std::move(fd), std::move(path), arena, n_workers, std::move(handlers));
}

ControlServer::~ControlServer() {
    if (listener_) ::unlink(path_.c_str());
}

void ControlServer::accept() {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) return;
    // the first may be dead with requests unread: behind them lies the end
    receive();
    if (connection_) {
        const pid_t second = peer_of(fd.get());
        LOG(warning, "control", "second agent refused pid={} first={}", second, peer_);
        // its hello has not come yet: the answer has no request to echo
        send(fd.get(),
             answer(ControlType::hello_reply, {}, EBUSY,
                    format("another agent (pid {}) is connected to this dataplane", peer_)));
        return;
    }
    peer_ = peer_of(fd.get());
    connection_ = std::move(fd);
    ++n_accepted_;
    session_ = Session::none;
    events_ = Events::sent;
}

void ControlServer::drop_connection() {
    LOG(info, "control", "agent gone pid={}", peer_);
    connection_.reset();
    session_ = Session::none;
}

void ControlServer::receive() {
    while (connection_) {
        ControlMessage request{};
        iovec vector{&request, sizeof request};
        alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
        msghdr message{};
        message.msg_iov = &vector;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t size =
            ::recvmsg(connection_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && errno == EAGAIN) return;
        if (size <= 0) return drop_connection();
        std::vector<Fd> descriptors = descriptors_of(message);
        if (static_cast<std::size_t>(size) != sizeof request) {
            LOG(warning, "control", "message of {} bytes, {} expected: agent dropped pid={}", size,
                sizeof request, peer_);
            return drop_connection();
        }
        handle(request, std::move(descriptors));
    }
}

void ControlServer::handle(const ControlMessage& request, std::vector<Fd> descriptors) {
    using enum ControlType;
    if (request.type == hello) return this->hello(request, std::move(descriptors));
    const auto respond = [&](int status, std::string_view text) {
        if (!send(connection_.get(), answer(reply, request, status, text)))
            LOG(warning, "control", "answer not sent pid={}", peer_);
    };
    if (session_ == Session::none) return respond(EPROTO, "hello comes first");
    const PortSlot slot(static_cast<std::uint16_t>(request.slot));
    if (request.type == stop) {
        respond(0, "");
        return handlers_.stop();
    }
    if (request.type != open_port && request.type != close_port)
        return respond(EBADMSG,
                       format("unknown request {}", static_cast<std::uint32_t>(request.type)));
    if (request.slot >= shm::kNoSlot)
        return respond(EINVAL, format("port slot {} is out of range", request.slot));
    if (request.type == close_port) {
        handlers_.close(slot);
        return respond(0, "");
    }
    const auto opened = handlers_.open(slot);
    if (opened)
        respond(0, *opened);
    else
        respond(opened.error().code != 0 ? opened.error().code : EINVAL, full_text(opened.error()));
}

void ControlServer::hello(const ControlMessage& request, std::vector<Fd> descriptors) {
    const auto refuse = [&](int status, const std::string& text) {
        LOG(error, "control", "agent refused pid={}: {}", peer_, text);
        send(connection_.get(), answer(ControlType::hello_reply, request, status, text));
        drop_connection();
    };
    if (request.layout_hash != layout_hash_)
        return refuse(ESTALE,
                      format("the agent's arena layout is {:016x}, the dataplane's {:016x}: "
                             "they are of different versions, restart the older one",
                             request.layout_hash, layout_hash_));
    if (request.arena != arena_) {
        refuse(ESTALE, "the dataplane had an older arena, it starts anew with the agent's");
        return handlers_.superseded();
    }
    if (descriptors.size() < 1 + n_workers_)
        return refuse(EINVAL, format("hello brought {} event descriptors, {} workers need {}",
                                     descriptors.size(), n_workers_, 1 + n_workers_));
    session_ = Session::greeted;
    LOG(info, "control", "agent connected pid={}", peer_);
    send(connection_.get(), answer(ControlType::hello_reply, request, 0, ""));
    handlers_.connected(std::move(descriptors));
}

void ControlServer::port_event(PortSlot slot) {
    if (session_ != Session::greeted) return;
    ControlMessage event{};
    event.type = ControlType::port_event;
    event.slot = slot.value();
    if (!send(connection_.get(), event)) events_ = Events::lost;
}

void ControlServer::catch_up() {
    if (events_ == Events::sent) return;
    events_ = Events::sent;
    port_event(PortSlot(shm::kNoSlot));  // re-read all; lost again when it does not fit
}

}  // namespace raicho::io
