// SPDX-License-Identifier: Apache-2.0
// The agent killed at every step of every kind of change: the next agent finds the state of before
// or of after, nothing torn, nothing lost, nothing leaked. The kill is _exit() in a child, between
// two stores.
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <sstream>

#include "openflow/text.h"
#include "tests/unit/agent/compiler/store_fixture.h"

namespace raicho::agent {
namespace {

using openflow::exact;
using openflow::Match;

constexpr shm::ArenaConfig kTiny{
    .max_flows = 1024, .max_ports = 512, .max_bridges = 2, .max_workers = 1};

/// Everything OpenFlow knows of the store's flows, in an order of its own.
std::vector<std::string> dump(const ArenaFlowStore& store) {
    std::vector<std::string> lines;
    store.for_each(kAllTables, [&](FlowId id) {
        const FlowHead h = store.head(id);
        lines.push_back(format("{} {} {} {} {} {} {} | {} | {}", h.table.value(), h.priority,
                               h.idle_timeout, h.hard_timeout, h.flags, h.cookie, h.created,
                               openflow::to_text(store.match(id)),
                               openflow::to_text(store.instructions(id))));
        EXPECT_EQ(store.find_strict(h.table, h.priority, store.match(id)), id);
        return true;
    });
    std::ranges::sort(lines);
    return lines;
}

/// Lookups agree with the flows that are there.
void expect_right_lookups(StoreInArena& in) {
    LinearModel model;
    RandomMatches random(1);
    in.store().for_each(kAllTables, [&](FlowId id) {
        model.put(id, in.store().head(id), in.store().match(id), {});
        return true;
    });
    for (const auto& [id, flow] : model.flows) {
        const shm::Key key = random.key_near(flow.key);
        EXPECT_TRUE(model.right(flow.head.table, key, in.lookup(flow.head.table, key)));
    }
}

/// Rows in use are those of the flows; with the flows all rows go.
void expect_no_leak(StoreInArena& in) {
    EXPECT_EQ(in.space().flows().used(), in.store().size());
    EXPECT_EQ(in.space().colds().used(), in.store().size());
    in.store().remove_all();
    in.space().poll();
    EXPECT_EQ(in.space().flows().used(), 0u);
    EXPECT_EQ(in.space().colds().used(), 0u);
    EXPECT_EQ(in.space().chunks().pool().used(), 0u);
    EXPECT_EQ(in.space().lines().free_lines(), in.arena().n_lines() - 1);
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return std::move(bytes).str();
}
void write_file(const std::string& path, const std::string& bytes) {
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

using Act = std::function<void(ArenaFlowStore&)>;

/// Runs `change` on what `setup` made, killed at step 1, 2, ... until it gets through. Returns
/// how many steps there are.
int kill_at_every_step(const Act& setup, const Act& change) {
    StoreInArena in(kTiny);
    setup(in.store());
    in.space().poll();
    const auto before = dump(in.store());
    const std::string file = in.arena().path();
    const std::string state = read_file(file);
    change(in.store());
    const auto after = dump(in.store());
    in.close();
    bool through = false;
    int step = 0;
    while (!through && !testing::Test::HasFailure()) {
        ++step;
        write_file(file, state);
        const pid_t child = ::fork();
        if (child == 0) {
            in.reopen();
            int left = step;
            in.space().set_step_hook([&] {
                if (--left == 0) ::_exit(9);
            });
            change(in.store());
            ::_exit(0);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status)) << "the child crashed";
        through = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        SCOPED_TRACE(format("killed at step {}", step));
        in.reopen();
        const auto found = dump(in.store());
        if (through)
            EXPECT_EQ(found, after);
        else
            EXPECT_TRUE(found == before || found == after);
        expect_right_lookups(in);
        expect_no_leak(in);
        in.close();
    }
    return step - 1;
}

FlowHead head(std::uint8_t table, std::uint16_t priority) {
    return {.table = TableId(table), .priority = priority, .cookie = 7, .created = 1000 * kSecond};
}
Match l2(std::uint64_t n) {
    return match_of({exact(Field::eth_dst, n)});
}
Match prefix(std::uint32_t address, int length) {
    return match_of(
        {exact(Field::eth_type, 0x0800),
         masked(Field::ipv4_dst, address, 0xffffffffull << (32 - length) & 0xffffffff)});
}
Match ipv6_flow() {
    openflow::MatchField source{
        Field::ipv6_src, openflow::HasMask::no, {}, openflow::exact_mask(Field::ipv6_src)};
    source.value.bytes.fill(std::byte{0x21});
    openflow::MatchField target = source;
    target.field = Field::ipv6_dst;
    return match_of({exact(Field::eth_type, 0x86dd), exact(Field::in_port, 3),
                     exact(Field::eth_dst, 5), exact(Field::eth_src, 6), source, target,
                     exact(Field::ip_proto, 6), exact(Field::tcp_src, 1),
                     exact(Field::tcp_dst, 2)});
}
void add(ArenaFlowStore& store, const FlowHead& h, const Match& match, std::uint32_t port = 1) {
    EXPECT_TRUE(store.insert(h, match, output(port)));
}
FlowId find(ArenaFlowStore& store, const FlowHead& h, const Match& match) {
    return store.find_strict(h.table, h.priority, match).value();
}
void remove(ArenaFlowStore& store, const FlowHead& h, const Match& match) {
    const FlowId id = find(store, h, match);
    store.remove(id);
    store.release(id);
}

/// Some flows in table 0: exact.
void exact_table(ArenaFlowStore& store) {
    for (std::uint64_t n = 0; n < 3; ++n) add(store, head(0, 5), l2(n));
}

TEST(KilledAgent, WhileAddingTheFirstFlow) {
    EXPECT_GE(kill_at_every_step([](auto&) {}, [](auto& s) { add(s, head(3, 5), l2(1)); }), 4);
}

TEST(KilledAgent, WhileAddingToAnExactTable) {
    EXPECT_GE(kill_at_every_step(exact_table, [](auto& s) { add(s, head(0, 5), l2(9)); }), 4);
}

TEST(KilledAgent, WhileAddingAPriorityAboveBetweenAndBelow) {
    const Act setup = [](auto& s) {
        add(s, head(0, 5), l2(1));
        add(s, head(0, 9), l2(1));
    };
    for (const std::uint16_t priority : {std::uint16_t{12}, std::uint16_t{7}, std::uint16_t{1}})
        EXPECT_GE(kill_at_every_step(setup, [&](auto& s) { add(s, head(0, priority), l2(1), 4); }),
                  3);
}

TEST(KilledAgent, WhileAnExactTableBecomesTupleMerge) {
    EXPECT_GE(
        kill_at_every_step(exact_table, [](auto& s) { add(s, head(0, 8), prefix(0x0a000000, 8)); }),
        5);
}

TEST(KilledAgent, WhileATableGrows) {
    EXPECT_GE(kill_at_every_step(
                  [](auto& s) {
                      for (std::uint64_t n = 0; n < 64; ++n) add(s, head(0, 5), l2(n));
                  },
                  [](auto& s) { add(s, head(0, 5), l2(64)); }),
              6);
}

TEST(KilledAgent, WhileAddingAFlowOfManyWords) {
    EXPECT_GE(kill_at_every_step(exact_table, [](auto& s) { add(s, head(1, 5), ipv6_flow()); }), 4);
}

TEST(KilledAgent, WhileAddingAndRemovingTheTableMissEntry) {
    EXPECT_GE(kill_at_every_step(exact_table, [](auto& s) { add(s, head(0, 0), Match{}); }), 3);
    EXPECT_GE(kill_at_every_step(
                  [](auto& s) {
                      exact_table(s);
                      add(s, head(0, 0), Match{});
                  },
                  [](auto& s) { remove(s, head(0, 0), Match{}); }),
              2);
}

TEST(KilledAgent, WhileModifyingInstructions) {
    EXPECT_GE(kill_at_every_step(exact_table,
                                 [](auto& s) {
                                     const FlowId id = find(s, head(0, 5), l2(1));
                                     EXPECT_TRUE(s.replace_instructions(std::array{id}, output(6),
                                                                        KeepCounts::yes));
                                 }),
              2);
}

TEST(KilledAgent, WhileReplacingAFlow) {
    for (const KeepCounts keep : {KeepCounts::yes, KeepCounts::no})
        EXPECT_GE(kill_at_every_step(exact_table,
                                     [&](auto& s) {
                                         FlowHead fresh = head(0, 5);
                                         fresh.cookie = 99;
                                         fresh.idle_timeout = 3;
                                         const FlowId id = find(s, head(0, 5), l2(1));
                                         EXPECT_TRUE(s.replace(id, fresh, l2(1), output(6), keep));
                                     }),
                  2);
}

TEST(KilledAgent, WhileRemovingFromEveryPlaceOfAChain) {
    static constexpr std::uint16_t kPriorities[] = {3, 5, 9};
    const Act setup = [](auto& s) {
        for (const std::uint16_t priority : kPriorities) add(s, head(0, priority), l2(1));
        add(s, head(0, 5), l2(2));
    };
    for (const std::uint16_t priority : kPriorities)
        EXPECT_GE(kill_at_every_step(setup, [&](auto& s) { remove(s, head(0, priority), l2(1)); }),
                  2);
}

TEST(KilledAgent, WhileRemovingTheLastFlowOfATupleAndOfATable) {
    EXPECT_GE(kill_at_every_step(
                  [](auto& s) {
                      exact_table(s);
                      add(s, head(0, 8), prefix(0x0a000000, 8));
                  },
                  [](auto& s) { remove(s, head(0, 8), prefix(0x0a000000, 8)); }),
              3);
    EXPECT_GE(kill_at_every_step([](auto& s) { add(s, head(2, 8), ipv6_flow()); },
                                 [](auto& s) { remove(s, head(2, 8), ipv6_flow()); }),
              3);
}

/// A table whose filter is there: 18 flows in six tuples.
void filtered_table(ArenaFlowStore& store) {
    for (std::uint32_t n = 0; n < 18; ++n)
        add(store, head(0, 5),
            prefix(0x0a000000 + (n << 24), std::array{6, 8, 12, 16, 24, 32}[n % 6]));
}

TEST(KilledAgent, WhileAFilteredTableChanges) {
    EXPECT_GE(kill_at_every_step(
                  [](auto& s) {
                      filtered_table(s);
                      EXPECT_GT(s.form(TableId(0)).n_tuples, 3u);
                  },
                  [](auto& s) { add(s, head(0, 5), prefix(0x0b0b0000, 16)); }),
              4);
    EXPECT_GE(kill_at_every_step(filtered_table, [](auto& s) { add(s, head(0, 5), l2(1)); }), 5);
    EXPECT_GE(kill_at_every_step(
                  [](auto& s) {
                      filtered_table(s);
                      add(s, head(0, 5), l2(1));
                  },
                  [](auto& s) { remove(s, head(0, 5), l2(1)); }),
              3);
}

TEST(KilledAgent, WhileAFilterIsMade) {
    const Act setup = [](auto& s) {
        for (std::uint32_t n = 0; n < 16; ++n)
            add(s, head(0, 5), prefix(0x0a000000 + (n << 24), std::array{6, 8, 16, 24}[n % 4]));
    };
    EXPECT_GE(kill_at_every_step(setup, [](auto& s) { add(s, head(0, 5), prefix(0x63000000, 8)); }),
              6);
}

TEST(KilledAgent, WhileACountIsReset) {
    EXPECT_GE(kill_at_every_step(exact_table,
                                 [](auto& s) {
                                     const FlowId id = find(s, head(0, 5), l2(1));
                                     EXPECT_TRUE(s.replace_instructions(
                                         std::array{id}, s.instructions(id), KeepCounts::no));
                                 }),
              2);
}

}  // namespace
}  // namespace raicho::agent
