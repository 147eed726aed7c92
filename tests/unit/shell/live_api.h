// SPDX-License-Identifier: Apache-2.0
// Commands against the real API over a real socket, with a switch of values and the configuration's
// real engine behind it.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/api/api.h"
#include "agent/api/server.h"
#include "shell/execute.h"
#include "tests/unit/agent/api/fake_operator.h"
#include "tests/unit/agent/api/fake_view.h"
#include "tests/unit/scratch_folder.h"
#include "tests/unit/shell/kept_lines.h"

namespace raicho::shell {

namespace api = agent::api;

class LiveApi : public testing::Test {
  protected:
    LiveApi() {
        view_.add_bridge("br0").n_controllers = 1;
        view_.add_bridge("br1");
        view_.add_port("br0", "h1-br", 1);
        view_.add_port("br0", "h2-br", 2);
        view_.add_controller("br0", "refused, next try in 4s");
        api_.attend(operator_);
        start();
    }
    ~LiveApi() override { stop(); }
    void start() {
        auto opened = api::Server::open(loop_, folder_.path() + "/agent.sock", api_);
        ASSERT_TRUE(opened) << opened.error().text;
        server_ = std::move(*opened);
        loop_.restart();
        thread_ = std::thread([this] {
            const auto keep = boost::asio::make_work_guard(loop_);
            loop_.run();
        });
    }
    void stop() {
        loop_.stop();
        if (thread_.joinable()) thread_.join();
        server_.reset();
    }
    /// Runs a line; its output, or the failure as it is shown.
    std::string run(std::string_view line, Format format = Format::people) {
        const auto parsed = parse_line(line, editing_.mode(), editing_);
        if (!parsed) {
            code_ = ExitCode::usage;
            return failure_text(from_line_error(parsed.error()), line, {}, Colours::off);
        }
        KeptLines out;
        Surroundings around{.agent = agent_, .editing = editing_, .format = format};
        around.ask = ask_;
        around.read_block = read_block_;
        const auto done = execute(*parsed, around, out);
        code_ = done ? ExitCode::ok : done.error().code;
        if (!done) return failure_text(done.error(), line, {}, Colours::off);
        return out.text();
    }

    test::ScratchFolder folder_;
    boost::asio::io_context loop_;
    api::FakeView view_;
    api::FakeConfig config_;
    api::FakeOperator operator_;
    api::Api api_{view_, config_.engine, config_.candidates};
    std::unique_ptr<api::Server> server_;
    std::thread thread_;
    Agent agent_{Client(folder_.path() + "/agent.sock")};
    Editing editing_{agent_};
    Ask ask_;
    std::function<std::expected<std::string, Failure>()> read_block_;
    ExitCode code_ = ExitCode::ok;
};

}  // namespace raicho::shell
