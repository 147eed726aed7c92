// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/action_table.h"
#include "openflow/v13/parts.h"

namespace raicho::openflow::v13 {
namespace {

/// ofp_action_type of each alternative of Action.
constexpr std::array<ActionType, kActions> kTypes{
    ActionType::output,       ActionType::copy_ttl_out, ActionType::copy_ttl_in,
    ActionType::set_mpls_ttl, ActionType::dec_mpls_ttl, ActionType::push_vlan,
    ActionType::pop_vlan,     ActionType::push_mpls,    ActionType::pop_mpls,
    ActionType::set_queue,    ActionType::group,        ActionType::set_nw_ttl,
    ActionType::dec_nw_ttl,   ActionType::set_field,    ActionType::push_pbb,
    ActionType::pop_pbb,
};

constexpr std::size_t kSmall = 8;
constexpr std::size_t kOutputSize = sizeof(ActionHeader) + sizeof(WireOutput);

std::size_t set_field_size(Field field) {
    return padded(sizeof(ActionHeader) + sizeof(OxmHeader) + row(field).size());
}

OfResult<Action> decode_set_field(ByteReader in) {
    const auto oxm = in.pull<OxmHeader>();
    if (!oxm) return ofp_error(BadAction::bad_len, "set_field ends within its header");
    const unsigned number = oxm->field_hasmask >> 1;
    // §7.2.5: oxm_hasmask must be zero.
    if (oxm->oxm_class.value() != kOxmBasic || number >= kFields || (oxm->field_hasmask & 1) != 0)
        return ofp_error(
            BadAction::bad_set_type,
            format("set_field: field {} of class 0x{:04x}{}", number, oxm->oxm_class.value(),
                   (oxm->field_hasmask & 1) != 0 ? " with a mask" : ""));
    const FieldRow& r = kFieldRows[number];
    const std::size_t whole = sizeof(ActionHeader) + sizeof(OxmHeader) + in.size();
    if (oxm->length != r.size() || whole != set_field_size(r.field))
        return ofp_error(
            BadAction::bad_set_len,
            format("set_field {}: length {} in an action of {} bytes", r.name, oxm->length, whole));
    SetField set{.field = r.field};
    std::memcpy(set.value.bytes.data(), in.rest().data(), r.size());
    return set;
}

/// The 4 argument bytes of an action of 8 bytes.
template <class T>
T argument(Bytes body) {
    T value;
    static_assert(sizeof value == kSmall - sizeof(ActionHeader));
    std::memcpy(&value, body.data(), sizeof value);
    return value;
}

OfResult<void> expect(Bytes body, std::size_t size) {
    if (body.size() + sizeof(ActionHeader) == size) return {};
    return ofp_error(BadAction::bad_len, format("action of {} bytes, not {}",
                                                body.size() + sizeof(ActionHeader), size));
}

OfResult<Action> decode_output(Bytes body) {
    TRY(expect(body, kOutputSize));
    ByteReader in(body);
    TRY_ASSIGN(const auto wire, pull<WireOutput>(in));
    return OutputAction{PortNo(wire.port.value()), wire.max_len.value()};
}

/// Actions of 8 bytes.
OfResult<Action> decode_small(std::uint16_t type, Bytes body) {
    TRY(expect(body, kSmall));
    const auto ethertype = argument<WireEthertype>(body).ethertype.value();
    const auto word = argument<WireWord>(body).value.value();
    const auto ttl = argument<WireTtl>(body).ttl;
    switch (static_cast<ActionType>(type)) {
        case ActionType::copy_ttl_out: return CopyTtlOut{};
        case ActionType::copy_ttl_in: return CopyTtlIn{};
        case ActionType::set_mpls_ttl: return SetMplsTtl{ttl};
        case ActionType::dec_mpls_ttl: return DecMplsTtl{};
        case ActionType::push_vlan: return PushVlan{ethertype};
        case ActionType::pop_vlan: return PopVlan{};
        case ActionType::push_mpls: return PushMpls{ethertype};
        case ActionType::pop_mpls: return PopMpls{ethertype};
        case ActionType::set_queue: return SetQueue{word};
        case ActionType::group: return GroupAction{GroupId(word)};
        case ActionType::set_nw_ttl: return SetNwTtl{ttl};
        case ActionType::dec_nw_ttl: return DecNwTtl{};
        case ActionType::push_pbb: return PushPbb{ethertype};
        case ActionType::pop_pbb: return PopPbb{};
        case ActionType::output:
        case ActionType::set_field:
        case ActionType::experimenter: break;
    }
    return ofp_error(BadAction::bad_type, format("action type {}", type));
}

bool known(std::uint16_t type) {
    return std::find(kTypes.begin(), kTypes.end(), static_cast<ActionType>(type)) != kTypes.end();
}

OfResult<Action> decode_action(std::uint16_t type, Bytes body) {
    if (type == static_cast<std::uint16_t>(ActionType::output)) return decode_output(body);
    if (type == static_cast<std::uint16_t>(ActionType::set_field))
        return decode_set_field(ByteReader(body));
    if (type == static_cast<std::uint16_t>(ActionType::experimenter))
        return ofp_error(BadAction::bad_experimenter, "no experimenter's actions are known");
    if (!known(type)) return ofp_error(BadAction::bad_type, format("action type {}", type));
    return decode_small(type, body);
}

/// Writes the argument of each action; the header is there already.
struct ActionEncoder {
    ByteWriter& out;

