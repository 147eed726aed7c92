// SPDX-License-Identifier: Apache-2.0
// Foreign configurations as ours: the ancestor's DSL and what Open vSwitch's tools print. Text in,
// text and a report out; whoever calls reads the files. The text made passes check() with the
// options' flow checker, whatever the foreign text says.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "dsl/import/report.h"
#include "dsl/model/check.h"

namespace raicho::dsl {

struct ImportOptions {
    /// Judges flows; what it refuses is reported and commented out. May be empty.
    FlowChecker flows{};
    /// Reads the file of a foreign `load` command; the error is the reason. May be empty: then
    /// such a command is reported.
    std::function<std::expected<std::string, std::string>(const std::string& path)> read_file{};
};

/// Commands of Lagopus 0.2 (`*.dsl`, what its `save` writes and its session takes), in order.
[[nodiscard]] Imported import_lagopus(std::span<const ForeignText> files,
                                      const ImportOptions& options = {});

/// A text of Open vSwitch's tools; `bridge` says whose flows it has, when the caller knows.
struct OvsText : ForeignText {
    std::string bridge{};
};
/// What `ovs-vsctl show`, `ovs-ofctl show BRIDGE` (port numbers, datapath id) and `ovs-ofctl
/// dump-flows BRIDGE` print, one after the other in any order and any number of files. Whose flows
/// a dump has is said by a line with the command before it (`$ ovs-ofctl dump-flows br0`), else by
/// the text's `bridge`, else there must be only one bridge.
[[nodiscard]] Imported import_ovs(std::span<const OvsText> files,
                                  const ImportOptions& options = {});

/// `.dsl`: a file of this name is the ancestor's.
inline constexpr std::string_view kLagopusSuffix = ".dsl";

}  // namespace raicho::dsl
