// SPDX-License-Identifier: Apache-2.0
// A datapath on a bench: the vector store, a plane and an outbox that remember, a clock in hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/model/datapath.h"
#include "agent/model/vector_flow_store.h"
#include "agent/model/vector_group_store.h"
#include "agent/model/vector_meter_store.h"
#include "base/text.h"
#include "openflow/codec.h"

namespace raicho::agent::test {

using namespace openflow;  // NOLINT: tests speak in messages

class FakePlane final : public Plane {
  public:
    struct Sent {
        PortNo in_port;
        ActionList actions;
        ByteVector frame;
    };

    FakePlane() {
        for (const std::uint32_t n : {1u, 2u, 3u}) add_port(PortNo{n}, format("p{}", n));
        add_port(port::kLocal, "br0");
    }
    void add_port(PortNo number, std::string name) {
        PortDesc desc;
        desc.port = number;
        desc.hw_addr = Mac{{2, 0, 0, 0, 0, static_cast<std::uint8_t>(number.value())}};
        desc.name = std::move(name);
        ports_[number] = desc;
    }

    [[nodiscard]] std::vector<PortDesc> ports() const override {
        std::vector<PortDesc> all;
        for (const auto& [number, desc] : ports_) all.push_back(desc);
        return all;
    }
    [[nodiscard]] std::optional<PortDesc> port(PortNo number) const override {
        const auto found = ports_.find(number);
        return found == ports_.end() ? std::nullopt : std::optional(found->second);
    }
    [[nodiscard]] std::optional<PortStats> port_stats(PortNo number) const override {
        if (!ports_.contains(number)) return std::nullopt;
        PortStats stats;
        stats.port = number;
        stats.rx_packets = 100 + (number.value() & 0xff);
        return stats;
    }
    void set_port_config(PortNo number, std::uint32_t word) override {
        ports_.at(number).config = word;
    }
    [[nodiscard]] std::vector<QueueDesc> queues(PortNo number) const override {
        std::vector<QueueDesc> found;
        for (const QueueDesc& desc : port_queues)
            if (desc.port == number) found.push_back(desc);
        return found;
    }
    [[nodiscard]] bool has_queue(std::uint32_t queue) const override {
        return std::ranges::find(port_queues, queue, &QueueDesc::queue) != port_queues.end();
    }
    [[nodiscard]] std::optional<QueueStats> queue_stats(PortNo number,
                                                        std::uint32_t queue) const override {
        for (const QueueDesc& desc : port_queues)
            if (desc.port == number && desc.queue == queue)
                return QueueStats{.port = number, .queue = queue, .tx_packets = 10 + queue};
        return std::nullopt;
    }
    [[nodiscard]] TableSetup table_setup(TableId table) const override {
        const auto found = tables.find(table);
        return found == tables.end() ? TableSetup{} : found->second;
    }
    void set_table_setup(TableId table, const TableSetup& setup) override { tables[table] = setup; }
    [[nodiscard]] SwitchConfig switch_config() const override { return config; }
    void set_switch_config(SwitchConfig wanted) override { config = wanted; }
    [[nodiscard]] OfResult<void> packet_out(PortNo in_port, const ActionList& actions,
                                            Bytes frame) override {
        if (sent.size() >= room) return ofp_error(kCannotSend, "full");
        sent.push_back({in_port, actions, ByteVector(frame.begin(), frame.end())});
        return {};
    }
    [[nodiscard]] bool takes_packets() const override { return dataplane; }
    [[nodiscard]] BarrierToken barrier_token() override { return BarrierToken{++tokens}; }
    [[nodiscard]] bool barrier_passed(BarrierToken token) const override {
        return token.value() <= passed;
    }

    SwitchConfig config;
    std::vector<QueueDesc> port_queues;
    std::map<TableId, TableSetup> tables;
    std::vector<Sent> sent;
    std::size_t room = ~std::size_t{0};  // packet-outs until the ring is full
    bool dataplane = true;
    std::uint64_t tokens = 0;
    std::uint64_t passed = ~0ull;  // barriers up to this token have passed

  private:
    std::map<PortNo, PortDesc> ports_;
};

class FakeOutbox final : public Outbox {
  public:
    struct Item {
        ConnectionId to;
        std::uint32_t xid = 0;
        Message message;
    };

    void send(ConnectionId to, std::uint32_t xid, const Message& message) override {
        items.push_back({to, xid, message});
    }
    void refuse(ConnectionId to, std::uint32_t xid, const OfpError& error, Bytes request) override {
        send(to, xid, make_error(error, request));
    }
    void send_all(std::span<const ConnectionId> to, const Message& message) override {
        for (const ConnectionId connection : to) items.push_back({connection, 0, message});
    }
    [[nodiscard]] bool writable(ConnectionId to) const override {
        return !full.contains(to) && items.size() < room;
    }

