// SPDX-License-Identifier: Apache-2.0
// A stand-in for the agent, for tests of the dataplane alone: makes an arena with one bridge in
// NORMAL mode and does what its standard input says, one command a line, one answer a line
// (`ok …` or `error …`). No OpenFlow, no configuration.
//
//   arena [workers=N] [idle=busy] [memory=MB] [eal=ARGUMENTS]   make it
//   adopt                                        take over the one that is there
//   port SLOT NO KIND NAME DEVICE|- [mtu=N] [queues=N] [force=1]   write the row, prepared
//   attach SLOT | detach SLOT                    one store
//   connect                                      hello
//   open SLOT | close SLOT | stop                requests, answered when the dataplane answers
//   status SLOT                                  health, sequence, ifindex, mtu, text
//   counters SLOT                                rx_packets rx_bytes tx_packets tx_bytes …
//   drops SLOT | worker N | punts | quit
//   packet-out NO HEX                            to be sent out of port NO
//   flow TEXT                                    as ovs-ofctl writes it; misses are dropped then
//   queues SLOT BPS [ID:PRIORITY:WEIGHT:MIN:MAX]...   egress queues; BPS 0: as the device can
//   queue-stats SLOT                             ns of CLOCK_MONOTONIC, ID:packets:bytes:errors...
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/compiler/arena_flow_store.h"
#include "base/text.h"
#include "openflow/text.h"
#include "shm/arena.h"
#include "shm/control.h"
#include "shm/packet_record.h"
#include "shm/program.h"

