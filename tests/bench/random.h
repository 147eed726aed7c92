// SPDX-License-Identifier: Apache-2.0
// The generators' random numbers: splitmix64, the same on every machine and of any standard
// library, begun anew cheaply for each rule and flow, so that flow 7 is flow 7 however many there
// are.
#pragma once

#include <cstdint>

namespace raicho::bench {

class Random {
  public:
    /// `stream` sets sequences of one seed apart.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
        : state_(mix(seed + mix(stream + 1))) {}

    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }
    /// 0 to n - 1.
    std::uint64_t below(std::uint64_t n) { return next() % n; }
    /// True in so many cases of a hundred.
    bool percent(unsigned chance) { return below(100) < chance; }

  private:
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    std::uint64_t state_;
};

}  // namespace raicho::bench
