// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/receive_set.h"

#include <algorithm>

namespace raicho::io {

ReceiveSet::ReceiveSet(const Buffers& buffers) : buffers_(buffers) {
    for (std::size_t i = 0; i < kBurst; ++i) {
        Slot& slot = slots_[i];
        slot.vectors[0] = {&slot.header, sizeof slot.header};
        messages_[i].msg_hdr.msg_iov = slot.vectors.data();
        messages_[i].msg_hdr.msg_control = controls_[i].control.data();
    }
}

ReceiveSet::~ReceiveSet() {
    for (Slot& slot : slots_) {
        rte_pktmbuf_free(slot.first);
        rte_pktmbuf_free(slot.large);
    }
}

std::size_t ReceiveSet::refill() noexcept {
    for (; ready_ < kBurst; ++ready_) {
        Slot& slot = slots_[ready_];
        if (slot.first == nullptr) {
            slot.first = rte_pktmbuf_alloc(buffers_.small());
            if (slot.first == nullptr) break;
            slot.first->data_off = kRxHeadroom;
            slot.vectors[1] = {rte_pktmbuf_mtod(slot.first, void*), kFirstBytes};
        }
        if (slot.large == nullptr) {
            // without one the slot still takes frames that fit into the small buffer
            slot.large = rte_pktmbuf_alloc(buffers_.large());
            if (slot.large != nullptr) {
                slot.large->data_off = 0;
                slot.vectors[2] = {rte_pktmbuf_mtod(slot.large, void*), kLargeRoom};
            }
        }
        messages_[ready_].msg_hdr.msg_iovlen = vectors(ready_).size();
    }
    return ready_;
}

Packet* ReceiveSet::take(std::size_t slot_index, std::size_t size, PortSlot in_port) noexcept {
    Slot& slot = slots_[slot_index];
    rte_mbuf* mbuf = slot.first;
    const std::size_t first = std::min<std::size_t>(size, kFirstBytes);
    mbuf->data_len = static_cast<std::uint16_t>(first);
    mbuf->pkt_len = static_cast<std::uint32_t>(size);
    describe(mbuf, in_port);
    if (read_vnet_header(slot.header, *packet_of(mbuf)) != VnetOutcome::fits) return nullptr;
    if (size > first) {
        mbuf->next = slot.large;
        mbuf->nb_segs = 2;
        slot.large->data_len = static_cast<std::uint16_t>(size - first);
        slot.large = nullptr;
    }
    slot.first = nullptr;
    ready_ = std::min(ready_, slot_index);
    return packet_of(mbuf);
}

}  // namespace raicho::io
