// SPDX-License-Identifier: Apache-2.0
// Grace periods: what the agent has unlinked may be reused once every reader has said that it
// holds nothing from before. Readers write their counters in the dataplane's pages, the agent its
// token in its own; a dead reader is passed over by the agent's private knowledge, never written.
// Nothing here blocks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "base/ids.h"

namespace raicho::shm {

/// A grace period that was asked for; passed when every online reader has reported since.
using GraceToken = Id<struct GraceTokenTag, std::uint64_t>;

//  off size field     writer: the reader
//    0   8  seen      token at its last quiescent state, 0 = offline (holds nothing)
//    8  56  zero
struct alignas(64) ReaderWord {
    std::atomic<std::uint64_t> seen;
    std::array<std::uint8_t, 56> zero;
};
static_assert(sizeof(ReaderWord) == 64);

/// A reader's side; one thread each.
class QsbrReader {
  public:
    QsbrReader(ReaderWord& word, const std::atomic<std::uint64_t>& token)
        : word_(&word), token_(&token) {}

    /// From now on this thread may hold indexes between calls of quiescent().
    void online() noexcept {
        word_->seen.exchange(token_->load(std::memory_order_acquire), std::memory_order_acq_rel);
        // What this reader reads from here on is what the agent left before it saw the reader
        // offline. Pairs with the fence in QsbrWriter::start().
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    /// Holds nothing now; goes on.
    void quiescent() noexcept {
        // pairs with QsbrWriter::passed(); the token was stored after the unlinking stores
        word_->seen.store(token_->load(std::memory_order_acquire), std::memory_order_release);
    }
    /// Holds nothing and will read nothing before online().
    void offline() noexcept { word_->seen.store(0, std::memory_order_release); }

  private:
    ReaderWord* word_;
    const std::atomic<std::uint64_t>* token_;
};

/// The agent's side; one thread.
class QsbrWriter {
  public:
    /// `token` lies in the agent's pages and starts at 1 or more.
    QsbrWriter(std::atomic<std::uint64_t>& token, std::span<const ReaderWord> readers)
        : token_(&token), readers_(readers) {}

    /// Asks for a grace period over everything unlinked so far.
    [[nodiscard]] GraceToken start() noexcept {
        const GraceToken token(token_->fetch_add(1, std::memory_order_acq_rel) + 1);
        // pairs with QsbrReader::online(): who comes online unseen sees what was unlinked
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return token;
    }
    /// Whether every reader has been offline or quiescent since start().
    [[nodiscard]] bool passed(GraceToken token) const noexcept {
        if (token.value() <= passed_) return true;
        if (!ignored_) {
            for (const ReaderWord& reader : readers_) {
                // pairs with QsbrReader::quiescent() and offline()
                const std::uint64_t seen = reader.seen.load(std::memory_order_acquire);
                if (seen != 0 && seen < token.value()) return false;
            }
        }
        passed_ = token.value();
        return true;
    }
    /// All readers are dead (their process is): they count as passed. A new dataplane zeroes the
    /// words before it shows itself; heed() then.
    void ignore_readers() noexcept { ignored_ = true; }
    void heed_readers() noexcept { ignored_ = false; }

  private:
    std::atomic<std::uint64_t>* token_;
    std::span<const ReaderWord> readers_;
    mutable std::uint64_t passed_ = 0;
    bool ignored_ = false;
};

}  // namespace raicho::shm
