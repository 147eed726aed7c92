// SPDX-License-Identifier: Apache-2.0
// Serves the API over HTTP/1.1 on the Unix socket `<rundir>/agent.sock`, mode 0660. Requests run on
// the agent's loop, one after the other on a connection; long bodies go out in chunks.
#pragma once

#include <memory>
#include <string>

#include "agent/api/access.h"
#include "base/error.h"

namespace boost::asio {
class io_context;
}

namespace raicho::agent::api {

class Api;

class Server {
  public:
    /// Listens at `path`. A socket file that a dead agent left is replaced; one that answers is an
    /// error. `api` must live longer than the server.
    [[nodiscard]] static Result<std::unique_ptr<Server>> open(boost::asio::io_context& loop,
                                                              std::string path, Api& api);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Who may do what from now on; at first the agent's own group may change. The error is the
    /// kernel's about the socket file.
    [[nodiscard]] Result<void> set_access(const Access& access);

    /// Stops listening, drops every connection and removes the socket file.
    void close();

  private:
    struct Impl;
    explicit Server(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace raicho::agent::api
