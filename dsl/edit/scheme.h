// SPDX-License-Identifier: Apache-2.0
// Statements and the schema: which row a statement is of, which object it names, where a new one
// belongs, and whether its words can be.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/edit/document.h"
#include "dsl/model/flow_block.h"
#include "dsl/model/schema.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

/// Where statements stand: the row of the block they are in; nullptr is the top.
using Level = const Row*;
[[nodiscard]] std::string path_of(Level level);
/// The row of a keyword at a level, or nullptr.
[[nodiscard]] const Row* row_at(Level level, std::string_view keyword);
[[nodiscard]] std::vector<std::string_view> words_at(Level level);

/// Whether the row's statements are told apart by the value behind the keyword.
[[nodiscard]] bool keyed(const Row& row);
/// Whether its values are members that are added and deleted one by one.
[[nodiscard]] bool listed(const Row& row);
/// Whether a value names a definition (`$name`): then only the whole text can judge it.
[[nodiscard]] bool refers(const Value& value);
[[nodiscard]] bool refers(std::span<const Value> values);

/// Canonical text of the word that names an object or member, or its fault.
[[nodiscard]] ValueResult<std::string> key_of(const Row& row, const Value& value);
/// What tells a statement from its neighbours: `port p1`, `mtu`, `controller tcp:10.0.0.1:6653`.
[[nodiscard]] std::string identity(Level level, const Node& node);

/// One value made of text, quoted where it must be.
[[nodiscard]] Value make_value(std::string_view text);
/// Values from canonical text: `[ 2 3 ]`, `af-packet eth0`.
[[nodiscard]] std::vector<Value> read_values(std::string_view text);
/// Items of a list setting: lists opened, core ranges counted out, quotes off.
[[nodiscard]] std::vector<Value> members(const Row& row, std::span<const Value> values);

/// The statements of a flow's `match` or `actions` block that are in force.
[[nodiscard]] std::vector<FlowItem> items_of(const std::vector<Node>& nodes);

/// Puts a statement where its row belongs among `nodes`: behind its like, in the table's order.
Node& insert(std::vector<Node>& nodes, Level level, Node node);

/// The statement of the row with that key, the first one; nullptr when there is none. Heads that
/// name several objects (`controller [ a b ]`) are taken apart when one of them is meant.
[[nodiscard]] Node* find_node(std::vector<Node>& nodes, Level level, const Row& row,
                              std::string_view key);
/// Takes a node with several names in its head apart into one for each, in place.
void take_apart(std::vector<Node>& nodes, Level level);

/// Names, words, types and ranges of all statements, and statements given twice.
void judge(const std::vector<Node>& nodes, Level level, Diagnostics& diagnostics);

/// What may be wrong with a keyword at a level, with the remedy.
void unknown_word(Level level, const Value& word, Diagnostics& diagnostics);

}  // namespace raicho::dsl
