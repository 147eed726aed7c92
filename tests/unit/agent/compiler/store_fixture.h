// SPDX-License-Identifier: Apache-2.0
// A flow store on a small arena of its own, the linear model it is compared with, and random
// matches that overlap often.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "agent/compiler/arena_flow_store.h"
#include "agent/model/match_set.h"
#include "base/text.h"
#include "shm/tables.h"
#include "tests/unit/shm/scratch_rundir.h"

namespace raicho::agent {

inline constexpr BridgeId kBridge{1};

/// Arena, space and store, which can be left and taken up again as by a new agent.
class StoreInArena {
  public:
    explicit StoreInArena(shm::ArenaConfig config = shm::kSmall) {
        auto made = shm::AgentArena::create(rundir_.path(), config);
        if (!made) ADD_FAILURE() << made.error().text;
        arena_.emplace(std::move(*made));
        open();
    }
    /// Leaves everything behind, as a killed agent does.
    void close() {
        store_.reset();
        space_.reset();
        arena_.reset();
    }
    void reopen() {
        close();
        auto arena = shm::AgentArena::attach(rundir_.path());
        ASSERT_TRUE(arena) << arena.error().text;
        arena_.emplace(std::move(*arena));
        open();
    }

    shm::AgentArena& arena() { return *arena_; }
    ArenaSpace& space() { return *space_; }
    ArenaFlowStore& store() { return *store_; }
    const std::string& rundir() { return rundir_.path(); }
    Time now = 1000 * kSecond;

    std::uint32_t lookup(TableId table, const shm::Key& key) {
        const shm::Key* keys[] = {&key};
        std::uint32_t flows[] = {0};
        shm::lookup(*arena_, kBridge, table, keys, flows);
        return flows[0];
    }

  private:
    void open() {
        auto space = ArenaSpace::open(*arena_, [this] { return now; });
        ASSERT_TRUE(space) << space.error().text;
        space_ = std::move(*space);
        store_.emplace(*space_, kBridge);
    }

    shm::ScratchRundir rundir_;
    std::optional<shm::AgentArena> arena_;
    std::unique_ptr<ArenaSpace> space_;
    std::optional<ArenaFlowStore> store_;
};

inline openflow::Match match_of(std::initializer_list<openflow::MatchField> fields) {
    openflow::Match match;
    for (const openflow::MatchField& field : fields) EXPECT_TRUE(match.add(field));
    return match;
}

inline openflow::Instructions output(std::uint32_t port) {
    openflow::Instructions instructions;
    instructions.apply = {openflow::OutputAction{PortNo(port), 0}};
    return instructions;
}

/// A field of up to 8 bytes under a mask.
inline openflow::MatchField masked(Field field, std::uint64_t value, std::uint64_t mask) {
    return {field, openflow::HasMask::yes, openflow::field_value(field, value & mask),
            openflow::field_value(field, mask)};
}

/// Random matches with their prerequisites, from few values, so that flows overlap.
class RandomMatches {
  public:
    explicit RandomMatches(std::uint64_t seed) : random_(seed) {}

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    bool one_in(std::uint32_t n) { return below(n) == 0; }
    std::mt19937_64& engine() { return random_; }

    openflow::Match match() {
        openflow::Match m;
        const auto put = [&](const openflow::MatchField& field) { EXPECT_TRUE(m.add(field)); };
        if (one_in(3)) put(openflow::exact(Field::in_port, 1 + below(4)));
        if (one_in(6)) put(masked(Field::metadata, random_(), random_() & random_()));
        if (one_in(4)) put(openflow::exact(Field::eth_dst, 0x020000000000 + below(4)));
        if (one_in(8)) put(masked(Field::eth_src, 0x020000000000 + below(4), 0xffffff000003));
        if (one_in(6))
            put(openflow::exact(Field::vlan_vid, kVlanPresent | below(3)));
        else if (one_in(6))
            put(masked(Field::vlan_vid, kVlanPresent, kVlanPresent));
        switch (below(4)) {
            case 0: ipv4(put); break;
            case 1: ipv6(put); break;
            case 2:
                put(openflow::exact(Field::eth_type, 0x0806));
                if (one_in(2)) put(openflow::exact(Field::arp_op, 1 + below(2)));
                if (one_in(2)) put(openflow::exact(Field::arp_tpa, 0x0a000000 + below(4)));
                if (one_in(3)) put(openflow::exact(Field::arp_sha, 0x020000000000 + below(3)));
                if (one_in(3)) put(openflow::exact(Field::arp_tha, 0x020000000000 + below(3)));
                break;
            default: break;
        }
        return m;
    }

