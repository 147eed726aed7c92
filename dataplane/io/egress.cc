// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/egress.h"

namespace raicho::io {

bool EgressRoom::take(const Packet& packet) noexcept {
    std::atomic<std::int64_t>& left = of(packet);
    if (left.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
    left.fetch_add(1, std::memory_order_relaxed);
    return false;
}

void EgressRoom::give(const Packet& packet) noexcept {
    of(packet).fetch_add(1, std::memory_order_relaxed);
}

Egress::~Egress() {
    while (Packet* packet = queues_.take_any()) {
        room_.give(*packet);
        rte_pktmbuf_free(mbuf_of(packet));
    }
}

void Egress::configure(const shm::QueuePlan& plan, std::uint64_t link_bps, std::uint64_t now_ns) {
    const Held held(*this);
    queues_.configure(plan, link_bps, now_ns);
}

bool Egress::Held::offer(Packet* packet, std::uint64_t now_ns) noexcept {
    if (!egress_.room_.take(*packet)) return false;
    if (egress_.queues_.offer(packet, now_ns)) return true;
    egress_.room_.give(*packet);
    return false;
}

std::optional<EgressQueues::Sent> Egress::Held::take(std::uint64_t now_ns) noexcept {
    const auto sent = egress_.queues_.take(now_ns);
    if (sent) egress_.room_.give(*sent->packet);
    return sent;
}

}  // namespace raicho::io
