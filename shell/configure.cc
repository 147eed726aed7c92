// SPDX-License-Identifier: Apache-2.0
#include "shell/configure.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "dsl/edit/complete.h"

namespace raicho::shell {

namespace {

dsl::EditVerb verb_of(Action action) {
    switch (action) {
        case Action::delete_statement:
        case Action::rename_statement: return dsl::EditVerb::remove;
        case Action::edit: return dsl::EditVerb::edit;
        case Action::show_candidate:
        case Action::show_configuration: return dsl::EditVerb::show;
        case Action::activate: return dsl::EditVerb::activate;
        case Action::deactivate: return dsl::EditVerb::deactivate;
        default: return dsl::EditVerb::set;
    }
}

/// Interfaces of the host that may become ports: agent and shell live on one machine.
std::vector<std::string> interfaces() {
    std::vector<std::string> found;
    std::error_code error;
    std::filesystem::directory_iterator at("/sys/class/net", error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
        if (std::string name = at->path().filename().string(); name != "lo")
            found.push_back(std::move(name));
    std::ranges::sort(found, natural_less);
    return found;
}

/// Whether the word to come names an interface.
bool names_interface(const StatementPlace& place, std::string_view level) {
    if (place.verb != Action::set_statement) return false;
    const std::string_view before =
        place.words.empty() ? std::string_view() : std::string_view(place.words.back());
    if (before == "af-packet") return true;
    // `port` within a bridge.
    const std::size_t n = place.words.size();
    const bool in_bridge = level.empty() ? n == 3 && place.words[0] == "bridge"
                                         : n == 1 && level.starts_with("bridge ");
    return before == "port" && in_bridge;
}

/// `bridge br0 port p1` lies below `bridge br0`, `bridge br01` does not.
bool lies_at_or_below(std::string_view place, std::string_view level) {
    return place.starts_with(level) &&
           (level.empty() || place.size() == level.size() || place[level.size()] == ' ');
}

}  // namespace

void Editing::enter(std::string id) {
    leave();
    id_ = std::move(id);
}

void Editing::leave() {
    id_.clear();
    level_.clear();
    before_.clear();
    forget_text();
    state_.differs = false;
}

void Editing::descend(std::string level) {
    before_.push_back(std::exchange(level_, std::move(level)));
}

void Editing::ascend(std::string level) {
    level_ = std::move(level);
    // `exit` never goes to where one stands, nor below.
    while (!before_.empty() && lies_at_or_below(before_.back(), level_)) before_.pop_back();
}

bool Editing::back() {
    if (before_.empty()) return !std::exchange(level_, {}).empty();
    level_ = std::move(before_.back());
    before_.pop_back();
    return true;
}

std::string Editing::target(std::string_view rest) const {
    return format("/api/v1/config/candidates/{}{}", percent_encode(id_), rest);
}

bool Editing::refresh(std::chrono::milliseconds patience) {
    const auto status = agent_.get("/api/v1/config/status", patience);
    if (!status) return false;
    state_ = {};
    state_.revision = status->number("revision");
    if (const Json confirm = (*status)["confirm"]; !confirm.null())
        state_.confirm_seconds = confirm.number("seconds_left");
    for (const Json& candidate : (*status)["candidates"].items())
        if (active() && candidate.text("id") == id_) state_.differs = candidate.flag("differs");
    return true;
}

const std::string& Editing::text_for_keys(const std::string& at) {
    // Others may edit too: what is kept serves for the keys of one word.
    constexpr std::chrono::seconds kKeep{2};
    const auto now = std::chrono::steady_clock::now();
    if (kept_until_ < now || kept_from_ != at) {
        kept_ = agent_.get_text(at).value_or(std::string());
        kept_from_ = at;
        kept_until_ = now + kKeep;
    }
    return kept_;
}

std::vector<StatementWord> Editing::statements(const StatementPlace& place) {
    const bool of_running = place.verb == Action::show_configuration;
    const std::string_view level =
        of_running || place.from == PathFrom::top ? "" : std::string_view(level_);
    const std::string& text =
        text_for_keys(of_running ? "/api/v1/config/running" : target("/text"));
    const std::vector<std::string_view> words(place.words.begin(), place.words.end());
    std::vector<StatementWord> found;
    for (dsl::Candidate& c :
         dsl::complete_edit(text, verb_of(place.verb), level, words, place.prefix))
        found.push_back({std::move(c.word), std::move(c.help)});
    if (!names_interface(place, level)) return found;
    for (std::string& name : interfaces())
        if (name.starts_with(place.prefix) &&
            std::ranges::find(found, name, &StatementWord::text) == found.end())
            found.push_back({std::move(name), "interface of this host"});
    return found;
}

}  // namespace raicho::shell
