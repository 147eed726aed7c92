// SPDX-License-Identifier: Apache-2.0
#include "agent/api/http.h"

#include "base/text.h"

namespace raicho::agent::api {

std::optional<std::string> percent_decode(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const std::string_view digits = text.substr(i + 1, 2);
        const auto byte = parse_hex(digits);  // skips blanks: two digits give one byte, else none
        if (digits.size() != 2 || !byte || byte->size() != 1) return std::nullopt;
        out += static_cast<char>(byte->front());
        i += 2;
    }
    return out;
}

bool read_target(std::string_view target, Request& request) {
    const std::size_t question = target.find('?');
    request.path = std::string(target.substr(0, question));
    if (!request.path.starts_with('/')) return false;
    if (question == std::string_view::npos) return true;
    for (std::string_view pair : split(target.substr(question + 1), '&')) {
        if (pair.empty()) continue;
        std::string plain(pair);
        for (char& c : plain)
            if (c == '+') c = ' ';
        const std::size_t equals = plain.find('=');
        const std::string_view whole = plain;
        auto name = percent_decode(whole.substr(0, equals));
        auto value = percent_decode(equals == std::string::npos ? std::string_view{}
                                                                : whole.substr(equals + 1));
        if (!name || !value) return false;
        if (!request.query.emplace(std::move(*name), std::move(*value)).second) return false;
    }
    return true;
}

}  // namespace raicho::agent::api
