// SPDX-License-Identifier: Apache-2.0
// For tests of the plane: a loop of poll(), a run directory with a small arena, and the dataplane's
// end of the control socket.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/plane/loop.h"
#include "base/handle.h"
#include "shm/arena.h"
#include "shm/control.h"

namespace raicho::agent {

class PollLoop final : public Loop {
  public:
    Time now() const override {
        return static_cast<Time>(std::chrono::steady_clock::now().time_since_epoch() /
                                 std::chrono::nanoseconds(1)) +
               skipped_;
    }
    /// So much time passes at once.
    void skip(Time time) { skipped_ += time; }
    WatchId watch(int fd, std::function<void()> ready) override {
        watches_[WatchId(++last_)] = {fd, std::move(ready)};
        return WatchId(last_);
    }
    void unwatch(WatchId watch) override { watches_.erase(watch); }
    TimerId after(Time delay, std::function<void()> due) override {
        timers_[TimerId(++last_)] = {now() + delay, std::move(due)};
        return TimerId(last_);
    }
    void cancel(TimerId timer) override { timers_.erase(timer); }

    /// One round: what is readable, then what is due.
    void turn() {
        std::vector<WatchId> ids;
        std::vector<pollfd> fds;
        for (const auto& [id, watch] : watches_) {
            ids.push_back(id);
            fds.push_back({watch.fd, POLLIN, 0});
        }
        ::poll(fds.data(), fds.size(), 1);
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (fds[i].revents != 0)
                if (const auto found = watches_.find(ids[i]); found != watches_.end())
                    std::function(found->second.ready)();
        const Time limit = now();
        std::vector<TimerId> due;
        for (const auto& [id, timer] : timers_)
            if (timer.at <= limit) due.push_back(id);
        for (const TimerId id : due)
            if (auto node = timers_.extract(id)) node.mapped().due();
    }
    /// Runs until `done` is true; false after ten seconds.
    template <class F>
    [[nodiscard]] bool until(F done) {
        const Time end = now() + 10 * kSecond;
        while (!done()) {
            if (now() > end) return false;
            turn();
        }
        return true;
    }

  private:
    struct Watch {
        int fd = -1;
        std::function<void()> ready;
    };
    struct Timer {
        Time at = 0;
        std::function<void()> due;
    };
    std::uint64_t last_ = 0;
    Time skipped_ = 0;
    std::map<WatchId, Watch> watches_;
    std::map<TimerId, Timer> timers_;
};

/// A run directory that goes away with its arena.
class RunDirectory {
  public:
    RunDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "plane.XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) path = name;
    }
    ~RunDirectory() {
        shm::AgentArena::remove(path);
        std::filesystem::remove_all(path);
    }
    RunDirectory(const RunDirectory&) = delete;
    RunDirectory& operator=(const RunDirectory&) = delete;
    std::string path;
};

inline shm::AgentArena small_arena(const std::string& rundir) {
    auto arena = shm::AgentArena::create(
        rundir, {.max_flows = 1024, .max_ports = 512, .max_bridges = 4, .max_workers = 2});
    EXPECT_TRUE(arena) << arena.error().text;
    return std::move(*arena);
}

/// The dataplane's end, answering as told.
class ScriptedDataplane {
  public:
    explicit ScriptedDataplane(const std::string& rundir)
        : listener_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = rundir + "/dataplane.sock";
        ::unlink(path.c_str());
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address),
                  0);
        EXPECT_EQ(::listen(listener_.get(), 4), 0);
    }
    /// Takes a waiting connection or message, if any.
    std::optional<shm::ControlMessage> take() {
        if (!peer_) {
            peer_ = Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (!peer_) return std::nullopt;
        }
        shm::ControlMessage message{};
        iovec part{&message, sizeof message};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(32 * sizeof(int))> control{};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        if (::recvmsg(peer_.get(), &header, 0) != sizeof message) return std::nullopt;
        for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
            for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
                int fd = -1;
                std::memcpy(&fd, reinterpret_cast<char*>(c) + at, sizeof fd);
                bells.emplace_back(fd);
            }
        }
        return message;
    }
    void say(shm::ControlType type, std::uint32_t request, std::uint32_t status = 0,
             std::string_view text = {}, std::uint32_t slot = 0) {
        shm::ControlMessage message{};
        message.type = type;
        message.request = request;
        message.status = status;
        message.slot = slot;
        message.pid = 4711;
        std::ranges::copy(text, message.text.begin());
        EXPECT_EQ(::send(peer_.get(), &message, sizeof message, MSG_NOSIGNAL),
                  static_cast<ssize_t>(sizeof message));
    }
    /// Answers every request that waits with success; how many.
    std::size_t agree() {
        std::size_t n = 0;
        while (const auto message = take()) {
            const bool hello = message->type == shm::ControlType::hello;
            say(hello ? shm::ControlType::hello_reply : shm::ControlType::reply, message->request);
            requests.push_back(*message);
            ++n;
        }
        return n;
    }
    void die() {
        peer_.reset();
        listener_.reset();
    }

    std::vector<Fd> bells;
    std::vector<shm::ControlMessage> requests;

  private:
    Fd listener_;
    Fd peer_;
};

}  // namespace raicho::agent
