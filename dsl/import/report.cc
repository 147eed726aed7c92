// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/report.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace raicho::dsl {

namespace {

std::size_t count_lost(const std::vector<ImportNote>& notes) {
    return static_cast<std::size_t>(std::ranges::count(notes, Fate::lost, &ImportNote::fate));
}

}  // namespace

void ImportReport::lost(ForeignPlace place, std::string text, std::string help) {
    add({Fate::lost, std::move(place), std::move(text), std::move(help)});
}

void ImportReport::remark(ForeignPlace place, std::string text, std::string help) {
    add({Fate::remark, std::move(place), std::move(text), std::move(help)});
}

void ImportReport::add(ImportNote note) {
    // The same one comes from the same line, and lines are looked at one after the other.
    constexpr std::size_t kNear = 32;
    const std::size_t from = notes_.size() - std::min(notes_.size(), kNear);
    if (std::find(notes_.begin() + static_cast<std::ptrdiff_t>(from), notes_.end(), note) ==
        notes_.end())
        notes_.push_back(std::move(note));
}

std::vector<ImportNote> ImportReport::take_in_order() {
    // Files in the order in which they first have something to say.
    std::map<std::string, std::size_t> rank;
    for (const ImportNote& note : notes_) rank.try_emplace(note.place.file, rank.size());
    std::ranges::stable_sort(notes_, [&](const ImportNote& a, const ImportNote& b) {
        return std::pair(rank[a.place.file], a.place.line) <
               std::pair(rank[b.place.file], b.place.line);
    });
    return std::move(notes_);
}

std::size_t ImportReport::n_lost() const {
    return count_lost(notes_);
}

std::size_t Imported::n_lost() const {
    return count_lost(notes);
}

std::string to_text(const ImportNote& note) {
    std::string out = note.place.file;
    if (note.place.line != 0) out += format(":{}", note.place.line);
    out += format(": {}: {}\n", note.fate == Fate::lost ? "not carried" : "note", note.text);
    if (!note.help.empty()) out += format("    help: {}\n", note.help);
    return out;
}

std::string Imported::report() const {
    std::string out;
    for (const ImportNote& note : notes) out += to_text(note);
    return out;
}

}  // namespace raicho::dsl
