// SPDX-License-Identifier: Apache-2.0
// The rules a match and its actions obey together, whatever version they came in.
#include "base/error.h"
#include "base/text.h"
#include "openflow/prerequisites.h"
#include "openflow/text.h"

namespace raicho::openflow {
namespace {

std::string name_of(Field field) {
    return std::string(row(field).name);
}

/// Whether `value` has a bit outside `mask`.
bool outside(const FieldValue& value, const FieldValue& mask) {
    std::array<std::uint64_t, 2> v{};
    std::array<std::uint64_t, 2> m{};
    std::memcpy(v.data(), value.bytes.data(), sizeof v);
    std::memcpy(m.data(), mask.bytes.data(), sizeof m);
    return ((v[0] & ~m[0]) | (v[1] & ~m[1])) != 0;
}

OfResult<void> check_field(const MatchField& field) {
    const FieldValue all = exact_mask(field.field);
    if (outside(field.value, all)) [[unlikely]]
        return ofp_error(BadMatch::bad_value, format("{}: more than {} bits", name_of(field.field),
                                                     row(field.field).bits));
    if (field.has_mask == HasMask::yes) {
        if (row(field.field).maskable == Maskable::no) [[unlikely]]
            return ofp_error(BadMatch::bad_mask, name_of(field.field) + ": takes no mask");
        if (outside(field.mask, all)) [[unlikely]]
            return ofp_error(BadMatch::bad_mask,
                             format("{}: mask of more than {} bits", name_of(field.field),
                                    row(field.field).bits));
        if (outside(field.value, field.mask)) [[unlikely]]
            return ofp_error(BadMatch::bad_wildcards,
                             name_of(field.field) + ": value has bits outside its mask");
        return {};
    }
    // §7.2.3.7: without OFPVID_PRESENT only OFPVID_NONE (0) is a value.
    if (field.field == Field::vlan_vid) {
        const std::uint64_t vid = to_integer(field.field, field.value);
        if (vid != 0 && (vid & kVlanPresent) == 0) [[unlikely]]
            return ofp_error(BadMatch::bad_value, "vlan_vid: OFPVID_PRESENT is not set");
    }
    return {};
}

OfResult<void> check_set_field(const SetField& set) {
    if (row(set.field).settable == Settable::no)
        return ofp_error(BadAction::bad_set_type, name_of(set.field) + ": cannot be set");
    if (outside(set.value, exact_mask(set.field)))
        return ofp_error(
            BadAction::bad_set_argument,
            format("set_field {}: more than {} bits", name_of(set.field), row(set.field).bits));
    // §7.2.5: a packet with a tag cannot be given "no tag"; pop_vlan does that.
    if (set.field == Field::vlan_vid && (to_integer(set.field, set.value) & kVlanPresent) == 0)
        return ofp_error(BadAction::bad_set_argument,
                         "set_field vlan_vid: OFPVID_PRESENT is not set");
    return {};
}

OfResult<void> check_output(PortNo port) {
    const std::uint32_t n = port.value();
    const bool physical = n >= 1 && n <= port::kMax.value();
    const bool reserved = n >= port::kInPort.value() && port != port::kAny;
    if (physical || reserved) return {};
    return ofp_error(BadAction::bad_out_port, format("output: port 0x{:x} is not a port", n));
}

OfResult<void> check_ethertype(std::uint16_t ethertype, std::initializer_list<std::uint16_t> good,
                               std::string_view what) {
    for (const std::uint16_t g : good)
        if (ethertype == g) return {};
    return ofp_error(BadAction::bad_argument,
                     format("{}: 0x{:04x} is not the ethertype of such a tag", what, ethertype));
}

bool sets_field(const Action& action) {
    return std::holds_alternative<SetField>(action);
}

}  // namespace

OfResult<void> check_match(const Match& match) {
    Prerequisites context;
    for (const MatchField& field : match.fields()) {
        TRY(check_field(field));
        const Prerequisite needed = row(field.field).prerequisite;
        if (!context.meets(needed)) [[unlikely]]
            return ofp_error(BadMatch::bad_prereq, format("{}: needs {} before it",
                                                          name_of(field.field), remedy(needed)));
        context.match(field);
    }
    return {};
}

OfResult<void> check_action(const Action& action) {
    if (const auto* output = std::get_if<OutputAction>(&action)) return check_output(output->port);
    if (const auto* set = std::get_if<SetField>(&action)) return check_set_field(*set);
    if (const auto* push = std::get_if<PushVlan>(&action))
        return check_ethertype(push->ethertype, {0x8100, 0x88a8}, "push_vlan");
    if (const auto* push = std::get_if<PushMpls>(&action))
        return check_ethertype(push->ethertype, {0x8847, 0x8848}, "push_mpls");
    if (const auto* push = std::get_if<PushPbb>(&action))
        return check_ethertype(push->ethertype, {0x88e7}, "push_pbb");
    return {};
}

OfResult<void> check_action(const Action& action, Prerequisites& state) {
    TRY(check_action(action));
    if (const auto* set = std::get_if<SetField>(&action);
        set != nullptr && !state.meets(row(set->field).prerequisite))
        return ofp_error(BadAction::match_inconsistent,
                         format("set_field {}: the flow does not match {}", name_of(set->field),
                                remedy(row(set->field).prerequisite)));
    state.apply(action);
    return {};
}

OfResult<void> check_actions(const ActionList& actions, const Match& match) {
    Prerequisites context(match);
    for (const Action& action : actions) TRY(check_action(action, context));
    return {};
}

OfResult<void> check_instructions(const Instructions& instructions, const Match& match) {
    Prerequisites context(match);
    if (instructions.apply)
        for (const Action& action : *instructions.apply) TRY(check_action(action, context));
    if (instructions.write) {
        for (const Action& action : *instructions.write)
            if (!sets_field(action)) TRY(check_action(action, context));
        for (const Action& action : *instructions.write)
            if (sets_field(action)) TRY(check_action(action, context));
    }
    return {};
}

}  // namespace raicho::openflow
