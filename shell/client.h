// SPDX-License-Identifier: Apache-2.0
// HTTP to the agent over its Unix socket, one connection a request: a restarted agent is simply met
// by the next one. client.cc is the only file of the shell that sees Beast.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace raicho::shell {

/// Why there is no answer.
enum class ClientFault : std::uint8_t {
    unreachable,  // nobody listens at the socket, or the connection broke
    refused,      // no permission for the socket
    interrupted,  // by ^C
    bad_answer,   // no HTTP, or too large
};
struct ClientError {
    ClientFault fault{};
    Error error;
};

struct Answer {
    unsigned status = 0;
    std::string content_type;
    std::string body;
};

/// A request to come: method `GET`, target `/api/v1/ports?bridge=br0`.
struct Call {
    std::string method;
    std::string target;
    std::string body{};  // JSON when not empty
    std::chrono::milliseconds
        patience{};  // for the whole exchange; 0 = the usual until it begins to answer
};

enum class KeepReading : bool { no, yes };
/// Takes bytes of a body as they come.
using BodySink = std::function<KeepReading(std::string_view piece)>;

class Client {
  public:
    explicit Client(std::string socket_path) : path_(std::move(socket_path)) {}

    [[nodiscard]] const std::string& path() const { return path_; }

    /// The whole answer, whatever its status. Blocks; ^C (interrupt_requested()) ends it.
    [[nodiscard]] std::expected<Answer, ClientError> call(const Call& call);
    /// As call(), but the body of an answer of status 200 goes to `sink` and not into the Answer.
    [[nodiscard]] std::expected<Answer, ClientError> stream(const Call& call, const BodySink& sink);

  private:
    std::string path_;
};

/// `text` with everything but letters, digits and `-._~` as %XX.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace raicho::shell
