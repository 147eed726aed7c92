// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/plane_link.h"

#include <atomic>
#include <cstring>
#include <utility>

#include "agent/compiler/program_store.h"
#include "base/log.h"
#include "shm/packet_record.h"
#include "shm/text_field.h"

namespace raicho::agent {

namespace {

/// Packet-ins handed in before the loop looks at everything else.
constexpr std::size_t kDrainBatch = 64;
/// A dataplane that is back within this time has not moved a link: no port-status for it.
constexpr Time kLossPatience = 3 * kSecond;
/// Packet-outs go to this worker.
constexpr WorkerId kSender{0};

openflow::PacketInReason reason_of(const shm::PacketInHead& head) {
    // A miss entry's DEC_NW_TTL found an invalid TTL: that is what happened, not the miss.
    if (head.reason == shm::PuntReason::invalid_ttl) return openflow::PacketInReason::invalid_ttl;
    if (head.from_miss != 0) return openflow::PacketInReason::no_match;
    switch (head.reason) {
        case shm::PuntReason::no_match: return openflow::PacketInReason::no_match;
        case shm::PuntReason::action: return openflow::PacketInReason::action;
        case shm::PuntReason::invalid_ttl: return openflow::PacketInReason::invalid_ttl;
    }
    return openflow::PacketInReason::action;
}

}  // namespace

/// One bridge's view of the link.
class PlaneLink::BridgePlane final : public Plane {
  public:
    BridgePlane(PlaneLink& link, BridgeId id) : link_(link), id_(id) {}

    std::vector<openflow::PortDesc> ports() const override {
        std::vector<openflow::PortDesc> descs;
        for (const PortSlot slot : link_.ports_->of_bridge(id_))
            descs.push_back(link_.ports_->desc(slot));
        return descs;
    }
    std::optional<openflow::PortDesc> port(PortNo number) const override {
        const auto slot = link_.ports_->find(id_, number);
        if (!slot) return std::nullopt;
        return link_.ports_->desc(*slot);
    }
    std::optional<openflow::PortStats> port_stats(PortNo number) const override {
        const auto slot = link_.ports_->find(id_, number);
        if (!slot) return std::nullopt;
        return link_.ports_->stats(*slot);
    }
    void set_port_config(PortNo number, std::uint32_t config) override {
        if (const auto slot = link_.ports_->find(id_, number))
            link_.ports_->set_config(*slot, config);
    }
    std::vector<openflow::QueueDesc> queues(PortNo number) const override {
        const auto slot = link_.ports_->find(id_, number);
        if (!slot) return {};
        return link_.ports_->queues(*slot);
    }
    bool has_queue(std::uint32_t queue) const override {
        return link_.ports_->has_queue(id_, queue);
    }
    std::optional<openflow::QueueStats> queue_stats(PortNo number,
                                                    std::uint32_t queue) const override {
        const auto slot = link_.ports_->find(id_, number);
        if (!slot) return std::nullopt;
        return link_.ports_->queue_stats(*slot, queue);
    }
    TableSetup table_setup(TableId table) const override {
        const shm::TableSetup& row = std::as_const(link_.arena_).table_setup(id_, table);
        return {.removed = row.removed != 0,
                .name = std::string(shm::get_text(row.name)),
                .max_entries = row.max_entries};
    }
    void set_table_setup(TableId table, const TableSetup& setup) override {
        shm::TableSetup& row = link_.arena_.table_setup(id_, table);
        row.max_entries = setup.max_entries;
        row.removed = setup.removed ? 1 : 0;
        shm::put_text(row.name, setup.name);
    }
    SwitchConfig switch_config() const override {
        const shm::BridgeRecord& record = std::as_const(link_.arena_).bridge(id_);
        return {.flags =
                    static_cast<std::uint16_t>(record.config_flags.load(std::memory_order_relaxed)),
                .miss_send_len = static_cast<std::uint16_t>(
                    record.miss_send_len.load(std::memory_order_relaxed))};
    }
    void set_switch_config(SwitchConfig config) override {
        shm::BridgeRecord& record = link_.arena_.bridge(id_);
        record.config_flags.store(config.flags, std::memory_order_relaxed);
        record.miss_send_len.store(config.miss_send_len, std::memory_order_relaxed);
    }
    openflow::OfResult<void> packet_out(PortNo in_port, const openflow::ActionList& actions,
                                        Bytes frame) override {
        return link_.packet_out(id_, in_port, actions, frame);
    }
    bool takes_packets() const override { return link_.dataplane_there(); }
    BarrierToken barrier_token() override { return link_.barrier_token(); }
    bool barrier_passed(BarrierToken token) const override { return link_.barrier_passed(token); }

