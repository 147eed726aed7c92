// SPDX-License-Identifier: Apache-2.0
#include "agent/model/session.h"

#include <iterator>
#include <utility>

#include "base/text.h"

namespace raicho::agent {

openflow::OfResult<std::optional<std::vector<openflow::TableFeatures>>> Session::collect(
    std::uint32_t xid, std::vector<openflow::TableFeatures> part, More more) {
    const auto overflow = [&](std::string why) {
        collected_.reset();
        return openflow::ofp_error(openflow::BadRequest::multipart_buffer_overflow, std::move(why));
    };
    if (collected_ && collected_->xid != xid)
        return overflow(
            format("request 0x{:x} came before 0x{:x} was whole", xid, collected_->xid));
    if (!collected_) collected_.emplace(xid);
    auto& tables = collected_->tables;
    if (tables.size() + part.size() > kTables)
        return overflow(format("more than {} tables in parts", kTables));
    tables.insert(tables.end(), std::move_iterator(part.begin()), std::move_iterator(part.end()));
    if (more == More::yes) return std::nullopt;
    return std::exchange(collected_, std::nullopt)->tables;
}

}  // namespace raicho::agent
