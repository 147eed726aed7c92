// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/slow_headers.h"

#include <algorithm>
#include <vector>

#include "openflow/match.h"

namespace raicho::test {
namespace {

/// A reader that knows how far the headers may reach.
class Reading {
  public:
    explicit Reading(const FrameBytes& bytes) : bytes_(bytes), end_(bytes.size()) {}

    SlowHeaders run() {
        ethernet();
        const std::size_t at = h_.network_at;
        if (h_.type == 0x0806) h_.arp = fits(at, 28) && get(at, 6) == 0x000108000604;
        if (h_.type == 0x8847 || h_.type == 0x8848) h_.mpls = fits(at, 4);
        if (h_.type == 0x88e7) h_.pbb = fits(at, 18);
        if (h_.type == 0x0800) ipv4(at);
        if (h_.type == 0x86dd) ipv6(at);
        h_.end = end_;
        return h_;
    }

  private:
    [[nodiscard]] bool fits(std::size_t at, std::size_t n) const { return at + n <= end_; }
    [[nodiscard]] std::uint64_t get(std::size_t at, std::size_t n) const {
        return number_at(bytes_, at, n);
    }
    void cut(std::size_t end) { end_ = std::min(end_, end); }

    void ethernet() {
        std::size_t at = 12;
        const auto is_tag = [&] { return get(at, 2) == 0x8100 || get(at, 2) == 0x88a8; };
        for (; is_tag() && h_.n_tags < 2 && fits(at, 6); at += 4) ++h_.n_tags;
        h_.type = static_cast<unsigned>(get(at, 2));
        if (h_.type < 0x600) {
            h_.type = 0x05ff;
            if (fits(at, 10) && get(at + 2, 6) == 0xaaaa03000000 && get(at + 8, 2) >= 0x600) {
                at += 8;
                h_.type = static_cast<unsigned>(get(at, 2));
            }
        }
        h_.type_at = at;
        h_.network_at = at + 2;
    }

    void ipv4(std::size_t at) {
        if (!fits(at, 20) || get(at, 1) >> 4 != 4) return;
        const std::size_t header = (get(at, 1) & 15) * 4;
        if (header < 20 || !fits(at, header)) return;
        h_.ipv4 = true;
        h_.proto_at = at + 9;
        h_.proto = static_cast<unsigned>(get(at + 9, 1));
        const auto word = get(at + 6, 2);
        using enum SlowFrame::Fragment;
        if ((word & 0x1fff) != 0) h_.fragment = later;
        if ((word & 0x3fff) == 0x2000) h_.fragment = first;
        if (h_.fragment == later) return;
        cut(at + std::max<std::size_t>(get(at + 2, 2), header));
        transport(at + header, h_.proto == 1 ? L4::icmpv4 : L4::none);
    }

    /// `icmp`: what protocol number 1 or 58 is here; none when it is another number.
    void transport(std::size_t at, L4 icmp) {
        h_.upper_at = at;
        if (icmp != L4::none && fits(at, 4)) h_.transport = icmp;
        if (h_.proto == 6 && fits(at, 20)) h_.transport = L4::tcp;
        if (h_.proto == 17 && fits(at, 8)) h_.transport = L4::udp;
        if (h_.proto == 132 && fits(at, 12)) h_.transport = L4::sctp;
        if (h_.transport == L4::icmpv6) neighbour(at);
    }

    void ipv6(std::size_t at) {
        if (!fits(at, 40) || get(at, 1) >> 4 != 6) return;
        h_.ipv6 = true;
        if (const auto payload = get(at + 4, 2); payload != 0) cut(at + 40 + payload);
        h_.proto_at = at + 6;
        const auto whole = extensions(at + 40);
        if (whole && h_.fragment != SlowFrame::Fragment::later)
            transport(*whole, h_.proto == 58 ? L4::icmpv6 : L4::none);
    }

    /// Where the chain ends; nothing when the frame ends before.
    std::optional<std::size_t> extensions(std::size_t at) {
        std::vector<unsigned> seen;
        std::optional<std::size_t> end;
        for (;;) {
            h_.proto = static_cast<unsigned>(get(h_.proto_at, 1));
            constexpr std::array<unsigned, 7> kKnown{0, 43, 44, 50, 51, 59, 60};
            const bool known = std::ranges::find(kKnown, h_.proto) != kKnown.end();
            if (known) seen.push_back(h_.proto);
            if (!known || h_.proto == 50 || h_.proto == 59) {
                end = at;
                break;
            }
            if (!fits(at, 8)) break;
            std::size_t size = (get(at + 1, 1) + 1) * 8;
            if (h_.proto == 51) size = (get(at + 1, 1) + 2) * 4;
            if (h_.proto == 43 && get(at + 3, 1) != 0) h_.routed = true;
            if (h_.proto == 44) {
                size = 8;
                using enum SlowFrame::Fragment;
                if ((get(at + 2, 2) & 1) != 0) h_.fragment = first;
                if ((get(at + 2, 2) & 0xfff8) != 0) h_.fragment = later;
            }
            if (!fits(at, size)) break;
            h_.proto_at = at;
            h_.proto = static_cast<unsigned>(get(at, 1));
            at += size;
            if (h_.fragment == SlowFrame::Fragment::later) {
                end = at;
                break;
            }
        }
        h_.extensions = exthdr(seen);
        return end;
    }

