// SPDX-License-Identifier: Apache-2.0
// Commits of one port: what `add port` and `delete port` ask for.
#include <array>
#include <utility>

#include "agent/config/commit.h"
#include "agent/config/flow_check.h"
#include "base/text.h"
#include "dsl/edit/edit.h"
#include "dsl/edit/load.h"
#include "dsl/model/check.h"
#include "dsl/model/print.h"
#include "dsl/syntax/tree.h"

namespace raicho::agent::config {

namespace {

std::expected<Proposal, CommitFailure> proposal_of(dsl::OrRefusal<std::string>&& text) {
    if (!text) return std::unexpected(failure_of(std::move(text.error())));
    return Proposal{std::move(*text), "configuration", {}};
}

}  // namespace

void CommitEngine::add_port(std::string bridge, std::string name, std::string options,
                            CommitOrder order, CommitDone done) {
    commit(
        [this, bridge = std::move(bridge), name = std::move(name), options = std::move(options)](
            const Revision& now) -> std::expected<Proposal, CommitFailure> {
            dsl::Checked checked =
                dsl::check_add_port(running(), bridge, name, options, flow_checker());
            if (!checked.ok()) return std::unexpected(failure_of(std::move(checked)));
            dsl::BridgeConfig only;
            only.name = bridge;
            only.ports.push_back(*checked.config.find_bridge(bridge)->find_port(name));
            return proposal_of(
                dsl::load(now.text, dsl::LoadMode::merge, dsl::print(only), "configuration"));
        },
        std::move(order), std::move(done));
}

void CommitEngine::delete_port(std::string bridge, std::string port, CommitOrder order,
                               CommitDone done) {
    commit(
        [this, bridge = std::move(bridge),
         port = std::move(port)](const Revision& now) -> std::expected<Proposal, CommitFailure> {
            const dsl::BridgeConfig* owner = running().find_bridge(bridge);
            if (owner == nullptr)
                return std::unexpected(
                    failure_of(Why::not_found, format("bridge \"{}\": not defined", bridge)));
            if (owner->find_port(port) == nullptr) {
                std::vector<std::string_view> names;
                for (const dsl::PortConfig& p : owner->ports) names.push_back(p.name);
                const auto near = did_you_mean(port, names);
                return std::unexpected(failure_of(
                    Why::not_found, format("port \"{}\": not in bridge \"{}\"", port, bridge),
                    near ? format("did you mean \"{}\"?", *near) : std::string()));
            }
            const std::array commands{format("delete bridge {} port {}",
                                             dsl::quoted_if_needed(bridge),
                                             dsl::quoted_if_needed(port))};
            return proposal_of(dsl::edit(now.text, commands));
        },
        std::move(order), std::move(done));
}

}  // namespace raicho::agent::config
