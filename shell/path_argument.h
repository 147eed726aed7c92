// SPDX-License-Identifier: Apache-2.0
// The PATH of the command under way, and failures that are about it.
#pragma once

#include "dsl/edit/refusal.h"
#include "shell/context.h"
#include "shell/path.h"

namespace raicho::shell {

/// The line's PATH, written out; empty when there is none.
[[nodiscard]] std::expected<WrittenOut, Failure> path_of(const Context& context);

/// Characters of a text that was judged, from 1; column 0 is no place.
struct JudgedPlace {
    std::string_view text;  // its last part is the written out PATH
    std::size_t column = 0;
    std::size_t size = 0;  // bytes
};

/// The failure at where it was typed; a place before the PATH is all of it.
[[nodiscard]] Failure about_path(const Context& context, Failure failure, const WrittenOut& path,
                                 JudgedPlace place);
/// The first finding of a refusal of `judged`, whose last part is the PATH.
[[nodiscard]] Failure about_path(const Context& context, const dsl::Refusal& refusal,
                                 const WrittenOut& path, std::string_view judged);
/// The same of an agent's answer, whose place counts characters from 1.
[[nodiscard]] Failure about_path(const Context& context, const Failure& answer,
                                 const WrittenOut& path, std::string_view judged);

}  // namespace raicho::shell
