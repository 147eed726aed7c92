// SPDX-License-Identifier: Apache-2.0
// Action programs by hand, for tests: words as shm/program.h has them.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "base/be.h"
#include "shm/program.h"

namespace raicho::test {

class Program {
  public:
    /// What follows goes to the action set.
    Program& write() {
        mode_ = shm::OpMode::write;
        return *this;
    }
    Program& apply() {
        mode_ = shm::OpMode::apply;
        return *this;
    }
    Program& op(shm::OpCode code, unsigned arg16 = 0, std::uint32_t arg32 = 0) {
        starts_.push_back(words_.size());
        add(shm::Op{code, mode_, static_cast<std::uint16_t>(arg16), arg32});
        return *this;
    }
    Program& output(std::uint32_t port, std::uint16_t max_len = 0) {
        return op(shm::OpCode::output, max_len, port);
    }
    Program& output(PortNo port, std::uint16_t max_len = 0) {
        return output(port.value(), max_len);
    }
    Program& go_to(unsigned table) { return op(shm::OpCode::goto_table, table); }
    /// A field of up to eight bytes, as an integer.
    Program& set(Field field, std::uint64_t value) {
        op(shm::OpCode::set_field, static_cast<unsigned>(field));
        std::array<std::byte, 8> bytes{};
        for (std::size_t i = 0; i < row(field).size(); ++i)
            bytes[i] = static_cast<std::byte>(value >> (8 * (row(field).size() - 1 - i)));
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        words_.push_back(word);
        return *this;
    }
    Program& metadata(std::uint64_t value, std::uint64_t mask) {
        op(shm::OpCode::metadata);
        for (std::uint64_t v : {value, mask}) {
            std::uint64_t word;
            store_be<std::uint64_t>(&word, v);
            words_.push_back(word);
        }
        return *this;
    }

    /// Contiguous, ended: a packet-out's.
    [[nodiscard]] std::vector<std::uint64_t> linear() const {
        std::vector<std::uint64_t> words = words_;
        words.push_back(0);
        return words;
    }
    /// Into chunks from `first` on; returns the one behind the last used.
    [[nodiscard]] std::uint32_t store(std::span<shm::Chunk> pool, std::uint32_t first) const {
        std::uint32_t chunk = first;
        std::size_t used = 0;
        pool[chunk] = shm::Chunk{};
        for (std::size_t i = 0; i < starts_.size(); ++i) {
            const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : words_.size();
            const std::size_t n = end - starts_[i];
            if (used + n > shm::kChunkWords) {
                pool[chunk].next = chunk + 1;
                pool[++chunk] = shm::Chunk{};
                used = 0;
            }
            for (std::size_t w = 0; w < n; ++w) pool[chunk].words[used++] = words_[starts_[i] + w];
        }
        return chunk + 1;
    }

  private:
    void add(const shm::Op& op) {
        std::uint64_t word;
        std::memcpy(&word, &op, 8);
        words_.push_back(word);
    }
    std::vector<std::uint64_t> words_;
    std::vector<std::size_t> starts_;
    shm::OpMode mode_ = shm::OpMode::apply;
};

}  // namespace raicho::test
