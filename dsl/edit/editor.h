// SPDX-License-Identifier: Apache-2.0
// The edit commands on a document. Neighbours: edit.h is the door for texts, load.h and forms.h
// use it for texts made of commands.
#pragma once

#include <span>
#include <vector>

#include "dsl/edit/document.h"
#include "dsl/edit/scheme.h"

namespace raicho::dsl {

/// Carries out commands one after the other. A fault is reported and may leave its command half
/// done: the document is then to be thrown away.
class Editor {
  public:
    /// `level` are words that go before every command's path.
    Editor(Document& document, std::span<const Value> level, Diagnostics& diagnostics)
        : document_(document), level_(level), diagnostics_(diagnostics) {}

    /// A statement `set bridge br0 …`, with its block if it has one.
    void run(const Node& command);

  private:
    using Words = std::span<const Value>;
    struct Found;

    void set(Node& owner, Level level, Words words, const Node& command);
    void set_object(Node& owner, Level level, const Row& row, Words words, const Node& command);
    void set_setting(Node& owner, Level level, const Row& row, Words words);
    void set_number(Node& port, Level level, const Value& number);

    void remove(Words words);
    void remove_values(Found& found, Words values);
    void stand(Words words, Activity activity);
    void rename(Words words);

    /// The last thing a path names.
    [[nodiscard]] bool locate(Words words, Found& found);
    void absent(const Row& row, const Value& key, const std::vector<Node>& there);
    void error(Span span, std::string text, std::string help = {});

    Document& document_;
    std::span<const Value> level_;
    Diagnostics& diagnostics_;
};

/// Puts judged statements into others: objects are joined, settings replaced, lists grow.
void merge_nodes(Node& owner, Level level, std::vector<Node> more);

}  // namespace raicho::dsl
