// SPDX-License-Identifier: Apache-2.0
#include "shell/render_flow.h"

#include <array>
#include <optional>

#include "base/text.h"
#include "shell/render_ovs.h"

namespace raicho::shell {

namespace {

class FullPrinter : public FlowPrinter {
  public:
    FullPrinter(LineSink& out, std::vector<std::string> bridges)
        : out_(out), bridges_(std::move(bridges)) {}

    Want flow(const Json& flow) override {
        const std::string bridge = flow.text("bridge");
        const std::uint64_t table = flow.number("table");
        if (!started_ || bridge != bridge_) {
            if (headers_until(bridge) == Want::no_more) return Want::no_more;
            table_.reset();
        }
        if (table_ != table) {
            table_ = table;
            if (out_.line(format(" Table id: {}", table)) == Want::no_more) return Want::no_more;
        }
        const std::string match = flow.text("match_text");
        return out_.line(format(
            "  priority={},idle_timeout={},hard_timeout={},flags={},cookie={},packet_count={},"
            "byte_count={}{}{} actions={}",
            flow.number("priority"), flow.number("idle_timeout"), flow.number("hard_timeout"),
            flow.number("flags"), flow.number("cookie"), flow.number("packet_count"),
            flow.number("byte_count"), match.empty() ? "" : ",", match, flow.text("actions_text")));
    }
    void end() override {
        while (next_ < bridges_.size())
            if (out_.line(format("Bridge: {}", bridges_[next_++])) == Want::no_more) return;
    }

  private:
    /// Headers of the bridges up to this one; those before it have no flows.
    Want headers_until(const std::string& bridge) {
        started_ = true;
        bridge_ = bridge;
        while (next_ < bridges_.size() && bridges_[next_] != bridge)
            if (out_.line(format("Bridge: {}", bridges_[next_++])) == Want::no_more)
                return Want::no_more;
        if (next_ < bridges_.size()) ++next_;
        return out_.line(format("Bridge: {}", bridge));
    }

    LineSink& out_;
    std::vector<std::string> bridges_;
    std::size_t next_ = 0;  // first of bridges_ without a header
    bool started_ = false;
    std::string bridge_;
    std::optional<std::uint64_t> table_;
};

class BriefPrinter : public FlowPrinter {
  public:
    BriefPrinter(LineSink& out, PortNames names, Colours colours)
        : out_(out), names_(std::move(names)), colours_(colours), columns_(fresh()) {}

    Want flow(const Json& flow) override {
        const std::string bridge = flow.text("bridge");
        if (bridge != bridge_) {
            if (flush() == Want::no_more) return Want::no_more;
            bridge_ = bridge;
            columns_ = fresh();
            settled_ = false;
            if (out_.line(coloured(bridge, Colour::bold, colours_)) == Want::no_more)
                return Want::no_more;
            add({"TABLE", "PRIO", "PACKETS", "RATE", "AGE", "MATCH", "ACTIONS"});
        }
        std::string match = with_port_names(flow.text("match_text"), bridge, names_);
        if (match.empty()) match = "*";
        std::vector<Cell> cells{format("{}", flow.number("table")),
                                format("{}", flow.number("priority")),
                                with_thousands(flow.number("packet_count")),
                                rate_text(flow.number("packet_count"), flow.number("age_ns")),
                                age_text(flow.number("age_ns")),
                                std::move(match),
                                with_port_names(flow.text("actions_text"), bridge, names_)};
        if (settled_) return out_.line(columns_.line(cells, kIndent));
        add(std::move(cells));
        return held_ < kHeldRows ? Want::more : flush();
    }
    void end() override {
        if (flush() == Want::no_more) return;
        if (bridge_.empty()) out_.line("no flows");
    }

  private:
    static constexpr std::size_t kHeldRows = 1000;  // that settle the widths
    static constexpr std::string_view kIndent = "  ";

    [[nodiscard]] Columns fresh() const {
        return Columns({Align::right, Align::right, Align::right, Align::right, Align::right,
                        Align::left, Align::left},
                       colours_);
    }
    void add(std::vector<Cell> cells) {
        columns_.row(std::move(cells));
        ++held_;
    }
    Want flush() {
        if (settled_ || held_ == 0) return Want::more;
        settled_ = true;
        held_ = 0;
        for (const std::string& line : columns_.lines(kIndent))
            if (out_.line(line) == Want::no_more) return Want::no_more;
        return Want::more;
    }

    LineSink& out_;
    PortNames names_;
    Colours colours_;
    Columns columns_;
    std::size_t held_ = 0;
    bool settled_ = false;
    std::string bridge_;
};

class SortedPrinter : public FlowPrinter {
  public:
    SortedPrinter(LineSink& out, PortNames names, Colours colours)
        : out_(out),
          names_(std::move(names)),
          columns_({Align::left, Align::right, Align::right, Align::right, Align::right,
                    Align::right, Align::left, Align::left},
                   colours) {
        columns_.row({"BRIDGE", "TABLE", "PRIO", "PACKETS", "BYTES", "IDLE", "MATCH", "ACTIONS"});
    }
    // The agent gives the first of an order, a thousand at most: they are held for their widths.
    Want flow(const Json& flow) override {
        const std::string bridge = flow.text("bridge");
        std::string match = with_port_names(flow.text("match_text"), bridge, names_);
        columns_.row(
            {bridge, format("{}", flow.number("table")), format("{}", flow.number("priority")),
             with_thousands(flow.number("packet_count")), with_thousands(flow.number("byte_count")),
             flow["idle_ns"].null() ? "-" : age_text(flow.number("idle_ns")),
             match.empty() ? "*" : std::move(match),
             with_port_names(flow.text("actions_text"), bridge, names_)});
        ++count_;
        return Want::more;
    }
    void end() override {
        if (count_ == 0) {
            out_.line("no flows");
            return;
        }
        for (const std::string& line : columns_.lines())
            if (out_.line(line) == Want::no_more) return;
    }

