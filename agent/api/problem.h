// SPDX-License-Identifier: Apache-2.0
// What the API says when it refuses: a problem document (RFC 9457) whose `errors` point at the
// words that are wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace raicho::agent::api {

/// One fault in what the client sent. Line and column start at 1 (0 = not at a place), the column
/// counts characters.
struct ProblemItem {
    std::string file;  // as the client named it, empty when the text came without a name
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t length = 0;  // characters under the caret
    std::string text;          // `port "p9": not attached to bridge "br0"`
    std::string hint;          // may be empty
};

/// `type` is `about:blank`: the status and the sentences say everything.
struct Problem {
    unsigned status = 500;
    std::string title;   // of the status: `Not Found`
    std::string detail;  // the sentence for the person
    std::string hint;    // the remedy, may be empty
    std::vector<ProblemItem> errors;
    std::string rendered{};  // all errors as the language prints them, with lines and carets
};

/// A problem with its status' usual title.
[[nodiscard]] Problem problem(unsigned status, std::string detail, std::string hint = {});

/// The usual title of a status, `Unknown` for one we never send.
[[nodiscard]] const char* status_title(unsigned status);

class JsonWriter;
/// One element of `errors` or `warnings`.
void write_item(JsonWriter& json, const ProblemItem& item);
/// application/problem+json.
[[nodiscard]] std::string to_json(const Problem& problem);

}  // namespace raicho::agent::api
