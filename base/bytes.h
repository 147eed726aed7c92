// SPDX-License-Identifier: Apache-2.0
// Byte cursors: a reader that cannot run past its end and a writer that grows a vector. They know
// no format; openflow/ and the pipeline's tests build on them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/be.h"

namespace raicho {

using Bytes = std::span<const std::byte>;

/// Reads from the front of a span. Each pull either succeeds whole or leaves the cursor alone.
class ByteReader {
  public:
    explicit ByteReader(Bytes bytes) : all_(bytes), rest_(bytes) {}

    [[nodiscard]] Bytes rest() const { return rest_; }
    [[nodiscard]] bool empty() const { return rest_.empty(); }
    [[nodiscard]] std::size_t size() const { return rest_.size(); }
    /// Bytes consumed so far.
    [[nodiscard]] std::size_t offset() const { return all_.size() - rest_.size(); }

    /// The next sizeof(T) bytes as a trivially copyable T (use Be<> members), or nothing.
    template <class T>
    [[nodiscard]] std::optional<T> pull() {
        if (rest_.size() < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, rest_.data(), sizeof(T));
        rest_ = rest_.subspan(sizeof(T));
        return value;
    }
    /// The next `size` bytes, or nothing.
    [[nodiscard]] std::optional<Bytes> take(std::size_t size) {
        if (rest_.size() < size) return std::nullopt;
        const Bytes taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }

  private:
    Bytes all_;
    Bytes rest_;
};

/// Appends to a vector owned by the caller.
class ByteWriter {
  public:
    explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

    [[nodiscard]] std::size_t offset() const { return out_.size(); }
    void put(Bytes bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
    template <class T>
    void put(const T& value)
        requires std::is_trivially_copyable_v<T>
    {
        put(std::as_bytes(std::span(&value, 1)));
    }
    void zeros(std::size_t size) { out_.resize(out_.size() + size); }
    /// Pads with zeros until the bytes since `start` are a multiple of `multiple`.
    void pad(std::size_t start, std::size_t multiple) {
        const std::size_t over = (out_.size() - start) % multiple;
        if (over != 0) zeros(multiple - over);
    }
    /// Overwrites a big-endian integer written earlier (a length known only at the end).
    template <std::unsigned_integral T>
    void patch(std::size_t offset, T value) {
        store_be<T>(out_.data() + offset, value);
    }

  private:
    std::vector<std::byte>& out_;
};

}  // namespace raicho
