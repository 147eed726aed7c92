// SPDX-License-Identifier: Apache-2.0
#include "dataplane/pipeline/memo.h"

#include <sys/mman.h>

#include <algorithm>

namespace raicho::pipeline {

Memo::Memo(const shm::HashKey& secret) noexcept : secret_(secret) {
    constexpr std::size_t kSize = kEntries * sizeof(Entry);
    void* memory =
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = Mapping(memory, kSize);
    ::madvise(memory, kSize, MADV_HUGEPAGE);  // where there are none, small pages do
    entries_ = static_cast<Entry*>(memory);
}

/// Another table, or another version of it: nothing that was remembered holds.
void Memo::renew(Use& use, Table table) noexcept {
    if (use.row != table.row) use = {.row = table.row};
    use.version = table.version;
    if (++last_stamp_ == 0) {  // all have been used: old answers must not hold again
        if (entries_ != nullptr)
            for (Entry& entry : std::span(entries_, kEntries)) entry.stamp = 0;
        for (Use& other : uses_) other.row = UINT32_MAX;
        use.row = table.row;
        last_stamp_ = 1;
    }
    use.stamp = last_stamp_;
}

/// Half of the packets found again pay for the memo.
void Memo::judge(Use& use) noexcept {
    if (use.searched * 2 > use.asked) {
        use.rest = use.next_rest;
        use.next_rest = std::min(2 * use.next_rest, kMostRest);
    } else {
        use.next_rest = kLeastRest;
    }
    use.asked = use.searched = 0;
}

}  // namespace raicho::pipeline
