// SPDX-License-Identifier: Apache-2.0
// The switch as the commit engine changes it: bridges, ports, channels and settings.
// Neighbours: switch_target_entries.cc has flows, groups and meters; switch_values.h turns
// configuration values into what these take, and back.
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "agent/api/access.h"
#include "agent/switch.h"
#include "agent/switch_values.h"
#include "base/log.h"
#include "base/text.h"
#include "shm/mac_table.h"
#include "shm/text_field.h"

namespace raicho::agent {

namespace {

constexpr std::uint16_t kDefaultMissSendLen = 128;
constexpr std::uint64_t kMega = 1u << 20;

/// Told here, for a dataplane that takes page after page of what is not there tells nobody.
Result<void> fits_the_machine(const dsl::DataplaneConfig& dataplane) {
    struct sysinfo machine{};
    // A dataplane that names a core in vain ends at each start; the lowest numbers are there.
    const long n_cores = ::sysconf(_SC_NPROCESSORS_CONF);
    if (n_cores > 0 && !dataplane.cores.empty() && dataplane.cores.back() >= n_cores)
        return fail(format("dataplane cores: {} is named, this machine has 0 to {}",
                           dataplane.cores.back(), n_cores - 1),
                    "name others, or leave it out: then the dataplane chooses");
    if (!dataplane.memory || ::sysinfo(&machine) != 0) return {};
    const std::uint64_t all = std::uint64_t{machine.totalram} * machine.mem_unit;
    if (*dataplane.memory <= all) return {};
    return fail(format("dataplane memory: {} MB are asked for, this machine has {} MB in all",
                       *dataplane.memory / kMega, all / kMega),
                "lower it, or leave it out: then the dataplane takes what its ports need");
}

}  // namespace

dsl::Config Switch::live() const {
    dsl::Config config;
    if (!adopted_) return config;
    for (const auto& bridge : bridges_) {
        const shm::BridgeRecord& record = bridge->record();
        dsl::BridgeConfig live{.name = bridge->name(),
                               .dpid = Dpid(record.dpid),
                               .fail_mode = bridge->fail_mode() == FailMode::secure
                                                ? dsl::FailMode::secure
                                                : dsl::FailMode::standalone,
                               .mac_ageing_s = record.mac_ageing_s.load(std::memory_order_relaxed),
                               .mac_limit = record.mac_limit.load(std::memory_order_relaxed),
                               .local = std::nullopt};
        if (live.dpid == automatic_dpid(live.name)) live.dpid.reset();
        for (const PortSlot slot : plane_->ports().of_bridge(bridge->id())) {
            const PortSpec spec = plane_->ports().spec(slot);
            if (spec.kind == shm::PortKind::local)
                live.local = local_of(spec);
            else
                live.ports.push_back(config_of(spec));
        }
        config.bridges.push_back(std::move(live));
    }
    return config;
}

Result<void> Switch::create_bridge(const dsl::BridgeConfig& bridge) {
    if (find(bridge.name) != nullptr)
        return fail(format("bridge \"{}\": exists already", bridge.name));
    if (bridge.name.size() >= shm::kBridgeNameSize)
        return fail(format("bridge \"{}\": name longer than {} bytes", bridge.name,
                           shm::kBridgeNameSize - 1));
    std::optional<BridgeId> free;
    for (std::size_t i = 0; i < arena_.max_bridges() && !free; ++i) {
        const BridgeId id(static_cast<std::uint16_t>(i));
        if (arena_.bridge(id).mode.load(std::memory_order_relaxed) == shm::BridgeMode::unused)
            free = id;
    }
    if (!free)
        return fail(
            format("bridge \"{}\": all {} bridges are in use", bridge.name, arena_.max_bridges()),
            "raise agent { max-bridges } and restart");
    shm::BridgeRecord& record = arena_.bridge(*free);
    shm::put_text(record.name, bridge.name);
    record.dpid = dpid_of(bridge).value();
    record.config_flags.store(0, std::memory_order_relaxed);
    record.miss_send_len.store(kDefaultMissSendLen, std::memory_order_relaxed);
    record.controller_connected.store(0, std::memory_order_relaxed);
    record.mac_ageing_s.store(bridge.mac_ageing_s, std::memory_order_relaxed);
    record.mac_limit.store(bridge.mac_limit, std::memory_order_relaxed);
    record.mac_generation.fetch_add(1, std::memory_order_relaxed);
    arena_.rebase_bridge(*free);
    bridges_.push_back(
        std::make_unique<Bridge>(*context_, *free, fail_mode_of(bridge), Bridge::Origin::made));
    TRY(bridges_.back()->set_share(share_of(bridge)));
    bridges_.back()->set_template(template_of(bridge));
    LOG(info, "switch", "bridge made bridge={} dpid={:#018x}", bridge.name, record.dpid);
    return {};
}

void Switch::delete_bridge(std::string_view bridge) {
    const auto found =
        std::ranges::find_if(bridges_, [&](const auto& b) { return b->name() == bridge; });
    if (found == bridges_.end()) return;
    const std::unique_ptr<Bridge> gone = std::move(*found);
    bridges_.erase(found);
    for (const PortSlot slot : plane_->ports().of_bridge(gone->id())) plane_->ports().remove(slot);
    gone->retire();
    shm::mac_clear_static(arena_, gone->id());
    arena_.bridge(gone->id()).mac_generation.fetch_add(1, std::memory_order_release);
    LOG(info, "switch", "bridge deleted bridge={}", gone->name());
}

Result<void> Switch::change_bridge(const dsl::BridgeConfig& before,
                                   const dsl::BridgeConfig& after) {
    Bridge* bridge = find(before.name);
    if (bridge == nullptr) return std::unexpected(no_bridge(before.name));
    TRY(bridge->set_share(share_of(after)));
    bridge->set_template(template_of(after));
    shm::BridgeRecord& record = arena_.bridge(bridge->id());
    record.mac_ageing_s.store(after.mac_ageing_s, std::memory_order_relaxed);
    record.mac_limit.store(after.mac_limit, std::memory_order_relaxed);
    bridge->set_fail_mode(fail_mode_of(after));
    const Dpid dpid = dpid_of(after);
    if (record.dpid != dpid.value()) bridge->set_dpid(dpid);
    return {};
}

void Switch::prepare(std::string_view bridge, const PortSpec& spec, config::PortPrepared done) {
    // The slot is known only after the call, the answer comes only after it.
    const auto slot = std::make_shared<PortSlot>();
    auto taken = plane_->ports().prepare(
        spec, [slot, done, name = std::string(bridge)](Result<void> opened) {
            if (opened) return done(*slot);
            opened.error().text = format("bridge \"{}\": {}", name, opened.error().text);
            done(std::unexpected(std::move(opened.error())));
        });
    if (taken)
        *slot = *taken;
    else
        done(std::unexpected(std::move(taken.error())));
}

void Switch::prepare_port(std::string_view bridge, const dsl::PortConfig& port,
                          config::PortPrepared done) {
    const Bridge* b = find(bridge);
    if (b == nullptr) return done(std::unexpected(no_bridge(bridge)));
    prepare(bridge, spec_of(b->id(), port), std::move(done));
}

void Switch::prepare_local(std::string_view bridge, const dsl::LocalConfig& local,
                           config::PortPrepared done) {
    const Bridge* b = find(bridge);
    if (b == nullptr) return done(std::unexpected(no_bridge(bridge)));
    prepare(bridge, spec_of(b->id(), bridge, local), std::move(done));
}

Result<void> Switch::attach_port(PortSlot slot) {
    return plane_->ports().attach(slot);
}

void Switch::abort_port(PortSlot slot) {
    plane_->ports().abort(slot);
}

void Switch::remove_port(std::string_view bridge, std::string_view port) {
    const Bridge* b = find(bridge);
    if (b == nullptr) return;
    if (const auto slot = plane_->ports().find(b->id(), port)) plane_->ports().remove(*slot);
}

void Switch::remove_local(std::string_view bridge) {
    const Bridge* b = find(bridge);
    if (b == nullptr) return;
    if (const auto slot = plane_->ports().find(b->id(), port::kLocal))
        plane_->ports().remove(*slot);
}

Result<void> Switch::change_port(std::string_view bridge, const dsl::PortConfig& before,
                                 const dsl::PortConfig& after) {
    const Bridge* b = find(bridge);
    if (b == nullptr) return std::unexpected(no_bridge(bridge));
    const auto slot = plane_->ports().find(b->id(), std::string_view(before.name));
    if (!slot)
        return fail(format("port \"{}\": not attached to bridge \"{}\"", before.name, bridge));
    plane_->ports().change(*slot, spec_of(b->id(), after));
    return {};
}

Result<void> Switch::change_local(std::string_view bridge, const dsl::LocalConfig&,
                                  const dsl::LocalConfig& after) {
    const Bridge* b = find(bridge);
    if (b == nullptr) return std::unexpected(no_bridge(bridge));
    const auto slot = plane_->ports().find(b->id(), port::kLocal);
    if (!slot) return fail(format("bridge \"{}\": has no local port", bridge));
    plane_->ports().change(*slot, spec_of(b->id(), bridge, after));
    return {};
}

Result<void> Switch::set_static_macs(std::string_view bridge,
                                     std::span<const dsl::StaticMac> entries) {
    const Bridge* b = find(bridge);
    if (b == nullptr) return std::unexpected(no_bridge(bridge));
    std::vector<shm::MacRow> gone;
    shm::for_each_mac(arena_, b->id(), 0, [&](const shm::MacRow& row) {
        const bool wanted = std::ranges::any_of(entries, [&](const dsl::StaticMac& e) {
            return e.mac == row.mac && e.vlan == row.vlan;
        });
        if (row.is_static && !wanted) gone.push_back(row);
    });
    for (const shm::MacRow& row : gone) shm::mac_remove_static(arena_, b->id(), row.vlan, row.mac);
    for (const dsl::StaticMac& e : entries) {
        const auto slot = plane_->ports().find(b->id(), std::string_view(e.port));
        if (!slot) continue;
        TRY(shm::mac_add_static(arena_, b->id(), e.vlan, e.mac, *slot));
    }
    return {};
}

Result<void> Switch::add_controller(std::string_view bridge,
                                    const dsl::ControllerConfig& controller) {
    Bridge* b = find(bridge);
    if (b == nullptr) return std::unexpected(no_bridge(bridge));
    return b->channel().add_controller(channel_config(controller));
}

void Switch::remove_controller(std::string_view bridge, const dsl::ControllerConfig& controller) {
    if (Bridge* b = find(bridge))
        b->channel().remove_controller(channel_config(controller).endpoint);
}

void Switch::change_controller(std::string_view bridge, const dsl::ControllerConfig&,
                               const dsl::ControllerConfig& after) {
    if (Bridge* b = find(bridge)) b->channel().change_controller(channel_config(after));
}

Result<void> Switch::add_listen(std::string_view bridge, const dsl::ListenConfig& listen) {
    Bridge* b = find(bridge);
    if (b == nullptr) return std::unexpected(no_bridge(bridge));
    TRY_ASSIGN(const Endpoint bound, b->channel().add_listener(channel_config(listen)));
    LOG(info, "switch", "listening bridge={} listen={}", bridge, to_text(bound));
    return {};
}

void Switch::remove_listen(std::string_view bridge, const dsl::ListenConfig& listen) {
    if (Bridge* b = find(bridge)) b->channel().remove_listener(channel_config(listen).endpoint);
}

void Switch::write_settings(const dsl::DataplaneConfig& dataplane, LogLevel level) {
    shm::Settings& settings = arena_.settings();
    settings.workers = dataplane.workers.value_or(0);
    settings.idle = dataplane.profile == dsl::Profile::busy ? shm::IdleProfile::busy
                                                            : shm::IdleProfile::balanced;
    settings.log_level = static_cast<std::uint8_t>(level);
    settings.memory_mb = static_cast<std::uint32_t>(
        std::min<std::uint64_t>((dataplane.memory.value_or(0) + kMega - 1) / kMega,
                                std::numeric_limits<std::uint32_t>::max()));
    settings.pages = page_policy(dataplane.huge_pages);
    settings.rx_buffer = static_cast<std::uint32_t>(dataplane.rx_buffer.value_or(0));
    shm::put_text(settings.eal_arguments,
                  dataplane.driver.empty() ? std::string() : "-d " + dataplane.driver);
    std::string cores;
    for (const std::uint16_t core : dataplane.cores)
        cores += (cores.empty() ? "" : ",") + std::to_string(core);
    shm::put_text(settings.cores, cores);
}

Result<void> Switch::change_settings(const dsl::Config& before, const dsl::Config& after) {
    TRY(fits_the_machine(after.dataplane));
    TRY(api::Access::from(after.api));
    LogTarget log = options_.log;
    if (after.log.level && !options_.log_level_given)
        log.level = static_cast<LogLevel>(std::to_underlying(*after.log.level));
    if (!after.log.file.empty() && options_.log.file.empty()) log.file = after.log.file;
    if (log.level != log_in_force_.level || log.file != log_in_force_.file) {
        TRY(open_log(log));
        log_in_force_ = log;
    }
    if (before.system.name != after.system.name || name_.empty())
        name_ = after.system.name.empty() ? host_name() : after.system.name;
    write_settings(after.dataplane, log.level);
    if (first_commit_done_) arena_.settings().generation.fetch_add(1, std::memory_order_release);
    return {};
}

void Switch::first_commit_done() {
    first_commit_done_ = true;
    arena_.settings().generation.fetch_add(1, std::memory_order_release);
}

}  // namespace raicho::agent
