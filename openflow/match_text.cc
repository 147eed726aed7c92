// SPDX-License-Identifier: Apache-2.0
// The printed form of match fields and ports.
#include <bit>

#include "base/addr.h"
#include "base/text.h"
#include "openflow/port_names.h"
#include "openflow/text.h"

namespace raicho::openflow {
namespace {

template <class Address>
Address address_of(const FieldValue& value) {
    Address address;
    std::memcpy(address.bytes.data(), value.bytes.data(), address.bytes.size());
    return address;
}

/// vlan_vid of a tagged packet prints as its VLAN, everything else as the number it is: 0 is "no
/// tag", 0x1000 a tag with VLAN 0.
std::string vlan_text(std::uint64_t vid) {
    if (vid > kVlanPresent && vid < 2u * kVlanPresent) return format("{}", vid - kVlanPresent);
    return format("0x{:x}", vid);
}

/// A mask's value prints as the bits it is.
std::string raw_text(Field field, const FieldValue& value) {
    if (field == Field::vlan_vid) return format("0x{:x}", to_integer(field, value));
    if (row(field).format == FieldFormat::decimal || row(field).format == FieldFormat::port)
        return format("0x{:x}", to_integer(field, value));
    return value_text(field, value);
}

/// The prefix length of a mask of ones, then zeros.
std::optional<int> prefix_of(const FieldValue& mask, std::size_t size) {
    int length = 0;
    std::size_t i = 0;
    for (; i < size && mask.bytes[i] == std::byte{0xff}; ++i) length += 8;
    if (i < size) {
        const auto last = std::to_integer<std::uint8_t>(mask.bytes[i]);
        const int ones = std::countl_one(last);
        if (static_cast<std::uint8_t>(last << ones) != 0) return std::nullopt;
        length += ones;
        for (++i; i < size; ++i)
            if (mask.bytes[i] != std::byte{0}) return std::nullopt;
    }
    return length;
}

std::string masked_text(const MatchField& field) {
    const FieldFormat form = row(field.field).format;
    if (form == FieldFormat::ipv4 || form == FieldFormat::ipv6)
        if (const auto prefix = prefix_of(field.mask, row(field.field).size()))
            return format("{}/{}", value_text(field.field, field.value), *prefix);
    return format("{}/{}", raw_text(field.field, field.value), raw_text(field.field, field.mask));
}

}  // namespace

std::string to_text(PortNo port) {
    for (const PortName& named : kPortNames)
        if (named.port == port) return std::string(named.name);
    return format("{}", port.value());
}

std::string value_text(Field field, const FieldValue& value) {
    switch (row(field).format) {
        case FieldFormat::decimal:
            if (field == Field::vlan_vid) return vlan_text(to_integer(field, value));
            return format("{}", to_integer(field, value));
        case FieldFormat::hex:
            if (field == Field::eth_type) return format("0x{:04x}", to_integer(field, value));
            return format("0x{:x}", to_integer(field, value));
        case FieldFormat::mac: return to_string(address_of<Mac>(value));
        case FieldFormat::ipv4: return to_string(address_of<Ipv4>(value));
        case FieldFormat::ipv6: return to_string(address_of<Ipv6>(value));
        case FieldFormat::port:
            return to_text(PortNo(static_cast<std::uint32_t>(to_integer(field, value))));
    }
    return {};
}

std::string to_text(const MatchField& field) {
    const std::string value =
        field.has_mask == HasMask::yes ? masked_text(field) : value_text(field.field, field.value);
    return format("{}={}", row(field.field).name, value);
}

std::string to_text(const Match& match) {
    std::string text;
    for (const MatchField& field : match.fields()) {
        if (!text.empty()) text += ',';
        text += to_text(field);
    }
    return text;
}

}  // namespace raicho::openflow
