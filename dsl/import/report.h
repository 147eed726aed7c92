// SPDX-License-Identifier: Apache-2.0
// What an importer says besides the text it makes: what could not be carried over and what means
// something else here, each with the place in the foreign text it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace raicho::dsl {

/// A file of foreign text; `name` is only for messages.
struct ForeignText {
    std::string name;
    std::string text;
};

/// A line of a foreign text.
struct ForeignPlace {
    std::string file;
    std::size_t line = 0;  // from 1; 0 = the file as a whole
    friend bool operator==(const ForeignPlace&, const ForeignPlace&) = default;
};

enum class Fate : std::uint8_t {
    lost,    // not carried: the switch will behave differently
    remark,  // carried, or without an effect here: good to know
};

struct ImportNote {
    Fate fate = Fate::lost;
    ForeignPlace place;
    std::string text;
    std::string help;
    friend bool operator==(const ImportNote&, const ImportNote&) = default;
};

/// Collects notes; the same one about the same line is kept once.
class ImportReport {
  public:
    void lost(ForeignPlace place, std::string text, std::string help = {});
    void remark(ForeignPlace place, std::string text, std::string help = {});
    /// The notes, those of one file in order of line.
    [[nodiscard]] std::vector<ImportNote> take_in_order();
    [[nodiscard]] std::size_t n_lost() const;

  private:
    void add(ImportNote note);
    std::vector<ImportNote> notes_;
};

/// What an importer makes: a configuration text, and what to tell whoever asked for it.
struct Imported {
    std::string text;
    std::vector<ImportNote> notes;  // in order of place
    [[nodiscard]] std::size_t n_lost() const;
    /// `FILE:LINE: not carried: …` or `FILE:LINE: note: …`, with `    help: …` lines between.
    [[nodiscard]] std::string report() const;
};

/// One note as report() prints it.
[[nodiscard]] std::string to_text(const ImportNote& note);

}  // namespace raicho::dsl
