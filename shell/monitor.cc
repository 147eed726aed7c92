// SPDX-License-Identifier: Apache-2.0
#include "shell/monitor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <functional>
#include <map>
#include <optional>

#include "base/text.h"
#include "shell/interrupt.h"
#include "shell/keys.h"
#include "shell/render_flow.h"
#include "shell/show.h"

namespace raicho::shell {

namespace {

using Clock = std::chrono::steady_clock;

/// What a view shows now; `rows` is how many lines are of use.
using Picture = std::function<std::expected<Lines, Failure>(std::size_t rows)>;

std::string time_of_day() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 16> text{};
    std::strftime(text.data(), text.size(), "%H:%M:%S", &local);
    return text.data();
}

Failure interrupted() {
    return {ExitCode::interrupted, "interrupted"};
}

bool leaves(std::optional<char> key) {
    return key == 'q' || key == 'Q' || key == kKeyEndOfFile;
}

/// Pictures one after the other until a key, ^C or their number ends them.
class LiveView {
  public:
    LiveView(const Context& context, std::string title)
        : context_(context),
          title_(std::move(title)),
          every_(std::max<std::uint64_t>(number_behind("every", 1), 1)),
          times_(number_behind("times", 0)) {}

    [[nodiscard]] Done run(const Picture& picture) {
        for (std::uint64_t n = 0; times_ == 0 || n < times_; ++n) {
            auto lines = picture(rows() - 1);
            const bool lost = !lines && lines.error().code == ExitCode::unreachable && n != 0;
            if (!lines && !lost) return std::unexpected(std::move(lines.error()));
            if (lines) last_ = std::move(*lines);
            if (!draw(lost ? Lost::yes : Lost::no)) return {};
            if (n + 1 == times_) break;
            const auto go_on = pause();
            if (!go_on) return std::unexpected(go_on.error());
            if (*go_on == Want::no_more) return {};
        }
        return {};
    }

  private:
    enum class Lost : bool { no, yes };

    /// Numbers have one placeholder: the word before each tells which it is.
    [[nodiscard]] std::uint64_t number_behind(std::string_view word, std::uint64_t otherwise) const;
    [[nodiscard]] std::size_t rows() const {
        return context_.screen() == Screen::none ? 50 : screen_size().rows - 1;
    }
    [[nodiscard]] bool draw(Lost lost);
    /// Until the next picture; no_more when a key said so.
    [[nodiscard]] std::expected<Want, Failure> pause();

    const Context& context_;
    std::string title_;
    std::uint64_t every_;
    std::uint64_t times_;
    RawKeys keys_;
    Lines last_;
    bool drawn_ = false;
};

std::uint64_t LiveView::number_behind(std::string_view word, std::uint64_t otherwise) const {
    const Argument* argument = context_.command().find_behind(word);
    return argument == nullptr ? otherwise : parse_number(argument->text).value_or(otherwise);
}

bool LiveView::draw(Lost lost) {
    LineSink& out = context_.out();
    const bool in_place = context_.screen() == Screen::drawable;
    const std::string status =
        lost == Lost::yes ? coloured("  the agent does not answer", Colour::bad, context_.colours())
                          : std::string();
    const std::string keys = context_.screen() != Screen::none ? "  q leaves" : "";
    Lines lines{format("{} {}  every {} s{}{}", time_of_day(), title_, every_, keys, status)};
    std::ranges::copy(last_, std::back_inserter(lines));
    if (in_place) {
        const ScreenSize screen = screen_size();
        if (lines.size() > screen.rows - 1) lines.resize(screen.rows - 1);
        for (std::string& line : lines) line = cut_to_width(line, screen.columns) + "\033[K";
        lines.front().insert(0, drawn_ ? "\033[H" : "\033[H\033[2J");
        lines.back() += "\n\033[J";
    } else if (drawn_) {
        lines.insert(lines.begin(), std::string());
    }
    drawn_ = true;
    for (const std::string& line : lines)
        if (out.line(line) == Want::no_more) return false;
    return out.flush() == Want::more;
}

std::expected<Want, Failure> LiveView::pause() {
    const auto key = keys_.wait(std::chrono::seconds(every_));
    if (key == kKeyInterrupt) return std::unexpected(interrupted());
    return leaves(key) ? Want::no_more : Want::more;
}

/// Counters of the last picture, to make rates of.
template <std::size_t n>
class Rates {
  public:
    using Counters = std::array<std::uint64_t, n>;
    using PerSecond = std::array<std::optional<double>, n>;

