// SPDX-License-Identifier: Apache-2.0
// The view's values as JSON documents (docs/api.md). Flows are in flow_stream.h: they may be many.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/view/switch_view.h"

namespace raicho::agent::api {

[[nodiscard]] std::string version_document(const SwitchView& view);
/// Everything on one screen: version, dataplane, a verdict for each bridge, warnings.
[[nodiscard]] std::string summary_document(const SwitchView& view);

// An empty bridge name means all bridges.
[[nodiscard]] std::string bridges_document(const SwitchView& view, std::string_view bridge);
[[nodiscard]] std::string ports_document(const SwitchView& view, std::string_view bridge);
/// Configured addresses of a bridge's own interface, as text.
using AddressesOf = std::function<std::vector<std::string>(std::string_view bridge)>;
/// The local ports, as ports_document() shows them, with `addresses`.
[[nodiscard]] std::string locals_document(const SwitchView& view, std::string_view bridge,
                                          const AddressesOf& addresses);
[[nodiscard]] std::string controllers_document(const SwitchView& view, std::string_view bridge);
[[nodiscard]] std::string tables_document(const SwitchView& view, std::string_view bridge);
[[nodiscard]] std::string flow_count_document(const SwitchView& view, std::string_view bridge);
[[nodiscard]] std::string macs_document(const SwitchView& view, std::string_view bridge);
[[nodiscard]] std::string memory_document(const SwitchView& view);
[[nodiscard]] std::string workers_document(const SwitchView& view);

}  // namespace raicho::agent::api
