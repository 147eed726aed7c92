// SPDX-License-Identifier: Apache-2.0
// The actions of OF 1.3.5 §5.12 on plain bytes. A checksum is right when the sum over all that it
// covers is what it was before the edit: that holds for fragments, whose sum cannot be made anew,
// and for frames that came with a wrong one.
#include <algorithm>
#include <variant>

#include "openflow/match.h"
#include "tests/pipeline/slow_headers.h"

namespace raicho::test {
namespace {

void put_number(FrameBytes& bytes, std::size_t at, std::size_t n, std::uint64_t value) {
    for (std::size_t i = 0; i < n; ++i)
        bytes.at(at + i) = static_cast<std::byte>(value >> (8 * (n - 1 - i)));
}
void insert(FrameBytes& bytes, std::size_t at, std::size_t n) {
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), n, std::byte{});
}
void erase(FrameBytes& bytes, std::size_t at, std::size_t n) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    bytes.erase(begin, begin + static_cast<std::ptrdiff_t>(n));
}
FrameBytes part(const FrameBytes& bytes, std::size_t at, std::size_t n) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

std::size_t checksum_at(L4 transport) {
    switch (transport) {
        case L4::tcp: return 16;
        case L4::udp: return 6;
        case L4::sctp: return 8;
        case L4::icmpv4:
        case L4::icmpv6:
        case L4::nd: return 2;
        case L4::none: break;
    }
    return 0;
}

/// What a transport's Internet checksum covers: the part of the pseudo header that may change, and
/// the message to the end of the frame.
FrameBytes covered(const FrameBytes& bytes, const SlowHeaders& h, L4 transport) {
    FrameBytes all;
    if (transport != L4::icmpv4) {
        const std::size_t at = h.network_at + (h.ipv4 ? 12 : 8);
        all = part(bytes, at, h.ipv4 ? 8 : h.routed ? 16 : 32);
        all.push_back(std::byte{});
        all.push_back(static_cast<std::byte>(h.proto));
    }
    const FrameBytes message = part(bytes, *h.upper_at, bytes.size() - *h.upper_at);
    all.insert(all.end(), message.begin(), message.end());
    return all;
}

/// Edits the frame, then gives the 16 bits at `sum_at` the value for which `all` (which holds them)
/// adds up to what it did.
template <class All, class Edit>
void keep_sum(FrameBytes& bytes, std::size_t sum_at, const All& all, const Edit& edit) {
    const std::uint32_t before = static_cast<std::uint16_t>(~naive_sum(all()));
    edit();
    put_number(bytes, sum_at, 2, 0);
    const std::uint32_t rest = static_cast<std::uint16_t>(~naive_sum(all()));
    put_number(bytes, sum_at, 2, (before + 0xffff - rest) % 0xffff);
}

}  // namespace

/// Reads the headers first; each action is one function.
struct SlowFrame::Doer {
    SlowFrame& frame;
    FrameBytes& bytes = frame.bytes;
    const SlowHeaders h = read_headers(bytes);

    [[nodiscard]] std::uint64_t get(std::size_t at, std::size_t n) const {
        return number_at(bytes, at, n);
    }

    // --- tags, labels, I-TAGs -----------------------------------------------------------------

    bool operator()(const openflow::PushVlan& a) const {
        const auto tci = h.n_tags > 0 ? get(14, 2) & 0xefff : 0;
        insert(bytes, 12, 4);
        put_number(bytes, 12, 2, a.ethertype);
        put_number(bytes, 14, 2, tci);
        return true;
    }
    bool operator()(openflow::PopVlan) const {
        if (h.n_tags == 0) return false;
        erase(bytes, 12, 4);
        return true;
    }
    /// 802.3 with SNAP: the length counts what follows it.
    void grow_length(int n) const {
        const std::size_t at = 12 + 4 * h.n_tags;
        if (at != h.type_at)
            put_number(bytes, at, 2, get(at, 2) + static_cast<std::uint64_t>(std::int64_t{n}));
    }
    bool operator()(const openflow::PushMpls& a) const {
        std::uint64_t label = 0x100;
        if (h.mpls) label = get(h.network_at, 4) & ~std::uint64_t{0x100};
        if (const auto at = ip_ttl_at()) label |= get(*at, 1);
        insert(bytes, h.network_at, 4);
        grow_length(4);
        put_number(bytes, h.type_at, 2, a.ethertype);
        put_number(bytes, h.network_at, 4, label);
        return true;
    }
    bool operator()(const openflow::PopMpls& a) const {
        if (!h.mpls) return false;
        erase(bytes, h.network_at, 4);
        grow_length(-4);
        put_number(bytes, h.type_at, 2, a.ethertype);
        return true;
    }
    bool operator()(const openflow::PushPbb& a) const {
        const auto isid = h.pbb ? get(h.network_at + 1, 3) : 0;
        const auto priority = h.n_tags > 0 ? get(14, 1) >> 5 : 0;
        const FrameBytes addresses = part(bytes, 0, 12);
        bytes.insert(bytes.begin(), addresses.begin(), addresses.end());
        insert(bytes, 12, 6);
        put_number(bytes, 12, 2, a.ethertype);
        put_number(bytes, 14, 4, priority << 29 | isid);
        return true;
    }
    bool operator()(openflow::PopPbb) const {
        if (!h.pbb) return false;
        erase(bytes, 0, h.network_at + 4);
        return true;
    }

