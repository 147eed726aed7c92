// SPDX-License-Identifier: Apache-2.0
// The agent's texts of matches and actions (OpenFlow's names) as ovs-ofctl writes them.
#pragma once

#include <string>
#include <string_view>

namespace raicho::shell {

/// `eth_type=0x0800,ipv4_dst=10.0.0.1,vlan_vid=5` as `dl_type=0x0800,nw_dst=10.0.0.1,dl_vlan=5`.
[[nodiscard]] std::string ovs_match(std::string_view match);
/// `set_field:1.2.3.4->ipv4_dst,dec_nw_ttl` as `set_field:1.2.3.4->nw_dst,dec_ttl`.
[[nodiscard]] std::string ovs_actions(std::string_view actions);

}  // namespace raicho::shell
