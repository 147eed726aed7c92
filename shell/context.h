// SPDX-License-Identifier: Apache-2.0
// One command on its way: what was typed, the agent, where lines go and in which form. The actions
// (show.h, change.h, monitor.h, configure.h) are functions of it; execute.h chooses among them.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/agent.h"
#include "shell/columns.h"
#include "shell/configure.h"
#include "shell/failure.h"
#include "shell/output.h"
#include "shell/parse.h"
#include "shell/render.h"

namespace raicho::shell {

/// The forms of an answer. `table` and below are only for the commands that know them.
enum class Format : std::uint8_t { people, json, table, set, ovs };

/// A question to the person at the terminal; true is yes.
using Ask = std::function<bool(const std::string& question)>;

/// Where lines go in the end.
enum class Screen : std::uint8_t {
    none,      // a file, a pipe, or filters of ours
    plain,     // a terminal that can only go on
    drawable,  // a terminal that takes cursor movements
};

/// What the commands need of their surroundings.
struct Surroundings {
    Agent& agent;
    Editing& editing;
    Colours colours = Colours::off;
    Format format = Format::people;
    Screen screen = Screen::none;
    /// The last n typed lines, oldest first; empty in scripts.
    std::function<std::vector<std::string>(std::size_t)> history{};
    /// Empty in scripts: nobody is there to answer.
    Ask ask{};
    /// Lines of text up to their end, for `load … terminal`; empty where there are none to come.
    std::function<std::expected<std::string, Failure>()> read_block{};
    /// Whether long output stops at each screen; `pager` changes it. May be nullptr.
    bool* paged = nullptr;
};

using Done = std::expected<void, Failure>;

class Context {
  public:
    Context(const ParsedLine& line, const Surroundings& surroundings, LineSink& out);

    [[nodiscard]] const Parsed& command() const { return command_; }
    [[nodiscard]] std::string_view text(std::string_view placeholder) const {
        return command_.text(placeholder);
    }
    [[nodiscard]] Agent& agent() const { return around_.agent; }
    [[nodiscard]] Editing& editing() const { return around_.editing; }
    /// Where the line's PATH begins: empty for the top.
    [[nodiscard]] const std::string& level() const { return level_; }
    /// What `| compare` compares with: `running`, or a number of commits ago.
    [[nodiscard]] const std::optional<std::string>& compared_with() const { return compared_; }
    [[nodiscard]] const Surroundings& around() const { return around_; }
    [[nodiscard]] LineSink& out() const { return out_; }
    [[nodiscard]] Colours colours() const { return colours_; }
    [[nodiscard]] Format format() const { return format_; }
    /// Screen::none behind a filter.
    [[nodiscard]] Screen screen() const { return screen_; }

    void write(const Lines& lines) const;
    /// A document as JSON, or by its renderer.
    template <class Render>
    [[nodiscard]] Done show(const std::string& target, Render render) const {
        auto document = agent().get(target);
        if (!document) return std::unexpected(placed(std::move(document.error()), "BRIDGE"));
        if (format_ == Format::json)
            write_json(*document);
        else
            write(render(*document));
        return {};
    }
    void write_json(const Json& document) const;
    /// `target` with the line's BRIDGE, if any.
    [[nodiscard]] std::string of_bridge(std::string_view target) const;
    /// A refusal is about this argument, unless it says otherwise.
    [[nodiscard]] Failure placed(Failure failure, std::string_view placeholder) const;
    /// A place within this argument, from 1 as the agent counts, moved to the line.
    [[nodiscard]] Failure shifted(Failure failure, std::string_view placeholder) const;

  private:
    const Parsed& command_;
    const Surroundings& around_;
    LineSink& out_;
    std::string level_;
    std::optional<std::string> compared_;
    Colours colours_;
    Format format_;
    Screen screen_;
};

}  // namespace raicho::shell
