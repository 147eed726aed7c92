// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/dataplane.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/run_lock.h"
#include "base/text.h"
#include "dataplane/io/buffers.h"
#include "dataplane/io/control_server.h"
#include "dataplane/io/eal.h"
#include "dataplane/io/port_table.h"
#include "dataplane/io/status_row.h"
#include "dataplane/io/tap_port.h"
#include "dataplane/io/worker.h"
#include "dataplane/io/worker_plan.h"
#include "shm/arena.h"
#include "shm/arena_file.h"
#include "shm/mac_table.h"
#include "shm/text_field.h"

namespace raicho::io {
namespace {

constexpr int kArenaPollMs = 20;
constexpr long kTickNs = 250'000'000;
/// Learned addresses looked at in a tick: all of them within four seconds.
constexpr std::size_t kSweep = shm::kMacEntries / 16;
constexpr std::uint32_t kSlackMb = 64;  // DPDK's own needs and those of drivers
constexpr std::uint32_t kSpareEthdevs = 2;

Result<Fd> open_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGTERM);
    ::sigaddset(&set, SIGINT);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    Fd fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!fd) return fail_errno("signalfd", errno);
    return fd;
}

/// 256 ports on several workers take more descriptors than a shell's usual limit.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Nothing when a signal ended the wait.
Result<std::optional<shm::DataplaneArena>> wait_for_arena(const std::string& rundir,
                                                          const Fd& signals) {
    std::string waiting_for;
    for (;;) {
        Error why;
        // a look first: to attach touches every page
        if (const auto seen = shm::ArenaView::attach(rundir); !seen) {
            why = seen.error();
        } else if (seen->settings().generation.load(std::memory_order_acquire) == 0) {
            // the agent has not written the settings and the first ports yet
            why = {"its settings are not there yet", {}, EBUSY};
        } else {
            auto arena = shm::DataplaneArena::attach(rundir);
            // another one may have taken its place in between
            if (arena && arena->settings().generation.load(std::memory_order_acquire) != 0)
                return std::optional(std::move(*arena));
            why = arena ? Error{"it was just replaced", {}, EBUSY} : std::move(arena.error());
        }
        if (why.code != ENOENT && why.code != ESTALE && why.code != EBUSY)
            return std::unexpected(why);
        // an agent may be about to make, or to replace, it
        if (why.text != waiting_for) {
            LOG(info, "dataplane", "waiting for the agent's arena: {}", why.text);
            waiting_for = why.text;
        }
        pollfd poll{.fd = signals.get(), .events = POLLIN, .revents = 0};
        if (::poll(&poll, 1, kArenaPollMs) > 0) return std::optional<shm::DataplaneArena>();
    }
}

/// What the wanted ports need at the start.
struct Demand {
    std::uint32_t ports = 0;
    std::uint32_t ethdevs = 0;
};

Demand demand_of(const shm::DataplaneArena& arena) {
    Demand demand;
    for (std::size_t i = 0; i < arena.max_ports(); ++i) {
        const PortSlot slot(static_cast<std::uint16_t>(i));
        const shm::WantedPort& row = arena.wanted_port(slot);
        if (row.phase.load(std::memory_order_acquire) == shm::PortPhase::free) continue;
        ++demand.ports;
        if (row.kind != shm::PortKind::ethdev) continue;
        ++demand.ethdevs;
    }
    return demand;
}

/// Taps of an earlier life that nobody wants any more.
void remove_stray_taps(Netlink& netlink, const std::string& rundir,
                       const shm::DataplaneArena& arena) {
    const auto links = netlink.links();
    if (!links) return;
    std::set<std::string> wanted;
    for (std::size_t i = 0; i < arena.max_ports(); ++i) {
        const PortSlot slot(static_cast<std::uint16_t>(i));
        const shm::WantedPort& row = arena.wanted_port(slot);
        if (row.phase.load(std::memory_order_acquire) != shm::PortPhase::free)
            wanted.insert(interface_of(settings_of(row, slot)));
    }
    for (const Link& link : *links) {
        if (link.alias != tap_alias(rundir) || wanted.contains(link.name)) continue;
        const auto done = netlink.delete_link(link.ifindex);
        LOG(info, "dataplane", "removed {}, a tap that no port wants any more{}", link.name,
            done ? "" : ": failed");
    }
}