  private:
    PlaneLink& link_;
    BridgeId id_;
};

PlaneLink::PlaneLink(Loop& loop, shm::AgentArena& arena, Events events)
    : loop_(loop),
      arena_(arena),
      events_(std::move(events)),
      n_packet_ins_(arena.max_workers()),
      packet_outs_(arena.packet_out(kSender)) {
    for (std::size_t w = 0; w < arena.max_workers(); ++w)
        packet_ins_.push_back(arena.packet_in(WorkerId(static_cast<std::uint8_t>(w))));
}

Result<std::unique_ptr<PlaneLink>> PlaneLink::open(Loop& loop, shm::AgentArena& arena,
                                                   const std::string& rundir, Events events) {
    std::unique_ptr<PlaneLink> self(new PlaneLink(loop, arena, std::move(events)));
    PlaneLink* const link = self.get();
    TRY_ASSIGN(
        self->control_,
        ControlClient::open(loop, rundir, arena,
                            {.attached =
                                 [link] {
                                     link->loop_.cancel(link->lost_timer_);
                                     link->ports_->dataplane_attached();
                                     link->events_.dataplane_changed();
                                     link->drain();
                                 },
                             .lost = [link] { link->lost(); },
                             .port_event = [link](PortSlot slot) { link->ports_->refresh(slot); },
                             .rung = [link] { link->drain(); }}));
    self->ports_ = std::make_unique<PortRows>(
        loop, arena, *self->control_,
        [link](PortSlot slot, openflow::PortReason reason, const openflow::PortDesc& desc) {
            link->events_.port_changed(
                BridgeId(std::as_const(link->arena_).wanted_port(slot).bridge), reason, desc);
        });
    // Packet-ins of the time without an agent: their reader, if any, knows nothing of them.
    for (shm::RingConsumer& ring : self->packet_ins_) ring.discard();
    self->drain();
    return self;
}

PlaneLink::~PlaneLink() {
    loop_.cancel(drain_timer_);
    loop_.cancel(lost_timer_);
    // Nobody listens any more: workers need not ring.
    arena_.agent_words().sleeping.store(0, std::memory_order_relaxed);
}

std::unique_ptr<Plane> PlaneLink::bridge(BridgeId id) {
    return std::make_unique<BridgePlane>(*this, id);
}

void PlaneLink::lost() {
    events_.dataplane_changed();
    loop_.cancel(lost_timer_);
    lost_timer_ =
        loop_.after(kLossPatience, [this] { ports_->set_vouched(PortRows::Vouched::no); });
}

/// Takes a bounded batch, turn by turn over the workers' rings.
void PlaneLink::drain() {
    loop_.cancel(std::exchange(drain_timer_, TimerId{}));
    std::atomic<std::uint32_t>& sleeping = arena_.agent_words().sleeping;
    sleeping.store(0, std::memory_order_relaxed);
    std::size_t empty = 0;
    for (std::size_t n = 0; n < kDrainBatch && empty < packet_ins_.size();) {
        shm::RingConsumer& ring = packet_ins_[next_ring_];
        std::uint64_t& count = n_packet_ins_[next_ring_];
        next_ring_ = (next_ring_ + 1) % packet_ins_.size();
        const std::span<const std::byte> record = ring.front();
        if (record.empty()) {
            ++empty;
            continue;
        }
        empty = 0;
        ++n;
        ++count;
        if (!hand_in(record)) LOG(warning, "plane", "damaged packet-in dropped");
        ring.pop();
    }
    bool more = empty < packet_ins_.size();
    if (!more) {
        sleeping.store(1, std::memory_order_relaxed);
        // Either a worker sees `sleeping` and rings, or its record is seen here: pairs with the
        // fence between a worker's commit and its look at `sleeping`.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        for (const shm::RingConsumer& ring : packet_ins_) more = more || !ring.empty();
    }
    if (more) drain_timer_ = loop_.after(0, [this] { drain(); });
}

bool PlaneLink::hand_in(std::span<const std::byte> record) {
    shm::PacketInHead head;
    if (record.size() < sizeof head) return false;
    std::memcpy(&head, record.data(), sizeof head);
    const Bytes data = record.subspan(sizeof head);
    if (head.data_size > data.size() || head.bridge >= arena_.max_bridges()) return false;
    events_.packet_in(BridgeId(head.bridge), {.reason = reason_of(head),
                                              .table = TableId(head.table),
                                              .cookie = head.cookie,
                                              .in_port = PortNo(head.in_port),
                                              .in_phy_port = PortNo(head.in_phy_port),
                                              .metadata = head.metadata,
                                              .tunnel_id = head.tunnel_id,
                                              .total_size = head.total_size,
                                              .data = data.first(head.data_size)});
    return true;
}

openflow::OfResult<void> PlaneLink::packet_out(BridgeId bridge, PortNo in_port,
                                               const openflow::ActionList& actions, Bytes frame) {
    // One that comes later drops what it finds in the ring: it would send it at a wrong time.
    if (!dataplane_there())
        return openflow::ofp_error(kCannotSend, "there is no dataplane to send it");
    const std::vector<std::uint64_t> program = compile(actions);
    shm::PacketOutHead head{};
    head.data_size = static_cast<std::uint32_t>(frame.size());
    head.program_size = static_cast<std::uint32_t>(program.size() * sizeof(program[0]));
    head.in_port = in_port.value();
    head.bridge = bridge.value();
    const std::span<std::byte> room =
        packet_outs_.reserve(sizeof head + head.program_size + frame.size());
    if (room.empty()) return openflow::ofp_error(kCannotSend, "the ring of packet-outs is full");
    std::memcpy(room.data(), &head, sizeof head);
    std::memcpy(room.data() + sizeof head, program.data(), head.program_size);
    if (!frame.empty())
        std::memcpy(room.data() + sizeof head + head.program_size, frame.data(), frame.size());
    packet_outs_.commit();
    // Either the worker sees the record before it sleeps, or we see that it sleeps.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (arena_.worker_words(kSender).sleeping.load(std::memory_order_relaxed) != 0)
        control_->wake(kSender);
    return {};
}

bool PlaneLink::dataplane_there() const {
    return control_->attached() || arena_.dataplane_alive();
}

BarrierToken PlaneLink::barrier_token() {
    barriers_.push_back({++last_barrier_, arena_.start_grace(), packet_outs_.position()});
    return BarrierToken(last_barrier_);
}

bool PlaneLink::barrier_passed(BarrierToken token) {
    while (token.value() > passed_barrier_ && !barriers_.empty()) {
        const Barrier& oldest = barriers_.front();
        if (!arena_.grace_passed(oldest.grace)) return false;
        if (!packet_outs_.consumed(oldest.position) && dataplane_there()) return false;
        passed_barrier_ = oldest.id;
        barriers_.pop_front();
    }
    return token.value() <= passed_barrier_;
}

}  // namespace raicho::agent
