// SPDX-License-Identifier: Apache-2.0
// bench-set CASE DIR: writes a case of the benchmark to files: rules.bin (OpenFlow 1.3 messages,
// each flow-mod's cookie its number), traffic.pcap, sample.pcap (frames of the traffic, in its
// order), and set.json with what the slow model makes of the sample. The same seed gives the same
// bytes.
#include <x86intrin.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "base/text.h"
#include "openflow/codec.h"
#include "tests/bench/random.h"
#include "tests/bench/slow_run.h"

namespace raicho::bench {
namespace {

struct Options {
    std::string name, dir;
    std::uint64_t seed = 1;
    std::size_t packets = 1 << 20;
    std::size_t sample = 1000;
};

class Pcap {
  public:
    explicit Pcap(const std::string& path) : out_(path, std::ios::binary) {
        put({0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1});
    }
    void add(const test::FrameBytes& frame) {
        const auto size = static_cast<std::uint32_t>(frame.size());
        put({0, number_++, size, size});
        out_.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(size));
    }
    [[nodiscard]] bool close() {
        out_.close();
        return out_.good();
    }

  private:
    void put(std::initializer_list<std::uint32_t> words) {
        for (const std::uint32_t word : words)
            out_.write(reinterpret_cast<const char*>(&word), sizeof word);
    }
    std::ofstream out_;
    std::uint32_t number_ = 0;
};

/// Flow of each packet: every flow as often as any other, once or less apart, in random order.
std::vector<std::uint32_t> order_of(std::size_t packets, std::size_t flows, std::uint64_t seed) {
    std::vector<std::uint32_t> order(packets);
    for (std::size_t i = 0; i < packets; ++i) order[i] = static_cast<std::uint32_t>(i % flows);
    Random random(seed, 0x6f72646572);
    for (std::size_t i = packets; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

std::string hex(const test::FrameBytes& bytes) {
    std::string text;
    for (const std::byte b : bytes) text += format("{:02x}", std::to_integer<unsigned>(b));
    return text;
}

Result<void> write_rules(const RuleSet& set, const std::string& path, std::uint64_t& flows) {
    std::ofstream out(path, std::ios::binary);
    std::uint32_t xid = 0;
    openflow::ByteVector bytes;
    set.rules([&](const openflow::Message& message) {
        bytes.clear();
        openflow::encode(message, openflow::version::k13, ++xid, bytes);
        out.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
        flows += std::holds_alternative<openflow::FlowMod>(message) ? 1 : 0;
    });
    out.close();
    if (!out.good()) return fail(format("\"{}\": cannot be written", path));
    return {};
}

Result<void> write_set(const Options& options) {
    TRY_ASSIGN(const RuleSet set, make_case(options.name, options.seed));
    std::uint64_t flows = 0;
    TRY(write_rules(set, options.dir + "/rules.bin", flows));

    const auto order = order_of(options.packets, set.flows, options.seed);
    std::vector<test::FrameBytes> frames(std::min(set.flows, options.packets));
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = test::build(set.frame(i)).bytes;
    Pcap traffic(options.dir + "/traffic.pcap"), sample(options.dir + "/sample.pcap");
    for (const std::uint32_t flow : order) traffic.add(frames[flow]);
    std::vector<test::FrameBytes> sampled;
    for (std::size_t i = 0; i < options.sample; ++i) {
        sampled.push_back(frames[order[i * order.size() / options.sample]]);
        sample.add(sampled.back());
    }
    if (!traffic.close() || !sample.close())
        return fail(format("\"{}\": the traffic cannot be written", options.dir));

    const SlowRun run = slow_run(set, sampled);
    std::ofstream out(options.dir + "/set.json");
    out << format(R"({{"case":"{}","what":"{}","rules":{},"flows":{},"packets":{},"sample":{},)",
                  set.name, set.what, flows, frames.size(), order.size(), sampled.size())
        << "\n\"outputs\":[";
    for (const char* comma = ""; const auto& outputs : run.outputs) {
        out << comma << "\n[";
        for (const char* inner = ""; const auto& bytes : outputs) {
            out << inner << '"' << hex(bytes) << '"';
            inner = ",";
        }
        out << "]";
        comma = ",";
    }
    out << "],\n\"counts\":{";
    for (const char* comma = ""; const auto& [cookie, packets] : run.packets) {
        out << comma << format("\"{}\":{}", cookie, packets);
        comma = ",";
    }
    out << "}}\n";
    out.close();
    if (!out.good()) return fail(format("\"{}/set.json\": cannot be written", options.dir));
    return {};
}

/// The CPU's nominal MHz is another clock, and often another figure.
std::uint64_t tsc_hz() {
    using namespace std::chrono_literals;
    const auto began = std::chrono::steady_clock::now();
    const std::uint64_t from = __rdtsc();
    std::this_thread::sleep_for(200ms);
    const std::uint64_t ticks = __rdtsc() - from;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return static_cast<std::uint64_t>(static_cast<double>(ticks) / took.count());
}

int run(int argc, char** argv) {
    CLI::App app("Writes a case of the benchmark: rules, traffic, and what must come out.");
    Options options;
    bool list = false, tsc = false;
    app.add_flag("--list", list, "Print the cases' names");
    app.add_flag("--tsc", tsc, "Measure the time stamp counter; print its Hz");
    app.add_option("case", options.name, "Case");
    app.add_option("dir", options.dir, "Directory for the files");
    app.add_option("--seed", options.seed, "Seed of everything")->capture_default_str();
    app.add_option("--packets", options.packets, "Frames of the traffic")
        ->capture_default_str()
        ->check(CLI::Range(1u, 1u << 24));
    app.add_option("--sample", options.sample, "Frames of the sample")
        ->capture_default_str()
        ->check(CLI::Range(1u, 1u << 20));
    CLI11_PARSE(app, argc, argv);
    if (list) {
        for (const std::string_view name : case_names()) std::cout << name << '\n';
        return 0;
    }
    if (tsc) {
        std::cout << tsc_hz() << '\n';
        return 0;
    }
    if (options.name.empty() || options.dir.empty()) {
        std::cerr << "error: bench-set CASE DIR\n";
        return 2;
    }
    if (const auto done = write_set(options); !done) {
        std::cerr << "error: " << done.error().text << '\n';
        return 1;
    }
    return 0;
}

}  // namespace
}  // namespace raicho::bench

int main(int argc, char** argv) {
    return raicho::bench::run(argc, argv);
}
