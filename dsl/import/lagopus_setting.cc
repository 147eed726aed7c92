// SPDX-License-Identifier: Apache-2.0
// Options of the ancestor's objects and of its global commands: `-mtu 9000`, `-port ~p1`.
#include <algorithm>

#include "base/text.h"
#include "dsl/import/lagopus_world.h"

namespace raicho::dsl {

namespace {

using std::string_view;

std::string did_you_mean_option(string_view object, string_view name) {
    std::vector<string_view> names;
    for (const LagopusOption& o : lagopus_options())
        if (o.object == object) names.push_back(o.name);
    const auto near = did_you_mean(name, names);
    return near ? format("did you mean -{}?", *near) : "";
}

/// Whether `word` begins the next option rather than being a value (`-p1` takes p1 off a list).
bool begins_option(string_view object, string_view word) {
    return word.starts_with('-') && find_lagopus_option(object, word.substr(1)) != nullptr;
}

/// `+V`, `~V`, `-V`: whether a value joins a list or leaves it.
enum class Motion : bool { leave, join };
Motion motion(std::string& value) {
    const Motion m =
        value.starts_with('~') || value.starts_with('-') ? Motion::leave : Motion::join;
    if (value.size() > 1 && (m == Motion::leave || value.starts_with('+'))) value.erase(0, 1);
    return m;
}

}  // namespace

void LagopusInterpreter::settings(LagopusObject& object, const ForeignPlace& place, Words words) {
    std::size_t at = 0;
    while (at < words.size()) {
        const std::string& word = words[at++];
        const LagopusOption* option =
            word.starts_with('-') ? find_lagopus_option(object.kind, word.substr(1)) : nullptr;
        if (option == nullptr) {
            report_.lost(
                place, format("{}: unknown option \"{}\"", object.kind, word),
                word.starts_with('-') ? did_you_mean_option(object.kind, word.substr(1)) : "");
            // Its values, whatever it is.
            while (at < words.size() && !begins_option(object.kind, words[at])) ++at;
            continue;
        }
        std::vector<std::string> values;
        while (values.size() < option->n_values && at < words.size() &&
               !begins_option(object.kind, words[at]))
            values.push_back(words[at++]);
        const bool removes = !values.empty() && option->repeat == Repeat::adds &&
                             (values[0].starts_with('~') || values[0].starts_with('-'));
        if (values.empty() && option->n_values != 0) continue;  // shows the option
        // What leaves a list is named without its number.
        if (values.size() < option->n_values && !removes) {
            report_.lost(place, format("{}: -{} needs {} values", object.kind, option->name,
                                       option->n_values));
            continue;
        }
        static_cast<void>(setting(object, *option, place, std::move(values)));
    }
}

bool LagopusInterpreter::setting(LagopusObject& object, const LagopusOption& option,
                                 const ForeignPlace& place, std::vector<std::string> values) {
    Motion way = Motion::join;
    if (option.repeat == Repeat::adds) way = motion(values.front());
    if (!values.empty() && way == Motion::join) {
        if (const auto good = judge_lagopus_value(option, values.front()); !good) {
            report_.lost(place, format("{}: -{}: {}", object.kind, option.name, good.error()));
            return false;
        }
    }
    std::vector<LagopusSetting::Entry>& entries = object.settings[std::string(option.name)].entries;
    if (option.repeat == Repeat::replaces) {
        entries.clear();
    } else {
        std::erase_if(entries, [&](const LagopusSetting::Entry& e) {
            return e.values.front() == values.front();
        });
    }
    if (way == Motion::join) entries.push_back({place, std::move(values)});
    return true;
}

void LagopusInterpreter::global(const LagopusCommand& c) {
    const Words words = c.words;
    if (words.size() < 2 || words[1] == "stats" || words[1] == "emit") return;
    LagopusObject& object = world_.globals.try_emplace(words[0]).first->second;
    object.kind = words[0];
    object.place = c.place;
    if (words[1] == "enable" || words[1] == "disable") {
        object.state = words[1] == "enable" ? LagopusState::enabled : LagopusState::disabled;
        object.state_place = c.place;
        return settings(object, c.place, words.subspan(2));
    }
    // One of the two: the later one counts.
    const bool syslog = std::ranges::find(words, "-syslog") != words.end();
    if (c.words[0] == "log" && syslog) object.settings.erase("file");
    settings(object, c.place, words.subspan(1));
    if (c.words[0] == "log" && !syslog && std::ranges::find(words, "-file") != words.end())
        object.settings.erase("syslog");
}

}  // namespace raicho::dsl