    // --- TTLs ---------------------------------------------------------------------------------

    struct Ttl {
        std::size_t at;
        std::optional<std::size_t> ipv4_at;  // the header that sums it
    };
    [[nodiscard]] std::optional<std::size_t> ip_ttl_at() const {
        if (!h.ip()) return std::nullopt;
        return h.network_at + (h.ipv4 ? 8 : 7);
    }
    [[nodiscard]] std::optional<Ttl> ip_ttl() const {
        const auto at = ip_ttl_at();
        if (!at) return std::nullopt;
        return Ttl{*at, h.ipv4 ? std::optional(h.network_at) : std::nullopt};
    }
    [[nodiscard]] std::optional<Ttl> label_ttl() const {
        return h.mpls ? std::optional(Ttl{h.network_at + 3, {}}) : std::nullopt;
    }
    [[nodiscard]] std::optional<Ttl> outer_ttl() const { return h.mpls ? label_ttl() : ip_ttl(); }
    /// Of an IP header of that version at `at`.
    [[nodiscard]] std::optional<Ttl> ttl_of(std::size_t at, unsigned version) const {
        if (at + 20 > bytes.size() || get(at, 1) >> 4 != version) return std::nullopt;
        if (version == 4) return Ttl{at + 8, at};
        if (version != 6 || at + 40 > bytes.size()) return std::nullopt;
        return Ttl{at + 7, {}};
    }
    [[nodiscard]] std::optional<Ttl> inner_ttl() const {
        if (h.mpls) {
            const std::size_t at = h.network_at + 4;
            if ((get(at - 2, 1) & 1) != 0)
                return at < bytes.size() ? ttl_of(at, static_cast<unsigned>(get(at, 1) >> 4))
                                         : std::nullopt;
            return at + 4 <= bytes.size() ? std::optional(Ttl{at + 3, {}}) : std::nullopt;
        }
        if (!h.upper_at || (h.proto != 4 && h.proto != 41)) return std::nullopt;
        return ttl_of(*h.upper_at, h.proto == 4 ? 4 : 6);
    }
    bool write(const std::optional<Ttl>& ttl, std::uint64_t value) const {
        if (!ttl) return false;
        const auto edit = [&] { put_number(bytes, ttl->at, 1, value); };
        if (!ttl->ipv4_at) {
            edit();
        } else {
            keep_sum(
                bytes, *ttl->ipv4_at + 10, [&] { return part(bytes, *ttl->ipv4_at, 20); }, edit);
        }
        return true;
    }
    bool decrement(const std::optional<Ttl>& ttl) const {
        return ttl && get(ttl->at, 1) > 1 && write(ttl, get(ttl->at, 1) - 1);
    }
    bool operator()(openflow::DecNwTtl) const { return decrement(ip_ttl()); }
    bool operator()(openflow::DecMplsTtl) const { return decrement(label_ttl()); }
    bool operator()(const openflow::SetNwTtl& a) const { return write(ip_ttl(), a.ttl); }
    bool operator()(const openflow::SetMplsTtl& a) const { return write(label_ttl(), a.ttl); }
    bool operator()(openflow::CopyTtlOut) const {
        const auto outer = outer_ttl(), inner = inner_ttl();
        return inner && write(outer, get(inner->at, 1));
    }
    bool operator()(openflow::CopyTtlIn) const {
        const auto outer = outer_ttl(), inner = inner_ttl();
        return outer && write(inner, get(outer->at, 1));
    }

    // --- set-field ----------------------------------------------------------------------------

