// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/chunk_store.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace raicho::agent {

using shm::kNoChunk;

std::optional<std::uint32_t> ChunkStore::write(Bytes bytes, std::uint32_t tag) {
    const std::size_t n = (bytes.size() + shm::kChunkBytes - 1) / shm::kChunkBytes;
    if (n > pool_.available()) return std::nullopt;
    const auto chunks = arena_.chunks();
    std::uint32_t first = kNoChunk;
    shm::Chunk* last = nullptr;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t index = *pool_.take();
        shm::Chunk& chunk = chunks[index];
        const Bytes part = bytes.subspan(i * shm::kChunkBytes);
        chunk = {};
        std::memcpy(chunk.words.data(), part.data(), std::min(part.size(), shm::kChunkBytes));
        if (last == nullptr) {
            first = index;
            chunk.tag = tag;
        } else {
            last->next = index;
        }
        last = &chunk;
    }
    return first;
}

std::string ChunkStore::shortage(std::string_view what) const {
    return format("no room for {}: {} of {} chunks are free: raise max-flows", what,
                  pool_.available(), arena_.chunks().size() - 1);
}

void ChunkStore::free(std::uint32_t first) {
    const auto chunks = arena_.chunks();
    while (first != kNoChunk) {
        const std::uint32_t next = chunks[first].next;
        pool_.give(first);
        first = next;
    }
}

bool ChunkStore::mark(std::uint32_t first, std::vector<bool>& referenced) const {
    const auto chunks = arena_.chunks();
    while (first != kNoChunk) {
        if (first >= chunks.size() || referenced[first]) return false;
        referenced[first] = true;
        first = chunks[first].next;
    }
    return true;
}

}  // namespace raicho::agent
