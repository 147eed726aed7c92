// SPDX-License-Identifier: Apache-2.0
// The agent's end of the control socket (shm/control.h): finds the dataplane, hands it the event
// descriptors, asks it to open and close ports, and notices its death. No flow-mod comes this way.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/plane/loop.h"
#include "base/error.h"
#include "base/handle.h"
#include "shm/arena_view.h"
#include "shm/control.h"

namespace raicho::agent {

class ControlClient {
  public:
    /// Value or the dataplane's text.
    using Done = std::function<void(Result<void>)>;

    struct Events {
        /// Hand-shake done: read everything anew.
        std::function<void()> attached;
        /// The dataplane died or stopped.
        std::function<void()> lost;
        /// A port's status row changed; shm::kNoSlot = any of them.
        std::function<void(PortSlot)> port_event;
        /// The dataplane rang: packet-ins wait.
        std::function<void()> rung;
    };

    /// Starts to connect to `<rundir>/dataplane.sock`, for ever, as the agent of `arena`: a
    /// dataplane that has another one starts anew. `loop` outlives the client.
    [[nodiscard]] static Result<std::unique_ptr<ControlClient>> open(Loop& loop,
                                                                     const std::string& rundir,
                                                                     const shm::ArenaView& arena,
                                                                     Events events);
    ~ControlClient();
    ControlClient(const ControlClient&) = delete;
    ControlClient& operator=(const ControlClient&) = delete;

    [[nodiscard]] bool attached() const { return state_ == State::attached; }
    [[nodiscard]] std::uint64_t pid() const { return pid_; }
    /// When the current state began.
    [[nodiscard]] Time since() const { return since_; }
    /// Why the last try failed or the connection was lost; empty = never.
    [[nodiscard]] const std::string& last_error() const { return last_error_; }
    /// `attached`, `not running, next try in 1s`.
    [[nodiscard]] std::string state_text() const;

    /// `done` is called once, later. Without a dataplane, and when it dies meanwhile, that is at
    /// once a success: it acts on the rows of the arena when it starts. One that lives and says
    /// nothing for ten seconds loses the link, and what it was asked fails.
    void open_port(PortSlot slot, Done done);
    void close_port(PortSlot slot, Done done);

    /// Tells the dataplane to stop cleanly; `done` when it has heard it.
    void stop_dataplane(Done done);

    /// Wakes a worker that sleeps. Cheap, never blocks.
    void wake(WorkerId worker) const;
    /// Wakes every worker: a row that they follow changed.
    void wake_all() const;

  private:
    enum class State : std::uint8_t { waiting, greeting, attached };

    ControlClient(Loop& loop, std::string path, std::uint64_t arena, Events events);
    void connect();
    /// Closes the link; what waits for an answer gets `outcome`.
    void retry(std::string why, const Result<void>& outcome = {});
    void on_socket();
    void on_message(const shm::ControlMessage& message);
    void on_bell();
    void pump();
    void request(shm::ControlType type, PortSlot slot, Done done);
    [[nodiscard]] Result<void> send(const shm::ControlMessage& message, bool with_descriptors);

    Loop& loop_;
    std::string path_;
    const std::uint64_t arena_;
    Events events_;
    std::vector<Fd> bells_;  // [0] rung by the dataplane, [1 + w] wakes worker w
    WatchId bell_watch_{};
    Fd socket_;
    WatchId socket_watch_{};
    TimerId timer_{};  // next try, patience with a hello, or with the requests that are pending
    State state_ = State::waiting;
    Time since_;
    Time backoff_;
    Time next_try_ = 0;
    std::uint64_t pid_ = 0;
    std::string last_error_;
    std::uint32_t next_request_ = 1;
    struct Queued {
        shm::ControlType type;
        PortSlot slot;
        Done done;
    };
    std::deque<Queued> queued_;
    std::map<std::uint32_t, Done> pending_;  // sent, not answered
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace raicho::agent
