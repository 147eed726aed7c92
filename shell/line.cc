// SPDX-License-Identifier: Apache-2.0
#include "shell/line.h"

namespace raicho::shell {

namespace {

bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

enum class Ends : std::uint8_t { normally, in_quotes, in_comment };

/// One pass over a line; what stages and the `?` key both follow.
class Reader {
  public:
    explicit Reader(std::string_view line) : line_(line) {}

    [[nodiscard]] Ends read() {
        stages_.emplace_back();
        while (at_ < line_.size()) {
            const char c = line_[at_];
            if (blank(c)) {
                ++at_;
            } else if (c == '#') {
                stages_.back().end = at_;
                return Ends::in_comment;
            } else if (c == '|') {
                stages_.back().end = at_;
                ++at_;
                stages_.push_back({{}, at_, at_});
            } else if (!word()) {
                return Ends::in_quotes;
            }
        }
        stages_.back().end = line_.size();
        return Ends::normally;
    }
    [[nodiscard]] std::vector<Stage> take() { return std::move(stages_); }
    /// Where the quote began that is not closed.
    [[nodiscard]] std::size_t quote_begin() const { return quote_begin_; }

  private:
    bool word() {
        Word word{{}, at_, at_, Quoted::no};
        while (at_ < line_.size() && !blank(line_[at_]) && line_[at_] != '|') {
            const char c = line_[at_];
            if (c == '"' || c == '\'') {
                word.quoted = Quoted::yes;
                if (!quotes(c, word.text)) return false;
            } else {
                word.text += c;
                ++at_;
            }
        }
        word.end = at_;
        stages_.back().words.push_back(std::move(word));
        return true;
    }
    bool quotes(char mark, std::string& text) {
        quote_begin_ = at_++;
        for (; at_ < line_.size(); ++at_) {
            const char c = line_[at_];
            if (c == mark) {
                ++at_;
                return true;
            }
            const bool escape = mark == '"' && c == '\\' && at_ + 1 < line_.size() &&
                                (line_[at_ + 1] == '"' || line_[at_ + 1] == '\\');
            if (escape) ++at_;
            text += line_[at_];
        }
        return false;
    }

    std::string_view line_;
    std::size_t at_ = 0;
    std::size_t quote_begin_ = 0;
    std::vector<Stage> stages_;
};

}  // namespace

std::expected<std::vector<Stage>, LineError> read_line(std::string_view line) {
    Reader reader(line);
    if (reader.read() == Ends::in_quotes)
        return std::unexpected(
            LineError{"the quote is not closed", {}, reader.quote_begin(), line.size()});
    return reader.take();
}

bool in_quotes_or_comment(std::string_view text) {
    return Reader(text).read() != Ends::normally;
}

std::string quote(std::string_view text) {
    if (!text.empty() && text.find_first_of(" \t\"'|#\\?") == std::string_view::npos)
        return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    out += '"';
    return out;
}

}  // namespace raicho::shell