/// The parts in the order of their dependence; destroyed in reverse.
class Dataplane {
  public:
    Dataplane(std::string rundir, shm::DataplaneArena arena, Fd signals, LogTarget log,
              FollowLevel follow)
        : rundir_(std::move(rundir)),
          arena_(std::move(arena)),
          signals_(std::move(signals)),
          log_(std::move(log)),
          follow_level_(follow) {}
    ~Dataplane();
    Result<void> start();
    /// After a start that failed: another one, in a new process, would go without huge pages.
    [[nodiscard]] bool pages_gone() const { return pages_gone_; }
    Result<Ended> serve();

  private:
    void follow_settings();
    Result<void> start_eal();
    Result<void> start_workers();
    Result<void> start_control();
    void agent_connected(std::vector<Fd> events);
    void watch(int fd, std::uint64_t what);
    void tick();

    enum What : std::uint64_t { signal, listener, connection, links, timer };

    std::string rundir_;
    shm::DataplaneArena arena_;
    Fd signals_, timer_, epoll_;
    LogTarget log_;
    FollowLevel follow_level_;
    std::size_t sweep_ = 0;                  // where the MAC table is looked at next
    std::uint32_t settings_generation_ = 0;  // that the log follows
    WorkerPlan plan_;
    Demand demand_;
    std::optional<Netlink> netlink_;
    std::optional<LinkMonitor> monitor_;
    std::optional<Eal> eal_;
    std::optional<Buffers> buffers_;
    std::vector<Fd> agent_events_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::optional<ControlServer> control_;
    std::optional<PortTable> ports_;
    std::uint64_t watched_connection_ = 0;
    std::optional<Ended> ended_;
    bool pages_gone_ = false;
};

Result<void> Dataplane::start() {
    follow_settings();
    TRY_ASSIGN(netlink_, Netlink::open());
    TRY_ASSIGN(monitor_, LinkMonitor::open());
    const shm::Settings& settings = arena_.settings();
    TRY_ASSIGN(const auto cores, parse_cores(shm::get_text(settings.cores)));
    TRY_ASSIGN(plan_, plan_workers(settings.workers, cores, allowed_cores(), arena_.max_workers()));
    demand_ = demand_of(arena_);
    TRY(start_eal());
    TRY(start_workers());
    TRY(start_control());
    return {};
}

/// The log's level is the one setting that may change while the dataplane runs.
void Dataplane::follow_settings() {
    const shm::Settings& settings = arena_.settings();
    const std::uint32_t generation = settings.generation.load(std::memory_order_acquire);
    if (generation == settings_generation_ || follow_level_ == FollowLevel::no) return;
    settings_generation_ = generation;
    const auto level = static_cast<LogLevel>(
        std::min(settings.log_level, static_cast<std::uint8_t>(LogLevel::error)));
    if (level == log_.level) return;
    log_.level = level;
    if (const auto opened = open_log(log_); !opened)
        LOG(warning, "dataplane", "log level not changed: {}", opened.error().text);
}

