// SPDX-License-Identifier: Apache-2.0
// The tables against a linear model: random flows, updates and packets over all 255 tables, with
// a new agent now and then. Repeat a run with RAICHO_SEED=N.
#include <cstdlib>

#include "tests/unit/agent/compiler/store_fixture.h"

namespace raicho::agent {
namespace {

std::uint64_t seed() {
    const char* text = std::getenv("RAICHO_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : std::random_device{}();
}

/// Random changes, each followed by a burst of packets to the table that changed.
class Oracle {
  public:
    Oracle(std::uint64_t seed_value, std::uint32_t n_tables, std::uint32_t most,
           shm::Template wanted = shm::Template::none)
        : random_(seed_value), n_tables_(n_tables), most_(most), wanted_(wanted) {
        in_.store().set_template(wanted_);
    }

    void run(std::uint32_t steps) {
        for (std::uint32_t i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            if (i % (steps / 4) == steps / 8) {
                in_.reopen();
                in_.store().set_template(wanted_);
                model_.expect_same(in_.store());
            }
            const TableId table = step();
            burst(table);
        }
        model_.expect_same(in_.store());
        in_.store().remove_all();
        in_.space().poll();
        EXPECT_EQ(in_.space().flows().used(), 0u);
        EXPECT_EQ(in_.space().colds().used(), 0u);
        EXPECT_EQ(in_.space().chunks().pool().used(), 0u);
        EXPECT_EQ(in_.space().lines().free_lines(), in_.arena().n_lines() - 1);
    }

  private:
    TableId step() {
        ArenaFlowStore& store = in_.store();
        const bool shrink = model_.flows.size() >= most_ || random_.one_in(3);
        if (shrink && !model_.flows.empty()) {
            auto victim = model_.flows.lower_bound(random_.below(1024));
            if (victim == model_.flows.end()) victim = model_.flows.begin();
            const FlowId id(victim->first);
            const TableId table = victim->second.head.table;
            if (random_.one_in(3)) {
                const auto fresh = output(random_.below(8));
                EXPECT_TRUE(store.replace_instructions(std::array{id}, fresh, KeepCounts::yes));
                victim->second.instructions = fresh;
            } else {
                store.remove(id);
                EXPECT_TRUE(store.settled(id));
                store.release(id);
                model_.flows.erase(victim);
            }
            return table;
        }
        const FlowHead head{.table = TableId(static_cast<std::uint8_t>(random_.below(n_tables_))),
                            .priority = static_cast<std::uint16_t>(random_.below(6)),
                            .idle_timeout = static_cast<std::uint16_t>(random_.below(100)),
                            .cookie = random_.engine()(),
                            .created = in_.now};
        const auto match = random_.one_in(12) ? openflow::Match{} : random_.match();
        const auto instructions =
            random_.one_in(8) ? openflow::Instructions{} : output(random_.below(8));
        const auto known = model_.find(head.table, head.priority, match);
        EXPECT_EQ(store.find_strict(head.table, head.priority, match), known);
        const auto id = known ? store.replace(*known, head, match, instructions, KeepCounts::yes)
                              : store.insert(head, match, instructions);
        EXPECT_TRUE(id);
        if (id) model_.put(*id, head, match, instructions);
        return head.table;
    }

    void burst(TableId table) {
        std::vector<shm::Key> keys;
        for (int i = 0; i < 3; ++i) {
            auto flow = model_.flows.lower_bound(random_.below(1024));
            for (int k = 0; k < 8 && flow != model_.flows.end(); ++k, ++flow)
                keys.push_back(random_.key_near(flow->second.key));
        }
        std::vector<const shm::Key*> pointers;
        for (const shm::Key& key : keys) pointers.push_back(&key);
        std::vector<std::uint32_t> answers(keys.size(), 0xdeadbeef);
        shm::lookup(in_.arena(), kBridge, table, pointers, answers);
        for (std::size_t i = 0; i < keys.size(); ++i)
            EXPECT_TRUE(model_.right(table, keys[i], answers[i]))
                << "table " << int{table.value()} << " answered flow " << answers[i];
    }

    StoreInArena in_;
    RandomMatches random_;
    LinearModel model_;
    std::uint32_t n_tables_;
    std::uint32_t most_;
    shm::Template wanted_;
};

TEST(TableOracle, AgreesOverAllTables) {
    const std::uint64_t s = seed();
    SCOPED_TRACE(format("RAICHO_SEED={}", s));
    RecordProperty("seed", std::to_string(s));
    Oracle(s, 255, 900).run(4000);
}

TEST(TableOracle, AgreesInOneCrowdedTable) {
    const std::uint64_t s = seed();
    SCOPED_TRACE(format("RAICHO_SEED={}", s));
    Oracle(s, 1, 700).run(3000);
}

TEST(TableOracle, AgreesInTablesThatComeAndGo) {
    const std::uint64_t s = seed();
    SCOPED_TRACE(format("RAICHO_SEED={}", s));
    Oracle(s, 40, 50).run(3000);
}

TEST(TableOracle, AgreesWhateverTemplateIsWanted) {
    const std::uint64_t s = seed();
    SCOPED_TRACE(format("RAICHO_SEED={}", s));
    for (std::size_t kind = 1; kind < shm::kTemplates; ++kind) {
        SCOPED_TRACE(shm::name_of(static_cast<shm::Template>(kind)));
        Oracle(s, 100, 300, static_cast<shm::Template>(kind)).run(1500);
    }
}

}  // namespace
}  // namespace raicho::agent