    /// The bits of the field in a word of `size` bytes at `at`.
    struct Place {
        std::size_t at = 0, size = 0;
        unsigned shift = 0;
        std::uint64_t mask = ~std::uint64_t{0};
    };
    void store(const Place& p, Field field, const FieldValue& value) const {
        if (p.size > 8) {  // an IPv6 address
            std::ranges::copy(value.bytes, bytes.begin() + static_cast<std::ptrdiff_t>(p.at));
            return;
        }
        const auto bits = openflow::to_integer(field, value) << p.shift & p.mask;
        put_number(bytes, p.at, p.size, (get(p.at, p.size) & ~p.mask) | bits);
    }
    /// A field that no checksum covers.
    bool plain(bool fits, const Place& p, const openflow::SetField& a) const {
        if (fits) store(p, a.field, a.value);
        return fits;
    }
    /// A field of the transport header.
    bool upper(bool fits, std::size_t offset, const openflow::SetField& a) const {
        if (h.fragment == Fragment::later) return true;  // has no such header: left alone
        if (h.transport == L4::sctp && h.fragment != Fragment::none) return false;
        if (!fits) return false;
        summed({*h.upper_at + offset, row(a.field).size()}, a);
        return true;
    }
    /// A field that the transport's checksum covers.
    void summed(const Place& p, const openflow::SetField& a) const {
        const std::size_t sum_at = *h.upper_at + checksum_at(*h.transport);
        const auto edit = [&] { store(p, a.field, a.value); };
        if (h.transport == L4::sctp) {
            edit();
            const FrameBytes message = [&] {
                FrameBytes m = part(bytes, *h.upper_at, h.end - *h.upper_at);
                put_number(m, 8, 4, 0);
                return m;
            }();
            const std::uint32_t crc = naive_crc32c(message.data(), message.size());
            for (std::size_t i = 0; i < 4; ++i)
                bytes.at(sum_at + i) = static_cast<std::byte>(crc >> (8 * i));
        } else if (h.transport == L4::udp && get(sum_at, 2) == 0) {
            edit();
        } else {
            keep_sum(bytes, sum_at, [&] { return covered(bytes, h, *h.transport); }, edit);
            if (h.transport == L4::udp && get(sum_at, 2) == 0) put_number(bytes, sum_at, 2, 0xffff);
        }
    }
    /// A field of the IP header; `pseudo`: the transport's pseudo header has it too.
    bool ip(bool fits, bool pseudo, const Place& p, const openflow::SetField& a) const {
        if (!fits) return false;
        const auto all = [&] {
            pseudo = pseudo && h.transport && h.transport != L4::sctp && h.transport != L4::icmpv4;
            if (pseudo) return summed(p, a);
            store(p, a.field, a.value);
        };
        if (h.ipv4)
            keep_sum(bytes, h.network_at + 10, [&] { return part(bytes, h.network_at, 20); }, all);
        else
            all();
        return true;
    }
    /// The next headers are others afterwards. The sum lies where the old protocol has it; where
    /// that is not known, where the new one has it.
    bool protocol(const openflow::SetField& a) const {
        if (!h.ip()) return false;
        const auto value = openflow::to_integer(a.field, a.value);
        FrameBytes changed = bytes;
        put_number(changed, h.proto_at, 1, value);
        std::optional<L4> transport = h.transport;
        if (!transport) transport = read_headers(changed).transport;
        const auto edit = [&] { put_number(bytes, h.proto_at, 1, value); };
        const auto with_pseudo = [&] {
            if (!transport || transport == L4::sctp || transport == L4::icmpv4) return edit();
            const std::size_t sum_at = *h.upper_at + checksum_at(*transport);
            if (transport == L4::udp && get(sum_at, 2) == 0) return edit();
            SlowHeaders now = h;
            keep_sum(
                bytes, sum_at,
                [&] {
                    now.proto = static_cast<unsigned>(get(h.proto_at, 1));
                    return covered(bytes, now, *transport);
                },
                edit);
            if (transport == L4::udp && get(sum_at, 2) == 0) put_number(bytes, sum_at, 2, 0xffff);
        };
        if (h.ipv4)
            keep_sum(
                bytes, h.network_at + 10, [&] { return part(bytes, h.network_at, 20); },
                with_pseudo);
        else
            with_pseudo();
        return true;
    }

