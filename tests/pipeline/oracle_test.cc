// SPDX-License-Identifier: Apache-2.0
// Random pipelines by the compiler, random frames through the dataplane, against the slow switch:
// frames out per port, packet-ins, and the counters of flows, tables, groups and meters.
//   RAICHO_SEED=n       repeats a run, RAICHO_PIPELINES=n says how many pipelines it has
//   RAICHO_SUITE=FILE   the frames of the public suite (tests/functional/conformance_differential)
#include "tests/pipeline/oracle.h"

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "agent/compiler/arena_flow_store.h"
#include "agent/compiler/arena_group_store.h"
#include "agent/compiler/arena_meter_store.h"
#include "openflow/codec.h"
#include "tests/pipeline/random_parts.h"
#include "tests/pipeline/switch_fixture.h"

namespace raicho::test {
namespace {

using openflow::Instructions, openflow::Match;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* given = std::getenv(name);
    return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

class OracleTest : public SwitchFixture {
  protected:
    static constexpr std::uint32_t kMeters = RandomParts::kTables;

    OracleTest() {
        auto space = agent::ArenaSpace::open(arena_.agent(), [this] { return io_.clock; });
        if (!space) ADD_FAILURE() << space.error().text;
        space_ = std::move(*space);
        flows_ = std::make_unique<agent::ArenaFlowStore>(*space_, TestArena::kBridge);
        groups_ = std::make_unique<agent::ArenaGroupStore>(*space_, TestArena::kBridge);
        meters_ = std::make_unique<agent::ArenaMeterStore>(*space_, TestArena::kBridge);
        begin_anew();
    }

    /// Both switches are empty, all links are up.
    void begin_anew() {
        flows_->remove_all();
        groups_->remove_all();
        meters_->remove_all();
        known_.clear();
        known_groups_.clear();
        known_meters_.clear();
        priority_ = 0;
        oracle_ = Oracle(arena_.agent().hash_key());
        oracle_.now_ns = io_.clock += kSecond;
        for (unsigned p = 1; p <= Oracle::kPorts; ++p) set_link(p, pipeline::Link::up);
        for (unsigned t = 0; t < RandomParts::kTables; ++t)
            tables_before_[t] = {arena_.table(t).lookups, arena_.table(t).matched};
    }

    // --- the same for both ----------------------------------------------------------------------

