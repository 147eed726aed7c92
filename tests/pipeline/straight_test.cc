// SPDX-License-Identifier: Apache-2.0
// The short ways of straight.h against the long one: twin switches get the same bursts, one of them
// has a sink that wants to hear of everything, so that its packets take no short way. What leaves,
// in which order, and every counter must be the same.
//   RAICHO_SEED=n repeats a run
#include <cstdlib>
#include <random>

#include "tests/pipeline/switch_fixture.h"

namespace raicho::test {
namespace {

using pipeline::Link, pipeline::Offload, shm::OpCode;

struct LoudSink : pipeline::NullSink {
    static constexpr bool kSilent = false;
};

constexpr std::uint16_t kPorts = 5;  // 1 to 4, LOCAL
constexpr unsigned kTables = 2;
/// Flows of a table that looks at the UDP port: two thirds of the ports that frames have.
constexpr std::uint32_t kExactFlows = 70, kUdpPorts = 100;

template <class Sink>
struct Twin {
    Twin() : pipeline(arena.dataplane(), WorkerId(0), io) {
        for (std::uint16_t slot = 0; slot < kPorts; ++slot)
            arena.add_port(slot, slot == 4 ? port::kLocal : PortNo(slot + 1u));
        arena.bridge().controller_connected = 1;
        arena.group(1, shm::GroupType::all, {{Program().output(2)}, {Program().output(3)}});
        local_meter = arena.meter(1, shm::meter_flag::kPktps, {{.rate = 100}}, io.clock);
    }

    TestArena arena;
    FakeIo io;
    std::array<shm::TableSlot, kTables> exact{};
    pipeline::Pipeline<FakeIo, Sink> pipeline;
    std::uint32_t local_meter = 0;
};

std::vector<Program> programs() {
    return {Program().output(2),
            Program().output(3),
            Program().output(port::kLocal),
            Program().output(1),
            Program().output(9),
            Program().output(port::kInPort),
            Program().output(port::kAll),
            Program().output(port::kNormal),
            Program().output(port::kController, 64),
            Program(),
            Program().output(2).output(3),
            Program().output(2).go_to(1),
            Program().go_to(1),
            Program().write().output(3).go_to(1),
            Program().write().output(2),
            Program().op(OpCode::set_queue, 0, 7).output(2),
            Program().op(OpCode::set_queue, 0, 7).go_to(1),
            Program().op(OpCode::push_vlan, 0x8100).output(2),
            Program().set(Field::eth_dst, 0x0a0b0c0d0e0f).output(2),
            Program().set(Field::eth_src, 0x0a0b0c0d0e0e).output(3),
            Program().op(OpCode::dec_nw_ttl).output(2),
            Program()
                .op(OpCode::dec_nw_ttl)
                .set(Field::eth_src, 0x0a0b0c0d0e01)
                .set(Field::eth_dst, 0x0a0b0c0d0e02)
                .output(3),
            Program().set(Field::eth_dst, 0x0a0b0c0d0e03).op(OpCode::dec_nw_ttl).go_to(1),
            Program().op(OpCode::dec_nw_ttl).op(OpCode::dec_nw_ttl).output(2),
            Program().op(OpCode::dec_nw_ttl).write().set(Field::eth_dst, 0x0a0b0c0d0e04).output(2),
            Program().set(Field::ipv4_dst, 0x0a000001).op(OpCode::dec_nw_ttl).output(2),
            Program().op(OpCode::group, 0, 1)};
}

class Straight : public ::testing::Test {
  protected:
    Straight() {
        both([&](auto& twin) {
            for (unsigned t = 0; t < kTables; ++t)
                for (const Program& program : programs()) twin.arena.make_flow(program);
            for (unsigned t = 0; t < kTables; ++t) twin.exact[t] = by_udp_port(twin.arena);
        });
    }
    static shm::TableSlot by_udp_port(TestArena& arena) {
        constexpr std::uint8_t kWord = shm::place(Field::udp_dst).offset / 8;
        shm::Key mask;
        std::vector<shm::Key> keys(kExactFlows);
        std::vector<std::uint32_t> flows;
        const std::array<std::byte, 2> all{std::byte{0xff}, std::byte{0xff}};
        mask.set(Field::udp_dst, all.data());
        for (std::uint16_t port = 0; port < kExactFlows; ++port) {
            std::array<std::byte, 2> value;
            store_be<std::uint16_t>(value.data(), port);
            keys[port].set(Field::udp_dst, value.data());
            flows.push_back(arena.make_flow(Program().output(2)));
        }
        return arena.exact(kWord, mask.words[kWord], keys, flows);
    }
    /// The first flow of the table that looks at the UDP port.
    static std::uint32_t exact_flow(unsigned table) {
        return static_cast<std::uint32_t>(1 + kTables * programs().size() + table * kExactFlows);
    }
    template <class Do>
    void both(const Do& change) {
        change(quick_);
        change(slow_);
    }
    std::size_t below(std::size_t n) { return random_() % n; }
    template <class T>
    T pick(std::initializer_list<T> values) {
        return *(values.begin() + below(values.size()));
    }

