// SPDX-License-Identifier: Apache-2.0
// The server over a real Unix socket: bytes that a well-behaved client would not send.
#include "agent/api/server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "agent/api/api.h"
#include "base/handle.h"
#include "tests/unit/agent/api/fake_view.h"
#include "tests/unit/scratch_folder.h"

namespace raicho::agent::api {
namespace {

class ServerTest : public testing::Test {
  protected:
    ServerTest() {
        view_.add_bridge("br0");
        auto opened = Server::open(loop_, path_, api_);
        EXPECT_TRUE(opened) << opened.error().text;
        server_ = std::move(*opened);
        thread_ = std::thread([this] {
            const auto keep = boost::asio::make_work_guard(loop_);
            loop_.run();
        });
    }
    ~ServerTest() override {
        loop_.stop();
        thread_.join();
        server_.reset();
    }
    Fd connect() {
        Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        path_.copy(name.sun_path, sizeof(name.sun_path) - 1);
        EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
        return fd;
    }
    /// Sends bytes, then reads until the server closes (the requests ask it to).
    std::string exchange(const std::string& bytes) {
        const Fd fd = connect();
        EXPECT_EQ(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
        std::string all;
        std::array<char, 4096> piece;
        ssize_t size = 0;
        while ((size = ::recv(fd.get(), piece.data(), piece.size(), 0)) > 0)
            all.append(piece.data(), static_cast<std::size_t>(size));
        return all;
    }
    static std::string get(std::string_view target) {
        return "GET " + std::string(target) +
               " HTTP/1.1\r\nHost: raicho\r\nConnection: close\r\n\r\n";
    }

    test::ScratchFolder folder_;
    std::string path_ = folder_.path() + "/agent.sock";
    boost::asio::io_context loop_;
    FakeView view_;
    FakeConfig config_;
    Api api_{view_, config_.engine, config_.candidates};
    std::unique_ptr<Server> server_;
    std::thread thread_;
};

TEST_F(ServerTest, TheSocketIsForOwnerAndGroupOnly) {
    struct stat status{};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0660u);
}

TEST_F(ServerTest, AnswersARequest) {
    const std::string answer = exchange(get("/api/v1/version"));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_NE(answer.find("\"product\":\"Raicho\""), std::string::npos);
}

TEST_F(ServerTest, AStreamedBodyGoesOutInChunks) {
    for (std::uint32_t i = 0; i < 1000; ++i) view_.add_flow("br0", TableId{0}, 1, i + 1, 1);
    const std::string answer = exchange(get("/api/v1/flows"));
    EXPECT_NE(answer.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
    EXPECT_TRUE(answer.ends_with("\r\n0\r\n\r\n"));
    std::size_t flows = 0;
    for (std::size_t at = answer.find("\"bridge\":"); at != std::string::npos;
         at = answer.find("\"bridge\":", at + 1))
        ++flows;
    EXPECT_EQ(flows, 1000u);
}

TEST_F(ServerTest, RequestsFollowEachOtherOnOneConnection) {
    const std::string answer =
        exchange("GET /api/v1/memory HTTP/1.1\r\nHost: a\r\n\r\n" + get("/api/v1/version"));
    EXPECT_NE(answer.find("4 kB"), std::string::npos);
    EXPECT_NE(answer.find("Raicho"), std::string::npos);
}

TEST_F(ServerTest, GarbageIsABadRequest) {
    EXPECT_TRUE(exchange("\x16\x03\x01\x02 nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
    EXPECT_TRUE(
        exchange("GET * HTTP/1.1\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 400 "));
    EXPECT_TRUE(exchange(get("/api/v1/version")).starts_with("HTTP/1.1 200 "));
}

TEST_F(ServerTest, TooLargeBodiesAndHeadersAreRefusedUnread) {
    const std::string body =
        "POST /api/v1/config/load HTTP/1.1\r\nContent-Type: application/json\r\n"
        "Content-Length: 999999999999\r\n\r\n";
    EXPECT_TRUE(exchange(body).starts_with("HTTP/1.1 413 "));
    const std::string header = "GET /api/v1/version HTTP/1.1\r\nX: " + std::string(20'000, 'x');
    EXPECT_TRUE(exchange(header).starts_with("HTTP/1.1 431 "));
}

TEST_F(ServerTest, WhoeverComesWhenAllConnectionsAreTakenIsToldSo) {
    std::vector<Fd> taken;
    for (int i = 0; i < 64; ++i) {
        taken.push_back(connect());
        const char begun = 'G';
        ASSERT_EQ(::send(taken.back().get(), &begun, 1, MSG_NOSIGNAL), 1);
    }
    const std::string answer = exchange("");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n")) << answer;
    EXPECT_NE(answer.find("64 connections to the agent are open"), std::string::npos) << answer;
}

TEST_F(ServerTest, AnotherAgentAtTheSocketIsAnError) {
    boost::asio::io_context other;
    const auto second = Server::open(other, path_, api_);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().text.find("another agent answers there"), std::string::npos);
}

TEST(Server, AStaleSocketIsReplacedAndALongPathRefused) {
    const test::ScratchFolder folder;
    const std::string path = folder.path() + "/agent.sock";
    {
        const Fd dead(::socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        path.copy(name.sun_path, sizeof(name.sun_path) - 1);
        ASSERT_EQ(::bind(dead.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
    }
    boost::asio::io_context loop;
    FakeView view;
    FakeConfig config;
    Api api(view, config.engine, config.candidates);
    {
        const auto server = Server::open(loop, path, api);
        EXPECT_TRUE(server) << server.error().text;
    }
    EXPECT_FALSE(std::filesystem::exists(path)) << "a clean stop leaves no socket";
    EXPECT_FALSE(Server::open(loop, "/tmp/" + std::string(200, 'x'), api));
}

}  // namespace
}  // namespace raicho::agent::api
