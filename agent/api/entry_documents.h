// SPDX-License-Identifier: Apache-2.0
// Groups, meters and queues as JSON documents (docs/api.md). Neighbour: documents.h has the rest.
#pragma once

#include <string>
#include <string_view>

#include "agent/view/switch_view.h"

namespace raicho::agent::api {

// An empty bridge name means all bridges.
[[nodiscard]] std::string groups_document(const SwitchView& view, std::string_view bridge);
[[nodiscard]] std::string meters_document(const SwitchView& view, std::string_view bridge);
[[nodiscard]] std::string queues_document(const SwitchView& view, std::string_view bridge);

}  // namespace raicho::agent::api
