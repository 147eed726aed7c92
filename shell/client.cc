// SPDX-License-Identifier: Apache-2.0
#include "shell/client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <optional>

#include "base/text.h"
#include "shell/interrupt.h"

namespace raicho::shell {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Local = asio::local::stream_protocol;
using boost::system::error_code;

namespace {

/// A body that is not streamed and is larger than this is no answer of our agent.
constexpr std::size_t kBodyLimit = std::size_t{256} << 20;
constexpr std::chrono::milliseconds kPulse{50};
/// Until an answer begins: a view is made between two events of the agent's loop; a commit may wait
/// for many devices, each with a patience of its own.
constexpr std::chrono::seconds kUntilAView{10};
constexpr std::chrono::seconds kUntilAChange{120};

/// One request on one connection. The operations are asynchronous only so that ^C can end them.
class Exchange {
  public:
    explicit Exchange(const std::string& path) : path_(path), socket_(loop_) {}

    [[nodiscard]] std::expected<Answer, ClientError> run(const Call& call, const BodySink* sink);

  private:
    using Parser = http::response_parser<http::string_body>;

    /// Starts an operation by `start(handler)` and waits for its end. An error, or nothing.
    template <class Start>
    [[nodiscard]] std::optional<ClientError> wait(Start start);
    [[nodiscard]] ClientError broken(error_code error) const;
    [[nodiscard]] std::optional<ClientError> connect();
    [[nodiscard]] std::optional<ClientError> read_body(Parser& parser, Answer& answer,
                                                       const BodySink* sink);

    const std::string& path_;
    std::optional<std::chrono::steady_clock::time_point> until_;
    asio::io_context loop_{1};
    Local::socket socket_;
    boost::beast::flat_buffer buffer_;
    error_code ended_;
};

bool hung_up(error_code error) {
    return error == http::error::end_of_stream || error == http::error::partial_message ||
           error == asio::error::connection_reset || error == asio::error::broken_pipe ||
           error == asio::error::eof;
}

template <class Start>
std::optional<ClientError> Exchange::wait(Start start) {
    bool done = false;
    start([&](error_code error, std::size_t = 0) {
        ended_ = error;
        done = true;
    });
    loop_.restart();
    while (!done) {
        loop_.run_one_for(kPulse);
        const bool late = until_ && std::chrono::steady_clock::now() >= *until_;
        if (!done && (late || interrupt_requested())) {
            error_code ignored;
            socket_.close(ignored);
            while (!done) loop_.run_one();
            if (!late) return ClientError{ClientFault::interrupted, {"interrupted"}};
            return ClientError{ClientFault::unreachable,
                               {format("the agent at {} does not answer", path_),
                                "is it stopped, or very busy? its log says, or `top`"}};
        }
    }
    if (ended_) return broken(ended_);
    return std::nullopt;
}

ClientError Exchange::broken(error_code error) const {
    if (hung_up(error))
        return {ClientFault::unreachable,
                {format("the agent at {} closed the connection", path_),
                 "it was stopped or died; its log says why", error.value()}};
    return {ClientFault::bad_answer,
            {format("no answer from {}: {}", path_, error.message()), {}, error.value()}};
}

std::optional<ClientError> Exchange::connect() {
    error_code error;
    socket_.connect(Local::endpoint(path_), error);
    if (!error) return std::nullopt;
    if (error == asio::error::access_denied)
        return ClientError{ClientFault::refused,
                           {format("the agent's socket {}: permission denied", path_),
                            "be root or a member of the socket's group", error.value()}};
    return ClientError{
        ClientFault::unreachable,
        {format("the agent cannot be reached at {}: {}", path_, error.message()),
         "start it: raicho run -C FILE; for another run directory: lagosh --rundir DIR",
         error.value()}};
}

std::optional<ClientError> Exchange::read_body(Parser& parser, Answer& answer,
                                               const BodySink* sink) {
    std::string& body = parser.get().body();
    while (!parser.is_done()) {
        const auto failed = wait([&](auto handler) {
            http::async_read_some(socket_, buffer_, parser, std::move(handler));
        });
        if (failed) return failed;
        if (sink == nullptr) {
            if (body.size() > kBodyLimit)
                return ClientError{ClientFault::bad_answer, {"the answer is too large"}};
            continue;
        }
        if (!body.empty() && (*sink)(body) == KeepReading::no) return std::nullopt;
        body.clear();
    }
    if (sink == nullptr) answer.body = std::move(body);
    return std::nullopt;
}

std::expected<Answer, ClientError> Exchange::run(const Call& call, const BodySink* sink) {
    if (path_.size() >= sizeof(sockaddr_un::sun_path))
        return std::unexpected(ClientError{
            ClientFault::unreachable,
            {format("socket path \"{}\" is too long", path_), "choose a shorter run directory"}});
    const bool reads = call.method == "GET";
    const std::chrono::milliseconds usual = reads ? kUntilAView : kUntilAChange;
    until_ =
        std::chrono::steady_clock::now() + (call.patience.count() != 0 ? call.patience : usual);
    if (auto failed = connect()) return std::unexpected(std::move(*failed));
    http::request<http::string_body> request(http::string_to_verb(call.method), call.target, 11);
    request.set(http::field::host, "raicho");
    request.set(http::field::user_agent, "lagosh");
    request.keep_alive(false);
    if (!call.body.empty()) {
        request.set(http::field::content_type, "application/json");
        request.body() = call.body;
    }
    request.prepare_payload();
    // An agent that refuses without reading all (too many bytes, too many clients) has answered.
    auto unsent =
        wait([&](auto handler) { http::async_write(socket_, request, std::move(handler)); });
    if (unsent && !hung_up(ended_)) return std::unexpected(std::move(*unsent));
    Parser parser;
    parser.body_limit(boost::none);
    if (auto failed = wait([&](auto handler) {
            http::async_read_header(socket_, buffer_, parser, std::move(handler));
        }))
        return std::unexpected(std::move(unsent ? *unsent : *failed));
    if (call.patience.count() == 0) until_.reset();  // it answers; a long body takes its time
    Answer answer;
    answer.status = parser.get().result_int();
    const auto type = parser.get()[http::field::content_type];
    answer.content_type.assign(type.data(), type.size());
    if (answer.status != 200) sink = nullptr;
    if (auto failed = read_body(parser, answer, sink)) return std::unexpected(std::move(*failed));
    return answer;
}

}  // namespace

std::expected<Answer, ClientError> Client::call(const Call& call) {
    return Exchange(path_).run(call, nullptr);
}

std::expected<Answer, ClientError> Client::stream(const Call& call, const BodySink& sink) {
    return Exchange(path_).run(call, &sink);
}

std::string percent_encode(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain)
            out += c;
        else
            out += format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

}  // namespace raicho::shell
