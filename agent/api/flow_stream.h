// SPDX-License-Identifier: Apache-2.0
// The flows of one bridge or of all as lines of JSON (NDJSON), by table and falling priority, made
// slice by slice while they are sent: the loop is never held up by a million flows, and they cost
// eight bytes each of memory. A flow that goes meanwhile is left out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/api/flow_query.h"
#include "agent/api/http.h"
#include "agent/api/json.h"
#include "agent/model/types.h"
#include "agent/view/switch_view.h"

namespace raicho::agent::api {

/// What of the flows is asked for.
struct FlowQuery {
    std::vector<std::string> bridges;
    TableId table = kAllTables;
    std::optional<std::uint64_t> limit;  // lines at most
    std::optional<FlowSelection> selection{};
};

class FlowStream : public BodyStream {
  public:
    /// Rows looked at, or lines written, in one slice.
    static constexpr std::size_t kScanSlice = 4096;
    static constexpr std::size_t kWriteSlice = 256;

    FlowStream(const SwitchView& view, FlowQuery query, std::function<Time()> clock);
    [[nodiscard]] More next(std::string& out) override;

  private:
    /// Sorts by table, then falling priority, then id.
    struct Key {
        FlowId flow;
        std::uint16_t reverse_priority;
        TableId table;
    };
    enum class Stage : std::uint8_t { collect, sort_low, sort_high, sort_table, write };

    void start_bridge();
    void collect(const FlowStore& store);
    void write(const FlowStore& store, std::string& out);

    const SwitchView& view_;
    FlowQuery query_;
    std::function<Time()> clock_;
    std::size_t bridge_ = 0;
    Stage stage_ = Stage::collect;
    FlowId from_;
    std::vector<Key> keys_;
    std::vector<Key> spare_;
    std::size_t written_ = 0;  // of keys_
    std::uint64_t lines_ = 0;
    JsonWriter json_;
};

}  // namespace raicho::agent::api
