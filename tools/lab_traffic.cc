// SPDX-License-Identifier: Apache-2.0
// Numbered packets through a switch, for the crash test and measurements: a sender in one network
// namespace, a receiver in another. Says `ready` on standard output when it begins, and at last, as
// JSON, what was lost, when, and for how long. Stops after --seconds or at SIGINT/SIGTERM.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "base/be.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/text.h"

namespace raicho::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint16_t kEtherType = 0x88b5;  // IEEE local experimental
constexpr std::uint64_t kMagic = 0x7261'6963'686f'2121;
constexpr int kBuffer = 32 << 20;

struct Frame {
    std::array<std::uint8_t, 6> dst;
    std::array<std::uint8_t, 6> src;
    Be16 type;
    Be64 magic;
    Be32 flow;
    Be64 sequence;
};
static_assert(sizeof(Frame) == 34);

struct Options {
    std::string tx, rx;  // PID:INTERFACE
    double rate = 20000;
    double seconds = 0;  // 0 = until a signal
    std::uint32_t flows = 1;
    std::size_t size = 64;
};

std::atomic<bool> g_stop{false};  // set by the signal handler
std::atomic<std::uint64_t> g_received{0};

/// A raw socket on INTERFACE in the namespace of PID; changes the calling thread's namespace.
Result<Fd> open_socket(const std::string& where) {
    const std::size_t colon = where.find(':');
    if (colon == std::string::npos) return fail(format("\"{}\": not PID:INTERFACE", where));
    const std::string interface = where.substr(colon + 1);
    const std::string path = format("/proc/{}/ns/net", where.substr(0, colon));
    const Fd ns(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!ns || ::setns(ns.get(), CLONE_NEWNET) != 0) return fail_errno(path, errno);
    Fd fd(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(kEtherType)));
    if (!fd) return fail_errno("packet socket", errno);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kBuffer, sizeof kBuffer);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUFFORCE, &kBuffer, sizeof kBuffer);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(kEtherType);
    address.sll_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
    if (address.sll_ifindex == 0) return fail_errno(format("interface \"{}\"", where), errno);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail_errno(format("interface \"{}\"", where), errno);
    packet_mreq membership{address.sll_ifindex, PACKET_MR_PROMISC, 0, {}};
    ::setsockopt(fd.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership, sizeof membership);
    return fd;
}

/// What both threads found; each vector is written by one of them and read after the join.
struct Report {
    std::uint64_t sent = 0;
    std::uint64_t send_errors = 0;
    std::uint64_t duplicates = 0;
    std::vector<std::uint64_t> sent_by_flow, received_by_flow;
    std::vector<Clock::time_point> arrived;  // by sequence, min() = never
    std::string error;
};

