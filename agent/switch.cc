// SPDX-License-Identifier: Apache-2.0
#include "agent/switch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"

namespace raicho::agent {

namespace {

constexpr Time kTend = kSecond;

shm::ArenaConfig arena_config(const dsl::AgentConfig& sizes) {
    return {.max_flows = sizes.max_flows,
            .max_ports = sizes.max_ports,
            .max_bridges = sizes.max_bridges,
            .max_workers = sizes.max_workers};
}

}  // namespace

shm::PagePolicy page_policy(dsl::HugePages pages) {
    switch (pages) {
        case dsl::HugePages::automatic: return shm::PagePolicy::automatic;
        case dsl::HugePages::on: return shm::PagePolicy::huge;
        case dsl::HugePages::off: return shm::PagePolicy::small;
    }
    return shm::PagePolicy::automatic;
}

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "raicho";
    return name.data();
}

Switch::Switch(boost::asio::any_io_executor executor, Loop& loop, SwitchOptions options,
               shm::AgentArena arena, bool adopted)
    : loop_(loop),
      options_(std::move(options)),
      log_in_force_(options_.log),
      arena_(std::move(arena)),
      adopted_(adopted),
      start_text_("fresh"),
      started_(loop.now()),
      name_(host_name()),
      executor_(std::move(executor)) {}

Result<std::optional<shm::AgentArena>> Switch::find_arena(const std::string& rundir) {
    auto arena = shm::AgentArena::attach(rundir);
    if (arena) return std::optional(std::move(*arena));
    if (arena.error().code == ESTALE)
        LOG(warning, "switch", "arena not adopted why=\"{}\"", arena.error().text);
    else if (arena.error().code != ENOENT)
        return std::unexpected(std::move(arena.error()));
    return std::optional<shm::AgentArena>();
}

Result<std::unique_ptr<Switch>> Switch::open(boost::asio::any_io_executor executor, Loop& loop,
                                             SwitchOptions options,
                                             std::optional<shm::AgentArena> arena) {
    if (arena) {
        std::unique_ptr<Switch> self(new Switch(executor, loop, options, std::move(*arena), true));
        const auto started = self->start();
        if (started) return self;
        LOG(error, "switch", "arena not adopted why=\"{}\"", started.error().text);
    }
    TRY_ASSIGN(shm::AgentArena made,
               shm::AgentArena::create(options.rundir, arena_config(options.sizes),
                                       page_policy(options.huge_pages)));
    if (!made.note().empty()) LOG(warning, "switch", "{}", made.note());
    std::unique_ptr<Switch> self(
        new Switch(std::move(executor), loop, std::move(options), std::move(made), false));
    TRY(self->start());
    return self;
}

Result<void> Switch::start() {
    TRY_ASSIGN(space_, ArenaSpace::open(arena_));
    PlaneLink::Events events{
        .packet_in =
            [this](BridgeId id, const PacketInEvent& event) {
                if (Bridge* bridge = find(id)) bridge->packet_in(event);
            },
        .port_changed =
            [this](BridgeId id, openflow::PortReason reason, const openflow::PortDesc& desc) {
                if (Bridge* bridge = find(id)) bridge->port_changed(reason, desc);
            },
        .dataplane_changed = [] {}};
    TRY_ASSIGN(plane_, PlaneLink::open(loop_, arena_, options_.rundir, std::move(events)));
    context_ = std::unique_ptr<BridgeContext>(new BridgeContext{.executor = executor_,
                                                                .loop = loop_,
                                                                .arena = arena_,
                                                                .space = *space_,
                                                                .plane = *plane_,
                                                                .numbers = numbers_,
                                                                .version = options_.version});
    if (adopted_) adopt();
    LOG(info, "switch", "{} file={} pages={}", start_text_, arena_.path(), arena_.backing_text());
    tend();
    return {};
}

void Switch::adopt() {
    std::size_t n_flows = 0;
    for (std::size_t i = 0; i < arena_.max_bridges(); ++i) {
        const BridgeId id(static_cast<std::uint16_t>(i));
        if (arena_.bridge(id).mode.load(std::memory_order_relaxed) == shm::BridgeMode::unused)
            continue;
        // The effective mode of live(), until the configuration says what it is.
        bridges_.push_back(
            std::make_unique<Bridge>(*context_, id, FailMode::standalone, Bridge::Origin::adopted));
        n_flows += bridges_.back()->flows().size();
    }
    start_text_ = format("adopted arena: {} flows, {} ports", with_thousands(n_flows),
                         plane_->ports().n_attached());
}

Switch::~Switch() {
    loop_.cancel(tend_timer_);
    loop_.cancel(flows_timer_);
    bridges_.clear();
    plane_.reset();
    arena_.agent_words().pid.store(0, std::memory_order_release);
}

void Switch::tend() {
    arena_.agent_words().heartbeat_ns.store(loop_.now(), std::memory_order_relaxed);
    space_->poll();
    for (const auto& bridge : bridges_) {
        bridge->tend();
        for (const PortSlot slot : plane_->ports().of_bridge(bridge->id()))
            rates_.sample(slot, plane_->ports().attached_at(slot), arena_.port_totals(slot),
                          loop_.now());
    }
    tend_timer_ = loop_.after(kTend, [this] { tend(); });
}

Bridge* Switch::find(std::string_view bridge) const {
    const auto found =
        std::ranges::find_if(bridges_, [&](const auto& b) { return b->name() == bridge; });
    return found == bridges_.end() ? nullptr : found->get();
}

Bridge* Switch::find(BridgeId id) const {
    const auto found = std::ranges::find_if(bridges_, [&](const auto& b) { return b->id() == id; });
    return found == bridges_.end() ? nullptr : found->get();
}

std::vector<const Bridge*> Switch::named(std::string_view bridge) const {
    std::vector<const Bridge*> found;
    for (const auto& b : bridges_)
        if (bridge.empty() || b->name() == bridge) found.push_back(b.get());
    return found;
}

Result<void> Switch::reopen_log() {
    return open_log(log_in_force_);
}

}  // namespace raicho::agent
