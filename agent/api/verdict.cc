// SPDX-License-Identifier: Apache-2.0
#include "agent/api/verdict.h"

#include <algorithm>

#include "base/text.h"

namespace raicho::agent::api {

namespace {

std::string_view without_scheme(std::string_view target) {
    return target.starts_with("tcp:") ? target.substr(4) : target;
}

/// `refused` of `refused, next try in 4s`.
std::string_view first_part(std::string_view state) {
    return state.substr(0, state.find(','));
}

std::string controllers_text(std::span<const ControllerView> controllers) {
    std::vector<const ControllerView*> active;
    std::size_t n_connected = 0;
    for (const ControllerView& c : controllers) {
        if (c.connected) ++n_connected;
        if (!c.passive) active.push_back(&c);
    }
    if (active.empty())
        return n_connected == 0 ? "no controller" : format("{} controllers came in", n_connected);
    if (active.size() == 1) {
        const ControllerView& only = *active.front();
        const std::string_view state = only.connected ? "connected" : first_part(only.state);
        return format("controller {} ({})", state, without_scheme(only.target));
    }
    const auto lost = std::ranges::find(active, false, &ControllerView::connected);
    std::string text = format("{} of {} controllers connected", n_connected, active.size());
    if (lost != active.end())
        text += format(" ({}: {})", without_scheme((*lost)->target), first_part((*lost)->state));
    return text;
}

bool usable(const PortView& port) {
    return port.health == shm::PortHealth::up && port.number != port::kLocal;
}

/// The last error of a dataplane that is there and says nothing (agent/plane/control_client.cc).
constexpr std::string_view kNoAnswer = "does not answer";
constexpr const char* kAsk = "its log and `show worker` say more; restart dataplane";

std::string silence(const DataplaneView& dataplane) {
    return format("the dataplane (pid {}) has been silent for {}: stopped, or stuck", dataplane.pid,
                  age_text(dataplane.silent_ns));
}

}  // namespace

Verdict judge(const BridgeView& bridge, std::span<const ControllerView> controllers,
              std::span<const PortView> ports, const DataplaneView& dataplane) {
    const auto n_usable = static_cast<std::size_t>(std::ranges::count_if(ports, usable));
    const bool local_up = std::ranges::any_of(ports, [](const PortView& p) {
        return p.number == port::kLocal && p.health == shm::PortHealth::up;
    });
    std::string head = format("{}: {}, {}, {} flow{}", bridge.name, bridge.fail_mode,
                              controllers_text(controllers), with_thousands(bridge.n_flows),
                              bridge.n_flows == 1 ? "" : "s");
    const auto stopped = [&](std::string why, std::string hint) {
        return Verdict{Forwarding::stopped, format("{}: {}", head, why), std::move(hint)};
    };
    if (!dataplane.attached && dataplane.last_error == kNoAnswer)
        return stopped("the dataplane does not answer: stopped, or stuck", kAsk);
    if (!dataplane.attached)
        return stopped("no packet moves, the dataplane is not running",
                       "start it: raicho run -C FILE, or raicho-dataplane --rundir DIR; where one "
                       "ends again and again, its log says why");
    if (dataplane.silent_ns != 0) return stopped(silence(dataplane), kAsk);
    if (ports.empty())
        return stopped("no packet comes in, it has no ports",
                       format("add one: add port {} INTERFACE", bridge.name));
    if (n_usable + (local_up ? 1 : 0) == 0)
        return stopped(
            format("no packet comes in, {}",
                   ports.size() == 1 ? std::string("its only port is not up")
                                     : format("none of its {} ports is up", ports.size())),
            format("show port says why"));
    if (!bridge.forwards_without_flows && bridge.n_flows == 0) {
        const bool wants_controller =
            std::ranges::any_of(controllers, [](const auto& c) { return !c.passive; });
        if (wants_controller && bridge.n_controllers_connected == 0)
            return stopped("every packet is dropped",
                           "start the controller, or set fail-mode standalone");
        return stopped("every packet is dropped",
                       "the controller has installed no flow, not even a table-miss entry");
    }
    const char* what = "packets go by the flows, a miss is dropped";
    if (bridge.mode.starts_with("normal"))
        what = "forwards as a learning switch";
    else if (bridge.forwards_without_flows)
        what = bridge.n_flows == 0 ? "forwards as a learning switch"
                                   : "packets go by the flows, the rest as in a learning switch";
    Verdict verdict{Forwarding::working, format("{}: {}", head, what), {}};
    if (n_usable + (local_up ? 1 : 0) == 1) {
        verdict.forwarding = Forwarding::stopped;
        verdict.text += ", but only one port is up";
        verdict.hint = "show port says why";
    }
    return verdict;
}

std::vector<std::string> warnings(const SwitchView& view) {
    std::vector<std::string> found;
    const DataplaneView dataplane = view.dataplane();
    if (!dataplane.attached) {
        std::string text = format("dataplane: {}", dataplane.state);
        if (!dataplane.state.starts_with(dataplane.last_error))
            text += format(" ({})", dataplane.last_error);
        found.push_back(std::move(text));
    } else if (dataplane.silent_ns != 0) {
        found.push_back(silence(dataplane));
    }
    for (const PortView& port : view.ports({}))
        if (port.health == shm::PortHealth::absent || port.health == shm::PortHealth::failed)
            found.push_back(format("port {} of {}: {}", port.name, port.bridge, port.state));
    for (const ControllerView& controller : view.controllers({}))
        if (!controller.connected && !controller.passive)
            found.push_back(format("controller {} of {}: {}", controller.target, controller.bridge,
                                   controller.state));
    return found;
}

}  // namespace raicho::agent::api
