// SPDX-License-Identifier: Apache-2.0
#include "openflow/action_parser.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "openflow/action_words.h"
#include "openflow/prerequisites.h"

namespace raicho::openflow {
namespace {

constexpr std::array<std::string_view, 7> kInstructionWords{
    "apply_actions", "write_actions", "clear_actions", "write_metadata",
    "meter",         "goto_table",    "drop"};

/// Points an OfpError of the model's rules at a word.
std::unexpected<FlowTextError> refused(const OfpError& error, const Action& action,
                                       const Word& at) {
    std::string hint;
    if (const auto* set = std::get_if<SetField>(&action);
        set != nullptr && error.type == ErrorType::bad_action &&
        error.code == static_cast<std::uint16_t>(BadAction::match_inconsistent))
        hint = format("add {} to the match", remedy(row(set->field).prerequisite));
    return wrong(at, error.why, std::move(hint));
}

class InstructionParser {
  public:
    explicit InstructionParser(const ActionContext& context) : context_(context) {}

    [[nodiscard]] Parsed<Instructions> parse(const Word& text) {
        ItemScanner scanner(text);
        for (;;) {
            TRY_ASSIGN(const auto item, scanner.next());
            if (!item) break;
            any_ = true;
            TRY(add(*item));
        }
        if (!any_) return wrong(text, "no actions", "write actions=drop to drop the packets");
        if (context_.rules == FlowRules::all) TRY(check());
        return std::move(instructions_);
    }

  private:
    /// One list of the flow with the word of each action.
    struct List {
        std::optional<ActionList>* actions;
        std::vector<Word> words{};
    };

    Parsed<void> add(const Item& item) {
        const std::string name = lower(item.name.text);
        if (name == "drop") return drop(item);
        if (drop_)
            return wrong(item.whole, format("\"{}\" beside drop", item.whole.text),
                         "drop stands alone");
        if (name == "apply_actions") return list(item, apply_);
        if (name == "write_actions") return list(item, write_);
        if (name == "clear_actions") return clear(item);
        if (name == "write_metadata") return write_metadata(item);
        if (name == "meter") return meter(item);
        if (name == "goto_table") return goto_table(item);
        return action(item, *current_);
    }

    Parsed<void> drop(const Item& item) {
        const bool first = instructions_ == Instructions{} && !drop_;
        if (!first || item.separator != 0)
            return wrong(item.whole, "drop beside other actions", "drop stands alone");
        drop_ = true;
        return {};
    }

    Parsed<void> action(const Item& item, List& list) {
        TRY_ASSIGN(const Action action, parse_action(item, context_.protocol, context_.ports));
        if (!*list.actions) list.actions->emplace();
        (*list.actions)->push_back(action);
        list.words.push_back(item.whole);
        return {};
    }

    /// `write_actions(A,A)`, or Lagopus' `write_actions=A,A`, which goes on to the next
    /// instruction.
    Parsed<void> list(const Item& item, List& list) {
        if (list.actions == &instructions_.write && *list.actions)
            return wrong(item.whole, "write_actions is given twice");
        if (item.separator == '=' || item.separator == ':') {
            current_ = &list;
            const Word& inner = item.value;
            ItemScanner scanner(inner);
            TRY_ASSIGN(const auto first, scanner.next());
            if (!first) return wrong(item.whole, format("{}: no actions", item.name.text));
            return action(*first, list);
        }
        if (item.separator != '(')
            return wrong(item.whole, format("{}: no actions", item.name.text),
                         format("write {}(ACTION,…)", item.name.text));
        if (!*list.actions) list.actions->emplace();
        if (item.value.text == "drop") return {};
        ItemScanner scanner(item.value);
        for (;;) {
            TRY_ASSIGN(const auto inner, scanner.next());
            if (!inner) return {};
            TRY(action(*inner, list));
        }
    }

    Parsed<void> clear(const Item& item) {
        if (item.separator != 0) return wrong(item.whole, "clear_actions takes no value");
        if (instructions_.clear) return wrong(item.whole, "clear_actions is given twice");
        instructions_.clear = true;
        return {};
    }

    Parsed<void> write_metadata(const Item& item) {
        if (instructions_.metadata) return wrong(item.whole, "write_metadata is given twice");
        const std::size_t slash = item.value.text.find('/');
        MetadataWrite write{0, ~0ull};
        TRY_ASSIGN(write.value, number(item.name.text, item.value.part(0, slash), ~0ull));
        if (slash != std::string_view::npos) {
            TRY_ASSIGN(write.mask, number(item.name.text, item.value.part(slash + 1), ~0ull));
        }
        instructions_.metadata = write;
        return {};
    }

    Parsed<void> meter(const Item& item) {
        if (instructions_.meter) return wrong(item.whole, "meter is given twice");
        TRY_ASSIGN(const auto id, number(item, 0xffffffff));
        instructions_.meter = MeterId(static_cast<std::uint32_t>(id));
        return {};
    }

    Parsed<void> goto_table(const Item& item) {
        if (instructions_.go_to) return wrong(item.whole, "goto_table is given twice");
        TRY_ASSIGN(const auto table, number(item, kTables - 1));
        if (context_.rules == FlowRules::all && table <= context_.table.value())
            return wrong(item.whole,
                         format("goto_table:{} does not lead forward from table {}", table,
                                context_.table.value()),
                         "a goto leads to a table of a greater number");
        instructions_.go_to = TableId(static_cast<std::uint8_t>(table));
        return {};
    }

    /// The rules of check_instructions(), each action at its word.
    Parsed<void> check() const {
        Prerequisites state(context_.match);
        TRY(check_list(apply_, state, [](const Action&) { return true; }));
        TRY(check_list(write_, state, [](const Action& a) { return !sets_field(a); }));
        return check_list(write_, state, sets_field);
    }
    static bool sets_field(const Action& action) {
        return std::holds_alternative<SetField>(action);
    }
    static Parsed<void> check_list(const List& list, Prerequisites& state,
                                   bool (*wanted)(const Action&)) {
        if (!*list.actions) return {};
        for (std::size_t i = 0; i < list.words.size(); ++i) {
            const Action& action = (**list.actions)[i];
            if (!wanted(action)) continue;
            if (const auto checked = check_action(action, state); !checked)
                return refused(checked.error(), action, list.words[i]);
        }
        return {};
    }

    const ActionContext& context_;
    Instructions instructions_;
    List apply_{&instructions_.apply};
    List write_{&instructions_.write};
    List* current_ = &apply_;
    bool drop_ = false;
    bool any_ = false;
};

}  // namespace

bool names_instruction(std::string_view name) {
    return std::ranges::find(kInstructionWords, name) != kInstructionWords.end();
}

Parsed<Instructions> parse_instructions(const Word& text, const ActionContext& context) {
    return InstructionParser(context).parse(text);
}

}  // namespace raicho::openflow