    void operator()(const OutputAction& a) const {
        out.put(WireOutput{a.port.value(), a.max_len, {}});
    }
    void operator()(const SetField& a) const {
        const std::size_t size = row(a.field).size();
        out.put(OxmHeader{kOxmBasic, static_cast<std::uint8_t>(static_cast<unsigned>(a.field) << 1),
                          static_cast<std::uint8_t>(size)});
        out.put(Bytes(a.value.bytes).first(size));
        out.zeros(set_field_size(a.field) - sizeof(ActionHeader) - sizeof(OxmHeader) - size);
    }
    void operator()(SetMplsTtl a) const { out.put(WireTtl{a.ttl, {}}); }
    void operator()(SetNwTtl a) const { out.put(WireTtl{a.ttl, {}}); }
    void operator()(PushVlan a) const { out.put(WireEthertype{a.ethertype, {}}); }
    void operator()(PushMpls a) const { out.put(WireEthertype{a.ethertype, {}}); }
    void operator()(PopMpls a) const { out.put(WireEthertype{a.ethertype, {}}); }
    void operator()(PushPbb a) const { out.put(WireEthertype{a.ethertype, {}}); }
    void operator()(SetQueue a) const { out.put(WireWord{a.queue}); }
    void operator()(GroupAction a) const { out.put(WireWord{a.group.value()}); }
    void operator()(CopyTtlOut) const { out.zeros(4); }
    void operator()(CopyTtlIn) const { out.zeros(4); }
    void operator()(DecMplsTtl) const { out.zeros(4); }
    void operator()(PopVlan) const { out.zeros(4); }
    void operator()(DecNwTtl) const { out.zeros(4); }
    void operator()(PopPbb) const { out.zeros(4); }
};

std::size_t action_size(const Action& action) {
    if (std::holds_alternative<OutputAction>(action)) return kOutputSize;
    if (const auto* set = std::get_if<SetField>(&action)) return set_field_size(set->field);
    return kSmall;
}

}  // namespace

OfResult<void> decode_actions(Bytes bytes, ActionList& actions) {
    ByteReader in(bytes);
    while (!in.empty()) {
        const auto header = in.pull<ActionHeader>();
        if (!header) return ofp_error(BadAction::bad_len, "list ends within an action's header");
        const std::size_t length = header->length.value();
        if (length < kSmall || length % 8 != 0)
            return ofp_error(BadAction::bad_len, format("action length {}", length));
        const auto body = in.take(length - sizeof(ActionHeader));
        if (!body) return ofp_error(BadAction::bad_len, "action is longer than its list");
        TRY_ASSIGN(auto action, decode_action(header->type.value(), *body));
        actions.push_back(std::move(action));
    }
    return {};
}

void encode_actions(const ActionList& actions, ByteWriter& out) {
    for (const Action& action : actions) {
        out.put(ActionHeader{static_cast<std::uint16_t>(kTypes[action.index()]),
                             static_cast<std::uint16_t>(action_size(action))});
        std::visit(ActionEncoder{out}, action);
    }
}

std::uint16_t action_number(std::size_t alternative) {
    return static_cast<std::uint16_t>(kTypes.at(alternative));
}

}  // namespace raicho::openflow::v13
