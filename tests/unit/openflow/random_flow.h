// SPDX-License-Identifier: Apache-2.0
// Valid messages from a seed, for round trips.
#pragma once

#include <random>

#include "openflow/message.h"

namespace raicho::openflow {

/// What a random message may hold: what the wire can say, or only what the text form can.
enum class Spell : bool { wire, text };

class RandomFlow {
  public:
    explicit RandomFlow(std::uint64_t seed, Spell spell = Spell::wire)
        : engine_(seed), spell_(spell) {}

    /// A match that check_match() takes: prerequisites first, values within masks.
    [[nodiscard]] Match match();
    /// Instructions that check_instructions() takes with that match.
    [[nodiscard]] Instructions instructions(const Match& match);
    [[nodiscard]] FlowMod flow_mod();
    /// Any message of either side.
    [[nodiscard]] Message message();

  private:
    [[nodiscard]] std::uint64_t below(std::uint64_t n) { return engine_() % n; }
    [[nodiscard]] bool chance(unsigned percent) { return below(100) < percent; }
    template <class T>
    [[nodiscard]] T bits() {
        return static_cast<T>(engine_());
    }
    [[nodiscard]] FieldValue value(Field field);
    [[nodiscard]] PortNo output_port();
    void add_random_field(Match& match, Field field);
    [[nodiscard]] Action action(const Match& match);
    [[nodiscard]] ActionList actions(const Match& match);
    [[nodiscard]] ByteVector data();
    [[nodiscard]] PortDesc port_desc();
    [[nodiscard]] Buckets buckets();
    [[nodiscard]] MeterBands bands();
    [[nodiscard]] TableFeatures table_features();
    [[nodiscard]] AsyncConfig async_config();
    [[nodiscard]] MultipartReply reply();
    [[nodiscard]] MultipartRequest request();
    [[nodiscard]] Message flow_message();
    [[nodiscard]] Message session_message();
    [[nodiscard]] Message change_message();

    std::mt19937_64 engine_;
    Spell spell_;
};

}  // namespace raicho::openflow
