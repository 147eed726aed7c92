// SPDX-License-Identifier: Apache-2.0
// The slow switch: tables scanned as the specification says (agent/model's reference), actions done
// to a frame's description. What the pipeline sends must be what this one sends.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "agent/model/reference.h"
#include "openflow/action.h"
#include "openflow/group.h"
#include "openflow/meter.h"
#include "shm/hash.h"
#include "tests/pipeline/frame_spec.h"

namespace raicho::test {

/// What the tables see of a described frame; fields that it does not have have no value.
[[nodiscard]] agent::FieldValues field_values(const FrameSpec& spec, PortNo in_port,
                                              std::uint64_t metadata);

class Oracle {
  public:
    struct Flow {
        openflow::Instructions instructions;
        std::uint64_t packets = 0;
    };
    struct Output {
        unsigned port = 0;
        FrameBytes bytes;  // padded to 60
        friend bool operator==(const Output&, const Output&) = default;
    };

    struct Group {
        openflow::GroupType type{};
        openflow::Buckets buckets;
        std::uint64_t packets = 0;
        std::vector<std::uint64_t> bucket_packets;
    };
    /// The bands fall by rate; each has the time up to which its tokens are spent.
    struct Meter {
        std::uint16_t flags = 0;
        openflow::MeterBands bands;
        std::vector<std::int64_t> spent_ns;
        std::vector<std::uint64_t> acted;
    };

    /// `secret` is that of the arena: select groups choose by the same hash.
    explicit Oracle(const shm::HashKey& secret = {}) : secret_(secret) {}

    void add(FlowId id, TableId table, std::uint16_t priority, const openflow::Match& match,
             const openflow::Instructions& instructions);
    void remove(FlowId id, TableId table);
    /// What leaves, in order. Physical outputs but the ingress port only.
    [[nodiscard]] std::vector<Output> run(const FrameSpec& frame, PortNo in_port);
    [[nodiscard]] std::uint64_t packets(FlowId id) const { return flows_.at(id).packets; }

    void set_group(GroupId id, openflow::GroupType type, const openflow::Buckets& buckets);
    [[nodiscard]] const Group& group(GroupId id) const { return groups_.at(id); }
    /// Full buckets at now_ns.
    void set_meter(MeterId id, std::uint16_t flags, const openflow::MeterBands& bands);
    [[nodiscard]] const Meter& meter(MeterId id) const { return meters_.at(id); }

    std::set<unsigned> down;  // ports without link
    std::uint64_t now_ns = 0;

  private:
    struct Doer;
    [[nodiscard]] bool within(Meter& meter, FrameSpec& spec) const;
    void run_group(GroupId id, const FrameSpec& spec, PortNo in_port, std::vector<Output>& outputs);
    void run_bucket(Group& group, std::size_t bucket, FrameSpec spec, PortNo in_port,
                    std::vector<Output>& outputs);
    [[nodiscard]] bool live(GroupId id) const;
    [[nodiscard]] bool live(openflow::GroupType type, const openflow::Bucket& bucket) const;

    const shm::HashKey secret_;
    std::map<GroupId, Group> groups_;
    std::map<MeterId, Meter> meters_;
    std::map<unsigned, agent::ReferenceTable> tables_;
    std::map<FlowId, Flow> flows_;
};

}  // namespace raicho::test
