// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/lagopus_world.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace raicho::dsl {

namespace {

using std::string_view;

constexpr std::array<string_view, 8> kObjects{
    "policer-action", "policer", "queue", "interface", "port", "channel", "controller", "bridge"};
/// Those that `config` does not make.
constexpr std::array<string_view, 3> kTyped{"interface", "queue", "policer-action"};
/// Words that only show something, or that no configuration is made of.
constexpr std::array<string_view, 9> kViews{
    "version", "affinition", "route", "mactable", "group", "meter", "save", "shutdown", "lock"};
constexpr std::array<string_view, 5> kGlobals{"log", "datastore", "agent", "tls", "snmp"};

/// Which option of an object names another one, and of which kind.
struct Reference {
    string_view kind;
    string_view option;
    string_view target;
};
constexpr std::array<Reference, 8> kReferences{{{"bridge", "port", "port"},
                                                {"bridge", "controller", "controller"},
                                                {"controller", "channel", "channel"},
                                                {"port", "interface", "interface"},
                                                {"port", "policer", "policer"},
                                                {"port", "queue", "queue"},
                                                {"policer", "action", "policer-action"},
                                                {"interface", "", ""}}};

template <std::size_t n>
bool contains(const std::array<string_view, n>& words, string_view word) {
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

const LagopusSetting::Entry* LagopusObject::entry(string_view option) const {
    const auto at = settings.find(option);
    return at == settings.end() || at->second.entries.empty() ? nullptr
                                                              : &at->second.entries.back();
}

string_view LagopusObject::value(string_view option, string_view fallback) const {
    const LagopusSetting::Entry* e = entry(option);
    return e == nullptr || e->values.empty() ? fallback : string_view(e->values.front());
}

const LagopusObject* LagopusWorld::find(string_view kind, string_view name) const {
    for (const LagopusObject& o : objects)
        if (o.kind == kind && o.name == name) return &o;
    return nullptr;
}

LagopusObject* LagopusWorld::find(string_view kind, string_view name) {
    return const_cast<LagopusObject*>(std::as_const(*this).find(kind, name));
}

std::string LagopusWorld::full(string_view name) const {
    if (name.starts_with(':')) return std::string(name.substr(1));
    if (name.find(':') != string_view::npos || space.empty()) return std::string(name);
    return format("{}:{}", space, name);
}

void LagopusInterpreter::run(const ForeignText& text) {
    loading_.push_back(text.name);
    for (const LagopusCommand& c : read_lagopus(text, report_)) command(c);
    loading_.pop_back();
}

void LagopusInterpreter::end() {
    if (!before_atomic_ && !before_dryrun_) return;
    report_.remark(begun_,
                   "what begins here is never ended: it is carried as if it were committed");
    if (before_dryrun_) world_ = std::move(*before_dryrun_);
}

void LagopusInterpreter::command(const LagopusCommand& c) {
    const std::string& word = c.words.front();
    if (contains(kObjects, word)) return object(c);
    if (word == "flow") return flow(c);
    if (contains(kGlobals, word)) return global(c);
    if (contains(kViews, word)) return;
    if (word == "load") return load(c);
    if (word == "atomic") return transaction(c, before_atomic_);
    if (word == "dryrun") return transaction(c, before_dryrun_);
    if (word == "namespace") return name_space(c);
    if (word == "destroy-all-obj") return forget([](const LagopusObject&) { return true; });
    std::vector<string_view> known{"flow", "load", "atomic", "dryrun", "namespace"};
    known.insert(known.end(), kObjects.begin(), kObjects.end());
    known.insert(known.end(), kGlobals.begin(), kGlobals.end());
    const auto near = did_you_mean(word, known);
    report_.lost(c.place, format("unknown command \"{}\"", word),
                 near ? format("did you mean \"{}\"?", *near) : "");
}

void LagopusInterpreter::object(const LagopusCommand& c) {
    const Words words = c.words;
    if (words.size() < 3) return;  // shows it
    const std::string& kind = words[0];
    const std::string& verb = words[2];
    const std::string name = world_.full(words[1]);
    if (verb == "current" || verb == "modified" || verb == "stats" || verb == "clear-queue") return;
    LagopusObject* known = world_.find(kind, name);
    if (verb == "create" || verb == "config") {
        const bool makes = verb == "create" || !contains(kTyped, kind);
        if (known != nullptr && verb == "create")
            return report_.lost(c.place, format("{} \"{}\" exists already", kind, words[1]));
        if (known != nullptr) return settings(*known, c.place, words.subspan(3));
        if (!makes)
            return report_.lost(c.place, format("{} \"{}\" was not created", kind, words[1]));
        return create(c, {.kind = kind, .name = name, .place = c.place});
    }
    if (known == nullptr)
        return report_.lost(c.place, format("there is no {} \"{}\"", kind, words[1]));
    if (verb == "destroy") return destroy(c);
    if (verb == "enable") return enable(*known, c.place);
    if (verb == "disable") {
        known->state = LagopusState::disabled;
        known->state_place = c.place;
        return;
    }
    constexpr std::array<string_view, 6> kVerbs{"create",  "config",  "enable",
                                                "disable", "destroy", "stats"};
    const auto near = did_you_mean(verb, kVerbs);
    report_.lost(c.place, format("{}: unknown word \"{}\"", kind, verb),
                 near ? format("did you mean \"{}\"?", *near) : "");
}

void LagopusInterpreter::create(const LagopusCommand& c, LagopusObject object) {
    const std::string kind = object.kind;
    LagopusObject& made = world_.objects.emplace_back(std::move(object));
    settings(made, c.place, Words(c.words).subspan(3));
    if (contains(kTyped, kind) && made.entry("type") == nullptr) {
        report_.lost(c.place, format("{} \"{}\" has no -type", kind, c.words[1]));
        world_.objects.pop_back();
    }
}

bool LagopusInterpreter::used(const LagopusObject& object) const {
    for (const Reference& r : kReferences) {
        if (r.target != object.kind) continue;
        for (const LagopusObject& other : world_.objects) {
            if (other.kind != r.kind) continue;
            const auto at = other.settings.find(r.option);
            if (at == other.settings.end()) continue;
            for (const LagopusSetting::Entry& e : at->second.entries)
                if (world_.full(e.values.front()) == object.name) return true;
        }
    }
    return false;
}

void LagopusInterpreter::destroy(const LagopusCommand& c) {
    const LagopusObject* object = world_.find(c.words[0], world_.full(c.words[1]));
    if (used(*object))
        return report_.lost(c.place, format("{} \"{}\" is used: Lagopus does not destroy it",
                                            c.words[0], c.words[1]));
    forget([&](const LagopusObject& o) { return &o == object; });
}

void LagopusInterpreter::forget(const std::function<bool(const LagopusObject&)>& which) {
    for (const LagopusObject& o : world_.objects)
        if (o.kind == "bridge" && which(o)) world_.flows.erase(o.name);
    // By hand: remove_if may move an object before it is asked about it.
    std::deque<LagopusObject> left;
    for (LagopusObject& o : world_.objects)
        if (!which(o)) left.push_back(std::move(o));
    world_.objects = std::move(left);
}

/// Enabling an object enables all that it names.
void LagopusInterpreter::enable(LagopusObject& object, const ForeignPlace& place) {
    object.state = LagopusState::enabled;
    object.state_place = place;
    for (const Reference& r : kReferences) {
        if (r.kind != object.kind || r.target.empty()) continue;
        const auto at = object.settings.find(r.option);
        if (at == object.settings.end()) continue;
        for (const LagopusSetting::Entry& e : at->second.entries)
            if (LagopusObject* named = world_.find(r.target, world_.full(e.values.front())))
                enable(*named, place);
    }
}

void LagopusInterpreter::flow(const LagopusCommand& c) {
    constexpr std::array<string_view, 3> kVerbs{"add", "mod", "del"};
    const Words words = c.words;
    if (words.size() < 3 || words[1].starts_with('-') || words[2].starts_with('-')) return;  // dump
    if (words[2] == "config") return;
    if (!contains(kVerbs, words[2])) {
        const auto near = did_you_mean(words[2], kVerbs);
        return report_.lost(c.place, format("flow: unknown word \"{}\"", words[2]),
                            near ? format("did you mean \"{}\"?", *near) : "");
    }
    const std::string bridge = world_.full(words[1]);
    if (world_.find("bridge", bridge) == nullptr)
        return report_.lost(c.place, format("flow: there is no bridge \"{}\"", words[1]));
    const auto read = read_lagopus_flow(c.place, words.subspan(2));
    if (!read) return report_.lost(c.place, format("flow: {}", read.error()));
    if (apply(*read, world_.flows[bridge]) == 0)
        report_.remark(c.place, "flow: no entry is chosen, nothing changes");
}

void LagopusInterpreter::load(const LagopusCommand& c) {
    constexpr std::size_t kDeepest = 16;
    if (c.words.size() < 2) return report_.lost(c.place, "load: which file is not said");
    const std::string& path = c.words[1];
    if (!options_.read_file)
        return report_.lost(c.place, format("load \"{}\": import that file too", path));
    if (std::ranges::find(loading_, path) != loading_.end() || loading_.size() > kDeepest)
        return report_.lost(c.place, format("load \"{}\" loads itself", path));
    auto text = options_.read_file(path);
    if (!text) return report_.lost(c.place, format("load \"{}\": {}", path, text.error()));
    run({path, std::move(*text)});
}

void LagopusInterpreter::transaction(const LagopusCommand& c, std::optional<LagopusWorld>& saved) {
    const std::string verb = c.words.size() < 2 ? "" : c.words[1];
    const bool undo = verb == "abort" || verb == "rollback-force" || &saved == &before_dryrun_;
    if (verb.empty()) return;  // shows the state
    if (verb == "begin") {
        saved = world_;
        begun_ = c.place;
        return;
    }
    if (verb != "commit" && verb != "end" && verb != "abort" && verb != "rollback-force")
        return report_.lost(c.place, format("{}: unknown word \"{}\"", c.words[0], verb));
    if (!saved) return report_.lost(c.place, format("{} {}: nothing was begun", c.words[0], verb));
    if (undo) world_ = std::move(*saved);
    saved.reset();
}

void LagopusInterpreter::name_space(const LagopusCommand& c) {
    const std::string verb = c.words.size() < 2 ? "" : c.words[1];
    const std::string name = c.words.size() < 3 ? "" : c.words[2];
    if (verb == "set") {
        world_.space = name;
    } else if (verb == "unset") {
        world_.space.clear();
    } else if (verb == "delete") {
        forget([&](const LagopusObject& o) { return o.name.starts_with(name + ":"); });
        if (world_.space == name) world_.space.clear();
    } else if (!verb.empty() && verb != "add") {
        report_.lost(c.place, format("namespace: unknown word \"{}\"", verb));
    }
}

}  // namespace raicho::dsl
