// SPDX-License-Identifier: Apache-2.0
// The first flows of an order that a person asks for (most packets, youngest …) as lines of JSON.
// They are chosen slice by slice while the loop goes on; memory is that of the chosen.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/flow_stream.h"

namespace raicho::agent::api {

enum class FlowOrder : std::uint8_t {
    hits,   // most packets first
    bytes,  // most bytes first
    age,    // youngest first
    idle,   // longest without a packet first
};
[[nodiscard]] std::optional<FlowOrder> flow_order_by_name(std::string_view name);

class TopFlows : public BodyStream {
  public:
    static constexpr std::uint64_t kUsual = 1000;
    static constexpr std::uint64_t kMost = 10'000;

    /// `query.limit` is at most kMost.
    TopFlows(const SwitchView& view, FlowQuery query, FlowOrder order, std::function<Time()> clock);
    [[nodiscard]] More next(std::string& out) override;

  private:
    struct Entry {
        std::uint64_t rank;  // greater comes first
        std::size_t bridge;
        FlowId flow;
    };
    [[nodiscard]] std::uint64_t rank(const FlowStore& store, FlowId flow, Time now) const;
    void collect(const FlowStore& store);
    void write(std::string& out);

    const SwitchView& view_;
    FlowQuery query_;
    FlowOrder order_;
    std::function<Time()> clock_;
    std::size_t bridge_ = 0;
    FlowId from_;
    std::vector<Entry> chosen_;  // a heap, the last of the order on top
    std::size_t written_ = 0;
    bool sorted_ = false;
    JsonWriter json_;
};

}  // namespace raicho::agent::api