    /// What the switch is for the next burst: most often nothing stands in the way.
    void change_switch() {
        using enum shm::BridgeMode;
        const bool odd = below(3) == 0;
        const auto mode = odd ? pick({flows_drop, flows_normal, normal}) : flows_drop;
        const std::uint32_t fragments = odd && below(3) == 0 ? 1 : 0;
        const bool metered = odd && below(2) == 0;
        const std::uint64_t cost = odd && below(3) == 0 ? 1'000'000 : 0;
        both([&](auto& twin) {
            twin.arena.bridge().mode = mode;
            twin.arena.bridge().config_flags = fragments;
            twin.arena.bridge().slowpath_meter = metered ? twin.local_meter : shm::kNoRow;
            shm::WantedPort& in = twin.arena.port(0);
            in.policer_depth = shm::meter_time(1'000'000);
            in.policer_cost = cost;
        });
        for (std::uint16_t slot = 0; slot < kPorts; ++slot) {
            const pipeline::PortView view{
                .mtu = odd ? pick({0u, 600u, 1500u}) : 1500,
                .link = odd && below(4) == 0 ? Link::down : Link::up,
                .offload = pick({Offload::none, Offload::checksum, Offload::large})};
            const std::uint32_t config =
                odd && below(6) == 0
                    ? pick({pipeline::port_config::kDown, pipeline::port_config::kNoRecv,
                            pipeline::port_config::kNoFwd})
                    : 0;
            both([&](auto& twin) {
                twin.io.set_port(PortSlot(slot), view);
                twin.arena.port(slot).config = config;
            });
        }
        const std::size_t n = programs().size();
        for (unsigned t = 0; t < kTables; ++t) {
            const auto flow =
                static_cast<std::uint32_t>(1 + t * n + (t == 0 && below(2) == 0 ? 0 : below(n)));
            const bool none = below(20) == 0;
            const auto flags = pick({std::uint8_t{0}, shm::flow_hot_flag::kMiss});
            both([&](auto& twin) {
                twin.arena.agent().hot(flow).flags = flags;
                twin.arena.bridge().misses[t] = none ? shm::kNoFlow : flow;
            });
            const bool exact = below(2) == 0;
            const std::size_t variety = pick<std::size_t>({2, 3, n});
            std::vector<std::uint32_t> like(kExactFlows);
            for (std::uint32_t& one : like)
                one = static_cast<std::uint32_t>(1 + t * n + below(variety));
            both([&](auto& twin) {
                twin.arena.bridge().tables[t] = exact ? twin.exact[t] : shm::TableSlot{};
                for (std::uint32_t i = 0; i < kExactFlows; ++i) {
                    shm::FlowHot& hot = twin.arena.agent().hot(exact_flow(t) + i);
                    hot.body = twin.arena.agent().hot(like[i]).body.load();
                }
            });
        }
    }

    /// The same packet for both.
    void add_packet(std::vector<pipeline::Packet*>& quick, std::vector<pipeline::Packet*>& slow) {
        FrameSpec spec;
        spec.dport = static_cast<std::uint16_t>(below(kUdpPorts));
        spec.payload.assign(18 + below(40), 7);
        std::uint16_t gso_size = 0;
        const std::size_t kind = below(20);
        if (kind == 0) {
            const std::size_t size = below(20);
            quick.push_back(quick_.io.make(FrameBytes(size)));
            slow.push_back(slow_.io.make(FrameBytes(size)));
            return;
        }
        spec.ttl = pick<std::uint8_t>({0, 1, 2, 3, 64, 128, 255});
        if (kind == 1) spec.payload.clear();
        if (kind == 2) spec.payload.assign(pick<std::size_t>({572, 573, 1471, 1472, 1473}), 1);
        if (kind == 2 || kind == 3)
            for (std::size_t i = below(4); i > 0; --i) spec.tags.push_back({0x8100, 5});
        if (kind == 4) spec.fragment = 0x2000;
        if (kind == 5) spec.fragment = 0x10, spec.later_fragment = true;
        if (kind == 6) spec.l3 = pick({L3::arp, L3::ipv6, L3::other, L3::llc});
        if (kind == 7) spec.dst = Mac{{0x01, 0x80, 0xc2, 0, 0, 0}};
        if (kind == 8 || kind == 9) spec.l4 = L4::tcp, spec.sum = Sum::partial;
        if (kind == 9) spec.payload.assign(3000, 2), gso_size = 500;
        const bool summed = kind == 9 && below(2) == 0;  // large, and nothing left to sum
        const auto make = [&](FakeIo& io) {
            if (spec.sum != Sum::partial) return io.make(build(spec).bytes, 300);
            pipeline::Packet* packet = offloaded(io, spec, gso_size);
            if (summed) packet->checksum = pipeline::Checksum::complete;
            return packet;
        };
        quick.push_back(make(quick_.io));
        slow.push_back(make(slow_.io));
    }