    void add_flow(const agent::FlowHead& head, const Match& match, const Instructions& i) {
        const auto id = flows_->insert(head, match, i);
        ASSERT_TRUE(id.has_value());
        oracle_.add(*id, head.table, head.priority, match, i);
        known_.emplace_back(*id, head.table);
    }
    void remove_flow(std::size_t at) {
        const auto [id, table] = known_[at];
        flows_->remove(id);
        flows_->release(id);
        oracle_.remove(id, table);
        known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    void set_group(GroupId id, openflow::GroupType type, const openflow::Buckets& buckets) {
        if (known_groups_.insert(id).second) {
            ASSERT_TRUE(groups_->insert(id, {type, io_.clock}, buckets));
        } else {
            ASSERT_TRUE(groups_->replace(id, type, buckets));
        }
        oracle_.set_group(id, type, buckets);
    }
    void set_meter(MeterId id, const RandomMeter& meter) {
        if (known_meters_.insert(id).second) {
            ASSERT_TRUE(meters_->insert(id, {meter.flags, io_.clock}, meter.bands));
        } else {
            ASSERT_TRUE(meters_->replace(id, meter.flags, meter.bands));
        }
        oracle_.set_meter(id, meter.flags, meter.bands);
    }
    void set_link(unsigned port, pipeline::Link link) {
        auto state = view();
        state.link = link;
        io_.set_port(PortSlot(static_cast<std::uint16_t>(port - 1)), state);
        if (link == pipeline::Link::down)
            oracle_.down.insert(port);
        else
            oracle_.down.erase(port);
    }

    // --- compared -------------------------------------------------------------------------------

    /// A burst goes in at `port`; how many frames came out.
    std::size_t run_both(unsigned port, const std::vector<FrameBytes>& burst) {
        std::map<std::uint32_t, std::vector<std::string>> want, got;
        for (const FrameBytes& frame : burst)
            for (const auto& out : oracle_.run(frame, PortNo(port)))
                want[out.port].push_back(hex_text(out.bytes));
        run(port, burst);
        for (auto& [out, frame] : take_sent()) got[out].push_back(std::move(frame));
        for (const PacketIn& in : std::exchange(io_.packet_ins, {}))
            got[port::kController.value()].push_back(hex_text(in.bytes));
        std::size_t n = 0;
        // Packets of different flows may pass each other where their ways are of different length.
        for (auto* side : {&want, &got})
            for (auto& [out, frames] : *side) {
                n += frames.size();
                std::ranges::sort(frames);
            }
        EXPECT_EQ(got, want);
        expect_same_counts();
        return n;
    }
    void expect_same_counts() {
        for (const auto& [id, table] : known_) {
            const std::uint32_t cold = arena_.agent().hot(id.value()).body.load().cold;
            EXPECT_EQ(arena_.counter(id.value()).packets() - arena_.agent().cold(cold).base_packets,
                      oracle_.packets(id))
                << "flow " << id.value();
        }
        for (unsigned t = 0; t < RandomParts::kTables; ++t) {
            const auto [lookups, matched] = tables_before_[t];
            EXPECT_EQ(arena_.table(t).lookups - lookups, oracle_.table(t).lookups) << t;
            EXPECT_EQ(arena_.table(t).matched - matched, oracle_.table(t).matched) << t;
        }
        for (const GroupId id : known_groups_) {
            const agent::GroupCount count = groups_->counts(id);
            const Oracle::GroupCount& group = oracle_.group(id);
            EXPECT_EQ(count.packets, group.packets) << "group " << id.value();
            for (std::size_t b = 0; b < group.bucket_packets.size(); ++b)
                EXPECT_EQ(count.buckets.at(b).packet_count, group.bucket_packets[b])
                    << "group " << id.value() << " bucket " << b;
        }
        for (const MeterId id : known_meters_) {
            const agent::MeterCount count = meters_->counts(id);
            const Oracle::Meter& meter = oracle_.meter(id);
            for (std::size_t b = 0; b < meter.acted.size(); ++b)
                EXPECT_EQ(count.bands.at(b).packet_count, meter.acted[b])
                    << "meter " << id.value() << " band " << b;
        }
    }

    // --- at random ------------------------------------------------------------------------------

    void add_flow(RandomParts& parts) {
        agent::FlowHead head;
        head.table = TableId(static_cast<std::uint8_t>(parts.below(RandomParts::kTables)));
        head.priority = ++priority_;  // one of a kind: no overlap of equals
        if (parts.below(2) == 0) head.priority = static_cast<std::uint16_t>(60000 - head.priority);
        const bool by_port = parts.ports_first() && head.table == TableId(0);
        const Match match = by_port ? parts.port_match() : parts.match();
        add_flow(head, match,
                 parts.below(by_port ? 2 : 6) == 0 ? parts.one_output()
                                                   : parts.instructions(head.table.value()));
    }
    void change_group(RandomParts& parts, std::uint32_t id) {
        const auto [type, buckets] = parts.group(id);
        set_group(GroupId(id), type, buckets);
    }
    /// Flows come and go, links too, time passes; how many frames came out.
    std::size_t live(RandomParts& parts, int rounds) {
        std::size_t n_sent = 0;
        for (std::uint32_t id = RandomParts::kGroups; id > 0; --id) change_group(parts, id);
        for (std::uint32_t id = 1; id <= kMeters; ++id) set_meter(MeterId(id), parts.meter());
        for (unsigned table = 0; table < RandomParts::kTables; ++table)
            if (parts.below(4) != 0)
                add_flow({.table = TableId(static_cast<std::uint8_t>(table))}, {},
                         parts.instructions(table));
        for (int round = 0; round < rounds && !HasFailure(); ++round) {
            for (int i = 0; i < 6; ++i) add_flow(parts);
            change_group(parts, 1 + static_cast<std::uint32_t>(parts.below(RandomParts::kGroups)));
            if (round % 5 == 4)
                set_meter(MeterId(1 + static_cast<std::uint32_t>(parts.below(kMeters))),
                          parts.meter());
            for (unsigned p = 1; p <= Oracle::kPorts; ++p)
                set_link(p, parts.below(3) == 0 ? pipeline::Link::down : pipeline::Link::up);
            oracle_.now_ns = io_.clock += 10'000'000 * parts.below(8);
            if (round % 3 == 2)
                for (int i = 0; i < 9 && !known_.empty(); ++i)
                    remove_flow(parts.below(known_.size()));
            std::vector<FrameBytes> burst;
            for (int i = 0; i < 50; ++i) burst.push_back(parts.frame());
            const std::size_t n = run_both(1 + static_cast<unsigned>(parts.below(4)), burst);
            n_sent += n;
            if (n == 0)  // one flow swallows all: begin anew
                while (!known_.empty()) remove_flow(known_.size() - 1);
        }
        return n_sent;
    }

    std::unique_ptr<agent::ArenaSpace> space_;
    std::unique_ptr<agent::ArenaFlowStore> flows_;
    std::unique_ptr<agent::ArenaGroupStore> groups_;
    std::unique_ptr<agent::ArenaMeterStore> meters_;
    Oracle oracle_;
    std::vector<std::pair<FlowId, TableId>> known_;
    std::set<GroupId> known_groups_;
    std::set<MeterId> known_meters_;
    std::array<std::pair<std::uint64_t, std::uint64_t>, RandomParts::kTables> tables_before_{};
    std::uint16_t priority_ = 0;
};

// OF 1.3.5 §5.3: a packet without the header does not match its fields, whatever their value.
TEST_F(OracleTest, AMatchOnZeroFitsNoPacketWithoutTheHeader) {
    const auto send_to = [&](std::uint32_t port, std::uint16_t priority, const Match& match) {
        agent::FlowHead head;
        head.priority = priority;
        Instructions i;
        i.apply = {openflow::OutputAction{PortNo(port)}};
        ASSERT_TRUE(flows_->insert(head, match, i).has_value());
    };
    const auto match_of = [](std::initializer_list<std::pair<Field, std::uint64_t>> fields) {
        Match match;
        for (const auto& [field, value] : fields)
            EXPECT_TRUE(match.add(openflow::exact(field, value)));
        return match;
    };
    using enum Field;
    send_to(2, 9, match_of({{eth_type, 0x0800}, {ip_proto, 17}, {udp_dst, 0}}));
    send_to(2, 9, match_of({{eth_type, 0x0806}, {arp_op, 0}}));
    send_to(2, 8, match_of({{eth_type, 0x0800}, {ip_dscp, 0}}));
    send_to(3, 0, {});
    FrameSpec spec;
    spec.dport = 0;
    run(1, spec);
    EXPECT_EQ(take_ports(), (Ports{2}));
    spec.dscp = 1;  // the first flow by now
    run(1, spec);
    EXPECT_EQ(take_ports(), (Ports{2}));
    spec.fragment = 0x2010, spec.later_fragment = true;
    spec.payload.resize(30);
    run(1, spec);
    EXPECT_EQ(take_ports(), (Ports{3})) << "a later fragment has no ports";
    FrameBytes cut = build(spec).bytes;
    cut.resize(30);
    run(1, {cut});
    EXPECT_EQ(take_ports(), (Ports{3})) << "the IP header is cut off";
    spec = {};
    spec.l3 = L3::arp, spec.arp_op = 0;
    run(1, spec);
    EXPECT_EQ(take_ports(), (Ports{2}));
    cut = build(spec).bytes;
    cut.resize(20);
    run(1, {cut});
    EXPECT_EQ(take_ports(), (Ports{3})) << "the ARP body is cut off";
}

TEST_F(OracleTest, AFirstTableOfPortsAloneIsLookedUpOnceABurst) {
    const auto send_to = [&](std::uint32_t port, std::uint16_t priority, const Match& match) {
        Instructions i;
        i.apply = {openflow::OutputAction{PortNo(port)}};
        add_flow({.priority = priority}, match, i);
    };
    Match first, third, both;
    ASSERT_TRUE(first.add(openflow::exact(Field::in_port, 1)));
    ASSERT_TRUE(third.add(openflow::exact(Field::in_port, 3)));
    ASSERT_TRUE(both.add(openflow::exact(Field::in_port, 1)));
    ASSERT_TRUE(both.add(openflow::exact(Field::eth_dst, 0x020000000001)));
    send_to(2, 5, first);
    send_to(4, 5, third);
    FrameSpec spec;
    spec.payload.assign(18, 1);
    const std::vector<FrameBytes> burst(40, build(spec).bytes);
    EXPECT_EQ(run_both(1, burst), 80u);
    EXPECT_EQ(run_both(3, burst), 80u);
    EXPECT_EQ(run_both(4, burst), 0u);
    EXPECT_EQ(io_.sent_in_runs, 80u);
    send_to(3, 9, both);  // now it depends on the packet
    std::vector<FrameBytes> mixed = burst;
    spec.dst.bytes[5] ^= 0xff;
    for (std::size_t i = 0; i < mixed.size(); i += 2) mixed[i] = build(spec).bytes;
    EXPECT_EQ(run_both(1, mixed), 80u);
}

TEST_F(OracleTest, AnAddressWithTheHashOfAnotherIsNotItsFlow) {
    Match match;
    ASSERT_TRUE(match.add(openflow::exact(Field::eth_dst, 0x020000000000)));
    Instructions i;
    i.apply = {openflow::OutputAction{PortNo(2)}};
    add_flow({.priority = 5}, match, i);
    const auto& table = arena_.dataplane().descriptor(arena_.bridge().tables[0].load().descriptor);
    ASSERT_EQ(table.kind, shm::Template::exact);
    const std::uint32_t seed = table.tuples()[0].mask;
    const shm::MaskRecord& mask = arena_.dataplane().mask(seed);
    const auto hash_of = [&](const FrameSpec& spec) {
        shm::Key key;
        std::memcpy(key.bytes() + shm::place(Field::eth_dst).offset, spec.dst.bytes.data(), 6);
        return shm::masked_hash(arena_.dataplane().hash_key(), mask, seed, key);
    };
    FrameSpec own, other;
    own.dst = Mac{{2, 0, 0, 0, 0, 0}};
    own.payload.assign(18, 1), other.payload.assign(18, 1);
    const std::uint64_t hash = hash_of(own);
    bool found = false;
    for (std::uint32_t n = 1; n < (1u << 30) && !found; ++n) {
        other.dst =
            Mac{{2, 0, static_cast<std::uint8_t>(n >> 24), static_cast<std::uint8_t>(n >> 16),
                 static_cast<std::uint8_t>(n >> 8), static_cast<std::uint8_t>(n)}};
        const std::uint64_t h = hash_of(other);
        found = shm::tag_of(h) == shm::tag_of(hash) &&
                shm::bucket_of(h, table.n_buckets) == shm::bucket_of(hash, table.n_buckets);
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(run_both(1, {build(other).bytes, build(own).bytes, build(other).bytes}), 2u);
}

TEST_F(OracleTest, RandomFlowsForwardRandomFramesAsTheSlowSwitchDoes) {
    const std::uint64_t first = from_environment("RAICHO_SEED", std::random_device{}());
    std::size_t n_sent = 0;  // of one pipeline it may be few: a flow may swallow all
    for (std::uint64_t seed = first; seed < first + 5 && !HasFailure(); ++seed) {
        SCOPED_TRACE(format("RAICHO_SEED={} repeats it", seed));
        begin_anew();
        RandomParts parts(seed, 80);
        n_sent += live(parts, 60);
    }
    EXPECT_GT(n_sent, 100u) << "the test has become idle: RAICHO_SEED=" << first;
}

TEST_F(OracleTest, AThousandRandomPipelinesDoWhatTheSlowSwitchDoes) {
    const std::uint64_t first = from_environment("RAICHO_SEED", std::random_device{}());
    const std::uint64_t n = from_environment("RAICHO_PIPELINES", 1000);
    std::printf("%s\n", format("{} pipelines, seeds from {}", n, first).c_str());
    std::size_t n_sent = 0;
    for (std::uint64_t seed = first; seed < first + n && !HasFailure(); ++seed) {
        SCOPED_TRACE(format("RAICHO_SEED={} RAICHO_PIPELINES=1 repeats it", seed));
        begin_anew();
        RandomParts parts(seed, 20);
        n_sent += live(parts, 10);
    }
    std::printf("%s\n", format("{} frames came out of both", n_sent / 2).c_str());
    EXPECT_GT(n_sent, 10 * n) << "the test has become idle";
}

/// Lines `case NAME`, `message HEX`, `frame HEX`; the frame ends the case.
TEST_F(OracleTest, FramesOfThePublicSuiteDoWhatTheSlowSwitchDoes) {
    const char* file = std::getenv("RAICHO_SUITE");
    if (file == nullptr) GTEST_SKIP() << "RAICHO_SUITE names no file";
    std::ifstream in(file);
    ASSERT_TRUE(in) << file;
    std::string line, name;
    std::size_t n = 0, n_sent = 0, n_wrong = 0;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string what, rest;
        words >> what >> std::ws;
        std::getline(words, rest);
        SCOPED_TRACE(name);
        if (what == "case") {
            name = rest;
            begin_anew();
            continue;
        }
        const auto bytes = parse_hex(rest);
        ASSERT_TRUE(bytes) << line;
        if (what == "frame") {
            const bool failed = HasFailure();
            n_sent += run_both(1, {*bytes});
            ++n;
            if (HasFailure() && !failed) ++n_wrong;
            continue;
        }
        const auto message = openflow::decode(*bytes);
        ASSERT_TRUE(message) << line;
        if (const auto* mod = std::get_if<openflow::FlowMod>(&*message)) {
            add_flow({.table = mod->table, .priority = mod->priority}, mod->match,
                     mod->instructions);
        } else if (const auto* group = std::get_if<openflow::GroupMod>(&*message)) {
            set_group(group->group, group->type, group->buckets);
        } else if (const auto* meter = std::get_if<openflow::MeterMod>(&*message)) {
            set_meter(meter->meter, {meter->flags, meter->bands});
        } else {
            FAIL() << "no flow, group or meter: " << line;
        }
    }
    std::printf("%s\n", format("{} frames, {} came out", n, n_sent / 2).c_str());
    EXPECT_GT(n, 0u);
    EXPECT_EQ(n_wrong, 0u);
}

}  // namespace
}  // namespace raicho::test