    /// A packet's key near a flow's: its bits where the flow looks, noise elsewhere.
    shm::Key key_near(const MaskedKey& flow) {
        shm::Key key;
        for (std::size_t i = 0; i < shm::kKeyWords; ++i) {
            const std::uint64_t noise = random_() & random_() & random_();
            key.words[i] = flow.key.words[i] | (noise & ~flow.mask.words[i]);
        }
        if (one_in(4)) key.words[below(6)] ^= std::uint64_t{1} << below(64);
        return key;
    }

  private:
    template <class Put>
    void ipv4(const Put& put) {
        constexpr std::uint32_t kLengths[] = {32, 32, 24, 20, 16, 9, 31};
        put(openflow::exact(Field::eth_type, 0x0800));
        for (const Field field : {Field::ipv4_src, Field::ipv4_dst}) {
            if (one_in(2)) continue;
            const std::uint32_t length = kLengths[below(7)];
            put(masked(field, 0x0a000000 + below(3) * 0x10100 + below(3),
                       0xffffffffull << (32 - length) & 0xffffffff));
        }
        if (one_in(2)) {
            put(openflow::exact(Field::ip_proto, 6));
            if (one_in(2)) put(openflow::exact(Field::tcp_dst, 80 + below(3)));
            if (one_in(3)) put(openflow::exact(Field::tcp_src, 80 + below(3)));
        }
    }
    template <class Put>
    void ipv6(const Put& put) {
        put(openflow::exact(Field::eth_type, 0x86dd));
        for (const Field field : {Field::ipv6_src, Field::ipv6_dst}) {
            if (one_in(3)) continue;
            openflow::MatchField f{field, openflow::HasMask::yes, {}, {}};
            const std::size_t bytes = 1 + below(16);
            for (std::size_t i = 0; i < bytes; ++i) f.mask.bytes[i] = std::byte{0xff};
            f.value.bytes[0] = std::byte{0x20};
            f.value.bytes[bytes - 1] = static_cast<std::byte>(below(3));
            put(f);
        }
        if (one_in(3)) put(openflow::exact(Field::ip_proto, 58));
    }

    std::mt19937_64 random_;
};

/// What every flow of the store should be, in plain lists.
class LinearModel {
  public:
    struct Flow {
        FlowHead head;
        openflow::Match match;
        openflow::Instructions instructions;
        MaskedKey key;
    };
    std::map<std::uint32_t, Flow> flows;  // by id

    void put(FlowId id, const FlowHead& head, const openflow::Match& match,
             const openflow::Instructions& instructions) {
        flows[id.value()] = {head, match, instructions, masked_key(match)};
    }
    [[nodiscard]] std::optional<FlowId> find(TableId table, std::uint16_t priority,
                                             const openflow::Match& match) const {
        for (const auto& [id, flow] : flows)
            if (flow.head.table == table && flow.head.priority == priority &&
                same_match(flow.match, match))
                return FlowId(id);
        return std::nullopt;
    }
    /// Whether `answer` is a flow of highest priority among those that match.
    [[nodiscard]] bool right(TableId table, const shm::Key& key, std::uint32_t answer) const {
        std::int32_t best = -1;
        std::int32_t given = -1;
        for (const auto& [id, flow] : flows) {
            if (flow.head.table != table) continue;
            bool hit = true;
            for (std::size_t i = 0; i < shm::kKeyWords && hit; ++i)
                hit = (key.words[i] & flow.key.mask.words[i]) == flow.key.key.words[i];
            if (!hit) continue;
            best = std::max<std::int32_t>(best, flow.head.priority);
            if (id == answer) given = flow.head.priority;
        }
        return answer == shm::kNoFlow ? best == -1 : given == best && best >= 0;
    }
    /// Every flow is in the store as it should be, and no other.
    void expect_same(const ArenaFlowStore& store) const {
        EXPECT_EQ(store.size(), flows.size());
        std::size_t met = 0;
        store.for_each(kAllTables, [&](FlowId id) {
            ++met;
            const auto flow = flows.find(id.value());
            if (flow == flows.end()) {
                ADD_FAILURE() << "flow " << id.value() << " should not be";
                return true;
            }
            EXPECT_EQ(store.head(id), flow->second.head);
            EXPECT_EQ(store.match(id), flow->second.match);
            EXPECT_EQ(store.instructions(id), flow->second.instructions);
            EXPECT_EQ(store.find_strict(flow->second.head.table, flow->second.head.priority,
                                        flow->second.match),
                      id);
            return true;
        });
        EXPECT_EQ(met, flows.size());
    }
};

}  // namespace raicho::agent
