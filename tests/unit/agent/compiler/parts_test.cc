// SPDX-License-Identifier: Apache-2.0
// The small parts below the flow store, each against something obviously right.
#include <set>

#include "tests/unit/agent/compiler/store_fixture.h"

namespace raicho::agent {
namespace {

using openflow::exact;
using shm::Op;
using shm::OpCode;
using shm::OpMode;

TEST(LineAllocator, BlocksAreAlignedDisjointAndComeBack) {
    LineAllocator lines(1024);
    std::minstd_rand random(11);
    std::vector<bool> used(1024);
    std::vector<std::pair<std::uint32_t, unsigned>> blocks;
    for (int i = 0; i < 4000; ++i) {
        if (random() % 2 == 0 || blocks.empty()) {
            const auto order = static_cast<unsigned>(random() % 5);
            const auto first = lines.take(order);
            if (!first) continue;
            EXPECT_EQ(*first % (1u << order), 0u);
            EXPECT_NE(*first, 0u);
            for (std::uint32_t k = 0; k < 1u << order; ++k) {
                EXPECT_FALSE(used[*first + k]);
                used[*first + k] = true;
            }
            blocks.emplace_back(*first, order);
        } else {
            const std::size_t at = random() % blocks.size();
            const auto [first, order] = blocks[at];
            for (std::uint32_t k = 0; k < 1u << order; ++k) used[first + k] = false;
            lines.give(first, order);
            blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
    // What is in use can be reserved again in a fresh allocator, and only once.
    LineAllocator again(1024);
    for (const auto& [first, order] : blocks) EXPECT_TRUE(again.reserve(first, order));
    EXPECT_EQ(again.free_lines(), lines.free_lines());
    for (const auto& [first, order] : blocks) EXPECT_FALSE(again.reserve(first, 0));
    for (const auto& [first, order] : blocks) lines.give(first, order);
    EXPECT_EQ(lines.free_lines(), 1023u);
    EXPECT_EQ(lines.take(9), 512u);
    EXPECT_FALSE(lines.take(9));
    EXPECT_FALSE(lines.reserve(4096, 0));
    EXPECT_FALSE(lines.reserve(3, 1));
}

TEST(StrictIndex, FindsEraseAndCollideAsAMultimapDoes) {
    StrictIndex index;
    std::multimap<std::uint64_t, std::uint32_t> model;
    std::minstd_rand random(3);
    for (std::uint32_t i = 1; i < 4000; ++i) {
        const std::uint64_t hash = random() % 97;  // many collisions
        if (random() % 3 != 0) {
            index.insert(hash, i);
            model.emplace(hash, i);
        } else if (const auto at = model.find(hash); at != model.end()) {
            index.erase(at->first, at->second);
            model.erase(at);
        }
        std::set<std::uint32_t> met;
        EXPECT_EQ(index.find(hash,
                             [&](std::uint32_t flow) {
                                 met.insert(flow);
                                 return false;
                             }),
                  0u);
        std::set<std::uint32_t> wanted;
        for (auto [a, b] = model.equal_range(hash); a != b; ++a) wanted.insert(a->second);
        ASSERT_EQ(met, wanted);
    }
}

TEST(IndexPool, GivesEveryRowButZeroOnce) {
    IndexPool pool(100);
    std::vector<bool> referenced(100);
    referenced[7] = referenced[60] = true;
    pool.rebuild(referenced);
    EXPECT_EQ(pool.available(), 97u);
    std::set<std::uint32_t> rows;
    while (const auto row = pool.take()) rows.insert(*row);
    EXPECT_EQ(rows.size(), 97u);
    EXPECT_FALSE(rows.contains(0) || rows.contains(7) || rows.contains(60));
    pool.give(7);
    EXPECT_EQ(pool.take(), 7u);
}

TEST(TupleMasks, GrowFromCoarseToTheMaskItself) {
    RandomMatches random(5);
    for (int i = 0; i < 2000; ++i) {
        const shm::Key mask = masked_key(random.match()).mask;
        const auto levels = tuple_masks(mask);
        EXPECT_TRUE(is_part(levels[0], levels[1]));
        EXPECT_TRUE(is_part(levels[1], levels[2]));
        EXPECT_EQ(levels[2], mask);
    }
}

TEST(TupleMasks, KeepExactFieldsAndCutPrefixesToTheGrid) {
    const auto coarse = [](const openflow::Match& match) {
        return tuple_masks(masked_key(match).mask)[0];
    };
    for (const FieldRow& r : kFieldRows) {
        openflow::MatchField field{
            r.field, openflow::HasMask::no, {}, openflow::exact_mask(r.field)};
        const auto match = match_of({field});
        EXPECT_EQ(coarse(match), masked_key(match).mask) << r.name;
    }
    const auto prefix = [](int length) {
        return match_of({masked(Field::ipv4_dst, 0, 0xffffffffull << (32 - length) & 0xffffffff)});
    };
    EXPECT_EQ(coarse(prefix(31)), masked_key(prefix(24)).mask);
    EXPECT_EQ(coarse(prefix(9)), masked_key(prefix(8)).mask);
    shm::Key header_only;
    header_only.add_presence(shm::presence_of(Field::ipv4_dst));
    EXPECT_EQ(coarse(prefix(7)), header_only);
}

TEST(MaskedKey, IsOneForAllWaysToWriteAMatch) {
    const auto a = masked_key(match_of(
        {exact(Field::eth_dst, 5), exact(Field::in_port, 1), masked(Field::metadata, 7, 0)}));
    const auto b =
        masked_key(match_of({exact(Field::in_port, 1), masked(Field::eth_dst, 5, 0xffffffffffff)}));
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.mask, b.mask);
}

/// The operations of a program in the arena, as a worker walks it.
std::vector<std::uint64_t> walked(StoreInArena& in, std::uint32_t program) {
    std::vector<std::uint64_t> words;
    shm::ProgramCursor cursor(in.arena().chunks(), program);
    while (const Op* op = cursor.next()) {
        const auto* first = reinterpret_cast<const std::uint64_t*>(op);
        words.insert(words.end(), first, first + shm::op_words(op->code, op->arg16));
    }
    return words;
}

TEST(Program, RunsInTheOrderOfTheSpecificationAndNeverStraddlesChunks) {
    openflow::Instructions all;
    all.meter = MeterId(3);
    all.apply.emplace();
    all.write.emplace();
    for (std::uint32_t i = 0; i < 20; ++i) {
        openflow::SetField wide{Field::ipv6_src, {}};
        wide.value.bytes.fill(static_cast<std::byte>(i));
        all.apply->push_back(wide);
        all.apply->push_back(openflow::OutputAction{PortNo(i), 128});
        all.write->push_back(
            openflow::SetField{Field::tcp_dst, openflow::field_value(Field::tcp_dst, i)});
    }
    all.clear = true;
    all.metadata = {0x1122334455667788, 0xff00ff00ff00ff00};
    all.go_to = TableId(9);
    StoreInArena in;
    const auto id = in.store().insert({.priority = 1}, match_of({exact(Field::in_port, 1)}), all);
    ASSERT_TRUE(id);
    EXPECT_EQ(in.store().instructions(*id), all);
    auto expected = compile(all);
    ASSERT_EQ(std::bit_cast<Op>(expected.back()).code, OpCode::end);
    expected.pop_back();
    EXPECT_EQ(walked(in, in.arena().hot(id->value()).program()), expected);

    std::vector<std::pair<OpCode, OpMode>> order;
    for (std::size_t i = 0; i < expected.size();) {
        const Op op = std::bit_cast<Op>(expected[i]);
        if (order.empty() || order.back().second != op.mode || op.code > OpCode::pop_pbb)
            order.emplace_back(op.code, op.mode);
        i += shm::op_words(op.code, op.arg16);
    }
    EXPECT_EQ(order.front().first, OpCode::meter);
    EXPECT_EQ(order.back().first, OpCode::goto_table);
    const auto at = [&](OpCode code) {
        return std::ranges::find(order, code, &std::pair<OpCode, OpMode>::first) - order.begin();
    };
    EXPECT_LT(at(OpCode::clear_set), at(OpCode::metadata));
}

TEST(Program, AnEmptyListDiffersFromNoneInStatisticsOnly) {
    StoreInArena in;
    openflow::Instructions empty;
    empty.apply.emplace();
    const auto a = in.store().insert({.priority = 1}, {}, empty);
    const auto b = in.store().insert({.priority = 2}, {}, {});
    ASSERT_TRUE(a && b);
    EXPECT_EQ(in.store().instructions(*a), empty);
    EXPECT_EQ(in.store().instructions(*b), openflow::Instructions{});
    EXPECT_TRUE(walked(in, in.arena().hot(a->value()).program()).empty());
    EXPECT_EQ(in.arena().hot(b->value()).program(), shm::kNoChunk);
}

}  // namespace
}  // namespace raicho::agent
