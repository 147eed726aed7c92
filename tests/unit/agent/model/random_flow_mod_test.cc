// SPDX-License-Identifier: Apache-2.0
// Random flow-mods against a second implementation that knows matches only as sets of packets: a
// small universe is enumerated, "more specific" is a subset, "overlap" a common element,
// "identical" the same set (OF 1.3.5 §6.4).
#include <bitset>
#include <random>
#include <tuple>

#include "agent/model/reference.h"
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

// For every field values that matches name, and one that none names.
constexpr std::array<std::uint32_t, 3> kInPorts{1, 2, 9};
constexpr std::array<std::uint32_t, 3> kVlans{0, 0x1001, 0x1002};
constexpr std::array<std::uint32_t, 5> kAddresses{0x0a000000, 0x0a000001, 0x0a000002, 0x0a000003,
                                                  0x0b000000};
constexpr std::size_t kUniverse = 3 * 3 * (5 + 2);
using Packets = std::bitset<kUniverse>;

const std::vector<FieldValues>& universe() {
    static const std::vector<FieldValues> packets = [] {
        std::vector<FieldValues> all;
        for (const std::uint32_t in_port : kInPorts)
            for (const std::uint32_t vlan : kVlans) {
                FieldValues packet;
                packet.set(Field::in_port, in_port);
                packet.set(Field::vlan_vid, vlan);
                for (const std::uint32_t eth_type : {0x806u, 0x9999u}) {
                    packet.set(Field::eth_type, eth_type);
                    all.push_back(packet);
                }
                packet.set(Field::eth_type, 0x800);
                for (const std::uint32_t address : kAddresses) {
                    packet.set(Field::ipv4_dst, address);
                    all.push_back(packet);
                }
            }
        return all;
    }();
    return packets;
}

Packets packets_of(const Match& match) {
    Packets set;
    for (std::size_t n = 0; n < kUniverse; ++n) set[n] = matches(match, universe()[n]);
    return set;
}

struct NaiveFlow {
    std::uint8_t table;
    std::uint16_t priority;
    Packets packets;
    std::uint64_t cookie;
    std::uint16_t flags;
    Time created;
    Instructions instructions;
    std::uint64_t count;

    [[nodiscard]] auto key() const { return std::tuple(table, priority, packets.to_string()); }
    friend bool operator==(const NaiveFlow&, const NaiveFlow&) = default;
};

bool outputs_to(const NaiveFlow& flow, PortNo port) {
    for (const auto* list : {&flow.instructions.apply, &flow.instructions.write})
        if (*list)
            for (const Action& action : **list)
                if (action == Action{OutputAction{port, 0}}) return true;
    return false;
}

class NaiveSwitch {
  public:
    explicit NaiveSwitch(std::size_t capacity) : capacity_(capacity) {}

    /// The error's name or "ok"; removed cookies go to `removed`.
    std::string apply(const FlowMod& mod, Time now) {
        using enum FlowModCommand;
        const bool deletes = mod.command == remove || mod.command == remove_strict;
        const Packets wanted = packets_of(mod.match);
        if (!deletes) {
            if (mod.table == kAllTables) return "OFPFMFC_BAD_TABLE_ID (2)";
            if (mod.flags >= 32) return "OFPFMFC_BAD_FLAGS (7)";
            if (mod.instructions.go_to && *mod.instructions.go_to <= mod.table)
                return "OFPBIC_BAD_TABLE_ID (2)";
            if (mod.buffer_id != kNoBuffer) return "OFPBRC_BUFFER_UNKNOWN (8)";
        }
        if (mod.command == FlowModCommand::add) return insert(mod, wanted, now);
        std::vector<NaiveFlow> kept;
        for (NaiveFlow& flow : flows) {
            const bool strict = mod.command == modify_strict || mod.command == remove_strict;
            const bool fits = strict ? flow.packets == wanted && flow.priority == mod.priority
                                     : (flow.packets & ~wanted).none();
            const bool meant =
                fits && (mod.table == kAllTables || mod.table.value() == flow.table) &&
                (flow.cookie & mod.cookie_mask) == (mod.cookie & mod.cookie_mask) &&
                (!deletes || mod.out_port == port::kAny || outputs_to(flow, mod.out_port));
            if (meant && !deletes) {
                flow.instructions = mod.instructions;
                if ((mod.flags & flow_flag::kResetCounts) != 0) flow.count = 0;
            }
            if (!meant || !deletes)
                kept.push_back(flow);
            else if ((flow.flags & flow_flag::kSendFlowRem) != 0)
                removed.emplace_back(flow.cookie, flow.count);
        }
        flows = kept;
        return "ok";
    }

    std::vector<NaiveFlow> flows;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> removed;  // cookie, count

  private:
    std::string insert(const FlowMod& mod, const Packets& wanted, Time now) {
        NaiveFlow* same = nullptr;
        for (NaiveFlow& flow : flows) {
            if (flow.table != mod.table.value() || flow.priority != mod.priority) continue;
            if ((mod.flags & flow_flag::kCheckOverlap) != 0 && (flow.packets & wanted).any())
                return "OFPFMFC_OVERLAP (3)";
            if (flow.packets == wanted) same = &flow;
        }
        if (same == nullptr) {
            if (flows.size() == capacity_) return "OFPFMFC_TABLE_FULL (1)";
            same = &flows.emplace_back();
        }
        const bool reset = (mod.flags & flow_flag::kResetCounts) != 0;
        *same = {mod.table.value(), mod.priority, wanted,           mod.cookie,
                 mod.flags,         now,          mod.instructions, reset ? 0 : same->count};
        return "ok";
    }

