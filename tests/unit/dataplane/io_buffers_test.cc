// SPDX-License-Identifier: Apache-2.0
// Buffers and chains on a real DPDK without huge pages; needs no root.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "dataplane/io/buffers.h"
#include "dataplane/io/eal.h"
#include "dataplane/io/receive_set.h"
#include "dataplane/io/vnet_send.h"

namespace raicho::io {
namespace {

constexpr std::uint32_t kSmall = 1024;

/// Byte `i` of every test frame.
std::byte pattern(std::size_t i) {
    return static_cast<std::byte>(i * 7 & 0xff);
}

/// DPDK starts once in a process.
class BufferTest : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        rundir_ = ::testing::TempDir() + "raicho-io-" + std::to_string(::getpid());
        std::filesystem::create_directories(rundir_);
        auto eal = Eal::start({.rundir = rundir_, .memory_mb = 32});
        ASSERT_TRUE(eal) << eal.error().text;
        eal_.emplace(std::move(*eal));
        auto buffers = Buffers::create({.small = kSmall, .large = 40}, BufferMemory::own);
        ASSERT_TRUE(buffers) << buffers.error().text;
        buffers_.emplace(std::move(*buffers));
    }
    static void TearDownTestSuite() {
        buffers_.reset();
        eal_.reset();
        std::filesystem::remove_all(rundir_);
    }
    void TearDown() override {
        EXPECT_EQ(rte_mempool_avail_count(buffers_->small()), kSmall) << "a small buffer is lost";
        EXPECT_EQ(rte_mempool_avail_count(buffers_->large()), 40u) << "a large buffer is lost";
    }

    /// A frame of `size` bytes as the kernel would put it into slot 0 of the set.
    static Packet* receive(ReceiveSet& set, std::size_t size) {
        EXPECT_EQ(set.refill(), kBurst);
        std::size_t n = 0;
        for (const iovec& part : set.vectors(0).subspan(1)) {
            auto* bytes = static_cast<std::uint8_t*>(part.iov_base);
            for (std::size_t i = 0; i < part.iov_len && n < size; ++i)
                bytes[i] = static_cast<std::uint8_t>(n++ * 7);
        }
        return set.take(0, size, PortSlot(3));
    }
    static void expect_bytes(const Packet& packet, std::size_t size) {
        std::vector<std::byte> bytes(size + 10);
        ASSERT_EQ(read_bytes(packet, 0, bytes), size);
        for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(bytes[i], pattern(i)) << "byte " << i;
    }

    static std::string rundir_;
    static std::optional<Eal> eal_;
    static std::optional<Buffers> buffers_;
};
std::string BufferTest::rundir_;
std::optional<Eal> BufferTest::eal_;
std::optional<Buffers> BufferTest::buffers_;

TEST_F(BufferTest, AFrameThatFitsIsOneSegmentAndLeavesTheLargeBufferInItsSlot) {
    ReceiveSet set(*buffers_);
    Packet* packet = receive(set, kFirstBytes);
    ASSERT_NE(packet, nullptr);
    EXPECT_TRUE(packet->single());
    EXPECT_EQ(packet->in_port, PortSlot(3));
    EXPECT_GE(packet->headroom, pipeline::kHeadroom + 4);
    expect_bytes(*packet, kFirstBytes);
    EXPECT_EQ(set.vectors(0).size(), 3u);
    rte_pktmbuf_free(mbuf_of(packet));
}

TEST_F(BufferTest, A64kFrameIsAChainOfTwo) {
    ReceiveSet set(*buffers_);
    constexpr std::size_t kSize = 65536 + 14;
    Packet* packet = receive(set, kSize);
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(packet->first_size, kFirstBytes);
    EXPECT_EQ(packet->size, kSize);
    EXPECT_EQ(mbuf_of(packet)->nb_segs, 2);
    expect_bytes(*packet, kSize);
    std::vector<std::byte> across(4);
    EXPECT_EQ(read_bytes(*packet, kFirstBytes - 2, across), 4u);
    EXPECT_EQ(across[3], pattern(kFirstBytes + 1));
    EXPECT_EQ(read_bytes(*packet, kSize, across), 0u);
    rte_pktmbuf_free(mbuf_of(packet));
    EXPECT_EQ(set.refill(), kBurst);
}

