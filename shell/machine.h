// SPDX-License-Identifier: Apache-2.0
// Follows the words of one stage of a line through all commands of the table at once. Neighbours:
// parse.h is the door, grammar.h the notation it follows.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands.h"
#include "shell/line.h"
#include "shell/parse.h"

namespace raicho::shell {

/// What a command stands behind within its line.
enum class Behind : std::uint8_t { nothing, run, top };

/// A command that the words so far may become.
struct Branch {
    const Command* command;
    const Syntax* syntax;
    std::uint8_t at = 0;        // fixed pieces seen
    std::uint8_t used = 0;      // groups seen, bit n - 1 for group n
    std::uint8_t in_group = 0;  // piece to come within a group that was begun, 0 = none
    Parsed parsed{};

    [[nodiscard]] bool complete() const { return at == syntax->n_fixed && in_group == 0; }
    [[nodiscard]] bool ancestor() const { return (command->modes & kAncestor) != 0; }

    /// Indexes of the pieces that may come next.
    [[nodiscard]] std::vector<std::uint8_t> next() const {
        if (in_group != 0) return {in_group};
        if (at < syntax->n_fixed) return {at};
        std::vector<std::uint8_t> first;
        std::uint8_t seen = used;
        for (std::uint8_t i = syntax->n_fixed; i < syntax->n_pieces; ++i) {
            const auto bit = static_cast<std::uint8_t>(1u << (syntax->pieces[i].group - 1));
            if ((seen & bit) != 0) continue;
            seen |= bit;
            first.push_back(i);
        }
        return first;
    }
    void advance(std::uint8_t piece) {
        const std::uint8_t group = syntax->pieces[piece].group;
        if (group == 0) {
            ++at;
            return;
        }
        used |= static_cast<std::uint8_t>(1u << (group - 1));
        const bool more = piece + 1 < syntax->n_pieces && syntax->pieces[piece + 1].group == group;
        in_group = more ? static_cast<std::uint8_t>(piece + 1) : std::uint8_t{0};
    }
};

/// Follows the words of one stage through all commands at once.
class Machine {
  public:
    Machine(std::span<const Command> commands, std::span<const Syntax> syntax, Modes mode,
            Behind behind, NameSource& names);

    /// Takes one word; `raw` is the line from the word to the end of its stage. True: the word
    /// and everything behind it is taken.
    [[nodiscard]] std::expected<bool, LineError> take(const Word& word, std::string_view raw);
    /// The command that the words make.
    [[nodiscard]] std::expected<Parsed, LineError> finish(std::size_t end) const;
    [[nodiscard]] std::vector<Expected> expected() const;
    [[nodiscard]] bool complete() const {
        return std::ranges::any_of(branches_, &Branch::complete);
    }

  private:
    struct Step {
        std::size_t branch;
        std::uint8_t piece;
    };
    [[nodiscard]] const Piece& piece(const Step& step) const {
        return branches_[step.branch].syntax->pieces[step.piece];
    }
    [[nodiscard]] std::vector<Step> steps() const;
    [[nodiscard]] bool live_name(const Step& step, std::string_view text) const;
    [[nodiscard]] LineError refuse(const Word& word, std::string text) const;
    void follow(const std::vector<Step>& chosen, const Word& word, std::string_view text,
                std::size_t end);
    [[nodiscard]] std::expected<std::optional<std::string_view>, LineError> keyword(
        const Word& word, const std::vector<Step>& all) const;

    NameSource& names_;
    std::vector<Branch> branches_;
};

}  // namespace raicho::shell
