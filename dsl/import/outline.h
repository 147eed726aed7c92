// SPDX-License-Identifier: Apache-2.0
// A configuration text under construction: statements with their blocks and comments. What could
// not be carried stands in it as a comment, where it would be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/import/report.h"
#include "dsl/model/check.h"

namespace raicho::dsl {

/// Whether a part of the text counts or is only shown.
enum class Standing : bool { commented_out, effective };

class Outline {
  public:
    /// A statement without its end; line ends within `text` are not allowed.
    struct Node {
        std::string text;
        Standing standing = Standing::effective;
        ForeignPlace place{};  // what it comes from
        std::vector<Node> block{};
        Node& add(ForeignPlace from, std::string line, Standing how = Standing::effective) {
            return block.emplace_back(Node{std::move(line), how, std::move(from)});
        }
        /// A line of its parent's.
        Node& add(std::string line, Standing how = Standing::effective) {
            return add(place, std::move(line), how);
        }
        void comment(std::string_view line);
    };

    [[nodiscard]] Node& root() { return root_; }
    /// The text, four blanks a level; a node that is commented out has all its lines so.
    [[nodiscard]] std::string print();
    /// The statement of the last print() that has the line: one at the top or in a block there,
    /// whatever is deeper belongs to it. Nothing for an empty line.
    [[nodiscard]] Node* at_line(std::size_t line) const;

  private:
    Node root_;
    std::vector<Node*> lines_;
};

/// Prints the outline so that check() finds no error in the text: a statement that the language
/// refuses is reported and commented out.
[[nodiscard]] std::string print_sound(Outline& outline, const FlowChecker& flows,
                                      ImportReport& report);

}  // namespace raicho::dsl