TEST_F(BufferTest, ADamagedVnetHeaderKeepsTheSlotsBuffers) {
    ReceiveSet set(*buffers_);
    ASSERT_EQ(set.refill(), kBurst);
    VnetHeader damaged{.gso_type = 77, .gso_size = 1};
    std::memcpy(set.vectors(0)[0].iov_base, &damaged, sizeof damaged);
    EXPECT_EQ(set.take(0, 60, PortSlot(1)), nullptr);
    EXPECT_EQ(set.refill(), kBurst);
}

TEST_F(BufferTest, WithoutLargeBuffersSmallFramesStillCome) {
    std::vector<rte_mbuf*> taken;
    while (rte_mbuf* mbuf = rte_pktmbuf_alloc(buffers_->large())) taken.push_back(mbuf);
    {
        ReceiveSet set(*buffers_);
        EXPECT_EQ(set.refill(), kBurst);
        EXPECT_EQ(set.vectors(0).size(), 2u);
        for (rte_mbuf* mbuf : taken) rte_pktmbuf_free(mbuf);
        EXPECT_EQ(set.refill(), kBurst);
    }
}

TEST_F(BufferTest, ACopyHasItsOwnHeadersAndSharesTheTail) {
    ReceiveSet set(*buffers_);
    Packet* packet = receive(set, 10000);
    Packet* copy = buffers_->clone(*packet);
    ASSERT_NE(copy, nullptr);
    EXPECT_GE(copy->headroom, packet->headroom);
    packet->data[0] = std::byte{0xee};
    expect_bytes(*copy, 10000);
    ASSERT_TRUE(copy->prepend(4));
    std::memset(copy->data, 1, 4);
    settle(copy);
    EXPECT_EQ(mbuf_of(copy)->pkt_len, 10004u);
    rte_pktmbuf_free(mbuf_of(packet));
    std::vector<std::byte> tail(1);
    EXPECT_EQ(read_bytes(*copy, 10003, tail), 1u);
    EXPECT_EQ(tail[0], pattern(9999));
    rte_pktmbuf_free(mbuf_of(copy));
}

TEST_F(BufferTest, AnEmptyPacketTakesWhatWasAskedFor) {
    for (const std::size_t size : {std::size_t{60}, std::size_t{9000}, std::size_t{65000}}) {
        Packet* packet = buffers_->alloc(size);
        ASSERT_NE(packet, nullptr) << size;
        EXPECT_GE(packet->headroom, pipeline::kHeadroom);
        EXPECT_TRUE(packet->append(static_cast<std::uint16_t>(size)));
        rte_pktmbuf_free(mbuf_of(packet));
    }
    EXPECT_EQ(buffers_->alloc(70000), nullptr);
}

TEST_F(BufferTest, AChainIsFlattenedForDevicesThatCannotSendIt) {
    ReceiveSet set(*buffers_);
    Packet* packet = receive(set, 5000);
    settle(packet);
    rte_mbuf* flat = buffers_->flatten(mbuf_of(packet));
    ASSERT_NE(flat, nullptr);
    EXPECT_EQ(flat->nb_segs, 1);
    describe(flat, PortSlot(0));
    expect_bytes(*packet_of(flat), 5000);
    rte_pktmbuf_free(flat);
    rte_pktmbuf_free(mbuf_of(packet));
}

TEST_F(BufferTest, ABatchDescribesEachFrameWithItsHeaderAndSegments) {
    ReceiveSet set(*buffers_);
    Packet* large = receive(set, 5000);
    Packet* small = buffers_->alloc(60);
    ASSERT_TRUE(small->append(60));
    settle(large);
    settle(small);
    const std::array<Packet*, 2> packets{large, small};
    VnetBatch batch;
    ASSERT_EQ(batch.fill(packets), 2u);
    const auto messages = batch.messages();
    ASSERT_EQ(messages[0].msg_hdr.msg_iovlen, 3u);
    EXPECT_EQ(messages[0].msg_hdr.msg_iov[0].iov_len, sizeof(VnetHeader));
    EXPECT_EQ(messages[0].msg_hdr.msg_iov[1].iov_len, kFirstBytes);
    EXPECT_EQ(messages[0].msg_hdr.msg_iov[2].iov_len, 5000u - kFirstBytes);
    EXPECT_EQ(messages[1].msg_hdr.msg_iovlen, 2u);
    for (Packet* packet : packets) rte_pktmbuf_free(mbuf_of(packet));
}

}  // namespace
}  // namespace raicho::io
