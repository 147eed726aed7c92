// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/oracle.h"

#include <algorithm>
#include <variant>

#include "agent/model/reference_set.h"
#include "base/error.h"

namespace raicho::test {

using openflow::Action;

/// Where a packet came from and what of it has left.
struct Oracle::Way {
    PortNo in_port;
    std::vector<Output> outputs;
};

void Oracle::add(FlowId id, TableId table, std::uint16_t priority, const openflow::Match& match,
                 const openflow::Instructions& instructions) {
    tables_[table.value()].insert(id, priority, match);
    flows_[id] = {instructions, 0};
}

void Oracle::remove(FlowId id, TableId table) {
    tables_[table.value()].remove(id);
    flows_.erase(id);
}

Oracle::TableCount Oracle::table(unsigned number) const {
    const auto found = table_counts_.find(number);
    return found == table_counts_.end() ? TableCount{} : found->second;
}

void Oracle::output(const openflow::OutputAction& action, const SlowFrame& frame, Way& way) const {
    const auto send = [&](unsigned port) {
        if (port >= 1 && port <= kPorts && !down.contains(port))
            way.outputs.push_back({port, frame.padded()});
    };
    if (action.port == port::kController) {
        FrameBytes bytes = frame.padded();
        if (action.max_len != openflow::kWholePacket && bytes.size() > action.max_len)
            bytes.resize(action.max_len);
        way.outputs.push_back({action.port.value(), std::move(bytes)});
    } else if (action.port == port::kInPort) {
        send(way.in_port.value());
    } else if (action.port == port::kAll || action.port == port::kFlood) {
        for (unsigned port = 1; port <= kPorts; ++port)
            if (port != way.in_port.value()) send(port);
    } else if (action.port != way.in_port) {
        send(action.port.value());
    }
}

/// False when it ends the packet.
bool Oracle::act(const Action& action, SlowFrame& frame, Way& way) {
    if (const auto* out = std::get_if<openflow::OutputAction>(&action)) {
        output(*out, frame, way);
        return true;
    }
    if (const auto* group = std::get_if<openflow::GroupAction>(&action)) {
        run_group(group->group, frame, way);
        return true;
    }
    return frame.act(action);
}

std::vector<Oracle::Output> Oracle::run(const FrameBytes& bytes, PortNo in_port) {
    SlowFrame frame(bytes);
    Way way{in_port, {}};
    if (!frame.whole()) return {};
    std::uint64_t metadata = 0;
    agent::ReferenceActionSet set;
    for (unsigned table = 0;;) {
        ++table_counts_[table].lookups;
        const auto hits = tables_[table].lookup(frame.fields(in_port, metadata));
        if (hits.empty()) return way.outputs;
        ++table_counts_[table].matched;
        ASSERT(hits.size() == 1);
        Flow& flow = flows_.at(hits[0]);
        ++flow.packets;
        const openflow::Instructions& i = flow.instructions;
        if (i.meter && !within(meters_.at(*i.meter), frame)) return way.outputs;
        if (i.apply)
            for (const Action& action : *i.apply)
                if (!act(action, frame, way)) return way.outputs;
        if (i.clear) set.clear();
        if (i.write) set.write(*i.write);
        if (i.metadata)
            metadata = (metadata & ~i.metadata->mask) | (i.metadata->value & i.metadata->mask);
        if (!i.go_to) break;
        table = i.go_to->value();
    }
    for (const Action& action : set.ordered())
        if (!act(action, frame, way)) break;
    return way.outputs;
}

// --- groups -----------------------------------------------------------------------------------

void Oracle::set_group(GroupId id, openflow::GroupType type, const openflow::Buckets& buckets) {
    groups_.set(id, type, buckets);
    group_counts_[id].bucket_packets.assign(buckets.size(), 0);
}

agent::ReferenceGroups::LivePorts Oracle::live_ports() const {
    agent::ReferenceGroups::LivePorts live;
    for (unsigned port = 1; port <= kPorts; ++port)
        if (!down.contains(port)) live.insert(PortNo(port));
    return live;
}

/// The bucket by weight and hash; of a dead one the packets are shared out among the live ones.
std::size_t Oracle::select(GroupId id, const SlowFrame& frame) const {
    const openflow::Buckets& buckets = groups_.group(id).buckets;
    const bool weighted = std::ranges::any_of(buckets, [](const auto& b) { return b.weight != 0; });
    const auto ports =
        frame.fragment() == SlowFrame::Fragment::none ? shm::HashPorts::yes : shm::HashPorts::no;
    const std::uint64_t hash = shm::select_hash(secret_, frame.key(), id.value(), ports);
    const auto pick = [&](std::uint64_t part, const std::vector<std::size_t>& among) {
        const auto weight = [&](std::size_t i) -> std::uint64_t {
            return weighted ? buckets[i].weight : 1;
        };
        std::uint64_t total = 0;
        for (const std::size_t i : among) total += weight(i);
        std::uint64_t point = part * total >> 32;
        for (const std::size_t i : among) {
            if (point < weight(i)) return i;
            point -= weight(i);
        }
        return buckets.size();
    };
    std::vector<std::size_t> all, live;
    for (std::size_t i = 0; i < buckets.size(); ++i) all.push_back(i);
    for (const auto& choice : groups_.choices(id, live_ports())) live.push_back(choice.at(0));
    const std::size_t chosen = pick(hash >> 32, all);
    if (std::ranges::find(live, chosen) != live.end()) return chosen;
    return pick(hash & 0xffffffff, live);
}

void Oracle::run_group(GroupId id, const SlowFrame& frame, Way& way) {
    const auto& group = groups_.group(id);
    ++group_counts_.at(id).packets;
    std::vector<std::size_t> chosen;
    if (group.type == openflow::GroupType::select) {
        chosen.push_back(select(id, frame));
        if (chosen[0] == group.buckets.size()) return;
    } else {
        const auto choices = groups_.choices(id, live_ports());
        if (choices.empty()) return;
        chosen = choices[0];
    }
    for (const std::size_t i : chosen) {
        ++group_counts_.at(id).bucket_packets[i];
        SlowFrame copy = frame;
        // A bucket is an action set; one that goes nowhere does nothing that could be seen.
        agent::ReferenceActionSet set;
        set.write(group.buckets[i].actions);
        for (const Action& action : set.ordered())
            if (!act(action, copy, way)) break;
    }
}

// --- meters -----------------------------------------------------------------------------------

void Oracle::set_meter(MeterId id, std::uint16_t flags, const openflow::MeterBands& bands) {
    meters_.insert_or_assign(id, Meter{agent::ReferenceMeter(flags, bands, now_ns), bands,
                                       std::vector<std::uint64_t>(bands.size())});
}

bool Oracle::within(Meter& meter, SlowFrame& frame) const {
    const auto band = meter.meter.packet(frame.bytes.size(), now_ns);
    if (!band) return true;
    ++meter.acted[*band];
    if (meter.bands[*band].type == openflow::BandType::drop) return false;
    frame.remark(meter.bands[*band].prec_level);
    return true;
}

}  // namespace raicho::test
