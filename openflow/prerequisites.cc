// SPDX-License-Identifier: Apache-2.0
#include "openflow/prerequisites.h"

namespace raicho::openflow {
namespace {
constexpr std::uint64_t kTagged = 1;
}

bool Prerequisites::meets(Prerequisite needed) const {
    using enum Prerequisite;
    switch (needed) {
        case none: return true;
        case in_port: return in_port_;
        case vlan: return vlan_.may_be(kTagged);
        case ip: return eth_type_.may_be(0x0800) || eth_type_.may_be(0x86dd);
        case ipv4: return eth_type_.may_be(0x0800);
        case ipv6: return eth_type_.may_be(0x86dd);
        case arp: return eth_type_.may_be(0x0806);
        case tcp: return meets(ip) && ip_proto_.may_be(6);
        case udp: return meets(ip) && ip_proto_.may_be(17);
        case sctp: return meets(ip) && ip_proto_.may_be(132);
        case icmpv4: return meets(ipv4) && ip_proto_.may_be(1);
        case icmpv6: return meets(ipv6) && ip_proto_.may_be(58);
        case nd: return meets(nd_solicit) || meets(nd_advert);
        case nd_solicit: return meets(icmpv6) && icmpv6_type_.may_be(135);
        case nd_advert: return meets(icmpv6) && icmpv6_type_.may_be(136);
        case mpls: return eth_type_.may_be(0x8847) || eth_type_.may_be(0x8848);
        case pbb: return eth_type_.may_be(0x88e7);
    }
    return false;
}

void Prerequisites::match(const MatchField& field) {
    if (field.field == Field::in_port) {
        in_port_ = true;
    } else if (field.field == Field::vlan_vid) {
        // A packet without tag has vlan_vid 0: a bit that must be one says there is a tag.
        if (to_integer(field.field, field.value) != 0) vlan_.set(kTagged);
    } else if (field.field == Field::eth_type) {
        eth_type_.set(to_integer(field.field, field.value));
    } else if (field.field == Field::ip_proto) {
        ip_proto_.set(to_integer(field.field, field.value));
    } else if (field.field == Field::icmpv6_type) {
        icmpv6_type_.set(to_integer(field.field, field.value));
    }
}

void Prerequisites::set(Field field, std::uint64_t value) {
    if (field == Field::eth_type) {
        eth_type_.set(value);
        ip_proto_.uncover();
        icmpv6_type_.uncover();
    } else if (field == Field::ip_proto) {
        ip_proto_.set(value);
        icmpv6_type_.uncover();
    } else if (field == Field::icmpv6_type) {
        icmpv6_type_.set(value);
    }
}

void Prerequisites::apply(const Action& action) {
    const auto inner = [this] {
        ip_proto_.uncover();
        icmpv6_type_.uncover();
    };
    if (const auto* set_field = std::get_if<SetField>(&action)) {
        if (row(set_field->field).size() <= 8)
            set(set_field->field, to_integer(set_field->field, set_field->value));
    } else if (std::holds_alternative<PushVlan>(action)) {
        vlan_.set(kTagged);
    } else if (std::holds_alternative<PopVlan>(action)) {
        vlan_.uncover();
    } else if (const auto* push_mpls = std::get_if<PushMpls>(&action)) {
        eth_type_.set(push_mpls->ethertype);
        inner();
    } else if (const auto* pop_mpls = std::get_if<PopMpls>(&action)) {
        eth_type_.set(pop_mpls->ethertype);
        inner();
    } else if (const auto* push_pbb = std::get_if<PushPbb>(&action)) {
        eth_type_.set(push_pbb->ethertype);
        vlan_.forget();
        inner();
    } else if (std::holds_alternative<PopPbb>(action)) {
        eth_type_.uncover();
        vlan_.uncover();
        inner();
    }
}

std::string_view remedy(Prerequisite needed) {
    using enum Prerequisite;
    switch (needed) {
        case none: return "";
        case in_port: return "in_port=N";
        case vlan: return "vlan_vid=N";
        case ip: return "ip";
        case ipv4: return "ip";
        case ipv6: return "ipv6";
        case arp: return "arp";
        case tcp: return "tcp";
        case udp: return "udp";
        case sctp: return "sctp";
        case icmpv4: return "icmp";
        case icmpv6: return "icmp6";
        case nd: return "icmp6,icmpv6_type=135";
        case nd_solicit: return "icmp6,icmpv6_type=135";
        case nd_advert: return "icmp6,icmpv6_type=136";
        case mpls: return "mpls";
        case pbb: return "pbb";
    }
    return "";
}

}  // namespace raicho::openflow
