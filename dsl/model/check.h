// SPDX-License-Identifier: Apache-2.0
// From text to configuration: syntax, schema, references, limits. The one way in for start-up
// files, `lagosh check`, the API and the commit engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/model/config.h"
#include "dsl/model/include.h"
#include "dsl/syntax/diagnostic.h"

namespace raicho::dsl {

/// Where a flow text is wrong; offsets are bytes into the text given.
struct FlowFault {
    std::string text;
    std::string hint;
    std::size_t offset = 0;
    std::size_t length = 1;
};
using PortByName = std::function<std::optional<PortNo>(std::string_view)>;
enum class EntryKind : std::uint8_t { flow, group, meter };
/// What the entries of a bridge may name, beside its ports.
struct Targets {
    std::vector<std::string> groups;  // texts, group_text()
    std::vector<std::uint32_t> meters;
    std::vector<std::uint32_t> queues;
    std::size_t n_tables = 255;
};
/// Judges the text of one entry (ovs-ofctl syntax); nothing: it is good.
using EntryJudge = std::function<std::optional<FlowFault>(EntryKind kind, std::string_view text)>;
/// Makes the judge of a bridge's entries; made from openflow/entry_judge.h by whoever may include
/// both. May be empty: then texts of entries are not looked into.
using FlowChecker = std::function<EntryJudge(const Targets& targets, const PortByName& ports)>;

/// What a text means, as far as it could be understood, and everything that is wrong with it.
struct Checked {
    std::shared_ptr<const Source> source;
    Config config;
    std::vector<Diagnostic> diagnostics;  // the first kMaxDiagnostics of each, in order of place
    std::size_t n_errors = 0;             // all of them
    [[nodiscard]] bool ok() const;
    /// The printed form of all diagnostics.
    [[nodiscard]] std::string report() const;
};

/// Checks a whole configuration. Never fails otherwise than by diagnostics. Without `files`
/// include is an error.
[[nodiscard]] Checked check(std::string text, std::string file, const FlowChecker& flows = {},
                            const FileReader& files = {});
/// Adds what `text` says to `base`: named objects that exist are changed, others added.
[[nodiscard]] Checked check_merge(const Config& base, std::string text, std::string file,
                                  const FlowChecker& flows = {}, const FileReader& files = {});
/// Adds one port to a bridge of `base`. `options` is what may follow the name in its statement
/// (`5`, `5 { device tap }`, `device tap; mtu 1500`, or nothing); places count within it.
[[nodiscard]] Checked check_add_port(const Config& base, std::string_view bridge,
                                     std::string_view name, std::string options,
                                     const FlowChecker& flows = {});
/// Checks values that come from no text: diagnostics without places.
[[nodiscard]] Checked check_config(Config config, const FlowChecker& flows = {});
/// Reads and checks a file and what it includes; a file that cannot be read is a diagnostic without
/// a place.
[[nodiscard]] Checked check_file(const std::string& path, const FlowChecker& flows = {});

}  // namespace raicho::dsl
