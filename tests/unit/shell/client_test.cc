// SPDX-License-Identifier: Apache-2.0
// The shell's HTTP client against agents that do not behave.
#include "shell/client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <thread>

#include "base/handle.h"
#include "tests/unit/scratch_folder.h"

namespace raicho::shell {
namespace {

/// Listens at a Unix socket, says `answer` to the first who comes without reading a byte and hangs
/// up when told so.
class DeafAgent {
  public:
    explicit DeafAgent(std::string answer) : answer_(std::move(answer)) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        path_.copy(name.sun_path, sizeof(name.sun_path) - 1);
        EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
        EXPECT_EQ(::listen(listener_.get(), 1), 0);
        thread_ = std::thread([this] {
            const Fd peer(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            EXPECT_EQ(::send(peer.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL),
                      static_cast<ssize_t>(answer_.size()));
        });
    }
    ~DeafAgent() { thread_.join(); }
    DeafAgent(const DeafAgent&) = delete;
    DeafAgent& operator=(const DeafAgent&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    test::ScratchFolder folder_;
    std::string path_ = folder_.path() + "/agent.sock";
    std::string answer_;
    Fd listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::thread thread_;
};

TEST(Client, AnAnswerThatComesBeforeTheRequestIsReadCounts) {
    const DeafAgent agent(
        "HTTP/1.1 413 Content Too Large\r\nContent-Type: application/problem+json\r\n"
        "Content-Length: 2\r\n\r\n{}");
    Client client(agent.path());
    const auto answer = client.call({"POST", "/x", std::string(std::size_t{4} << 20, ' ')});
    ASSERT_TRUE(answer) << answer.error().error.text;
    EXPECT_EQ(answer->status, 413u);
    EXPECT_EQ(answer->body, "{}");
}

TEST(Client, AnAgentThatHangsUpWithoutAWordClosedTheConnection) {
    const DeafAgent agent("");
    Client client(agent.path());
    const auto answer = client.call({"POST", "/x", std::string(std::size_t{4} << 20, ' ')});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().fault, ClientFault::unreachable);
    EXPECT_NE(answer.error().error.text.find("closed the connection"), std::string::npos);
}

}  // namespace
}  // namespace raicho::shell
