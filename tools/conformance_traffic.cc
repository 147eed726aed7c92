// SPDX-License-Identifier: Apache-2.0
// Many frames at a fixed rate into one interface, and a count of what comes out of others, by
// Ethernet type and DSCP: the tester switch of the conformance suite's throughput cases. The rate
// follows the clock, a late tick is made up for; what could not be held is in the report (JSON on
// standard output), as are frames that this program itself lost.
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/be.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/text.h"

namespace raicho::conformance {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kBuffer = 64 << 20;
constexpr std::size_t kBatch = 64;
constexpr std::size_t kSnap = 128;  // headers: enough to classify
/// A stall of the machine longer than this is not made up for: its burst would be another test.
constexpr double kLongestBurst = 0.05;
constexpr auto kTick = 1ms;
constexpr auto kDrain = 300ms;  // what is under way still counts

struct Options {
    std::string frames, send;
    std::vector<std::string> count;
    double rate = 0;
    double seconds = 0;
};

struct Frames {
    std::vector<std::byte> bytes;
    std::vector<std::pair<std::size_t, std::size_t>> places;  // offset, size
};

struct Class {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
};
using Classes = std::map<std::pair<unsigned, int>, Class>;  // Ethernet type, DSCP or -1

struct Counter {
    std::string device;
    Fd socket;
    Classes classes;
    std::uint64_t lost = 0;
};

Result<Frames> read_frames(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return fail(format("\"{}\": cannot be read", path));
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    Frames frames;
    frames.bytes.resize(text.size());
    std::memcpy(frames.bytes.data(), text.data(), text.size());
    for (std::size_t at = 0; at + 2 <= text.size();) {
        const std::size_t size = load_be<std::uint16_t>(frames.bytes.data() + at);
        if (size == 0 || at + 2 + size > text.size())
            return fail(format("\"{}\": a frame of {} bytes at {}", path, size, at));
        frames.places.emplace_back(at + 2, size);
        at += 2 + size;
    }
    if (frames.places.empty()) return fail(format("\"{}\": no frame", path));
    return frames;
}

Result<Fd> open_socket(const std::string& device, int protocol) {
    Fd fd(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
    if (!fd) return fail_errno("packet socket", errno);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kBuffer, sizeof kBuffer);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUFFORCE, &kBuffer, sizeof kBuffer);
    const int yes = 1;
    ::setsockopt(fd.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(static_cast<std::uint16_t>(protocol));
    address.sll_ifindex = static_cast<int>(::if_nametoindex(device.c_str()));
    if (address.sll_ifindex == 0) return fail_errno(format("interface \"{}\"", device), errno);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail_errno(format("interface \"{}\"", device), errno);
    packet_mreq membership{address.sll_ifindex, PACKET_MR_PROMISC, 0, {}};
    ::setsockopt(fd.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership, sizeof membership);
    return fd;
}

/// A rate is held only by who runs on time; without the right to it the report will tell.
void hurry() {
    const sched_param first{.sched_priority = 1};
    ::sched_setscheduler(0, SCHED_FIFO, &first);
}

void classify(Classes& classes, const std::byte* frame, std::size_t size) {
    const unsigned type = load_be<std::uint16_t>(frame + 12);
    int dscp = -1;
    if (type == ETHERTYPE_IP) dscp = std::to_integer<int>(frame[15]) >> 2;
    if (type == ETHERTYPE_IPV6) dscp = load_be<std::uint16_t>(frame + 14) >> 6 & 63;
    Class& c = classes[{type, dscp}];
    ++c.packets;
    c.bytes += size;
}

void count(Counter& counter, const std::atomic<bool>& stop) {
    std::vector<std::array<std::byte, kSnap>> buffers(kBatch);
    std::vector<iovec> pieces(kBatch);
    std::vector<mmsghdr> messages(kBatch);
    for (std::size_t i = 0; i < kBatch; ++i) {
        pieces[i] = {buffers[i].data(), kSnap};
        messages[i].msg_hdr.msg_iov = &pieces[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    pollfd wait{counter.socket.get(), POLLIN, 0};
    while (!stop.load(std::memory_order_relaxed)) {
        if (::poll(&wait, 1, 20) <= 0) continue;
        const int n = ::recvmmsg(counter.socket.get(), messages.data(), kBatch,
                                 MSG_DONTWAIT | MSG_TRUNC, nullptr);
        for (int i = 0; i < n; ++i)  // msg_len is the frame's whole size with MSG_TRUNC
            classify(counter.classes, buffers[static_cast<std::size_t>(i)].data(),
                     messages[static_cast<std::size_t>(i)].msg_len);
    }
    tpacket_stats stats{};
    socklen_t size = sizeof stats;
    if (::getsockopt(counter.socket.get(), SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0)
        counter.lost = stats.tp_drops;
}

struct Sent {
    std::uint64_t frames = 0;
    double seconds = 0;
};

class Sender {
  public:
    Sender(const Fd& socket, Frames& frames) : socket_(socket), frames_(frames) {}

    Sent run(double rate, double seconds) {
        const auto start = Clock::now();
        auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
        std::uint64_t due = 0, given_up = 0;
        const auto total = static_cast<std::uint64_t>(rate * seconds);
        const auto most =
            std::max<std::uint64_t>(4, static_cast<std::uint64_t>(rate * kLongestBurst));
        for (auto tick = start; due < total;) {
            tick += kTick;
            std::this_thread::sleep_until(tick);
            const double now = passed();
            due = std::min(total, static_cast<std::uint64_t>(rate * now));
            const std::uint64_t behind = due - given_up - sent_;
            if (behind > most) given_up += behind - most;
            burst(std::min(behind, most));
            if (now >= seconds) break;
        }
        return {sent_, passed()};
    }

  private:
    void burst(std::uint64_t n) {
        while (n > 0) {
            const std::size_t batch = std::min<std::uint64_t>(n, kBatch);
            for (std::size_t i = 0; i < batch; ++i) {
                const auto [at, size] = frames_.places[(next_ + i) % frames_.places.size()];
                pieces_[i] = {frames_.bytes.data() + at, size};
                messages_[i].msg_hdr = {};
                messages_[i].msg_hdr.msg_iov = &pieces_[i];
                messages_[i].msg_hdr.msg_iovlen = 1;
            }
            const int done =
                ::sendmmsg(socket_.get(), messages_.data(), static_cast<unsigned>(batch), 0);
            if (done <= 0) return;  // the rate will tell
            sent_ += static_cast<std::uint64_t>(done);
            next_ += static_cast<std::size_t>(done);
            n -= static_cast<std::uint64_t>(done);
        }
    }

    const Fd& socket_;
    Frames& frames_;
    std::uint64_t sent_ = 0;
    std::size_t next_ = 0;
    std::array<iovec, kBatch> pieces_{};
    std::array<mmsghdr, kBatch> messages_{};
};

Result<int> run(const Options& options) {
    TRY_ASSIGN(Frames frames, read_frames(options.frames));
    TRY_ASSIGN(const Fd out, open_socket(options.send, 0));
    std::vector<Counter> counters;
    for (const std::string& device : options.count) {
        TRY_ASSIGN(Fd fd, open_socket(device, ETH_P_ALL));
        counters.push_back({device, std::move(fd), {}, 0});
    }
    std::atomic<bool> stop{false};
    Sent sent;
    {
        std::vector<std::jthread> threads;
        for (Counter& counter : counters)
            threads.emplace_back([&counter, &stop] { count(counter, stop); });
        hurry();
        sent = Sender(out, frames).run(options.rate, options.seconds);
        std::this_thread::sleep_for(kDrain);
        stop = true;
    }
    std::string rows;
    std::uint64_t lost = 0;
    for (const Counter& counter : counters) {
        lost += counter.lost;
        for (const auto& [key, c] : counter.classes)
            rows += format(R"({}{{"device":"{}","eth_type":{},"dscp":{},"packets":{},"bytes":{}}})",
                           rows.empty() ? "" : ",", counter.device, key.first, key.second,
                           c.packets, c.bytes);
    }
    std::puts(format(R"({{"sent":{},"seconds":{:.6f},"lost":{},"classes":[{}]}})", sent.frames,
                     sent.seconds, lost, rows)
                  .c_str());
    return 0;
}

}  // namespace
}  // namespace raicho::conformance

int main(int argc, char** argv) {
    raicho::conformance::Options options;
    CLI::App app{"Sends frames at a rate and counts what comes back."};
    app.add_option("--frames", options.frames, "file: size (16 bits), frame, ...")->required();
    app.add_option("--send", options.send, "interface to send on")->required();
    app.add_option("--count", options.count, "interfaces to count on");
    app.add_option("--rate", options.rate, "frames a second")->required();
    app.add_option("--seconds", options.seconds, "for how long")->required();
    CLI11_PARSE(app, argc, argv);
    const auto result = raicho::conformance::run(options);
    if (result) return *result;
    std::fputs(raicho::format("error: {}\n", result.error().text).c_str(), stderr);
    return 1;
}