    /// Rates since the last picture; nothing for what was not there or began anew.
    [[nodiscard]] PerSecond update(const std::string& key, const Counters& now) {
        PerSecond rates{};
        if (const auto old = before_.find(key); old != before_.end() && seconds_ > 0)
            for (std::size_t i = 0; i < n; ++i)
                if (now[i] >= old->second[i])
                    rates[i] = static_cast<double>(now[i] - old->second[i]) / seconds_;
        now_[key] = now;
        return rates;
    }
    /// Before the updates of a picture.
    void begin() {
        const auto time = Clock::now();
        before_ = std::exchange(now_, {});
        seconds_ = before_.empty() ? 0 : std::chrono::duration<double>(time - taken_).count();
        taken_ = time;
    }

  private:
    std::map<std::string, Counters> before_;
    std::map<std::string, Counters> now_;
    Clock::time_point taken_;
    double seconds_ = 0;
};

constexpr double kBits = 8;
std::optional<double> in_bits(std::optional<double> bytes) {
    if (!bytes) return std::nullopt;
    return *bytes * kBits;
}

Lines port_lines(std::vector<Json> ports, Rates<5>& rates, Colours colours) {
    if (ports.empty()) return {"no ports"};
    sort_ports(ports);
    Columns columns({Align::left, Align::left, Align::right, Align::right, Align::right,
                     Align::right, Align::right, Align::right, Align::left},
                    colours);
    columns.row({"BRIDGE", "PORT", "NO", "RX PKT/S", "RX BIT/S", "TX PKT/S", "TX BIT/S", "DROP/S",
                 "STATE"});
    rates.begin();
    for (const Json& p : ports) {
        const auto r = rates.update(p.text("bridge") + " " + p.text("name"),
                                    {p.number("rx_packets"), p.number("rx_bytes"),
                                     p.number("tx_packets"), p.number("tx_bytes"), drops_of(p)});
        columns.row({p.text("bridge"), p.text("name"), port_number_text(p.number("number")),
                     per_second(r[0]), per_second(in_bits(r[1])), per_second(r[2]),
                     per_second(in_bits(r[3])),
                     Cell(per_second(r[4]), r[4].value_or(0) > 0 ? Colour::bad : Colour::none),
                     Cell(p.text("state"), health_colour(p))});
    }
    return columns.lines();
}

struct BusyFlow {
    Json flow;
    std::optional<double> packets;
    std::optional<double> bytes;
};

/// More flows than this are not looked at: those with the most packets so far are.
constexpr std::size_t kMostFlows = 2000;

std::string flows_target(const Context& context) {
    std::string target = format("/api/v1/flows?sort=hits&limit={}", kMostFlows);
    if (const auto bridge = context.text("BRIDGE"); !bridge.empty())
        target += "&bridge=" + percent_encode(bridge);
    if (const auto fields = context.text("FIELDS"); !fields.empty())
        target += "&match=" + percent_encode(fields);
    return target;
}

std::expected<std::vector<Json>, Failure> fetch_flows(const Context& context) {
    auto text = context.agent().get_text(flows_target(context));
    if (!text) {
        if (text.error().begin != 0)
            return std::unexpected(context.shifted(std::move(text.error()), "FIELDS"));
        return std::unexpected(context.placed(std::move(text.error()), "BRIDGE"));
    }
    std::vector<Json> flows;
    for (const std::string_view line : split(*text, '\n'))
        if (auto flow = Json::parse(line)) flows.push_back(std::move(*flow));
    return flows;
}

Lines flow_lines(std::vector<Json> flows, const PortNames& names, Rates<2>& rates,
                 std::size_t rows) {
    const bool all = flows.size() < kMostFlows;
    std::vector<BusyFlow> busy;
    rates.begin();
    for (Json& f : flows) {
        const auto r = rates.update(format("{} {} {} {}", f.text("bridge"), f.number("table"),
                                           f.number("priority"), f.text("match_text")),
                                    {f.number("packet_count"), f.number("byte_count")});
        busy.push_back({std::move(f), r[0], r[1]});
    }
    // The order of the agent, most packets first, decides between equals.
    std::ranges::stable_sort(busy, std::greater<>{},
                             [](const BusyFlow& b) { return b.packets.value_or(0); });
    if (busy.empty()) return {"no flows"};
    Columns columns({Align::left, Align::right, Align::right, Align::right, Align::right,
                     Align::right, Align::left, Align::left});
    columns.row({"BRIDGE", "TABLE", "PRIO", "PKT/S", "BIT/S", "PACKETS", "MATCH", "ACTIONS"});
    const std::size_t room = rows > 2 ? rows - 2 : 1;
    for (const BusyFlow& b : std::span(busy).first(std::min(busy.size(), room))) {
        const std::string bridge = b.flow.text("bridge");
        std::string match = with_port_names(b.flow.text("match_text"), bridge, names);
        columns.row({bridge, format("{}", b.flow.number("table")),
                     format("{}", b.flow.number("priority")), per_second(b.packets),
                     per_second(in_bits(b.bytes)), with_thousands(b.flow.number("packet_count")),
                     match.empty() ? "*" : std::move(match),
                     with_port_names(b.flow.text("actions_text"), bridge, names)});
    }
    Lines lines = columns.lines();
    if (!all)
        lines.push_back(
            format("of the {} flows with the most packets", with_thousands(kMostFlows)));
    else if (busy.size() > room)
        lines.push_back(format("and {} more", with_thousands(busy.size() - room)));
    return lines;
}

/// Notes between the lines of the log.
Want say(const Context& context, std::string_view what) {
    return context.out().line(coloured(format("-- {} --", what), Colour::dim, context.colours()));
}

}  // namespace

