// SPDX-License-Identifier: Apache-2.0
#include "agent/config/revision.h"

#include <charconv>

#include "base/text.h"

namespace raicho::agent::config {

namespace {

constexpr std::string_view kMark = "#@ ";

/// One line, whatever the text is.
std::string escaped(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
        } else {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
    }
    return out + '"';
}

/// Takes the words of a line one by one; after the last one they are empty.
class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) {}

    std::string next() {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
        std::string word;
        if (!rest_.starts_with('"')) {
            const std::size_t end = std::min(rest_.find(' '), rest_.size());
            word = rest_.substr(0, end);
            rest_.remove_prefix(end);
            return word;
        }
        rest_.remove_prefix(1);
        while (!rest_.empty() && rest_[0] != '"') {
            const bool escaped = rest_[0] == '\\' && rest_.size() > 1;
            if (escaped) rest_.remove_prefix(1);
            word += escaped && rest_[0] == 'n' ? '\n' : rest_[0];
            rest_.remove_prefix(1);
        }
        if (!rest_.empty()) rest_.remove_prefix(1);
        return word;
    }
    template <class T>
    T number() {
        const std::string word = next();
        T value{};
        std::from_chars(word.data(), word.data() + word.size(), value);
        return value;
    }

  private:
    std::string_view rest_;
};

void read_line(std::string_view line, RevisionInfo& info) {
    Words words(line);
    const std::string key = words.next();
    if (key == "revision") {
        info.revision = words.number<std::uint64_t>();
    } else if (key == "time") {
        info.time = words.number<std::int64_t>();
    } else if (key == "user") {
        info.author.uid = words.number<std::uint32_t>();
        info.author.user = words.next();
        info.author.via = words.next();
    } else if (key == "comment") {
        info.comment = words.next();
    } else if (key == "confirm") {
        Confirmation c;
        c.seconds = words.number<std::uint64_t>();
        c.returns_to = words.number<std::uint64_t>();
        c.deadline.wall_ns = words.number<std::int64_t>();
        c.deadline.boot_ns = words.number<std::uint64_t>();
        c.deadline.boot_id = words.next();
        if (c.returns_to != 0) info.confirmation = std::move(c);
    }
}

}  // namespace

std::string to_file(const Revision& revision) {
    const RevisionInfo& i = revision.info;
    std::string out =
        format("{0}revision {1}\n{0}time {2}\n{0}user {3} {4} {5}\n", kMark, i.revision, i.time,
               i.author.uid, escaped(i.author.user), escaped(i.author.via));
    if (!i.comment.empty()) out += format("{}comment {}\n", kMark, escaped(i.comment));
    if (const auto& c = i.confirmation)
        out += format("{}confirm {} {} {} {} {}\n", kMark, c->seconds, c->returns_to,
                      c->deadline.wall_ns, c->deadline.boot_ns, c->deadline.boot_id);
    return out + revision.text;
}

Revision revision_from_file(std::string_view file) {
    Revision revision;
    while (file.starts_with(kMark)) {
        const std::size_t end = std::min(file.find('\n'), file.size());
        read_line(file.substr(kMark.size(), end - kMark.size()), revision.info);
        file.remove_prefix(std::min(end + 1, file.size()));
    }
    revision.text = file;
    return revision;
}

}  // namespace raicho::agent::config
