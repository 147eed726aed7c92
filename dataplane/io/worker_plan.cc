// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/worker_plan.h"

#include <sched.h>

#include <algorithm>

#include "base/text.h"

namespace raicho::io {
namespace {

constexpr unsigned kMaxCore = CPU_SETSIZE - 1;

std::optional<unsigned> parse_core(std::string_view text) {
    const auto number = parse_number(trim(text));
    if (!number || *number > kMaxCore) return std::nullopt;
    return static_cast<unsigned>(*number);
}

std::size_t automatic_workers(std::size_t n_cores) {
    if (n_cores <= 3) return 1;
    return n_cores <= 7 ? 2 : 4;
}

std::string list_text(std::span<const unsigned> cores) {
    return format("{}", fmt::join(cores, ", "));
}

}  // namespace

Result<std::vector<unsigned>> parse_cores(std::string_view text) {
    std::vector<unsigned> out;
    if (trim(text).empty()) return out;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t dash = part.find('-');
        const auto first = parse_core(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_core(part.substr(dash + 1));
        if (!first || !last || *first > *last)
            return fail(format("cores \"{}\": \"{}\" is no core number or range", text, trim(part)),
                        "write it as 2,3 or 2-5");
        for (unsigned core = *first; core <= *last; ++core) {
            if (std::ranges::find(out, core) != out.end())
                return fail(format("cores \"{}\": core {} is named twice", text, core));
            out.push_back(core);
        }
    }
    return out;
}

Result<WorkerPlan> plan_workers(unsigned wanted, std::span<const unsigned> cores,
                                std::span<const unsigned> allowed, std::size_t max_workers) {
    for (const unsigned core : cores)
        if (std::ranges::find(allowed, core) == allowed.end())
            return fail(
                format("core {}: this process cannot use it, only {}", core, list_text(allowed)));
    std::size_t n = wanted;
    if (n == 0)
        n = std::min(cores.empty() ? automatic_workers(allowed.size()) : cores.size(), max_workers);
    if (n > max_workers)
        return fail(format("{} workers: the arena has room for {}", n, max_workers));
    if (!cores.empty() && n > cores.size())
        return fail(format("{} workers on {} cores", n, cores.size()),
                    "name as many cores as workers");
    WorkerPlan plan(n);
    if (!cores.empty()) std::ranges::copy(cores.first(n), plan.begin());
    return plan;
}

std::vector<unsigned> allowed_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<unsigned> out;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return out;
    for (unsigned core = 0; core <= kMaxCore; ++core)
        if (CPU_ISSET(core, &set)) out.push_back(core);
    return out;
}

}  // namespace raicho::io