Result<void> Dataplane::start_eal() {
    const shm::Settings& settings = arena_.settings();
    const BufferPlan plan = plan_buffers(static_cast<std::uint32_t>(plan_.size()), demand_.ports,
                                         demand_.ethdevs + kSpareEthdevs);
    EalSettings eal;
    eal.rundir = rundir_;
    eal.huge_folder = shm::huge_folder(rundir_);
    eal.arguments = shm::get_text(settings.eal_arguments);
    const auto buffers_mb = static_cast<std::uint32_t>(plan.bytes() >> 20);
    eal.memory_mb = settings.memory_mb != 0 ? settings.memory_mb : buffers_mb + kSlackMb;
    BufferMemory memory = BufferMemory::dpdk;
    const bool enough = free_huge_pages() * 2 >= eal.memory_mb;
    if (!enough && settings.pages == shm::PagePolicy::huge)
        return fail(format("huge-pages on: DPDK needs {} pages of 2 MB, {} are free",
                           (eal.memory_mb + 1) / 2, free_huge_pages()),
                    "sysctl vm.nr_hugepages=N, or huge-pages auto");
    if (enough && settings.pages != shm::PagePolicy::small) {
        eal.pages = EalSettings::Pages::huge;
    } else {
        // the buffers lie outside; what DPDK does not touch costs nothing
        eal.pages = EalSettings::Pages::small;
        eal.memory_mb = std::max(kSlackMb, eal.memory_mb - std::min(eal.memory_mb, buffers_mb));
        memory = BufferMemory::own;
    }
    const std::uint64_t begun = monotonic_ns();
    Result<Eal> started = Eal::start(eal);
    if (!started) {
        // DPDK starts once in a process; the next one finds too few and does without.
        if (eal.pages == EalSettings::Pages::huge && settings.pages == shm::PagePolicy::automatic &&
            free_huge_pages() * 2 < eal.memory_mb)
            pages_gone_ = true;
        return std::unexpected(std::move(started.error()));
    }
    eal_.emplace(std::move(*started));
    const std::uint64_t eal_done = monotonic_ns();
    TRY_ASSIGN(buffers_, Buffers::create(plan, memory));
    LOG(info, "dataplane", "DPDK started in {} ms, {} + {} buffers ({} MB on {}) in {} ms",
        (eal_done - begun) / 1'000'000, plan.small, plan.large, plan.bytes() >> 20,
        eal.pages == EalSettings::Pages::huge ? "2 MB pages" : "4 kB pages",
        (monotonic_ns() - eal_done) / 1'000'000);
    return {};
}

Result<void> Dataplane::start_workers() {
    for (std::size_t w = 0; w < plan_.size(); ++w) {
        TRY_ASSIGN(auto worker, Worker::start(arena_, *buffers_,
                                              {.id = WorkerId(static_cast<std::uint8_t>(w)),
                                               .core = plan_[w],
                                               .idle = arena_.settings().idle}));
        workers_.push_back(std::move(worker));
    }
    shm::DataplaneWords& words = arena_.dataplane_words();
    words.workers.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
    words.settings_generation.store(arena_.settings().generation.load(std::memory_order_acquire),
                                    std::memory_order_relaxed);
    words.heartbeat_ns.store(monotonic_ns(), std::memory_order_relaxed);
    words.pid.store(static_cast<std::uint64_t>(::getpid()), std::memory_order_release);
    return {};
}

Result<void> Dataplane::start_control() {
    ports_.emplace(arena_,
                   OpenContext{.netlink = *netlink_,
                               .buffers = *buffers_,
                               .rundir = rundir_,
                               .rx_buffer = arena_.settings().rx_buffer,
                               .workers = static_cast<std::uint8_t>(workers_.size())},
                   workers_, [this](PortSlot slot) {
                       if (control_) control_->port_event(slot);
                   });
    remove_stray_taps(*netlink_, rundir_, arena_);
    ports_->reconcile();
    ControlServer::Handlers handlers;
    handlers.connected = [this](std::vector<Fd> events) { agent_connected(std::move(events)); };
    handlers.open = [this](PortSlot slot) {
        auto opened = ports_->open(slot);
        if (!opened) LOG(warning, "port", "not opened: {}", full_text(opened.error()));
        return opened;
    };
    handlers.close = [this](PortSlot slot) { ports_->close(slot); };
    handlers.stop = [this] { ended_ = Ended::stopped; };
    handlers.superseded = [this] { ended_ = Ended::superseded; };
    auto control = ControlServer::open(rundir_, arena_, workers_.size(), std::move(handlers));
    if (!control) return std::unexpected(std::move(control.error()));
    control_.emplace(std::move(*control));
    return {};
}

