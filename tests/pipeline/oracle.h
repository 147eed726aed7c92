// SPDX-License-Identifier: Apache-2.0
// The slow switch: tables scanned as the specification says (agent/model's reference), actions done
// to a frame's description. What the pipeline sends must be what this one sends.
#pragma once

#include <map>
#include <vector>

#include "agent/model/reference.h"
#include "openflow/action.h"
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

    void add(FlowId id, TableId table, std::uint16_t priority, const openflow::Match& match,
             const openflow::Instructions& instructions);
    void remove(FlowId id, TableId table);
    /// What leaves, in order. Physical outputs but the ingress port only.
    [[nodiscard]] std::vector<Output> run(const FrameSpec& frame, PortNo in_port);
    [[nodiscard]] std::uint64_t packets(FlowId id) const { return flows_.at(id).packets; }

  private:
    std::map<unsigned, agent::ReferenceTable> tables_;
    std::map<FlowId, Flow> flows_;
};

}  // namespace raicho::test