    bool operator()(const openflow::SetField& a) const {
        using enum Field;
        const std::size_t at = h.network_at, size = row(a.field).size();
        const bool nd_option = h.transport == L4::icmpv6 && h.nd_option_at.has_value();
        switch (a.field) {
            case tunnel_id: frame.tunnel_id = openflow::to_integer(a.field, a.value); return true;
            case eth_dst: return plain(true, {0, 6}, a);
            case eth_src: return plain(true, {6, 6}, a);
            case eth_type: return plain(true, {h.type_at, 2}, a);
            case vlan_vid: return plain(h.n_tags > 0, {14, 2, 0, 0x0fff}, a);
            case vlan_pcp: return plain(h.n_tags > 0, {14, 2, 13, 0xe000}, a);
            case ip_dscp:
                return ip(h.ip(), false, {at, 2, h.ipv4 ? 2u : 6u, h.ipv4 ? 0xfcu : 0xfc0u}, a);
            case ip_ecn:
                return ip(h.ip(), false, {at, 2, h.ipv4 ? 0u : 4u, h.ipv4 ? 0x3u : 0x30u}, a);
            case ip_proto: return protocol(a);
            case ipv4_src: return ip(h.ipv4, true, {at + 12, 4}, a);
            case ipv4_dst: return ip(h.ipv4, true, {at + 16, 4}, a);
            case ipv6_src: return ip(h.ipv6, true, {at + 8, 16}, a);
            case ipv6_dst: return ip(h.ipv6, !h.routed, {at + 24, 16}, a);
            case ipv6_flabel: return ip(h.ipv6, false, {at, 4, 0, 0xfffff}, a);
            case tcp_src: return upper(h.transport == L4::tcp, 0, a);
            case tcp_dst: return upper(h.transport == L4::tcp, 2, a);
            case udp_src: return upper(h.transport == L4::udp, 0, a);
            case udp_dst: return upper(h.transport == L4::udp, 2, a);
            case sctp_src: return upper(h.transport == L4::sctp, 0, a);
            case sctp_dst: return upper(h.transport == L4::sctp, 2, a);
            case icmpv4_type: return upper(h.transport == L4::icmpv4, 0, a);
            case icmpv4_code: return upper(h.transport == L4::icmpv4, 1, a);
            case icmpv6_type: return upper(h.transport == L4::icmpv6, 0, a);
            case icmpv6_code: return upper(h.transport == L4::icmpv6, 1, a);
            case ipv6_nd_target: return upper(h.transport == L4::icmpv6 && h.nd, 8, a);
            case ipv6_nd_sll:
            case ipv6_nd_tll:
                return upper(nd_option, nd_option ? *h.nd_option_at + 2 - *h.upper_at : 0, a);
            case arp_op: return plain(h.arp, {at + 6, size}, a);
            case arp_sha: return plain(h.arp, {at + 8, size}, a);
            case arp_spa: return plain(h.arp, {at + 14, size}, a);
            case arp_tha: return plain(h.arp, {at + 18, size}, a);
            case arp_tpa: return plain(h.arp, {at + 24, size}, a);
            case mpls_label: return plain(h.mpls, {at, 4, 12, 0xfffff000}, a);
            case mpls_tc: return plain(h.mpls, {at, 4, 9, 0xe00}, a);
            case mpls_bos: return plain(h.mpls, {at, 4, 8, 0x100}, a);
            case pbb_isid: return plain(h.pbb, {at + 1, 3}, a);
            case in_port:
            case in_phy_port:
            case metadata:
            case ipv6_exthdr: break;
        }
        return false;
    }

    bool operator()(const openflow::SetQueue&) const { return true; }
    // Outputs and groups are not the frame's business.
    bool operator()(const openflow::OutputAction&) const { return false; }
    bool operator()(const openflow::GroupAction&) const { return false; }
};

bool SlowFrame::act(const openflow::Action& action) {
    return std::visit(Doer{*this}, action);
}

void SlowFrame::remark(std::uint8_t prec_level) {
    const agent::FieldValues values = fields(PortNo(0), 0);
    const auto& value = values.get(Field::ip_dscp);
    if (!value) return;
    const auto dscp = openflow::to_integer(Field::ip_dscp, *value);
    const auto service = dscp >> 3, precedence = dscp >> 1 & 3;
    if (service < 1 || service > 4 || precedence == 0 || (dscp & 1) != 0) return;
    const auto raised = service << 3 | std::min<std::uint64_t>(3, precedence + prec_level) << 1;
    (void)act(openflow::SetField{Field::ip_dscp, openflow::field_value(Field::ip_dscp, raised)});
}

FrameBytes SlowFrame::padded() const {
    FrameBytes out = bytes;
    if (out.size() < 60) out.resize(60);
    return out;
}

}  // namespace raicho::test
