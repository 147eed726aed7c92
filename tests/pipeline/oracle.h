// SPDX-License-Identifier: Apache-2.0
// The slow switch: tables scanned, action sets sorted, buckets and bands chosen as the
// specification says (agent/model's references), actions done to plain bytes (slow_frame.h). What
// the pipeline sends must be what this one sends.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "agent/model/reference.h"
#include "agent/model/reference_groups.h"
#include "agent/model/reference_meter.h"
#include "openflow/action.h"
#include "openflow/group.h"
#include "openflow/meter.h"
#include "shm/hash.h"
#include "tests/pipeline/slow_frame.h"

namespace raicho::test {

class Oracle {
  public:
    static constexpr unsigned kPorts = 4;

    struct Flow {
        openflow::Instructions instructions;
        std::uint64_t packets = 0;
    };
    /// A physical port's, or OFPP_CONTROLLER for a packet-in.
    struct Output {
        std::uint32_t port = 0;
        FrameBytes bytes;
        friend bool operator==(const Output&, const Output&) = default;
    };
    struct GroupCount {
        std::uint64_t packets = 0;
        std::vector<std::uint64_t> bucket_packets;
    };
    struct Meter {
        agent::ReferenceMeter meter;
        openflow::MeterBands bands;
        std::vector<std::uint64_t> acted;
    };
    struct TableCount {
        std::uint64_t lookups = 0, matched = 0;
    };

    /// `secret` is that of the arena: select groups choose by the same hash.
    explicit Oracle(const shm::HashKey& secret = {}) : secret_(secret) {}

    void add(FlowId id, TableId table, std::uint16_t priority, const openflow::Match& match,
             const openflow::Instructions& instructions);
    void remove(FlowId id, TableId table);
    /// What leaves, in order.
    [[nodiscard]] std::vector<Output> run(const FrameBytes& bytes, PortNo in_port);
    [[nodiscard]] std::uint64_t packets(FlowId id) const { return flows_.at(id).packets; }
    [[nodiscard]] TableCount table(unsigned number) const;

    void set_group(GroupId id, openflow::GroupType type, const openflow::Buckets& buckets);
    [[nodiscard]] const GroupCount& group(GroupId id) const { return group_counts_.at(id); }
    /// Full buckets at now_ns.
    void set_meter(MeterId id, std::uint16_t flags, const openflow::MeterBands& bands);
    [[nodiscard]] const Meter& meter(MeterId id) const { return meters_.at(id); }

    std::set<unsigned> down;  // ports without link
    std::uint64_t now_ns = 0;

  private:
    struct Way;
    [[nodiscard]] bool within(Meter& meter, SlowFrame& frame) const;
    [[nodiscard]] agent::ReferenceGroups::LivePorts live_ports() const;
    void output(const openflow::OutputAction& action, const SlowFrame& frame, Way& way) const;
    [[nodiscard]] bool act(const openflow::Action& action, SlowFrame& frame, Way& way);
    void run_group(GroupId id, const SlowFrame& frame, Way& way);
    [[nodiscard]] std::size_t select(GroupId id, const SlowFrame& frame) const;

    shm::HashKey secret_;
    agent::ReferenceGroups groups_;
    std::map<GroupId, GroupCount> group_counts_;
    std::map<MeterId, Meter> meters_;
    std::map<unsigned, agent::ReferenceTable> tables_;
    std::map<unsigned, TableCount> table_counts_;
    std::map<FlowId, Flow> flows_;
};

}  // namespace raicho::test
