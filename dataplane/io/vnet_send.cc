// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/vnet_send.h"

#include <cerrno>

namespace raicho::io {

std::size_t VnetBatch::fill(std::span<Packet* const> packets) noexcept {
    n_ = 0;
    std::size_t used = 0;
    for (Packet* packet : packets.first(std::min(packets.size(), kTxBatch))) {
        const rte_mbuf* mbuf = mbuf_of(packet);
        const std::size_t need = std::size_t{1} + mbuf->nb_segs;
        if (used + need > kVectors) break;
        headers_[n_] = make_vnet_header(*packet);
        const std::size_t start = used;
        vectors_[used++] = {&headers_[n_], sizeof headers_[n_]};
        for (const rte_mbuf* s = mbuf; s != nullptr; s = s->next)
            vectors_[used++] = {rte_pktmbuf_mtod(s, void*), s->data_len};
        messages_[n_] = {};
        messages_[n_].msg_hdr.msg_iov = &vectors_[start];
        messages_[n_].msg_hdr.msg_iovlen = need;
        ++n_;
    }
    return n_;
}

void count_refusal(int code, TxTally& tally) noexcept {
    switch (code) {
        case EAGAIN:
        case ENOBUFS:
        case ENOMEM: ++tally.full; break;
        case EMSGSIZE: ++tally.too_big; break;
        case ENETDOWN:
        case ENXIO:
        case ENODEV:
        case EIO:
        case EBADFD: ++tally.down; break;
        default: ++tally.errors; break;
    }
}

}  // namespace raicho::io
