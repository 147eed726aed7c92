// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/endpoint.h"

#include "base/text.h"

namespace raicho::agent {

std::string to_text(const Endpoint& endpoint) {
    const bool v6 = endpoint.host.find(':') != std::string::npos;
    return format("tcp:{}{}{}:{}", v6 ? "[" : "", endpoint.host, v6 ? "]" : "", endpoint.port);
}

}  // namespace raicho::agent
