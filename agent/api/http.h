// SPDX-License-Identifier: Apache-2.0
// An HTTP exchange as plain values: what the router sees of a request and gives back. Only
// server.cc knows Beast.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/api/access.h"
#include "agent/api/problem.h"

namespace raicho::agent::api {

enum class More : bool { no, yes };

/// A body made while it is sent, so that a million flows need no million flows of memory.
class BodyStream {
  public:
    virtual ~BodyStream() = default;
    /// Appends the next piece to `out` (perhaps nothing yet). Runs on the loop: a bounded slice of
    /// work a call.
    [[nodiscard]] virtual More next(std::string& out) = 0;
};

struct Request {
    std::string method;  // `GET`
    std::string path;    // as sent, without the query: `/api/v1/flows`
    std::map<std::string, std::string, std::less<>> query;
    std::string content_type;
    std::string body;
    std::string user_agent;
    Right right = Right::change;
    uid_t user = 0;         // of the peer, by SO_PEERCRED
    std::string user_name;  // its name, or the number where it has none
};

struct Response {
    unsigned status = 200;
    std::string content_type = "application/json";
    std::string body;
    std::unique_ptr<BodyStream> stream{};  // when set, `body` is unused
    std::string allow{};                   // methods, for a 405
};
using Respond = std::function<void(Response)>;

[[nodiscard]] Response respond_problem(const Problem& problem);

/// `%41` becomes `A`; nothing when a `%` is not followed by two hex digits.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

/// Splits a request target into path and decoded query (a `+` is a blank there). False when it is
/// malformed or has a parameter twice.
[[nodiscard]] bool read_target(std::string_view target, Request& request);

}  // namespace raicho::agent::api