    std::size_t capacity_;
};

class RandomMod {
  public:
    explicit RandomMod(std::mt19937& random) : random_(random) {}

    FlowMod operator()() {
        FlowMod mod;
        mod.command = static_cast<FlowModCommand>(pick(10) < 5 ? 0 : pick(5));
        mod.table = TableId{static_cast<std::uint8_t>(pick(8) == 0 ? 255 : pick(2))};
        mod.priority = static_cast<std::uint16_t>(pick(3));
        mod.cookie = pick(4);
        mod.cookie_mask = pick(2) == 0 ? 0 : pick(4);
        mod.flags = static_cast<std::uint16_t>(pick(30) == 0 ? 32 : pick(32));
        if (pick(3) != 0) mod.flags &= static_cast<std::uint16_t>(~flow_flag::kCheckOverlap);
        if (pick(40) == 0) mod.buffer_id = 3;
        if (pick(4) == 0) mod.out_port = PortNo{1 + pick(3)};
        mod.match = match();
        auto& list = pick(2) == 0 ? mod.instructions.apply : mod.instructions.write;
        list = ActionList{OutputAction{PortNo{1 + pick(2)}, 0}};
        if (pick(8) == 0) mod.instructions.go_to = TableId{static_cast<std::uint8_t>(pick(4))};
        return mod;
    }

  private:
    std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

    Match match() {
        std::vector<MatchField> fields;
        if (pick(2) == 0) fields.push_back(exact(Field::in_port, 1 + pick(2)));
        switch (pick(4)) {
            case 0: fields.push_back(masked(Field::vlan_vid, 0x1000, 0x1000)); break;
            case 1: fields.push_back(exact(Field::vlan_vid, pick(2) == 0 ? 0 : 0x1001)); break;
            default: break;
        }
        switch (pick(4)) {
            case 0: fields.push_back(exact(Field::eth_type, 0x806)); break;
            case 1: fields.push_back(exact(Field::eth_type, 0x800)); break;
            case 2: {
                fields.push_back(exact(Field::eth_type, 0x800));
                const std::uint32_t mask = 0xfffffffc | pick(4);
                fields.push_back(masked(Field::ipv4_dst, (0x0a000000 | pick(4)) & mask, mask));
                break;
            }
            default: break;
        }
        std::ranges::shuffle(fields, random_);
        Match out;
        for (const MatchField& field : fields) EXPECT_TRUE(out.add(field));
        return out;
    }

    std::mt19937& random_;
};

class DatapathRandomFlowMods : public Bench {
  protected:
    std::vector<NaiveFlow> flows() {
        std::vector<NaiveFlow> all;
        store.for_each(kAllTables, [&](FlowId id) {
            const FlowHead head = store.head(id);
            all.push_back({head.table.value(), head.priority, packets_of(store.match(id)),
                           head.cookie, head.flags, head.created, store.instructions(id),
                           store.counts(id).packets});
            return true;
        });
        std::ranges::sort(all, {}, &NaiveFlow::key);
        return all;
    }
};

TEST_F(DatapathRandomFlowMods, AgreeWithSetsOfPackets) {
    constexpr std::size_t kCapacity = 40;
    store = VectorFlowStore(kCapacity);
    NaiveSwitch naive(kCapacity);
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    RandomMod random_mod(random);
    std::map<std::string, int> results;
    for (int step = 0; step < 1200; ++step) {
        now += random() % kSecond;
        if (const auto flow =
                store.next(FlowId{static_cast<std::uint32_t>(random() % kCapacity)}, kAllTables)) {
            store.hit(*flow, 60, now);
            const FlowHead head = store.head(*flow);
            const Packets packets = packets_of(store.match(*flow));
            for (NaiveFlow& other : naive.flows)
                if (other.table == head.table.value() && other.priority == head.priority &&
                    other.packets == packets)
                    ++other.count;
        }
        const FlowMod mod = random_mod();
        SCOPED_TRACE(step);
        const std::string wanted = naive.apply(mod, now);
        ASSERT_EQ(result(mod), wanted);
        ++results[wanted];

        outbox.items.clear();
        pass(0);
        std::vector<std::pair<std::uint64_t, std::uint64_t>> removed;
        for (const FlowRemoved& message : sent<FlowRemoved>())
            removed.emplace_back(message.cookie, message.packet_count);
        std::ranges::sort(removed);
        std::ranges::sort(naive.removed);
        ASSERT_EQ(removed, naive.removed);
        naive.removed.clear();

        std::ranges::sort(naive.flows, {}, &NaiveFlow::key);
        ASSERT_EQ(flows(), naive.flows);
    }
    // The sequence went everywhere.
    for (const char* name :
         {"ok", "OFPFMFC_OVERLAP (3)", "OFPFMFC_BAD_TABLE_ID (2)", "OFPBIC_BAD_TABLE_ID (2)",
          "OFPFMFC_BAD_FLAGS (7)", "OFPBRC_BUFFER_UNKNOWN (8)"})
        EXPECT_GT(results[name], 0) << name;
}

}  // namespace
}  // namespace raicho::agent::test
