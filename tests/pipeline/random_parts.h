// SPDX-License-Identifier: Apache-2.0
// Flows, groups, meters and frames at random, such that they often meet: matches are made of what
// real frames of the pool have.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "base/error.h"
#include "openflow/action.h"
#include "openflow/group.h"
#include "openflow/match.h"
#include "openflow/meter.h"
#include "tests/pipeline/frame_spec.h"

namespace raicho::test {

struct RandomMeter {
    std::uint16_t flags = 0;
    openflow::MeterBands bands;
};

class RandomParts {
  public:
    static constexpr std::uint32_t kGroups = 6;
    static constexpr unsigned kTables = 4;

    /// A pool of `n` frames and their neighbours.
    RandomParts(std::uint64_t seed, std::size_t n);

    [[nodiscard]] const FrameBytes& frame() { return frames_[random_() % frames_.size()]; }
    [[nodiscard]] openflow::Match match();
    /// Whether the first table looks at nothing that lies in a packet.
    [[nodiscard]] bool ports_first() const { return ports_first_; }
    /// A match of such a table.
    [[nodiscard]] openflow::Match port_match();
    /// One output and nothing else.
    [[nodiscard]] openflow::Instructions one_output();
    /// Of a flow in `table`, whose meter has the number `table` + 1: a burst passes meters table by
    /// table, so that packets come to each in their order.
    [[nodiscard]] openflow::Instructions instructions(unsigned table);
    /// Of any type; leads to groups of higher numbers only.
    [[nodiscard]] std::pair<openflow::GroupType, openflow::Buckets> group(std::uint32_t id);
    /// Rates whose tokens come in whole nanoseconds.
    [[nodiscard]] RandomMeter meter();

    /// 0 to n - 1.
    [[nodiscard]] std::size_t below(std::size_t n) { return random_() % n; }

  private:
    template <class T>
    T pick(std::initializer_list<T> values) {
        return *(values.begin() + random_() % values.size());
    }
    void add_frames();
    [[nodiscard]] GroupId above(std::uint32_t id);
    [[nodiscard]] openflow::Action edit();
    [[nodiscard]] openflow::SetField set_field();
    [[nodiscard]] openflow::Action exit();
    [[nodiscard]] openflow::ActionList list();

    std::mt19937_64 random_;
    std::vector<FrameBytes> frames_;
    /// A message whose CRC waits to be made cannot change its protocol meanwhile: such pipelines
    /// have one or the other.
    const bool changes_protocol_;
    /// Frames of one kind reach further: actions fit all of them or none.
    const bool one_kind_;
    const bool ports_first_;
    std::optional<FrameSpec> kind_;
};

}  // namespace raicho::test