    void run_burst() {
        std::vector<pipeline::Packet*> quick, slow;
        for (std::size_t n = 1 + below(100); n > 0; --n) add_packet(quick, slow);
        for (auto* burst : {&quick, &slow})
            for (pipeline::Packet* packet : *burst) packet->in_port = PortSlot(0);
        quick_.pipeline.run(PortSlot(0), quick, now_ns_);
        slow_.pipeline.run(PortSlot(0), slow, now_ns_);
    }

    void expect_same() {
        const auto left = [](const FakeIo& io) {
            std::string text;
            for (const Sent& s : io.sent)
                text +=
                    format("{} queue {} offload {} {} {} {}: {}\n", s.slot.value(), s.packet.queue,
                           static_cast<int>(s.packet.checksum), static_cast<int>(s.packet.gso),
                           s.packet.csum_start, s.packet.gso_size, hex_text(s.bytes));
            for (const PacketIn& p : io.packet_ins)
                text += format("in {} {}: {}\n", p.head.table, static_cast<int>(p.head.reason),
                               hex_text(p.bytes));
            return text;
        };
        EXPECT_EQ(left(quick_.io), left(slow_.io));
        EXPECT_EQ(quick_.io.live(), 0u);
        EXPECT_EQ(slow_.io.live(), 0u);
        EXPECT_EQ(counts(quick_.arena), counts(slow_.arena));
        both([](auto& twin) { twin.io.sent.clear(), twin.io.packet_ins.clear(); });
    }
    [[nodiscard]] static std::vector<std::uint64_t> counts(TestArena& arena) {
        std::vector<std::uint64_t> all;
        for (std::uint16_t slot = 0; slot < kPorts; ++slot) {
            const auto drops = arena.agent().drop_totals(PortSlot(slot)).by_reason;
            all.insert(all.end(), drops.begin(), drops.end());
            const shm::PortCounters port = arena.agent().port_totals(PortSlot(slot));
            all.insert(all.end(), {port.rx_dropped, port.tx_dropped});
        }
        for (unsigned t = 0; t < kTables; ++t) {
            const shm::TableCounters& table = arena.table(t);
            all.insert(all.end(), {table.lookups, table.matched, table.no_match, table.action_drop,
                                   table.other_drop});
        }
        for (std::uint32_t flow = 1; flow < exact_flow(kTables); ++flow) {
            const shm::FlowCounter& counter = arena.counter(flow);
            all.insert(all.end(), {counter.packets_tick, counter.bytes});
        }
        all.push_back(arena.group_count(1).packets);
        return all;
    }

    Twin<pipeline::NullSink> quick_;
    Twin<LoudSink> slow_;
    std::mt19937_64 random_;
    std::uint64_t now_ns_ = 1'000'000'000'000;
};

TEST_F(Straight, ShortWaysDoWhatTheLongOneDoes) {
    const char* given = std::getenv("RAICHO_SEED");
    const std::uint64_t first =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    for (std::uint64_t seed = first; seed < first + 500 && !HasFailure(); ++seed) {
        SCOPED_TRACE(format("RAICHO_SEED={} repeats it", seed));
        random_.seed(seed);
        now_ns_ += 20'000'000;
        both([&](auto& twin) { twin.io.clock = now_ns_; });
        change_switch();
        run_burst();
        expect_same();
    }
    EXPECT_GT(quick_.io.sent_in_runs, 1000u) << "the test has become idle: RAICHO_SEED=" << first;
    EXPECT_EQ(slow_.io.sent_in_runs, 0u);
}

TEST_F(Straight, FramesOfOneBurstDoNotPassEachOther) {
    both([](auto& twin) {
        twin.arena.any(0, Program().output(2));
        for (std::uint16_t slot = 0; slot < kPorts; ++slot)
            twin.io.set_port(PortSlot(slot), {.mtu = 1500, .link = Link::up});
    });
    std::vector<pipeline::Packet*> quick, slow;
    FrameSpec spec;
    for (const std::size_t payload : {18u, 18u, 0u, 30u, 1472u, 0u, 18u}) {
        spec.payload.assign(payload, 1);
        spec.tags.assign(payload == 1472 ? 1 : 0, {0x8100, 5});  // bigger than the MTU by its tag
        quick.push_back(quick_.io.make(build(spec).bytes));
        slow.push_back(slow_.io.make(build(spec).bytes));
    }
    quick_.pipeline.run(PortSlot(0), quick, now_ns_);
    slow_.pipeline.run(PortSlot(0), slow, now_ns_);
    EXPECT_EQ(quick_.io.sent.size(), 7u);
    EXPECT_EQ(quick_.io.sent_in_runs, 4u);
    expect_same();
}

}  // namespace
}  // namespace raicho::test