void Dataplane::agent_connected(std::vector<Fd> events) {
    std::vector<int> wake;
    for (std::size_t i = 1; i < events.size(); ++i) wake.push_back(events[i].get());
    ports_->use_events(events.front().get(), wake);
    agent_events_ = std::move(events);  // the old ones are in nobody's view any more
    ports_->reconcile();
}

void Dataplane::watch(int fd, std::uint64_t what) {
    epoll_event entry{.events = EPOLLIN, .data = {.u64 = what}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &entry);
}

void Dataplane::tick() {
    std::uint64_t expired = 0;
    [[maybe_unused]] const ssize_t size = ::read(timer_.get(), &expired, sizeof expired);
    const std::uint64_t now = monotonic_ns();
    arena_.dataplane_words().heartbeat_ns.store(now, std::memory_order_relaxed);
    follow_settings();
    ports_->tick(now);
    shm::mac_sweep(arena_, sweep_, kSweep, static_cast<std::uint32_t>(now / 1'000'000'000));
    control_->catch_up();
}

Result<Ended> Dataplane::serve() {
    epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    timer_ = Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!epoll_ || !timer_) return fail_errno("epoll", errno);
    const itimerspec period{.it_interval = {0, kTickNs}, .it_value = {0, kTickNs}};
    ::timerfd_settime(timer_.get(), 0, &period, nullptr);
    watch(signals_.get(), signal);
    watch(control_->listener(), listener);
    watch(monitor_->fd(), links);
    watch(timer_.get(), timer);
    LOG(info, "dataplane", "ready workers={} ports={}", workers_.size(), demand_.ports);
    std::array<epoll_event, 16> events;
    while (!ended_) {
        if (arena_.superseded()) return Ended::superseded;
        const int n = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
        for (int i = 0; i < n; ++i) {
            switch (static_cast<What>(events[static_cast<std::size_t>(i)].data.u64)) {
                case signal: ended_ = Ended::stopped; break;
                case listener: control_->accept(); break;
                case connection: control_->receive(); break;
                case links:
                    if (monitor_->receive([this](const LinkEvent& e) { ports_->link_event(e); }) ==
                        LinkMonitor::Outcome::overrun)
                        ports_->relist();
                    break;
                case timer: tick(); break;
            }
        }
        // a closed descriptor leaves the epoll set by itself
        if (control_->n_accepted() != watched_connection_) {
            watched_connection_ = control_->n_accepted();
            if (control_->connection() >= 0) watch(control_->connection(), connection);
        }
    }
    return *ended_;
}

Dataplane::~Dataplane() {
    control_.reset();
    workers_.clear();  // their last bursts leave
    ports_.reset();
    arena_.dataplane_words().pid.store(0, std::memory_order_release);
}

}  // namespace

Result<Ended> run_dataplane(const std::string& rundir, LogTarget log, FollowLevel follow) {
    TRY_ASSIGN(const RunLock lock, RunLock::take(rundir, "dataplane"));
    TRY_ASSIGN(Fd signals, open_signals());
    raise_descriptor_limit();
    TRY_ASSIGN(auto arena, wait_for_arena(rundir, signals));
    if (!arena) return Ended::stopped;
    auto dataplane = std::make_unique<Dataplane>(rundir, std::move(*arena), std::move(signals),
                                                 std::move(log), follow);
    if (Result<void> started = dataplane->start(); !started) {
        if (dataplane->pages_gone()) return Ended::pages_gone;
        return std::unexpected(std::move(started.error()));
    }
    TRY_ASSIGN(const Ended ended, dataplane->serve());
    // the program is replaced by exec: taps keep their addresses as after a kill
    if (ended == Ended::superseded) std::ignore = dataplane.release();
    return ended;
}

}  // namespace raicho::io
