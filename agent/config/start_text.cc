// SPDX-License-Identifier: Apache-2.0
#include "agent/config/start_text.h"

#include <cerrno>
#include <cstring>
#include <expected>
#include <fstream>
#include <sstream>

#include "agent/config/flow_check.h"
#include "base/text.h"
#include "dsl/import/import.h"

namespace raicho::agent::config {

namespace {

std::expected<std::string, std::string> read_whole(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (!file) return std::unexpected(std::strerror(errno != 0 ? errno : EIO));
    return std::move(text).str();
}

}  // namespace

Result<StartText> read_start_text(const std::string& path) {
    auto text = read_whole(path);
    if (!text) return fail(format("configuration \"{}\": {}", path, text.error()));
    if (!path.ends_with(dsl::kLagopusSuffix)) return StartText{std::move(*text)};
    dsl::ImportOptions options;
    options.flows = flow_checker();
    options.read_file = read_whole;
    const dsl::ForeignText file{path, std::move(*text)};
    dsl::Imported imported = dsl::import_lagopus({&file, 1}, options);
    return StartText{std::move(imported.text), imported.report()};
}

}  // namespace raicho::agent::config
