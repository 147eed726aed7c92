// SPDX-License-Identifier: Apache-2.0
// A JSON answer of the agent, to be read by the renderers. render_json.cc is the only file of the
// shell that sees RapidJSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace raicho::shell {

/// A node of a document; copies share the document. A member that is missing, or of another kind
/// than asked for, reads as empty: an agent of another version must not end the shell.
class Json {
  public:
    /// Nothing when `text` is no JSON (or nested too deep).
    [[nodiscard]] static std::optional<Json> parse(std::string_view text);

    Json() = default;
    [[nodiscard]] Json operator[](std::string_view key) const;
    /// Elements of an array, empty for everything else.
    [[nodiscard]] std::vector<Json> items() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::uint64_t number() const;
    [[nodiscard]] double real() const;
    [[nodiscard]] bool flag() const;
    [[nodiscard]] bool null() const;

    [[nodiscard]] std::string text(std::string_view key) const { return (*this)[key].text(); }
    [[nodiscard]] std::uint64_t number(std::string_view key) const { return (*this)[key].number(); }
    [[nodiscard]] bool flag(std::string_view key) const { return (*this)[key].flag(); }

    /// Indented by two blanks, many lines.
    [[nodiscard]] std::string pretty() const;
    /// On one line.
    [[nodiscard]] std::string compact() const;

  private:
    struct Document;
    Json(std::shared_ptr<const Document> document, const void* node)
        : document_(std::move(document)), node_(node) {}
    std::shared_ptr<const Document> document_;
    const void* node_ = nullptr;
};

/// A JSON object for the body of a request, member by member.
class JsonBody {
  public:
    JsonBody& text(std::string_view name, std::string_view value);
    JsonBody& number(std::string_view name, std::uint64_t value);
    JsonBody& texts(std::string_view name, const std::vector<std::string>& values);
    [[nodiscard]] std::string take() { return std::move(out_) + "}"; }

  private:
    void key(std::string_view name);

    std::string out_ = "{";
};

/// A JSON object of texts.
[[nodiscard]] std::string json_object(
    const std::vector<std::pair<std::string_view, std::string_view>>& members);

}  // namespace raicho::shell
