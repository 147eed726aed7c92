// SPDX-License-Identifier: Apache-2.0
// Who may do what at the agent's socket: its owner and root change, so do the members of its group;
// a further group may be allowed to look. The kernel says who a peer is.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "dsl/model/config.h"

namespace raicho::agent::api {

enum class Right { none, read, change };

/// A peer of the socket, with all its groups.
struct Peer {
    uid_t user = static_cast<uid_t>(-1);
    std::vector<gid_t> groups{};
};
/// Of a connected Unix socket (SO_PEERCRED, SO_PEERGROUPS); one who cannot be told is nobody.
[[nodiscard]] Peer peer_of(int socket);

struct Access {
    uid_t owner = 0;
    gid_t group = 0;
    std::optional<gid_t> readers{};

    /// The agent's own user and group.
    [[nodiscard]] static Access of_agent();
    /// What `api { }` says. Errors: no such group, a group that the agent may not give its socket.
    [[nodiscard]] static Result<Access> from(const dsl::ApiConfig& config);

    [[nodiscard]] Right right_of(const Peer& peer) const;
    /// 0660; with readers anybody may connect, and who has no right is told so.
    [[nodiscard]] mode_t socket_mode() const { return readers ? 0666 : 0660; }
};

}  // namespace raicho::agent::api