namespace raicho {
namespace {

constexpr BridgeId kBridge{0};
constexpr std::size_t kMaxEvents = 9;

template <std::size_t N>
void put(std::array<char, N>& to, std::string_view text) {
    to = {};
    std::ranges::copy(text.substr(0, N - 1), to.begin());
}

template <std::size_t N>
std::string get(const std::array<char, N>& from) {
    return {from.data(), ::strnlen(from.data(), N)};
}

using Words = std::vector<std::string>;

std::uint32_t number(const std::string& text) {
    const auto value = parse_number(text);
    return value ? static_cast<std::uint32_t>(*value) : 0;
}

std::optional<std::string> option(const Words& words, std::string_view key) {
    for (const std::string& word : words)
        if (word.starts_with(std::string(key) + "=")) return word.substr(key.size() + 1);
    return std::nullopt;
}

const std::map<std::string, shm::PortKind> kKinds{{"af-packet", shm::PortKind::af_packet},
                                                  {"tap", shm::PortKind::tap},
                                                  {"null", shm::PortKind::null},
                                                  {"ethdev", shm::PortKind::ethdev},
                                                  {"local", shm::PortKind::local}};
constexpr std::array kHealths{"closed", "up", "down", "absent", "failed"};

class PortAgent {
  public:
    explicit PortAgent(std::string rundir) : rundir_(std::move(rundir)) {
        for (std::size_t i = 0; i < kMaxEvents; ++i)
            events_.emplace_back(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    }

    /// The answer's text, or an error.
    Result<std::string> obey(const Words& words) {
        const std::string& verb = words.front();
        if (verb == "arena" || verb == "adopt") return take_arena(words);
        if (!arena_) return fail("no arena yet");
        if (verb == "connect") return connect();
        if (verb == "stop") return request(shm::ControlType::stop, 0);
        if (verb == "punts") return punts();
        if (words.size() < 2) return fail("needs an argument");
        if (verb == "flow") return add_flow(words[1]);
        const PortSlot slot(static_cast<std::uint16_t>(number(words[1])));
        if (verb == "queues" && words.size() > 2) return set_queues(words, slot);
        if (verb == "queue-stats") return queue_stats(slot);
        if (verb == "port") return write_row(words, slot);
        if (verb == "attach") return attach(slot);
        if (verb == "detach") return detach(slot);
        if (verb == "open") return request(shm::ControlType::open_port, slot.value());
        if (verb == "close") return request(shm::ControlType::close_port, slot.value());
        if (verb == "status") return status(slot);
        if (verb == "counters") return counters(slot);
        if (verb == "drops") return drops(slot);
        if (verb == "worker") return worker(number(words[1]));
        if (verb == "packet-out" && words.size() > 2) return packet_out(words);
        return fail("unknown command");
    }

  private:
    Result<std::string> take_arena(const Words& words) {
        if (words.front() == "adopt") {
            TRY_ASSIGN(auto arena, shm::AgentArena::attach(rundir_));
            arena_.emplace(std::move(arena));
            return std::string();
        }
        shm::ArenaConfig config;
        config.max_flows = 1024;
        config.max_workers = kMaxEvents - 1;
        config.max_bridges = 1;
        TRY_ASSIGN(auto arena, shm::AgentArena::create(rundir_, config));
        arena_.emplace(std::move(arena));
        shm::Settings& settings = arena_->settings();
        settings.workers =
            static_cast<std::uint16_t>(number(option(words, "workers").value_or("1")));
        if (option(words, "idle") == "busy") settings.idle = shm::IdleProfile::busy;
        settings.memory_mb = number(option(words, "memory").value_or("0"));
        std::string eal = option(words, "eal").value_or("");
        std::ranges::replace(eal, '^', ' ');
        put(settings.eal_arguments, eal);
        shm::BridgeRecord& bridge = arena_->bridge(kBridge);
        bridge.mac_ageing_s = 300;
        bridge.miss_send_len = 128;
        bridge.mode = shm::BridgeMode::normal;
        settings.generation.fetch_add(1);
        return std::string();
    }

    Result<std::string> write_row(const Words& words, PortSlot slot) {
        if (words.size() < 6) return fail("port SLOT NO KIND NAME DEVICE");
        const auto kind = kKinds.find(words[3]);
        if (kind == kKinds.end()) return fail("unknown kind");
        shm::WantedPort& row = arena_->wanted_port(slot);
        shm::begin_change(row);
        row.port_no = number(words[2]);
        row.bridge = kBridge.value();
        row.kind = kind->second;
        put(row.name, words[4]);
        put(row.device, words[5] == "-" ? std::string() : words[5]);
        row.mtu = static_cast<std::uint16_t>(number(option(words, "mtu").value_or("0")));
        row.queues = static_cast<std::uint16_t>(number(option(words, "queues").value_or("0")));
        row.force = option(words, "force") ? 1 : 0;
        shm::end_change(row);
        if (row.phase.load() == shm::PortPhase::free) {
            arena_->rebase_port(slot);
            row.phase = shm::PortPhase::prepared;
        }
        return std::string();
    }
    Result<std::string> attach(PortSlot slot) {
        shm::WantedPort& row = arena_->wanted_port(slot);
        TRY(arena_->bind_port(kBridge, PortNo(row.port_no), slot));
        row.phase = shm::PortPhase::attached;
        ring();
        return std::string();
    }
    Result<std::string> detach(PortSlot slot) {
        shm::WantedPort& row = arena_->wanted_port(slot);
        arena_->unbind_port(kBridge, PortNo(row.port_no));
        row.phase = shm::PortPhase::free;
        ring();
        const shm::GraceToken grace = arena_->start_grace();
        for (int i = 0; i < 2000 && !arena_->grace_passed(grace); ++i) ::usleep(1000);
        return std::string();
    }
    void ring() {
        for (std::size_t i = 1; i < events_.size(); ++i) ::eventfd_write(events_[i].get(), 1);
    }

    Result<std::string> connect() {
        Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = rundir_ + "/dataplane.sock";
        std::ranges::copy(path, address.sun_path);
        if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            return fail_errno("connect", errno);
        socket_ = std::move(fd);
        shm::ControlMessage hello{};
        hello.type = shm::ControlType::hello;
        hello.layout_hash = shm::layout_hash();
        hello.arena = arena_->identity();
        iovec part{&hello, sizeof hello};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxEvents * sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(kMaxEvents * sizeof(int));
        for (std::size_t i = 0; i < events_.size(); ++i) {
            const int event = events_[i].get();
            std::memcpy(CMSG_DATA(rights) + i * sizeof event, &event, sizeof event);
        }
        if (::sendmsg(socket_.get(), &message, MSG_NOSIGNAL) < 0) return fail_errno("hello", errno);
        return answer(shm::ControlType::hello_reply);
    }
    Result<std::string> request(shm::ControlType type, std::uint32_t slot) {
        shm::ControlMessage message{};
        message.type = type;
        message.slot = slot;
        if (::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL) < 0)
            return fail_errno("request", errno);
        return answer(shm::ControlType::reply);
    }
    Result<std::string> answer(shm::ControlType type) {
        for (;;) {
            shm::ControlMessage message{};
            const ssize_t size = ::recv(socket_.get(), &message, sizeof message, 0);
            if (size <= 0) return fail("connection ended");
            if (message.type != type) continue;  // port events are polled through the arena
            if (message.status != 0) return fail(get(message.text));
            return get(message.text);
        }
    }

