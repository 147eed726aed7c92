// SPDX-License-Identifier: Apache-2.0
// Commits of one port: what `add port` and `delete port` ask for.
#include <algorithm>
#include <utility>

#include "agent/config/commit.h"
#include "agent/config/flow_check.h"
#include "base/text.h"
#include "dsl/model/check.h"
#include "dsl/model/print.h"

namespace raicho::agent::config {

void CommitEngine::add_port(std::string bridge, std::string name, std::string options,
                            CommitOrder order, CommitDone done) {
    commit(
        [this, bridge = std::move(bridge), name = std::move(name),
         options = std::move(options)](const Revision&) -> std::expected<Proposal, CommitFailure> {
            dsl::Checked checked =
                dsl::check_add_port(running(), bridge, name, options, flow_checker());
            if (!checked.ok()) return std::unexpected(failure_of(std::move(checked)));
            return Proposal{dsl::print(checked.config), "configuration", {}};
        },
        std::move(order), std::move(done));
}

void CommitEngine::delete_port(std::string bridge, std::string port, CommitOrder order,
                               CommitDone done) {
    commit(
        [this, bridge = std::move(bridge),
         port = std::move(port)](const Revision&) -> std::expected<Proposal, CommitFailure> {
            dsl::Config config = running();
            dsl::BridgeConfig* owner = config.find_bridge(bridge);
            if (owner == nullptr)
                return std::unexpected(
                    failure_of(Error{format("bridge \"{}\": not defined", bridge)}));
            if (std::erase_if(owner->ports,
                              [&](const dsl::PortConfig& p) { return p.name == port; }) == 0) {
                std::vector<std::string_view> names;
                for (const dsl::PortConfig& p : owner->ports) names.push_back(p.name);
                const auto near = did_you_mean(port, names);
                return std::unexpected(failure_of(
                    Error{format("port \"{}\": not in bridge \"{}\"", port, bridge),
                          near ? format("did you mean \"{}\"?", *near) : std::string()}));
            }
            return Proposal{dsl::print(config), "configuration", {}};
        },
        std::move(order), std::move(done));
}

}  // namespace raicho::agent::config
