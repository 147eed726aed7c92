// SPDX-License-Identifier: Apache-2.0
// The dataplane's end of the control socket (shm/control.h): one agent at a time, requests to
// handlers, port events back. The owner watches the descriptors and calls in.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/handle.h"
#include "base/ids.h"
#include "shm/arena_view.h"
#include "shm/control.h"

namespace raicho::io {

class ControlServer {
  public:
    struct Handlers {
        /// An agent said hello; [0] is its own event, then one a worker.
        std::function<void(std::vector<Fd> events)> connected;
        std::function<Result<std::string>(PortSlot)> open;
        std::function<void(PortSlot)> close;
        std::function<void()> stop;
        /// The agent has another arena: it made a new one and died before it could say so here.
        std::function<void()> superseded;
    };
    /// Listens on `<rundir>/dataplane.sock` for the agent of `arena`.
    static Result<ControlServer> open(const std::string& rundir, const shm::ArenaView& arena,
                                      std::size_t n_workers, Handlers handlers);
    ControlServer(ControlServer&&) noexcept = default;
    ControlServer& operator=(ControlServer&&) = delete;
    /// Removes the socket's file.
    ~ControlServer();

    [[nodiscard]] int listener() const { return listener_.get(); }
    /// -1 = no agent.
    [[nodiscard]] int connection() const { return connection_.get(); }
    /// Connections taken so far: a new number means that connection() is to be watched anew.
    [[nodiscard]] std::uint64_t n_accepted() const { return n_accepted_; }
    /// The listener is readable. A second agent is refused while the first lives.
    void accept();
    /// The connection is readable: requests are answered, or it ended.
    void receive();
    /// Says that the row changed; nothing when no agent has said hello.
    void port_event(PortSlot slot);
    /// Sends what did not fit into the socket before.
    void catch_up();

  private:
    ControlServer(Fd listener, std::string path, const shm::ArenaView& arena, std::size_t n_workers,
                  Handlers handlers)
        : listener_(std::move(listener)),
          path_(std::move(path)),
          layout_hash_(arena.header().layout_hash),
          arena_(arena.identity()),
          n_workers_(n_workers),
          handlers_(std::move(handlers)) {}
    void drop_connection();
    void handle(const shm::ControlMessage& request, std::vector<Fd> descriptors);
    void hello(const shm::ControlMessage& request, std::vector<Fd> descriptors);

    Fd listener_;
    Fd connection_;
    std::string path_;
    std::uint64_t layout_hash_;
    std::uint64_t arena_;
    std::size_t n_workers_;
    Handlers handlers_;
    pid_t peer_ = 0;
    std::uint64_t n_accepted_ = 0;
    enum class Session : std::uint8_t { none, greeted } session_ = Session::none;
    enum class Events : std::uint8_t { sent, lost } events_ = Events::sent;
};

}  // namespace raicho::io
