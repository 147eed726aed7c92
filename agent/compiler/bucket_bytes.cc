// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/bucket_bytes.h"

#include <cstring>

#include "openflow/codec.h"

namespace raicho::agent {
namespace {

struct Head {
    std::uint16_t weight = 0;
    std::uint16_t zero = 0;
    std::uint32_t watch_port = 0;
    std::uint32_t watch_group = 0;
    std::uint32_t size = 0;
};
static_assert(sizeof(Head) == 16 && std::has_unique_object_representations_v<Head>);

}  // namespace

std::vector<std::byte> encode_buckets(const openflow::Buckets& buckets) {
    std::vector<std::byte> bytes;
    for (const openflow::Bucket& bucket : buckets) {
        openflow::Instructions instructions;
        instructions.apply = bucket.actions;
        const std::size_t at = bytes.size();
        bytes.resize(at + sizeof(Head));
        openflow::encode_instructions(instructions, bytes);
        const Head head{.weight = bucket.weight,
                        .watch_port = bucket.watch_port.value(),
                        .watch_group = bucket.watch_group.value(),
                        .size = static_cast<std::uint32_t>(bytes.size() - at - sizeof(Head))};
        std::memcpy(bytes.data() + at, &head, sizeof head);
    }
    return bytes;
}

std::optional<openflow::Buckets> decode_buckets(Bytes bytes) {
    openflow::Buckets buckets;
    while (!bytes.empty()) {
        Head head;
        if (bytes.size() < sizeof head) return std::nullopt;
        std::memcpy(&head, bytes.data(), sizeof head);
        bytes = bytes.subspan(sizeof head);
        if (head.size > bytes.size()) return std::nullopt;
        auto instructions = openflow::decode_instructions(bytes.first(head.size));
        if (!instructions || !instructions->apply) return std::nullopt;
        bytes = bytes.subspan(head.size);
        buckets.push_back({.weight = head.weight,
                           .watch_port = PortNo(head.watch_port),
                           .watch_group = GroupId(head.watch_group),
                           .actions = *std::move(instructions->apply)});
    }
    return buckets;
}

}  // namespace raicho::agent
