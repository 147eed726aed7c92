// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/named_table.h"

#include "base/text.h"

namespace raicho::agent {

void NamedTable::link(std::uint32_t row) {
    shm::NamedRow& entry = rows_.rows[row];
    std::atomic<std::uint32_t>& head = head_of(entry);
    entry.state.store(1, std::memory_order_relaxed);
    entry.next.store(head.load(std::memory_order_relaxed), std::memory_order_relaxed);
    head.store(row, std::memory_order_release);  // pairs with NamedRows::find()
}

void NamedTable::unlink(std::uint32_t row) {
    shm::NamedRow& entry = rows_.rows[row];
    std::atomic<std::uint32_t>* link = &head_of(entry);
    while (link->load(std::memory_order_relaxed) != row)
        link = &rows_.rows[link->load(std::memory_order_relaxed)].next;
    // Who stands on the row goes on by its `next`, which stays until the grace period has passed.
    link->store(entry.next.load(std::memory_order_relaxed), std::memory_order_release);
    entry.state.store(0, std::memory_order_relaxed);
}

Result<std::vector<std::uint32_t>> NamedTable::adopt() {
    std::vector<bool> referenced(rows_.rows.size());
    std::vector<std::uint32_t> met;
    for (const auto& head : rows_.heads) {
        for (std::uint32_t row = head.load(std::memory_order_relaxed); row != shm::kNoRow;
             row = rows_.rows[row].next.load(std::memory_order_relaxed)) {
            if (row >= rows_.rows.size() || referenced[row] || &head_of(rows_.rows[row]) != &head)
                return fail(format("row {} of a chain", row));
            referenced[row] = true;
            met.push_back(row);
        }
    }
    for (std::uint32_t row = 1; row < rows_.rows.size(); ++row)
        rows_.rows[row].state.store(referenced[row] ? 1 : 0, std::memory_order_relaxed);
    pool_.rebuild(referenced);
    return met;
}

}  // namespace raicho::agent
