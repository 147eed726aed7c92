// SPDX-License-Identifier: Apache-2.0
#include "openflow/field_parser.h"

#include <algorithm>

#include "base/addr.h"
#include "base/error.h"
#include "base/text.h"
#include "openflow/prerequisites.h"
#include "openflow/well_known.h"

namespace raicho::openflow {
namespace {

/// Names of ovs-ofctl that mean one field or another, or write a value in their own way.
constexpr std::array<std::string_view, 3> kOwnNames{"dl_vlan", "nw_tos", "tp_src"};

constexpr std::uint64_t kArp = 0x0806;
constexpr std::uint64_t kNoVlan = 0xffff;  // dl_vlan of OpenFlow 1.0: no tag

std::uint64_t largest(Field field) {
    return row(field).bits >= 64 ? ~0ull : (1ull << row(field).bits) - 1;
}

template <class Address>
FieldValue value_of(const Address& address) {
    FieldValue value;
    std::memcpy(value.bytes.data(), address.bytes.data(), address.bytes.size());
    return value;
}

template <class Address>
Parsed<FieldValue> address(std::string_view name, const Word& value, std::string_view what,
                           std::optional<Address> parsed) {
    if (parsed) return value_of(*parsed);
    return wrong(value, format("{}: \"{}\" is not {}", name, value.text, what));
}

/// The value alone, whatever its bits.
Parsed<FieldValue> plain_value(std::string_view name, Field field, const Word& value,
                               const PortByName& ports) {
    if (const auto known = well_known(field, value.text)) return field_value(field, *known);
    switch (row(field).format) {
        case FieldFormat::decimal:
        case FieldFormat::hex: {
            if (field == Field::eth_type) {
                TRY_ASSIGN(const auto type, ethertype_value(name, value));
                return field_value(field, type);
            }
            if (field == Field::ip_proto) {
                TRY_ASSIGN(const auto proto, ip_proto_value(name, value));
                return field_value(field, proto);
            }
            TRY_ASSIGN(const auto n, number(name, value, largest(field)));
            return field_value(field, n);
        }
        case FieldFormat::mac:
            return address(name, value, "an Ethernet address", parse_mac(value.text));
        case FieldFormat::ipv4:
            return address(name, value, "an IPv4 address", parse_ipv4(value.text));
        case FieldFormat::ipv6:
            return address(name, value, "an IPv6 address", parse_ipv6(value.text));
        case FieldFormat::port: {
            TRY_ASSIGN(const PortNo number, port(value, ports));
            return field_value(field, number.value());
        }
    }
    return wrong(value, "no such format");
}

/// The mask of a prefix length.
FieldValue prefix_mask(std::size_t length) {
    FieldValue mask;
    for (std::size_t i = 0; i < mask.bytes.size() && length > 0; ++i) {
        const std::size_t here = std::min<std::size_t>(length, 8);
        mask.bytes[i] = static_cast<std::byte>(0xff00u >> here);
        length -= here;
    }
    return mask;
}

Parsed<FieldValue> mask_value(std::string_view name, Field field, const Word& mask) {
    const FieldFormat form = row(field).format;
    const bool ip = form == FieldFormat::ipv4 || form == FieldFormat::ipv6;
    if (ip && mask.text.find_first_of(".:") == std::string_view::npos) {
        TRY_ASSIGN(const auto length, number(name, mask, row(field).bits));
        return prefix_mask(length);
    }
    return plain_value(name, field, mask, {});
}

FieldValue masked(const FieldValue& value, const FieldValue& mask) {
    FieldValue result;
    for (std::size_t i = 0; i < result.bytes.size(); ++i)
        result.bytes[i] = value.bytes[i] & mask.bytes[i];
    return result;
}

/// dl_vlan counts VLANs, 0xffff is none; nw_tos holds the DSCP in its upper six bits.
Parsed<std::optional<FieldValue>> own_value(std::string_view name, Field field, const Word& value) {
    if (name == "dl_vlan") {
        TRY_ASSIGN(const auto vid, number(name, value, kNoVlan));
        if (vid == kNoVlan) return field_value(field, 0);
        if (vid >= kVlanPresent)
            return wrong(value, format("dl_vlan: {} is not in 0..4095", value.text));
        return field_value(field, vid | kVlanPresent);
    }
    if (name == "nw_tos") {
        TRY_ASSIGN(const auto tos, number(name, value, 255));
        if ((tos & 3) != 0)
            return wrong(value, format("nw_tos: {} has ECN bits", value.text),
                         "write nw_ecn for the lower two bits");
        return field_value(field, tos >> 2);
    }
    return std::optional<FieldValue>();
}

/// §7.2.3.7 has no tag without OFPVID_PRESENT but "none", so a bare VLAN means a tagged packet.
FieldValue with_present(const FieldValue& value) {
    const std::uint64_t vid = to_integer(Field::vlan_vid, value);
    return field_value(Field::vlan_vid, vid | kVlanPresent);
}

struct PortNames {
    std::string_view name;
    Field tcp;
    Field udp;
    Field sctp;
};
constexpr std::array<PortNames, 2> kL4PortNames{
    {{"tp_src", Field::tcp_src, Field::udp_src, Field::sctp_src},
     {"tp_dst", Field::tcp_dst, Field::udp_dst, Field::sctp_dst}}};

Parsed<Field> port_field(const PortNames& names, const Item& item, const FlowProtocol& protocol) {
    if (protocol.ip_proto == 6) return names.tcp;
    if (protocol.ip_proto == 17) return names.udp;
    if (protocol.ip_proto == 132) return names.sctp;
    return wrong(item.whole, format("{} needs tcp, udp or sctp", names.name),
                 format("write tcp,{}", item.whole.text));
}

/// ovs-ofctl's IP names mean ARP's fields in a flow of arp, ICMP's those of ICMPv6 in one of icmp6.
std::optional<Field> by_protocol(std::string_view name, const FlowProtocol& protocol) {
    if (protocol.eth_type == kArp) {
        if (name == "nw_src") return Field::arp_spa;
        if (name == "nw_dst") return Field::arp_tpa;
        if (name == "nw_proto") return Field::arp_op;
    }
    if (protocol.ip_proto == 58) {
        if (name == "icmp_type") return Field::icmpv6_type;
        if (name == "icmp_code") return Field::icmpv6_code;
    }
    return std::nullopt;
}

}  // namespace

void append_field_names(std::vector<std::string_view>& names) {
    for (const FieldRow& r : kFieldRows) {
        names.push_back(r.name);
        if (!r.ovs_name.empty()) names.push_back(r.ovs_name);
    }
    names.insert(names.end(), kOwnNames.begin(), kOwnNames.end());
}

bool names_field(std::string_view name) {
    return field_by_name(name) || std::ranges::find(kOwnNames, name) != kOwnNames.end();
}

Parsed<Field> field_named(const Item& item, const FlowProtocol& protocol) {
    const std::string_view name = item.name.text;
    if (name == "dl_vlan") return Field::vlan_vid;
    if (name == "nw_tos") return Field::ip_dscp;
    for (const PortNames& names : kL4PortNames)
        if (name == names.name) return port_field(names, item, protocol);
    if (const auto field = by_protocol(name, protocol)) return *field;
    if (const auto field = field_by_name(name)) return *field;
    std::vector<std::string_view> names;
    append_field_names(names);
    return wrong(item.name, format("unknown field \"{}\"", name), suggestion(name, names));
}

Parsed<std::uint64_t> ethertype_value(std::string_view name, const Word& value) {
    if (const ProtocolWord* word = protocol_word(value.text); word != nullptr && !word->ip_proto)
        return word->eth_type;
    if (value.text == "vlan") return std::uint64_t{0x8100};  // the ancestor's words
    if (value.text == "lldp") return std::uint64_t{0x88cc};
    if (value.text == "mpls_mcast") return std::uint64_t{0x8848};
    return number(name, value, 0xffff);
}

Parsed<std::uint64_t> ip_proto_value(std::string_view name, const Word& value) {
    if (const ProtocolWord* word = protocol_word(value.text); word != nullptr && word->ip_proto)
        return *word->ip_proto;
    return number(name, value, 0xff);
}

Parsed<FieldValue> set_value(std::string_view name, Field field, const Word& value,
                             const PortByName& ports) {
    if (value.text.find('/') != std::string_view::npos)
        return wrong(value, "set_field takes no mask in OpenFlow 1.3");
    TRY_ASSIGN(const auto own, own_value(name, field, value));
    if (own) return *own;
    TRY_ASSIGN(const auto plain, plain_value(name, field, value, ports));
    return field == Field::vlan_vid ? with_present(plain) : plain;
}

Parsed<std::optional<MatchField>> match_value(std::string_view name, Field field, const Word& value,
                                              const PortByName& ports) {
    MatchField result{field, HasMask::no, {}, exact_mask(field)};
    TRY_ASSIGN(const auto own, own_value(name, field, value));
    const std::size_t slash = value.text.find('/');
    if (own) {
        result.value = *own;
    } else if (slash == std::string_view::npos) {
        TRY_ASSIGN(result.value, plain_value(name, field, value, ports));
        if (field == Field::vlan_vid && to_integer(field, result.value) != 0)
            result.value = with_present(result.value);
    } else {
        const Word mask = value.part(slash + 1);
        if (row(field).maskable == Maskable::no)
            return wrong(mask, format("{} takes no mask", row(field).name));
        TRY_ASSIGN(const auto plain, plain_value(name, field, value.part(0, slash), ports));
        TRY_ASSIGN(result.mask, mask_value(name, field, mask));
        if (result.mask == FieldValue{}) return std::optional<MatchField>();
        result.value = masked(plain, result.mask);
        if (result.mask != exact_mask(field)) result.has_mask = HasMask::yes;
        // An exact mask is no mask, and there is no VLAN without its PRESENT bit then.
        else if (field == Field::vlan_vid && to_integer(field, result.value) != 0)
            result.value = with_present(result.value);
    }
    return std::optional<MatchField>(result);
}

}  // namespace raicho::openflow
