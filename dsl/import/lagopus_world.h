// SPDX-License-Identifier: Apache-2.0
// The ancestor's objects as its commands leave them: what exists, its options, whether it was
// enabled. Neighbour: lagopus_write.h makes our text of it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsl/import/import.h"
#include "dsl/import/lagopus_command.h"
#include "dsl/import/lagopus_flow.h"
#include "dsl/import/lagopus_options.h"

namespace raicho::dsl {

/// A setting as it stands: one value, or all of a list.
struct LagopusSetting {
    struct Entry {
        ForeignPlace place;
        std::vector<std::string> values;
    };
    std::vector<Entry> entries;
};

enum class LagopusState : std::uint8_t { untouched, enabled, disabled };

struct LagopusObject {
    std::string kind;  // `bridge`
    std::string name;  // with its namespace: `ns:name`
    ForeignPlace place;
    ForeignPlace state_place;
    LagopusState state = LagopusState::untouched;
    std::map<std::string, LagopusSetting, std::less<>> settings;

    /// The only (or last) value of an option, nothing when it was not given.
    [[nodiscard]] const LagopusSetting::Entry* entry(std::string_view option) const;
    [[nodiscard]] std::string_view value(std::string_view option,
                                         std::string_view fallback = {}) const;
};

/// Everything that a sequence of commands has made.
struct LagopusWorld {
    std::deque<LagopusObject> objects;                                // in order of creation
    std::unordered_map<std::string, std::vector<LagopusFlow>> flows;  // by bridge
    std::map<std::string, LagopusObject, std::less<>> globals;        // `log`, `datastore`, …
    std::string space;                                                // current namespace

    [[nodiscard]] const LagopusObject* find(std::string_view kind, std::string_view name) const;
    [[nodiscard]] LagopusObject* find(std::string_view kind, std::string_view name);
    /// `name` in the current namespace, unless it names another.
    [[nodiscard]] std::string full(std::string_view name) const;
};

/// Carries commands out, one file after the other, and reports what it cannot.
class LagopusInterpreter {
  public:
    LagopusInterpreter(const ImportOptions& options, ImportReport& report)
        : options_(options), report_(report) {}

    void run(const ForeignText& text);
    [[nodiscard]] const LagopusWorld& world() const { return world_; }
    /// Transactions that were begun and never ended.
    void end();

  private:
    using Words = std::span<const std::string>;

    void command(const LagopusCommand& c);
    void object(const LagopusCommand& c);
    void create(const LagopusCommand& c, LagopusObject object);
    void destroy(const LagopusCommand& c);
    void enable(LagopusObject& object, const ForeignPlace& place);
    void settings(LagopusObject& object, const ForeignPlace& place, Words words);
    bool setting(LagopusObject& object, const LagopusOption& option, const ForeignPlace& place,
                 std::vector<std::string> values);
    [[nodiscard]] bool used(const LagopusObject& object) const;
    void flow(const LagopusCommand& c);
    void global(const LagopusCommand& c);
    void load(const LagopusCommand& c);
    void transaction(const LagopusCommand& c, std::optional<LagopusWorld>& saved);
    void name_space(const LagopusCommand& c);
    void forget(const std::function<bool(const LagopusObject&)>& which);

    const ImportOptions& options_;
    ImportReport& report_;
    LagopusWorld world_;
    std::optional<LagopusWorld> before_atomic_;
    std::optional<LagopusWorld> before_dryrun_;
    ForeignPlace begun_;
    std::vector<std::string> loading_;
};

}  // namespace raicho::dsl
