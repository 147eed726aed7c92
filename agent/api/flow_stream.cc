// SPDX-License-Identifier: Apache-2.0
#include "agent/api/flow_stream.h"

#include <algorithm>
#include <array>

#include "agent/api/flow_json.h"
#include "agent/model/flow_store.h"

namespace raicho::agent::api {

namespace {

/// One stable pass of a radix sort: orders `from` by `digit` (0..255) into `into`.
template <class Key, class Digit>
void sort_pass(const std::vector<Key>& from, std::vector<Key>& into, Digit digit) {
    std::array<std::size_t, 257> start{};
    for (const Key& key : from) ++start[std::size_t{digit(key)} + 1];
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    into.resize(from.size());
    for (const Key& key : from) into[start[digit(key)]++] = key;
}

}  // namespace

FlowStream::FlowStream(const SwitchView& view, FlowQuery query, std::function<Time()> clock)
    : view_(view), query_(std::move(query)), clock_(std::move(clock)) {}

void FlowStream::start_bridge() {
    stage_ = Stage::collect;
    from_ = FlowId{};
    keys_.clear();
    written_ = 0;
}

More FlowStream::next(std::string& out) {
    if (bridge_ == query_.bridges.size() || (query_.limit && lines_ >= *query_.limit))
        return More::no;
    const FlowStore* store = view_.flows(query_.bridges[bridge_]);
    if (store == nullptr) {  // deleted meanwhile
        ++bridge_;
        start_bridge();
        return More::yes;
    }
    const auto low = [](const Key& key) { return static_cast<std::uint8_t>(key.reverse_priority); };
    const auto high = [](const Key& key) {
        return static_cast<std::uint8_t>(key.reverse_priority >> 8);
    };
    const auto table = [](const Key& key) { return key.table.value(); };
    switch (stage_) {
        case Stage::collect: collect(*store); break;
        case Stage::sort_low:
            sort_pass(keys_, spare_, low);
            stage_ = Stage::sort_high;
            break;
        case Stage::sort_high:
            sort_pass(spare_, keys_, high);
            stage_ = Stage::sort_table;
            break;
        case Stage::sort_table:
            sort_pass(keys_, spare_, table);
            keys_.swap(spare_);
            spare_ = {};
            stage_ = Stage::write;
            break;
        case Stage::write: write(*store, out); break;
    }
    return More::yes;
}

void FlowStream::collect(const FlowStore& store) {
    for (std::size_t i = 0; i < kScanSlice; ++i) {
        const std::optional<FlowId> flow = store.next(from_, query_.table);
        if (!flow) {
            stage_ = Stage::sort_low;
            return;
        }
        from_ = FlowId{flow->value() + 1};
        if (query_.selection && !agrees(*query_.selection, store, *flow)) continue;
        const FlowHead head = store.head(*flow);
        keys_.push_back({*flow, static_cast<std::uint16_t>(~head.priority), head.table});
    }
}

void FlowStream::write(const FlowStore& store, std::string& out) {
    const Time now = clock_();
    for (std::size_t i = 0; i < kWriteSlice; ++i) {
        if (written_ == keys_.size()) {
            ++bridge_;
            start_bridge();
            return;
        }
        if (query_.limit && lines_ >= *query_.limit) return;
        const Key key = keys_[written_++];
        if (store.next(key.flow, kAllTables) != key.flow) continue;  // gone
        FlowEntry entry{store.head(key.flow), store.counts(key.flow), store.match(key.flow),
                        store.instructions(key.flow)};
        // The row may hold another flow by now: that one is not in its place here.
        if (entry.head.table != key.table ||
            entry.head.priority != static_cast<std::uint16_t>(~key.reverse_priority))
            continue;
        write_flow(json_, query_.bridges[bridge_], entry, now);
        out += json_.take();
        out += '\n';
        ++lines_;
    }
}

}  // namespace raicho::agent::api