void send_all(const Options& options, Report& report) {
    auto fd = open_socket(options.tx);
    if (!fd) {
        report.error = fd.error().text;
        g_stop = true;
        return;
    }
    std::vector<std::byte> bytes(std::max(options.size, sizeof(Frame)));
    Frame frame{.dst = {2, 0, 0, 0, 2, 0},
                .src = {2, 0, 0, 0, 1, 0},
                .type = kEtherType,
                .magic = kMagic,
                .flow = 0u,
                .sequence = std::uint64_t{0}};
    const auto start = Clock::now();
    const auto end = options.seconds > 0
                         ? start + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(options.seconds))
                         : Clock::time_point::max();
    while (!g_stop) {
        const auto now = Clock::now();
        if (now >= end) break;
        const double elapsed = std::chrono::duration<double>(now - start).count();
        // Never more than a millisecond of packets at once after a pause of ours.
        const auto due = static_cast<std::uint64_t>(elapsed * options.rate);
        const auto burst = static_cast<std::uint64_t>(options.rate / 500) + 1;
        for (std::uint64_t n = 0; report.sent < due && n < burst; ++n) {
            const auto flow = static_cast<std::uint32_t>(report.sent % options.flows);
            frame.dst[5] = frame.src[5] = static_cast<std::uint8_t>(flow);
            frame.flow = flow;
            frame.sequence = report.sent;
            std::memcpy(bytes.data(), &frame, sizeof frame);
            if (::send(fd->get(), bytes.data(), bytes.size(), 0) < 0) {
                ++report.send_errors;
                break;
            }
            ++report.sent_by_flow[flow];
            ++report.sent;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    g_stop = true;
}

void receive_all(const Options& options, Report& report, const std::atomic<bool>& finished) {
    auto fd = open_socket(options.rx);
    if (!fd) {
        report.error = fd.error().text;
        g_stop = true;
        return;
    }
    std::array<std::byte, 2048> bytes{};
    while (!finished) {
        pollfd watch{fd->get(), POLLIN, 0};
        if (::poll(&watch, 1, 50) <= 0) continue;
        const ssize_t got = ::recv(fd->get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < static_cast<ssize_t>(sizeof(Frame))) continue;
        Frame frame;
        std::memcpy(&frame, bytes.data(), sizeof frame);
        if (frame.magic.value() != kMagic || frame.flow.value() >= options.flows) continue;
        const std::uint64_t sequence = frame.sequence.value();
        if (sequence >= report.arrived.size())
            report.arrived.resize(sequence * 2 + 1024, Clock::time_point::min());
        if (report.arrived[sequence] != Clock::time_point::min()) {
            ++report.duplicates;
            continue;
        }
        report.arrived[sequence] = Clock::now();
        g_received.fetch_add(1, std::memory_order_relaxed);
        ++report.received_by_flow[frame.flow.value()];
    }
}

void print(const Report& report) {
    std::uint64_t received = 0;
    for (const std::uint64_t n : report.received_by_flow) received += n;
    std::string gaps;
    double longest_ms = 0;
    Clock::time_point last = Clock::time_point::min();
    std::uint64_t missing = 0;
    for (std::uint64_t i = 0; i < report.sent; ++i) {
        const auto at = i < report.arrived.size() ? report.arrived[i] : Clock::time_point::min();
        if (at == Clock::time_point::min()) {
            ++missing;
            continue;
        }
        if (missing > 0 && last != Clock::time_point::min()) {
            const double ms = std::chrono::duration<double, std::milli>(at - last).count();
            longest_ms = std::max(longest_ms, ms);
            gaps += format("{}{{\"sequence\":{},\"packets\":{},\"ms\":{:.1f}}}",
                           gaps.empty() ? "" : ",", i - missing, missing, ms);
        }
        missing = 0;
        last = at;
    }
    fmt::print(
        "{{\"sent\":{},\"received\":{},\"lost\":{},\"duplicates\":{},\"send_errors\":{},"
        "\"longest_gap_ms\":{:.1f},\"gaps\":[{}],\"sent_by_flow\":[{}],"
        "\"received_by_flow\":[{}]}}\n",
        report.sent, received, report.sent - received, report.duplicates, report.send_errors,
        longest_ms, gaps, fmt::join(report.sent_by_flow, ","),
        fmt::join(report.received_by_flow, ","));
}

int run(const Options& options) {
    Report report;
    report.sent_by_flow.resize(options.flows);
    report.received_by_flow.resize(options.flows);
    report.arrived.resize(1 << 20, Clock::time_point::min());
    for (const int number : {SIGINT, SIGTERM}) {
        struct sigaction action{};
        action.sa_handler = [](int) { g_stop = true; };
        ::sigaction(number, &action, nullptr);
    }
    std::atomic<bool> finished{false};
    std::thread receiver([&] { receive_all(options, report, finished); });
    std::thread sender([&] {
        std::this_thread::sleep_for(
            std::chrono::milliseconds(50));  // the receiver is bound by then
        fmt::print("ready\n");
        std::fflush(stdout);
        send_all(options, report);
    });
    sender.join();
    // What is still under way: until nothing has come for half a second.
    for (std::uint64_t before = ~0ull; before != g_received;) {
        before = g_received;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    finished = true;
    receiver.join();
    if (!report.error.empty()) {
        fmt::print(stderr, "lab-traffic: {}\n", report.error);
        return 1;
    }
    print(report);
    return 0;
}

}  // namespace
}  // namespace raicho::lab

int main(int argc, char** argv) {
    raicho::lab::Options options;
    CLI::App app("numbered packets through a switch; reports the loss as JSON");
    app.add_option("--tx", options.tx, "PID:INTERFACE of the sender")->required();
    app.add_option("--rx", options.rx, "PID:INTERFACE of the receiver")->required();
    app.add_option("--rate", options.rate, "packets a second");
    app.add_option("--seconds", options.seconds, "how long; 0 = until a signal");
    app.add_option("--flows", options.flows, "distinct address pairs")->check(CLI::Range(1, 256));
    app.add_option("--size", options.size, "bytes of a frame")->check(CLI::Range(60, 1514));
    CLI11_PARSE(app, argc, argv);
    return raicho::lab::run(options);
}