    std::vector<Item> items;
    std::set<ConnectionId> full;
    std::size_t room = ~std::size_t{0};  // items after which nobody is writable
};

inline constexpr std::uint32_t kMaxFlows = 1000;
inline constexpr ConnectionId kAlice{1};
inline constexpr ConnectionId kBob{2};

class Bench : public ::testing::Test {
  protected:
    Bench() {
        make_datapath();
        datapath().connected(kAlice, now);
    }

    Datapath& datapath() { return *datapath_; }

    /// The agent died and another adopts store and plane.
    void restart() {
        datapath_.reset();
        make_datapath();
        datapath().connected(kAlice, now);
    }

    /// Hands one message in; the xid is returned by answers.
    void tell(const Message& message, ConnectionId from = kAlice, std::uint32_t xid = 7) {
        const std::vector<std::byte> raw(16, std::byte{0x5a});
        datapath().handle(from, xid, message, raw, now, outbox);
    }
    /// As tell(); returns what came out since.
    std::vector<FakeOutbox::Item> ask(const Message& message, ConnectionId from = kAlice) {
        outbox.items.clear();
        tell(message, from);
        return outbox.items;
    }
    /// The one answer to the request, of type M.
    template <class M>
    M answer(const Message& request) {
        const auto items = ask(request);
        EXPECT_EQ(items.size(), 1u);
        if (items.empty() || !std::holds_alternative<M>(items[0].message)) {
            ADD_FAILURE() << "no answer of this type";
            return {};
        }
        EXPECT_EQ(items[0].to, kAlice);
        EXPECT_EQ(items[0].xid, 7u);
        return std::get<M>(items[0].message);
    }
    /// `type/code` of the error that answers, or "ok" when nothing does.
    std::string result(const Message& request) {
        const auto items = ask(request);
        if (items.empty()) return "ok";
        const auto* error = std::get_if<ErrorMsg>(&items[0].message);
        if (items.size() != 1 || error == nullptr) return "answered";
        EXPECT_EQ(items[0].xid, 7u);
        EXPECT_FALSE(error->data.empty());
        return error_code_name(error->type, error->code);
    }
    template <class M>
    [[nodiscard]] std::vector<M> sent() const {
        std::vector<M> found;
        for (const auto& item : outbox.items)
            if (const auto* m = std::get_if<M>(&item.message)) found.push_back(*m);
        return found;
    }

    void pass(Time time) {
        now += time;
        datapath().tick(now, outbox);
    }

    VectorFlowStore store;
    VectorGroupStore groups;
    VectorMeterStore meters;
    FakePlane plane;
    FakeOutbox outbox;
    Time now = 1000 * kSecond;

  private:
    void make_datapath() {
        datapath_.emplace(DatapathIdentity{Dpid{0x42}, {"m", "h", "s", "n", "d"}, kMaxFlows},
                          Stores{store, groups, meters}, plane, now);
    }
    std::optional<Datapath> datapath_;
};

// --- values ---------------------------------------------------------------------------------

/// `match({{Field::in_port, 1}})`.
inline Match match(std::initializer_list<std::pair<Field, std::uint64_t>> fields) {
    Match out;
    for (const auto& [field, value] : fields) EXPECT_TRUE(out.add(exact(field, value)));
    return out;
}
inline MatchField masked(Field field, std::uint64_t value, std::uint64_t mask) {
    return {field, HasMask::yes, field_value(field, value), field_value(field, mask)};
}
inline Match with(Match out, const MatchField& field) {
    EXPECT_TRUE(out.add(field));
    return out;
}
inline Match ipv4_net(std::uint32_t address, unsigned bits, Field field = Field::ipv4_dst) {
    const std::uint32_t mask = bits == 0 ? 0 : ~0u << (32 - bits);
    return with(match({{Field::eth_type, 0x0800}}), masked(field, address & mask, mask));
}

inline Instructions output_to(std::uint32_t port) {
    Instructions out;
    out.apply = ActionList{OutputAction{PortNo{port}, 0}};
    return out;
}
inline FlowMod flow(FlowModCommand command, Match match = {}, std::uint16_t priority = 1) {
    FlowMod mod;
    mod.command = command;
    mod.match = std::move(match);
    mod.priority = priority;
    return mod;
}
inline FlowMod add_flow(Match match = {}, std::uint16_t priority = 1,
                        Instructions instructions = output_to(1)) {
    FlowMod mod = flow(FlowModCommand::add, std::move(match), priority);
    mod.instructions = std::move(instructions);
    return mod;
}

}  // namespace raicho::agent::test
