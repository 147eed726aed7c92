// SPDX-License-Identifier: Apache-2.0
#include "shell/watch.h"

#include <utility>

#include "base/text.h"

namespace raicho::shell {

void Watch::take(const Json& summary) {
    name_ = summary.text("name");
    pid_ = summary.number("pid");
    uptime_ = summary.number("uptime_ns");
    controllers_.clear();
    for (const Json& bridge : summary["bridges"].items())
        controllers_[bridge.text("name")] = {bridge.number("controllers"),
                                             bridge.number("controllers_connected")};
    lost_ = false;
}

std::vector<std::string> Watch::news(std::chrono::milliseconds patience) {
    const auto summary = agent_.get("/api/v1/summary", patience);
    if (!summary) {
        const bool first = summary.error().code == ExitCode::unreachable && !lost_;
        lost_ = lost_ || first;
        if (!first) return {};
        return {summary.error().text};
    }
    std::vector<std::string> lines;
    const std::uint64_t uptime = summary->number("uptime_ns");
    // `restart agent` keeps the pid.
    const bool restarted = summary->number("pid") != pid_ || uptime < uptime_;
    if (restarted) {
        lines.push_back(format("the agent was restarted {} ago ({})", age_text(uptime),
                               summary->text("start")));
        agent_.forget_names();
    } else if (lost_) {
        lines.emplace_back("the agent answers again");
    }
    const auto before = std::exchange(controllers_, {});
    take(*summary);
    if (restarted) return lines;  // all connections are new
    for (const auto& [bridge, now] : controllers_) {
        const auto old = before.find(bridge);
        if (old == before.end() || old->second.connected == now.connected) continue;
        lines.push_back(format("{}: {} ({} of {} connected)", bridge,
                               now.connected < old->second.connected ? "a controller was lost"
                                                                     : "a controller has come",
                               now.connected, now.all));
    }
    return lines;
}

std::vector<std::string> Watch::commits(std::uint64_t revision) {
    const bool news = revision_ != 0 && revision != revision_;
    revision_ = revision;
    if (!news) return {};
    agent_.forget_names();
    const auto revisions = agent_.get("/api/v1/config/revisions");
    if (!revisions) return {};
    const auto all = revisions->items();
    if (all.empty()) return {};
    const Json& last = all.front();
    if (last.text("via") == "rollback")
        return {
            format("nobody confirmed the commit: what ran before is back (revision {})", revision)};
    std::string line = format("{} committed revision {}", last.text("user"), revision);
    if (const std::string comment = last.text("comment"); !comment.empty()) line += ": " + comment;
    return {std::move(line)};
}

}  // namespace raicho::shell
