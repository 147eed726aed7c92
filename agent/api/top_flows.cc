// SPDX-License-Identifier: Apache-2.0
#include "agent/api/top_flows.h"

#include <algorithm>
#include <array>

#include "agent/api/flow_json.h"
#include "agent/model/flow_store.h"

namespace raicho::agent::api {

namespace {

struct OrderRow {
    std::string_view name;
    FlowOrder order;
};
constexpr std::array<OrderRow, 4> kOrders{{{"hits", FlowOrder::hits},
                                           {"bytes", FlowOrder::bytes},
                                           {"age", FlowOrder::age},
                                           {"idle", FlowOrder::idle}}};

}  // namespace

std::optional<FlowOrder> flow_order_by_name(std::string_view name) {
    const auto row = std::ranges::find(kOrders, name, &OrderRow::name);
    if (row == kOrders.end()) return std::nullopt;
    return row->order;
}

TopFlows::TopFlows(const SwitchView& view, FlowQuery query, FlowOrder order,
                   std::function<Time()> clock)
    : view_(view), query_(std::move(query)), order_(order), clock_(std::move(clock)) {
    if (!query_.limit) query_.limit = kUsual;
}

std::uint64_t TopFlows::rank(const FlowStore& store, FlowId flow, Time now) const {
    const FlowCount count = store.counts(flow);
    const FlowHead head = store.head(flow);
    switch (order_) {
        case FlowOrder::hits: return count.packets;
        case FlowOrder::bytes: return count.bytes;
        case FlowOrder::age: return head.created;
        case FlowOrder::idle: return now - std::min(now, std::max(count.last_used, head.created));
    }
    return 0;
}

More TopFlows::next(std::string& out) {
    const auto first = [](const Entry& a, const Entry& b) { return a.rank > b.rank; };
    if (bridge_ < query_.bridges.size()) {
        const FlowStore* store = view_.flows(query_.bridges[bridge_]);
        if (store == nullptr)  // deleted meanwhile
            ++bridge_;
        else
            collect(*store);
        return More::yes;
    }
    if (!sorted_) {
        sorted_ = true;
        std::ranges::sort_heap(chosen_, first);
    }
    write(out);
    return written_ == chosen_.size() ? More::no : More::yes;
}

void TopFlows::collect(const FlowStore& store) {
    const auto first = [](const Entry& a, const Entry& b) { return a.rank > b.rank; };
    const Time now = clock_();
    for (std::size_t i = 0; i < FlowStream::kScanSlice; ++i) {
        const std::optional<FlowId> flow = store.next(from_, query_.table);
        if (!flow) {
            ++bridge_;
            from_ = FlowId{};
            return;
        }
        from_ = FlowId{flow->value() + 1};
        if (query_.selection && !agrees(*query_.selection, store, *flow)) continue;
        const Entry entry{rank(store, *flow, now), bridge_, *flow};
        if (chosen_.size() < *query_.limit) {
            chosen_.push_back(entry);
            std::ranges::push_heap(chosen_, first);
        } else if (!chosen_.empty() && first(entry, chosen_.front())) {
            std::ranges::pop_heap(chosen_, first);
            chosen_.back() = entry;
            std::ranges::push_heap(chosen_, first);
        }
    }
}

void TopFlows::write(std::string& out) {
    const Time now = clock_();
    for (std::size_t i = 0; i < FlowStream::kWriteSlice && written_ < chosen_.size(); ++i) {
        const Entry& entry = chosen_[written_++];
        const FlowStore* store = view_.flows(query_.bridges[entry.bridge]);
        if (store == nullptr || store->next(entry.flow, kAllTables) != entry.flow)
            continue;  // gone
        write_flow(json_, query_.bridges[entry.bridge],
                   {store->head(entry.flow), store->counts(entry.flow), store->match(entry.flow),
                    store->instructions(entry.flow)},
                   now);
        out += json_.take();
        out += '\n';
    }
}

}  // namespace raicho::agent::api