    /// §7.2.3.8 and the order of RFC 8200 §4.1, in which destination options may come twice: first,
    /// and again as the last header.
    static unsigned exthdr(const std::vector<unsigned>& seen) {
        unsigned bits = 0, rank_before = 0, n_dest = 0;
        for (const unsigned header : seen) {
            unsigned bit = 0, rank = 0;
            switch (header) {
                case 0: bit = 1u << 6, rank = 0; break;
                case 60: bit = 1u << 3, rank = 1; break;
                case 43: bit = 1u << 5, rank = 2; break;
                case 44: bit = 1u << 4, rank = 3; break;
                case 51: bit = 1u << 2, rank = 4; break;
                case 50: bit = 1u << 1, rank = 5; break;
                case 59: bit = 1u << 0, rank = 7; break;
            }
            const bool is_dest = header == 60;
            if (is_dest && (n_dest > 0 || rank_before > rank)) rank = 6;
            if (is_dest ? n_dest >= 2 : (bits & bit) != 0) bits |= 1u << 7;
            if (rank < rank_before) bits |= 1u << 8;
            n_dest += is_dest ? 1 : 0;
            rank_before = std::max(rank_before, rank);
            bits |= bit;
        }
        return bits;
    }

    void neighbour(std::size_t at) {
        const auto type = get(at, 1);
        if ((type != 135 && type != 136) || get(at + 1, 1) != 0 || !fits(at, 24)) return;
        h_.nd = true;
        for (std::size_t option = at + 24; fits(option, 8);) {
            const std::size_t size = get(option + 1, 1) * 8;
            if (size == 0 || !fits(option, size)) return;
            if (get(option, 1) == (type == 135 ? 1 : 2) && size == 8) {
                h_.nd_option_at = option;
                return;
            }
            option += size;
        }
    }

    const FrameBytes& bytes_;
    std::size_t end_;
    SlowHeaders h_;
};

}  // namespace

SlowHeaders read_headers(const FrameBytes& bytes) {
    return Reading(bytes).run();
}

SlowFrame::Fragment SlowFrame::fragment() const {
    return read_headers(bytes).fragment;
}

agent::FieldValues SlowFrame::fields(PortNo ingress, std::uint64_t context) const {
    const SlowHeaders h = read_headers(bytes);
    agent::FieldValues values;
    const auto take = [&](Field field, std::size_t at) {
        FieldValue value;
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), row(field).size(),
                    value.bytes.begin());
        values.set(field, value);
    };
    const auto get = [&](std::size_t at, std::size_t n) { return number_at(bytes, at, n); };
    values.set(Field::in_port, ingress.value());
    values.set(Field::in_phy_port, ingress.value());
    values.set(Field::metadata, context);
    values.set(Field::tunnel_id, tunnel_id);
    using enum Field;
    take(eth_dst, 0), take(eth_src, 6);
    values.set(eth_type, h.type);
    values.set(vlan_vid, h.n_tags == 0 ? 0 : (get(14, 2) & 0xfff) | 0x1000);
    if (h.n_tags != 0) values.set(vlan_pcp, get(14, 1) >> 5);
    const std::size_t at = h.network_at;
    if (h.arp)
        take(arp_op, at + 6), take(arp_sha, at + 8), take(arp_spa, at + 14), take(arp_tha, at + 18),
            take(arp_tpa, at + 24);
    if (h.mpls) {
        const auto word = get(at, 4);
        values.set(mpls_label, word >> 12);
        values.set(mpls_tc, word >> 9 & 7);
        values.set(mpls_bos, word >> 8 & 1);
    }
    if (h.pbb) take(pbb_isid, at + 1);
    if (h.ip()) {
        const auto traffic_class = h.ipv4 ? get(at + 1, 1) : get(at, 2) >> 4 & 0xff;
        values.set(ip_dscp, traffic_class >> 2);
        values.set(ip_ecn, traffic_class & 3);
        values.set(ip_proto, h.proto);
    }
    if (h.ipv4) take(ipv4_src, at + 12), take(ipv4_dst, at + 16);
    if (h.ipv6) {
        take(ipv6_src, at + 8), take(ipv6_dst, at + 24);
        values.set(ipv6_flabel, get(at, 4) & 0xfffff);
        values.set(ipv6_exthdr, h.extensions);
    }
    const auto pair = [&](Field source, Field destination, std::size_t distance) {
        take(source, *h.upper_at), take(destination, *h.upper_at + distance);
    };
    if (h.transport == L4::tcp) pair(tcp_src, tcp_dst, 2);
    if (h.transport == L4::udp) pair(udp_src, udp_dst, 2);
    if (h.transport == L4::sctp) pair(sctp_src, sctp_dst, 2);
    if (h.transport == L4::icmpv4) pair(icmpv4_type, icmpv4_code, 1);
    if (h.transport == L4::icmpv6) pair(icmpv6_type, icmpv6_code, 1);
    if (h.nd) take(ipv6_nd_target, *h.upper_at + 8);
    if (h.nd_option_at)
        take(get(*h.upper_at, 1) == 135 ? ipv6_nd_sll : ipv6_nd_tll, *h.nd_option_at + 2);
    return values;
}

shm::Key SlowFrame::key() const {
    const agent::FieldValues values = fields(PortNo(0), 0);
    shm::Key key;
    for (const FieldRow& r : kFieldRows)
        if (const auto& value = values.get(r.field)) key.set(r.field, value->bytes.data());
    return key;
}

}  // namespace raicho::test
