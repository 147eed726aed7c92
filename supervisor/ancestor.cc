// SPDX-License-Identifier: Apache-2.0
#include "supervisor/ancestor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace raicho::supervisor {

namespace {

enum class Part : std::uint8_t { eal, dataplane };
enum class Takes : bool { nothing, value };

/// An option and what it is here; `{}` in `instead` is its value.
struct Row {
    Part part;
    std::string_view name;
    Takes takes;
    std::string_view instead;
};

constexpr std::string_view kCores = "write dataplane { cores [ 2 3 ] } in the configuration";
constexpr std::string_view kTables = "tables choose their form by what lies in them";
constexpr std::string_view kRings = "there are no rings between cores: a worker does it all";

constexpr std::array kRows{
    Row{Part::eal, "-c", Takes::value, ""},  // cores_of()
    Row{Part::eal, "-l", Takes::value, kCores},
    Row{Part::eal, "--lcores", Takes::value, kCores},
    Row{Part::eal, "--master-lcore", Takes::value, kCores},
    Row{Part::eal, "-n", Takes::value, "DPDK finds the memory channels itself"},
    Row{Part::eal, "-r", Takes::value, "DPDK finds the memory ranks itself"},
    Row{Part::eal, "-m", Takes::value, "write dataplane { memory {}M } in the configuration"},
    Row{Part::eal, "--socket-mem", Takes::value,
        "write dataplane { memory 1G } in the configuration"},
    Row{Part::eal, "--no-huge", Takes::nothing,
        "write dataplane { huge-pages off } in the configuration"},
    Row{Part::eal, "--vdev", Takes::value, "a port names it: device ethdev \"{}\""},
    Row{Part::eal, "-w", Takes::value, "a port names it: device dpdk {}"},
    Row{Part::eal, "-a", Takes::value, "a port names it: device dpdk {}"},
    Row{Part::eal, "-b", Takes::value, "only the devices that ports name are taken"},
    Row{Part::eal, "-d", Takes::value, "write dataplane { driver {} } in the configuration"},
    Row{Part::eal, "--proc-type", Takes::value, "each switch is a process of its own"},
    Row{Part::eal, "--file-prefix", Takes::value, "the run directory keeps switches apart"},
    Row{Part::eal, "--huge-dir", Takes::value, "huge pages are mounted in the run directory"},
    Row{Part::eal, "--log-level", Takes::value, "write log { level debug } in the configuration"},
    Row{Part::dataplane, "-p", Takes::value, "the ports are those of the configuration"},
    Row{Part::dataplane, "-w", Takes::value, "write dataplane { workers {} } in the configuration"},
    Row{Part::dataplane, "--rx", Takes::value, kCores},
    Row{Part::dataplane, "--tx", Takes::value, kCores},
    Row{Part::dataplane, "--w", Takes::value, kCores},
    Row{Part::dataplane, "--core-assign", Takes::value, kCores},
    Row{Part::dataplane, "--show-core-config", Takes::nothing, "lagosh's show worker says it"},
    Row{Part::dataplane, "--no-cache", Takes::nothing, kTables},
    Row{Part::dataplane, "--kvstype", Takes::value, kTables},
    Row{Part::dataplane, "--hashtype", Takes::value, kTables},
    Row{Part::dataplane, "--fifoness", Takes::value, kRings},
    Row{Part::dataplane, "--rsz", Takes::value, kRings},
    Row{Part::dataplane, "--bsz", Takes::value, kRings},
};

/// `-c3`: DPDK took the lowest core for itself, the others did the work.
std::string cores_of(std::string_view mask) {
    std::string text(mask);
    if (!text.starts_with("0x") && !text.starts_with("0X")) text = "0x" + text;
    const auto bits = parse_number(text);
    if (!bits || *bits == 0) return std::string(kCores);
    std::vector<unsigned> cores;
    for (unsigned core = 0; core < 64; ++core)
        if ((*bits >> core & 1) != 0) cores.push_back(core);
    if (cores.size() > 1) cores.erase(cores.begin());
    return format("write dataplane {{ cores [ {} ] }} in the configuration", fmt::join(cores, " "));
}

std::string instead_of(const Row& row, std::string_view value) {
    if (row.name == "-c") return cores_of(value);
    std::string text(row.instead);
    if (const std::size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, value);
    return text;
}

/// The row of a word and the value that sticks to it (`-c3`, `--vdev=net_null0`).
struct Found {
    const Row* row = nullptr;
    std::optional<std::string_view> value;
};
Found find(Part part, std::string_view word) {
    for (const Row& row : kRows) {
        if (row.part != part || !word.starts_with(row.name)) continue;
        const std::string_view rest = word.substr(row.name.size());
        if (rest.empty()) return {&row, {}};
        const bool is_long = row.name.starts_with("--");
        if (is_long && rest.starts_with('=')) return {&row, rest.substr(1)};
        if (!is_long && row.takes == Takes::value && !word.starts_with("--")) return {&row, rest};
    }
    return {};
}

std::unexpected<Error> unknown(std::string_view word) {
    std::vector<std::string_view> names;
    for (const Row& row : kRows)
        if (row.part == Part::dataplane) names.push_back(row.name);
    const auto near = did_you_mean(word, names);
    return fail(format("unknown option \"{}\" behind the second --", word),
                near ? format("did you mean {}?", *near) : "leave it out");
}

}  // namespace

Result<std::vector<std::string>> read_ancestor_options(std::span<char* const> words) {
    std::vector<std::string> remarks;
    Part part = Part::eal;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == "--" && part == Part::eal) {
            part = Part::dataplane;
            continue;
        }
        const auto next_is_value = [&] {
            return i + 1 < words.size() && !std::string_view(words[i + 1]).starts_with("-");
        };
        Found found = find(part, word);
        if (found.row == nullptr) {
            if (part == Part::dataplane) return unknown(word);
            std::string shown(word);
            if (word.starts_with('-') && next_is_value()) shown += format(" {}", words[++i]);
            remarks.push_back(format("option \"{}\" of DPDK has no effect", shown));
            continue;
        }
        std::string shown(word);
        if (found.row->takes == Takes::value && !found.value) {
            if (i + 1 == words.size())
                return fail(format("option {} needs a value", word), "leave it out");
            found.value = words[++i];
            shown += format(" {}", *found.value);
        }
        remarks.push_back(format("option \"{}\" has no effect: {}", shown,
                                 instead_of(*found.row, found.value.value_or(""))));
    }
    return remarks;
}

}  // namespace raicho::supervisor
