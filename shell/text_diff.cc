// SPDX-License-Identifier: Apache-2.0
// The greedy shortest-edit algorithm of Myers (1986), over lines.
#include "shell/text_diff.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/text.h"

namespace raicho::shell {

namespace {

constexpr std::size_t kContext = 3;
/// Lines that may differ before everything between the equal ends counts as different.
constexpr std::ptrdiff_t kMostEdits = 1000;

using TextLines = std::vector<std::string_view>;

TextLines lines_of(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    return split(text, '\n');
}

struct Edit {
    char sign;  // ' ', '-', '+'
    std::string_view line;
};

/// Appends the shortest way from a to b.
void myers(std::span<const std::string_view> a, std::span<const std::string_view> b,
           std::vector<Edit>& out) {
    const auto n = static_cast<std::ptrdiff_t>(a.size());
    const auto m = static_cast<std::ptrdiff_t>(b.size());
    const std::ptrdiff_t most = std::min(n + m, kMostEdits);
    const auto at = [&](std::ptrdiff_t k) { return static_cast<std::size_t>(k + most + 1); };
    std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * most + 3), 0);
    std::vector<std::vector<std::ptrdiff_t>> trace;
    bool found = false;
    for (std::ptrdiff_t d = 0; d <= most && !found; ++d) {
        trace.push_back(reach);
        for (std::ptrdiff_t k = -d; k <= d && !found; k += 2) {
            const bool down = k == -d || (k != d && reach[at(k - 1)] < reach[at(k + 1)]);
            std::ptrdiff_t x = down ? reach[at(k + 1)] : reach[at(k - 1)] + 1;
            std::ptrdiff_t y = x - k;
            while (x < n && y < m && y >= 0 &&
                   a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) {
                ++x;
                ++y;
            }
            reach[at(k)] = x;
            found = k == n - m && x >= n;
        }
    }
    if (!found) {
        for (const std::string_view line : a) out.push_back({'-', line});
        for (const std::string_view line : b) out.push_back({'+', line});
        return;
    }
    std::vector<Edit> back;
    std::ptrdiff_t x = n;
    std::ptrdiff_t y = m;
    for (std::size_t d = trace.size(); d-- > 0;) {
        const std::vector<std::ptrdiff_t>& before = trace[d];
        const auto steps = static_cast<std::ptrdiff_t>(d);
        const std::ptrdiff_t k = x - y;
        const bool down = k == -steps || (k != steps && before[at(k - 1)] < before[at(k + 1)]);
        const std::ptrdiff_t from = down ? k + 1 : k - 1;
        const std::ptrdiff_t px = d == 0 ? 0 : before[at(from)];
        const std::ptrdiff_t py = d == 0 ? 0 : px - from;
        while (x > px && y > py) {
            --x;
            --y;
            back.push_back({' ', a[static_cast<std::size_t>(x)]});
        }
        if (d == 0) break;
        if (down)
            back.push_back({'+', b[static_cast<std::size_t>(--y)]});
        else
            back.push_back({'-', a[static_cast<std::size_t>(--x)]});
    }
    out.insert(out.end(), back.rbegin(), back.rend());
}

}  // namespace

std::string text_diff(std::string_view before, std::string_view after, std::string_view before_name,
                      std::string_view after_name) {
    if (before == after) return {};
    const TextLines a = lines_of(before);
    const TextLines b = lines_of(after);
    std::vector<Edit> edits;
    myers(a, b, edits);
    if (std::ranges::all_of(edits, [](const Edit& e) { return e.sign == ' '; }))
        return format("{}: only the end of the last line differs\n", before_name);

    std::string out = format("--- {}\n+++ {}\n", before_name, after_name);
    std::size_t line_a = 1;
    std::size_t line_b = 1;
    for (std::size_t i = 0; i < edits.size();) {
        std::size_t first = i;
        while (first < edits.size() && edits[first].sign == ' ') ++first;
        if (first == edits.size()) break;
        const std::size_t begin = first - std::min(first - i, kContext);
        line_a += begin - i;
        line_b += begin - i;
        std::size_t end = first;  // after the last change with its context
        std::size_t same = 0;
        for (std::size_t j = first; j < edits.size() && same <= 2 * kContext; ++j) {
            same = edits[j].sign == ' ' ? same + 1 : 0;
            if (same == 0) end = j + 1;
        }
        end = std::min(end + kContext, edits.size());
        std::size_t n_a = 0;
        std::size_t n_b = 0;
        std::string hunk;
        for (std::size_t j = begin; j < end; ++j) {
            if (edits[j].sign != '+') ++n_a;
            if (edits[j].sign != '-') ++n_b;
            hunk += format("{}{}\n", edits[j].sign, edits[j].line);
        }
        out += format("@@ -{},{} +{},{} @@\n{}", line_a, n_a, line_b, n_b, hunk);
        line_a += n_a;
        line_b += n_b;
        i = end;
    }
    return out;
}

}  // namespace raicho::shell
