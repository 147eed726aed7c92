// SPDX-License-Identifier: Apache-2.0
// The vnet header and the VLAN tag that Linux takes out of frames.
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/be.h"
#include "dataplane/io/packet_socket.h"
#include "dataplane/io/vnet_header.h"

namespace raicho::io {
namespace {

using pipeline::Checksum;
using pipeline::Gso;
using pipeline::GsoEcn;
using pipeline::Packet;

/// A frame of counted bytes with 128 bytes of room in front.
struct Frame {
    explicit Frame(std::uint32_t size) : memory(128 + size) {
        for (std::size_t i = 0; i < size; ++i) memory[128 + i] = static_cast<std::byte>(i & 0xff);
        packet.data = memory.data() + 128;
        packet.size = packet.first_size = size;
        packet.headroom = 128;
    }
    std::vector<std::byte> memory;
    Packet packet;
};

TEST(VnetHeader, PlainFrameHasNothingToDo) {
    Frame frame(60);
    EXPECT_EQ(read_vnet_header({}, frame.packet), VnetOutcome::fits);
    EXPECT_EQ(frame.packet.checksum, Checksum::complete);
    EXPECT_EQ(frame.packet.gso, Gso::none);
    EXPECT_EQ(make_vnet_header(frame.packet), VnetHeader{});
}

TEST(VnetHeader, PartialChecksumComesAndGoes) {
    Frame frame(100);
    const VnetHeader header{.flags = kVnetNeedsCsum, .csum_start = 34, .csum_offset = 6};
    ASSERT_EQ(read_vnet_header(header, frame.packet), VnetOutcome::fits);
    EXPECT_EQ(frame.packet.checksum, Checksum::partial);
    EXPECT_EQ(frame.packet.csum_start, 34);
    EXPECT_EQ(make_vnet_header(frame.packet), header);
}

TEST(VnetHeader, ChecksumPastTheFirstSegmentIsDamage) {
    Frame frame(60);
    const VnetHeader header{.flags = kVnetNeedsCsum, .csum_start = 50, .csum_offset = 9};
    EXPECT_EQ(read_vnet_header(header, frame.packet), VnetOutcome::damaged);
}

TEST(VnetHeader, UnknownTypeAndZeroSegmentAreDamage) {
    Frame frame(60);
    EXPECT_EQ(read_vnet_header({.gso_type = 7, .gso_size = 1448}, frame.packet),
              VnetOutcome::damaged);
    EXPECT_EQ(read_vnet_header({.gso_type = 1, .gso_size = 0}, frame.packet), VnetOutcome::damaged);
}

TEST(VnetHeader, LargeTcpFrameSaysHowLongItsHeadersAre) {
    Frame frame(2000);
    frame.packet.size = 60000;
    frame.packet.data[34 + 12] = std::byte{0x80};  // data offset: 32 bytes
    const VnetHeader header{.flags = kVnetNeedsCsum,
                            .gso_type = 1 | kVnetGsoEcn,
                            .hdr_len = 2000,  // the sender's hint: its whole linear part
                            .gso_size = 1448,
                            .csum_start = 34,
                            .csum_offset = 16};
    ASSERT_EQ(read_vnet_header(header, frame.packet), VnetOutcome::fits);
    EXPECT_EQ(frame.packet.gso, Gso::tcp4);
    EXPECT_EQ(frame.packet.gso_ecn, GsoEcn::yes);
    VnetHeader sent = header;
    sent.hdr_len = 34 + 32;
    EXPECT_EQ(make_vnet_header(frame.packet), sent);
}

TEST(VlanTag, IsPutBackBehindTheAddressesAndChecksumMovesAlong) {
    for (const std::uint16_t tpid : {std::uint16_t{0x8100}, std::uint16_t{0x88a8}}) {
        Frame frame(2000);
        const std::vector<std::byte> before(frame.packet.data, frame.packet.data + 2000);
        ASSERT_EQ(read_vnet_header({.flags = kVnetNeedsCsum,
                                    .gso_type = 4,
                                    .hdr_len = 74,
                                    .gso_size = 1428,
                                    .csum_start = 54,
                                    .csum_offset = 16},
                                   frame.packet),
                  VnetOutcome::fits);
        ASSERT_TRUE(insert_vlan_tag(frame.packet, tpid, 0x6005));
        EXPECT_EQ(frame.packet.size, 2004u);
        EXPECT_EQ(frame.packet.headroom, 124);
        EXPECT_EQ(frame.packet.csum_start, 58);
        EXPECT_EQ(std::memcmp(frame.packet.data, before.data(), 12), 0);
        EXPECT_EQ(load_be<std::uint16_t>(frame.packet.data + 12), tpid);
        EXPECT_EQ(load_be<std::uint16_t>(frame.packet.data + 14), 0x6005);
        EXPECT_EQ(std::memcmp(frame.packet.data + 16, before.data() + 12, 1988), 0);
    }
}

TEST(VlanTag, NeedsAddressesAndRoom) {
    Frame shorter(11);
    EXPECT_FALSE(insert_vlan_tag(shorter.packet, 0x8100, 5));
    Frame full(60);
    full.packet.headroom = 3;
    EXPECT_FALSE(insert_vlan_tag(full.packet, 0x8100, 5));
    EXPECT_EQ(full.packet.size, 60u);
}

/// A message head with auxiliary data as the kernel writes it.
struct Auxiliary {
    explicit Auxiliary(const tpacket_auxdata& aux, int type = PACKET_AUXDATA) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_PACKET;
        head->cmsg_type = type;
        head->cmsg_len = CMSG_LEN(sizeof aux);
        std::memcpy(CMSG_DATA(head), &aux, sizeof aux);
    }
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(tpacket_auxdata))> control{};
    msghdr message{};
};

TEST(StrippedTag, IsReadOutOfTheAuxiliaryData) {
    tpacket_auxdata aux{};
    aux.tp_status = TP_STATUS_VLAN_VALID | TP_STATUS_VLAN_TPID_VALID;
    aux.tp_vlan_tpid = 0x88a8;
    aux.tp_vlan_tci = 0xa064;
    EXPECT_EQ(stripped_tag(Auxiliary(aux).message), (VlanTag{.tpid = 0x88a8, .tci = 0xa064}));
    aux.tp_status = TP_STATUS_VLAN_VALID;  // kernels that do not say which
    EXPECT_EQ(stripped_tag(Auxiliary(aux).message), (VlanTag{.tpid = 0x8100, .tci = 0xa064}));
}

TEST(StrippedTag, IsAbsentFromUntaggedFramesAndForeignData) {
    tpacket_auxdata aux{};
    aux.tp_vlan_tci = 5;
    EXPECT_FALSE(stripped_tag(Auxiliary(aux).message));
    aux.tp_status = TP_STATUS_VLAN_VALID;
    EXPECT_FALSE(stripped_tag(Auxiliary(aux, PACKET_AUXDATA + 1).message));
    EXPECT_FALSE(stripped_tag(msghdr{}));
}

}  // namespace
}  // namespace raicho::io
