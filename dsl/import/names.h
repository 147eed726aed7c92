// SPDX-License-Identifier: Apache-2.0
// Names of foreign objects as our language takes them.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace raicho::dsl {

inline constexpr std::size_t kLongestBridgeName = 15;
inline constexpr std::size_t kLongestPortName = 31;

/// Foreign names to ours: the same name where it is one of ours, else the nearest that is free.
class NameMap {
  public:
    explicit NameMap(std::size_t longest) : longest_(longest) {}
    /// The name for `foreign`; the same again for the same one.
    const std::string& take(std::string_view foreign);

  private:
    std::size_t longest_;
    std::map<std::string, std::string, std::less<>> given_;
    std::set<std::string, std::less<>> used_;
};

}  // namespace raicho::dsl