  private:
    LineSink& out_;
    PortNames names_;
    Columns columns_;
    std::size_t count_ = 0;
};

class OvsPrinter : public FlowPrinter {
  public:
    explicit OvsPrinter(LineSink& out) : out_(out) {}

    Want flow(const Json& flow) override {
        if (const std::string bridge = flow.text("bridge"); bridge != bridge_) {
            bridge_ = bridge;
            if (out_.line("# bridge " + bridge) == Want::no_more) return Want::no_more;
        }
        std::string text =
            format("table={},priority={}", flow.number("table"), flow.number("priority"));
        for (const char* timeout : {"idle_timeout", "hard_timeout"})
            if (const std::uint64_t seconds = flow.number(timeout); seconds != 0)
                text += format(",{}={}", timeout, seconds);
        if (const std::uint64_t cookie = flow.number("cookie"); cookie != 0)
            text += format(",cookie=0x{:x}", cookie);
        for (std::size_t bit = 0; bit < kFlags.size(); ++bit)
            if ((flow.number("flags") >> bit & 1) != 0) text += format(",{}", kFlags[bit]);
        const std::string match = ovs_match(flow.text("match_text"));
        return out_.line(format("{}{}{} actions={}", text, match.empty() ? "" : ",", match,
                                ovs_actions(flow.text("actions_text"))));
    }
    void end() override {}

  private:
    /// By the bit of ofp_flow_mod_flags (OF 1.3.5 §7.3.4.2).
    static constexpr std::array<std::string_view, 5> kFlags{
        "send_flow_rem", "check_overlap", "reset_counts", "no_packet_counts", "no_byte_counts"};

    LineSink& out_;
    std::string bridge_;
};

class JsonPrinter : public FlowPrinter {
  public:
    explicit JsonPrinter(LineSink& out) : out_(out) {}

    // Each line but the last ends with a comma, so one is always held back.
    Want flow(const Json& flow) override {
        std::string text = flow.compact();
        if (!held_) {
            held_ = std::move(text);
            return out_.line("[");
        }
        const Want want = out_.line(*held_ + ",");
        held_ = std::move(text);
        return want;
    }
    void end() override {
        if (!held_) {
            out_.line("[]");
            return;
        }
        if (out_.line(*held_) == Want::more) out_.line("]");
    }

  private:
    LineSink& out_;
    std::optional<std::string> held_;
};

}  // namespace

std::unique_ptr<FlowPrinter> full_flow_printer(LineSink& out, std::vector<std::string> bridges) {
    return std::make_unique<FullPrinter>(out, std::move(bridges));
}

std::unique_ptr<FlowPrinter> brief_flow_printer(LineSink& out, PortNames names, Colours colours) {
    return std::make_unique<BriefPrinter>(out, std::move(names), colours);
}

std::unique_ptr<FlowPrinter> sorted_flow_printer(LineSink& out, PortNames names, Colours colours) {
    return std::make_unique<SortedPrinter>(out, std::move(names), colours);
}

std::unique_ptr<FlowPrinter> ovs_flow_printer(LineSink& out) {
    return std::make_unique<OvsPrinter>(out);
}

PortNames port_names(const Json& ports) {
    PortNames names;
    for (const Json& p : ports.items())
        names.emplace(std::pair(p.text("bridge"), p.number("number")), p.text("name"));
    return names;
}

std::unique_ptr<FlowPrinter> json_flow_printer(LineSink& out) {
    return std::make_unique<JsonPrinter>(out);
}

Want LineCutter::feed(std::string_view piece, const std::function<Want(std::string_view)>& take) {
    while (true) {
        const std::size_t end = piece.find('\n');
        if (end == std::string_view::npos) {
            rest_ += piece;
            return Want::more;
        }
        Want want = Want::more;
        if (rest_.empty()) {
            want = take(piece.substr(0, end));
        } else {
            rest_ += piece.substr(0, end);
            want = take(rest_);
            rest_.clear();
        }
        if (want == Want::no_more) return want;
        piece.remove_prefix(end + 1);
    }
}

std::string with_port_names(std::string_view text, const std::string& bridge,
                            const PortNames& names) {
    constexpr std::array<std::string_view, 2> kBefore{"in_port=", "output:"};
    std::string out;
    while (!text.empty()) {
        std::size_t digits = 0;
        for (const std::string_view before : kBefore) {
            const bool word_starts = out.empty() || out.back() == ',' || out.back() == '(';
            if (!word_starts || !text.starts_with(before)) continue;
            out += before;
            text.remove_prefix(before.size());
            while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
            break;
        }
        const auto number = parse_number(text.substr(0, digits));
        const auto name = number ? names.find({bridge, *number}) : names.end();
        if (name != names.end()) {
            out += name->second;
            text.remove_prefix(digits);
        } else if (!text.empty()) {
            out += text.front();
            text.remove_prefix(1);
        }
    }
    return out;
}

std::string rate_text(std::uint64_t count, std::uint64_t ns) {
    if (count == 0 || ns == 0) return "-";
    constexpr std::array<std::string_view, 4> kUnits{"", " k", " M", " G"};
    double rate = static_cast<double>(count) * 1e9 / static_cast<double>(ns);
    std::size_t unit = 0;
    while (rate >= 1000 && unit + 1 < kUnits.size()) {
        rate /= 1000;
        ++unit;
    }
    return format("{:.1f}{}/s", rate, kUnits[unit]);
}

}  // namespace raicho::shell
