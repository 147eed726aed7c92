// SPDX-License-Identifier: Apache-2.0
// What is wrong with a configuration text: the value for programs (API, editors) and its printed
// form for people. The same text appears in the shell, the log and the API.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/syntax/source.h"

namespace raicho::dsl {

enum class Severity : std::uint8_t { error, warning };

/// One finding. `help` is what to do about it, may be empty.
struct Diagnostic {
    Severity severity = Severity::error;
    std::string file;
    Span span;
    std::uint32_t line = 0;  // from 1; 0 = belongs to no place in the text
    std::uint32_t column = 0;
    std::string text;
    std::string help;
};

inline constexpr std::size_t kMaxDiagnostics = 20;

/// Collects findings about one source: at most kMaxDiagnostics errors and as many warnings are
/// kept, the rest only counted.
class Diagnostics {
  public:
    explicit Diagnostics(const Source& source) : source_(&source) {}

    void error(Span span, std::string text, std::string help = {});
    void warning(Span span, std::string text, std::string help = {});
    /// The same about an object; one without a place in the text is reported without.
    void error(const Place& place, std::string text, std::string help = {});
    void warning(const Place& place, std::string text, std::string help = {});

    [[nodiscard]] bool failed() const { return n_errors_ != 0; }
    [[nodiscard]] std::size_t n_errors() const { return n_errors_; }
    [[nodiscard]] const Source& source() const { return *source_; }
    /// What was found, in order of place; starts anew.
    [[nodiscard]] std::vector<Diagnostic> take();

  private:
    void add(Severity severity, const Place& place, std::string text, std::string help);
    const Source* source_;
    std::vector<Diagnostic> found_;
    std::size_t n_errors_ = 0;
    std::size_t n_warnings_ = 0;
};

/// `FILE:LINE:COL: error: text`, the source line, a caret range under it, `help: …`; each line
/// ends with a newline.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic, const Source& source);
/// All of them, one after the other.
[[nodiscard]] std::string to_text(const std::vector<Diagnostic>& diagnostics, const Source& source);

}  // namespace raicho::dsl
