// SPDX-License-Identifier: Apache-2.0
// The printed form of actions and instructions.
#include "base/text.h"
#include "openflow/action_table.h"
#include "openflow/port_names.h"
#include "openflow/text.h"

namespace raicho::openflow {
namespace {

std::string output_text(const OutputAction& output) {
    if (output.port == port::kController) return format("CONTROLLER:{}", output.max_len);
    const std::string port = to_text(output.port);
    // A reserved port's name stands alone, as ovs-ofctl prints it; TABLE and ANY would not be
    // clear.
    const bool reserved = output.port >= port::kInPort && output.port != port::kAny;
    return reserved ? port : format("output:{}", port);
}

/// The argument of an action, with its separator.
struct ArgumentText {
    std::string operator()(const OutputAction&) const { return {}; }
    std::string operator()(SetMplsTtl a) const { return format(":{}", a.ttl); }
    std::string operator()(SetNwTtl a) const { return format(":{}", a.ttl); }
    std::string operator()(SetQueue a) const { return format(":{}", a.queue); }
    std::string operator()(GroupAction a) const { return format(":{}", a.group.value()); }
    std::string operator()(PushVlan a) const { return format(":0x{:04x}", a.ethertype); }
    std::string operator()(PushMpls a) const { return format(":0x{:04x}", a.ethertype); }
    std::string operator()(PopMpls a) const { return format(":0x{:04x}", a.ethertype); }
    std::string operator()(PushPbb a) const { return format(":0x{:04x}", a.ethertype); }
    std::string operator()(const SetField& a) const {
        return format(":{}->{}", value_text(a.field, a.value), row(a.field).name);
    }
    std::string operator()(CopyTtlOut) const { return {}; }
    std::string operator()(CopyTtlIn) const { return {}; }
    std::string operator()(DecMplsTtl) const { return {}; }
    std::string operator()(PopVlan) const { return {}; }
    std::string operator()(DecNwTtl) const { return {}; }
    std::string operator()(PopPbb) const { return {}; }
};

/// Parts joined by commas.
class List {
  public:
    void add(std::string_view part) {
        if (!text_.empty()) text_ += ',';
        text_ += part;
    }
    void add(const ActionList& actions) {
        for (const Action& action : actions) add(to_text(action));
    }
    [[nodiscard]] std::string text_or(std::string_view empty) const {
        return text_.empty() ? std::string(empty) : text_;
    }

  private:
    std::string text_;
};

}  // namespace

std::string to_text(const Action& action) {
    if (const auto* output = std::get_if<OutputAction>(&action)) return output_text(*output);
    return std::string(kActionRows[action.index()].name) + std::visit(ArgumentText{}, action);
}

std::string to_text(const Instructions& instructions) {
    List list;
    if (instructions.meter) list.add(format("meter:{}", instructions.meter->value()));
    if (instructions.apply) list.add(*instructions.apply);
    if (instructions.clear) list.add("clear_actions");
    if (instructions.write) {
        List written;
        written.add(*instructions.write);
        list.add(format("write_actions({})", written.text_or("drop")));
    }
    if (const auto& metadata = instructions.metadata) {
        const std::string mask =
            metadata->mask == ~0ull ? std::string{} : format("/0x{:x}", metadata->mask);
        list.add(format("write_metadata:0x{:x}{}", metadata->value, mask));
    }
    if (instructions.go_to) list.add(format("goto_table:{}", instructions.go_to->value()));
    return list.text_or("drop");
}

}  // namespace raicho::openflow