Done monitor_ports(const Context& context) {
    Rates<5> rates;
    return LiveView(context, "ports").run([&](std::size_t) -> std::expected<Lines, Failure> {
        auto ports = context.agent().get(context.of_bridge("/api/v1/ports"));
        if (!ports) return std::unexpected(context.placed(std::move(ports.error()), "BRIDGE"));
        return port_lines(ports->items(), rates, context.colours());
    });
}

Done monitor_flows(const Context& context) {
    Rates<2> rates;
    return LiveView(context, "flows").run([&](std::size_t rows) -> std::expected<Lines, Failure> {
        auto ports = context.agent().get(context.of_bridge("/api/v1/ports"));
        if (!ports) return std::unexpected(context.placed(std::move(ports.error()), "BRIDGE"));
        auto flows = fetch_flows(context);
        if (!flows) return std::unexpected(std::move(flows.error()));
        return flow_lines(std::move(*flows), port_names(*ports), rates, rows);
    });
}

Done monitor_log(const Context& context) {
    constexpr std::chrono::milliseconds kPulse{200};
    const std::string_view level = context.text("LEVEL");
    const std::string filter = level.empty() ? std::string() : format("&level={}", level);
    RawKeys keys;
    std::uint64_t instance = 0;
    std::uint64_t next = 0;
    bool lost = false;
    while (true) {
        const auto log =
            context.agent().get(instance == 0 ? format("/api/v1/log?limit=10{}", filter)
                                              : format("/api/v1/log?after={}{}", next, filter));
        if (!log && (instance == 0 || log.error().code != ExitCode::unreachable))
            return std::unexpected(log.error());
        Want want = Want::more;
        if (!log) {
            if (!lost) want = say(context, "the agent does not answer");
            lost = true;
        } else {
            lost = false;
            if (instance != 0 && instance != log->number("instance")) {
                want = say(context, "the agent was restarted");
                instance = log->number("instance");
                next = 0;
                if (want == Want::more) continue;
            }
            instance = log->number("instance");
            next = log->number("next");
            if (const std::uint64_t missed = log->number("lost"); missed != 0)
                want = say(context, format("{} lines missed", missed));
            for (const Json& line : (*log)["lines"].items())
                if (want == Want::more)
                    want = context.out().line(log_line(line, context.colours()));
        }
        if (want == Want::no_more || context.out().flush() == Want::no_more) return {};
        const auto key = keys.wait(kPulse);
        if (key == kKeyInterrupt) return std::unexpected(interrupted());
        if (leaves(key)) return {};
    }
}

}  // namespace raicho::shell