    Result<std::string> status(PortSlot slot) {
        const shm::PortStatus& row = arena_->port_status(slot);
        for (;;) {
            const std::uint32_t before = row.sequence.load();
            if ((before & 1) != 0) continue;
            std::string text = format("{} sequence={} ifindex={} mtu={} queues={} {}",
                                      kHealths[static_cast<std::size_t>(row.health)], before,
                                      row.ifindex, row.mtu, row.queues, get(row.text));
            if (row.sequence.load() == before) return text;
        }
    }
    Result<std::string> counters(PortSlot slot) {
        const shm::PortCounters c = arena_->port_totals(slot);
        return format("{} {} {} {} {} {} {} {}", c.rx_packets, c.rx_bytes, c.tx_packets, c.tx_bytes,
                      c.rx_dropped, c.tx_dropped, c.rx_errors, c.tx_errors);
    }
    Result<std::string> drops(PortSlot slot) {
        const shm::DropCounters c = arena_->drop_totals(slot);
        std::string text;
        for (const shm::DropRow& row : shm::kDropRows)
            if (c[row.reason] != 0) text += format("{}={} ", row.name, c[row.reason]);
        return text;
    }
    Result<std::string> worker(std::uint32_t index) {
        const auto& words = arena_->worker_words(WorkerId(static_cast<std::uint8_t>(index)));
        return format("sleeping={} core={} bursts={} empty={} dataplane={} generation={}",
                      words.sleeping.load(), words.core, words.bursts.load(),
                      words.empty_polls.load(), arena_->dataplane_words().pid.load(),
                      arena_->dataplane_words().generation.load());
    }
    Result<std::string> packet_out(const Words& words) {
        const auto frame = parse_hex(words[2]);
        if (!frame) return fail("not hex");
        shm::Op out{.code = shm::OpCode::output, .arg32 = number(words[1])};
        shm::PacketOutHead head{};
        head.data_size = static_cast<std::uint32_t>(frame->size());
        head.program_size = 2 * sizeof(shm::Op);
        head.in_port = 0xfffffffd;
        head.bridge = kBridge.value();
        std::vector<std::byte> record(sizeof head + head.program_size);
        std::memcpy(record.data(), &head, sizeof head);
        std::memcpy(record.data() + sizeof head, &out, sizeof out);
        shm::RingProducer ring = arena_->packet_out(WorkerId(0));
        if (!ring.push(record, *frame)) return fail("ring full");
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (arena_->worker_words(WorkerId(0)).sleeping.load() != 0)
            ::eventfd_write(events_[1].get(), 1);
        const std::uint64_t position = ring.position();
        for (int i = 0; i < 2000; ++i) {
            if (ring.consumed(position)) return std::string();
            ::usleep(1000);
        }
        return fail("not consumed");
    }
    Result<std::string> add_flow(const std::string& text) {
        if (!space_) {
            TRY_ASSIGN(space_, agent::ArenaSpace::open(*arena_));
            flows_.emplace(*space_, kBridge);
            arena_->bridge(kBridge).mode = shm::BridgeMode::flows_drop;
        }
        const auto flow = openflow::parse_flow(text, {});
        if (!flow) return fail(flow.error().text);
        const agent::FlowHead head{.table = flow->table, .priority = flow->priority};
        if (const auto done = flows_->insert(head, flow->match, flow->instructions); !done)
            return fail(done.error().why);
        return std::string();
    }
    Result<std::string> set_queues(const Words& words, PortSlot slot) {
        std::vector<shm::QueueRow> rows;
        for (const std::string& word : std::span(words).subspan(3)) {
            std::vector<std::uint64_t> values;
            for (const std::string_view part : split(word, ':'))
                values.push_back(parse_number(part).value_or(0));
            if (values.size() != 5) return fail("ID:PRIORITY:WEIGHT:MIN:MAX");
            rows.push_back({.id = static_cast<std::uint32_t>(values[0]),
                            .priority = static_cast<std::uint16_t>(values[1]),
                            .weight = static_cast<std::uint16_t>(values[2]),
                            .min_bps = values[3],
                            .max_bps = values[4]});
        }
        arena_->set_queues(slot, rows, parse_number(words[2]).value_or(0));
        return std::string();
    }
    Result<std::string> queue_stats(PortSlot slot) {
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        const shm::PortQueueCounters totals = arena_->queue_totals(slot);
        std::string text = format("{}{:09} ", now.tv_sec, now.tv_nsec);
        for (std::size_t i = 0; i < shm::kPortQueues; ++i) {
            const std::uint32_t id = arena_->wanted_queues(slot).queues[i].id;
            const shm::QueueCounters& c = totals.queues[i];
            if (id != shm::kNoQueue)
                text += format("{}:{}:{}:{} ", id, c.tx_packets, c.tx_bytes, c.tx_errors);
        }
        return text;
    }
    Result<std::string> punts() {
        std::size_t n = 0;
        for (std::uint8_t w = 0; w < arena_->max_workers(); ++w) {
            shm::RingConsumer ring = arena_->packet_in(WorkerId(w));
            for (; !ring.front().empty(); ring.pop()) ++n;
        }
        return format("{}", n);
    }

    std::string rundir_;
    std::optional<shm::AgentArena> arena_;
    std::unique_ptr<agent::ArenaSpace> space_;
    std::optional<agent::ArenaFlowStore> flows_;
    std::vector<Fd> events_;
    Fd socket_;
};

}  // namespace
}  // namespace raicho

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: port-agent RUNDIR\n";
        return 2;
    }
    raicho::PortAgent agent(argv[1]);
    for (std::string line; std::getline(std::cin, line);) {
        raicho::Words words;
        for (const std::string_view word : raicho::split(line, ' '))
            if (!word.empty()) words.emplace_back(word);
        if (words.empty()) continue;
        if (words.front() == "quit") break;
        const auto done = agent.obey(words);
        std::cout << (done ? "ok " + *done : "error " + done.error().text) << std::endl;
    }
    return 0;
}
