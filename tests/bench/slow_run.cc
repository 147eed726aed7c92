// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/slow_run.h"

#include <algorithm>
#include <array>
#include <set>

#include "tests/pipeline/oracle.h"
#include "tests/pipeline/slow_frame.h"

namespace raicho::bench {
namespace {

/// Which values the frames have when they come in. The model scans every rule for every frame: of a
/// million, only those of the first table are given to it that an exact field does not rule out.
class Values {
  public:
    explicit Values(const std::vector<test::FrameBytes>& frames) {
        for (const test::FrameBytes& bytes : frames) {
            const agent::FieldValues fields = test::SlowFrame(bytes).fields(kIn, 0);
            for (const FieldRow& row : kFieldRows)
                if (const auto& value = fields.get(row.field))
                    seen_[static_cast<std::size_t>(row.field)].insert(value->bytes);
        }
    }
    [[nodiscard]] bool may_match(const openflow::FlowMod& mod) const {
        if (mod.table != TableId(0)) return true;
        return std::ranges::all_of(mod.match.fields(), [&](const openflow::MatchField& wanted) {
            return wanted.has_mask == openflow::HasMask::yes ||
                   seen_[static_cast<std::size_t>(wanted.field)].contains(wanted.value.bytes);
        });
    }

  private:
    std::array<std::set<std::array<std::byte, 16>>, kFields> seen_;
};

}  // namespace

SlowRun slow_run(const RuleSet& set, const std::vector<test::FrameBytes>& frames) {
    const Values values(frames);
    test::Oracle oracle;
    std::vector<openflow::GroupMod> groups;
    std::vector<FlowId> flows;
    set.rules([&](const openflow::Message& message) {
        if (const auto* group = std::get_if<openflow::GroupMod>(&message)) groups.push_back(*group);
        const auto* mod = std::get_if<openflow::FlowMod>(&message);
        if (mod == nullptr || !values.may_match(*mod)) return;
        flows.emplace_back(static_cast<std::uint32_t>(mod->cookie));
        oracle.add(flows.back(), mod->table, mod->priority, mod->match, mod->instructions);
    });
    std::size_t choices = 1;
    for (const openflow::GroupMod& group : groups)
        if (group.type == openflow::GroupType::select)
            choices = std::max(choices, group.buckets.size());

    SlowRun run;
    std::vector<std::vector<test::FrameBytes>> by_frame(frames.size());
    for (std::size_t choice = 0; choice < choices; ++choice) {
        // Which bucket a switch selects is its own affair: each once, as a group of that one.
        for (const openflow::GroupMod& group : groups) {
            if (group.type == openflow::GroupType::select)
                oracle.set_group(group.group, openflow::GroupType::indirect,
                                 {group.buckets[choice % group.buckets.size()]});
            else
                oracle.set_group(group.group, group.type, group.buckets);
        }
        for (std::size_t i = 0; i < frames.size(); ++i)
            for (test::Oracle::Output& out : oracle.run(frames[i], kIn))
                if (out.port == kOut.value() &&
                    std::ranges::find(by_frame[i], out.bytes) == by_frame[i].end())
                    by_frame[i].push_back(std::move(out.bytes));
        if (choice == 0)
            for (const FlowId flow : flows)
                if (const std::uint64_t packets = oracle.packets(flow); packets != 0)
                    run.packets[flow.value()] = packets;
    }
    for (auto& outputs : by_frame)
        if (!outputs.empty()) run.outputs.push_back(std::move(outputs));
    return run;
}

}  // namespace raicho::bench
