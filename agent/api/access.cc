// SPDX-License-Identifier: Apache-2.0
#include "agent/api/access.h"

#include <grp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace raicho::agent::api {

namespace {

Result<gid_t> group_by_name(const std::string& name, std::string_view setting) {
    group entry{};
    group* found = nullptr;
    std::vector<char> texts(std::size_t{1} << 16);
    if (::getgrnam_r(name.c_str(), &entry, texts.data(), texts.size(), &found) == 0 &&
        found != nullptr)
        return found->gr_gid;
    return fail(format("api {} \"{}\": no such group", setting, name),
                format("make it: groupadd --system {}", name));
}

bool may_give(gid_t group) {
    if (::geteuid() == 0 || ::getegid() == group) return true;
    std::vector<gid_t> own(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
    const int n = ::getgroups(static_cast<int>(own.size()), own.data());
    own.resize(static_cast<std::size_t>(std::max(n, 0)));
    return std::ranges::find(own, group) != own.end();
}

}  // namespace

Peer peer_of(int socket) {
    ucred who{};
    socklen_t size = sizeof who;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {};
    Peer peer{who.uid, {who.gid}};
    std::array<gid_t, 1024> groups{};
    size = sizeof groups;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) == 0)
        peer.groups.insert(peer.groups.end(), groups.begin(),
                           groups.begin() + static_cast<std::ptrdiff_t>(size / sizeof(gid_t)));
    return peer;
}

Access Access::of_agent() {
    return {::geteuid(), ::getegid(), std::nullopt};
}

Result<Access> Access::from(const dsl::ApiConfig& config) {
    Access access = of_agent();
    if (!config.group.empty()) {
        TRY_ASSIGN(access.group, group_by_name(config.group, "group"));
        if (!may_give(access.group))
            return fail(format("api group \"{}\": the agent's user is not in it", config.group),
                        "add the user to the group, or run the agent as root");
    }
    if (!config.readers.empty()) {
        TRY_ASSIGN(access.readers, group_by_name(config.readers, "readers"));
    }
    return access;
}

Right Access::right_of(const Peer& peer) const {
    const auto in = [&](gid_t wanted) {
        return std::ranges::find(peer.groups, wanted) != peer.groups.end();
    };
    if (peer.user == 0 || peer.user == owner || in(group)) return Right::change;
    return readers && in(*readers) ? Right::read : Right::none;
}

}  // namespace raicho::agent::api
