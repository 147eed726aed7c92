// SPDX-License-Identifier: Apache-2.0
// The agent's only file with Beast beside the OpenFlow channel's Asio. A Session is one connection
// and keeps itself alive by its pending operation.
#include "agent/api/server.h"

#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <chrono>
#include <set>
#include <utility>

#include "agent/api/api.h"
#include "base/log.h"
#include "base/text.h"

namespace raicho::agent::api {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Local = asio::local::stream_protocol;
using boost::system::error_code;

namespace {

constexpr std::size_t kMaxConnections = 64;
constexpr std::size_t kMaxStreams = 8;
constexpr std::uint64_t kBodyLimit = 8u << 20;
constexpr std::uint32_t kHeaderLimit = 16u << 10;
constexpr std::chrono::seconds kPatience{60};  // for a request to come, for a client to read

/// What the system calls a user.
std::string name_of(uid_t user) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> texts{};
    if (::getpwuid_r(user, &entry, texts.data(), texts.size(), &found) == 0 && found != nullptr)
        return found->pw_name;
    return std::to_string(user);
}

class Sessions;

class Session : public std::enable_shared_from_this<Session> {
  public:
    Session(Local::socket socket, Api& api, std::shared_ptr<Sessions> all)
        : stream_(std::move(socket)), api_(api), all_(std::move(all)) {}

    void start();
    void stop();

  private:
    using Parser = http::request_parser<http::string_body>;

    void read();
    void on_read(error_code error);
    void handle(const http::request<http::string_body>& message);
    void respond(Response response);
    void send_text(Response response);
    void send_stream(Response response);
    void pump();
    void send_piece();
    void finish_stream();
    void done(error_code error);

    beast::basic_stream<Local> stream_;
    Api& api_;
    std::shared_ptr<Sessions> all_;
    beast::flat_buffer buffer_{64u << 10};
    std::optional<Parser> parser_;
    bool keep_alive_ = false;
    unsigned version_ = 11;
    http::response<http::string_body> text_;
    http::response<http::empty_body> head_;
    std::optional<http::response_serializer<http::empty_body>> head_serializer_;
    std::unique_ptr<BodyStream> body_;
    std::string piece_;
};

/// The live connections, and how many of them send a long body.
class Sessions {
  public:
    std::set<std::shared_ptr<Session>> live;
    std::size_t n_streams = 0;
    bool closed = false;
    Access access = Access::of_agent();
};

void Session::start() {
    all_->live.insert(shared_from_this());
    read();
}

void Session::stop() {
    const auto self = shared_from_this();
    if (body_ != nullptr) {
        body_.reset();
        --all_->n_streams;
    }
    stream_.close();
    all_->live.erase(self);
}

void Session::read() {
    parser_.emplace();
    parser_->body_limit(kBodyLimit);
    parser_->header_limit(kHeaderLimit);
    stream_.expires_after(kPatience);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->on_read(error); });
}

void Session::on_read(error_code error) {
    if (all_->closed) return;
    keep_alive_ = false;
    if (error == http::error::body_limit)
        return respond(respond_problem(
            problem(413, format("the body is larger than {} bytes", with_thousands(kBodyLimit)))));
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
        return respond(respond_problem(problem(431, "the header is too large")));
    if (error.category() == make_error_code(http::error::bad_target).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message)
        return respond(
            respond_problem(problem(400, format("no HTTP request: {}", error.message()))));
    if (error) return stop();  // closed, timed out
    const auto message = parser_->release();
    keep_alive_ = message.keep_alive();
    handle(message);
}

void Session::handle(const http::request<http::string_body>& message) {
    version_ = message.version();
    Request request;
    const auto view = [](auto text) { return std::string(text.data(), text.size()); };
    request.method = view(message.method_string());
    request.content_type = view(message[http::field::content_type]);
    request.body = message.body();
    request.user_agent = view(message[http::field::user_agent]);
    const Peer peer = peer_of(stream_.socket().native_handle());
    request.right = all_->access.right_of(peer);
    request.user = peer.user;
    request.user_name = name_of(request.user);
    if (!read_target({message.target().data(), message.target().size()}, request))
        return respond(respond_problem(problem(400, "malformed request target")));
    // A commit may end after this connection has.
    api_.handle(request, [weak = weak_from_this()](Response response) {
        if (const auto self = weak.lock(); self != nullptr && !self->all_->closed)
            self->respond(std::move(response));
    });
}

void Session::respond(Response response) {
    if (!stream_.socket().is_open()) return;
    if (response.stream == nullptr) return send_text(std::move(response));
    if (all_->n_streams == kMaxStreams)
        return send_text(respond_problem(
            problem(503, format("{} long answers are being read already", kMaxStreams))));
    send_stream(std::move(response));
}

void Session::send_text(Response response) {
    text_ = {};
    text_.version(version_);
    text_.result(response.status);
    text_.reason(status_title(response.status));
    text_.set(http::field::content_type, response.content_type);
    if (!response.allow.empty()) text_.set(http::field::allow, response.allow);
    text_.keep_alive(keep_alive_);
    text_.body() = std::move(response.body);
    text_.prepare_payload();
    stream_.expires_after(kPatience);
    http::async_write(stream_, text_, [self = shared_from_this()](error_code error, std::size_t) {
        self->done(error);
    });
}

void Session::send_stream(Response response) {
    ++all_->n_streams;
    body_ = std::move(response.stream);
    head_ = {};
    head_.version(version_);
    head_.result(response.status);
    head_.set(http::field::content_type, response.content_type);
    head_.keep_alive(keep_alive_);
    head_.chunked(true);
    head_serializer_.emplace(head_);
    stream_.expires_after(kPatience);
    http::async_write_header(stream_, *head_serializer_,
                             [self = shared_from_this()](error_code error, std::size_t) {
                                 if (error) return self->done(error);
                                 self->pump();
                             });
}

void Session::pump() {
    if (body_ == nullptr) return;  // stopped
    piece_.clear();
    const More more = body_->next(piece_);
    if (!piece_.empty()) return send_piece();
    if (more == More::no) return finish_stream();
    // Nothing to send yet: others get their turn before the next slice.
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->pump(); });
}

void Session::send_piece() {
    stream_.expires_after(kPatience);
    asio::async_write(stream_, http::make_chunk(asio::buffer(piece_)),
                      [self = shared_from_this()](error_code error, std::size_t) {
                          if (error) return self->done(error);
                          self->pump();
                      });
}

void Session::finish_stream() {
    body_.reset();
    --all_->n_streams;
    asio::async_write(
        stream_, http::make_chunk_last(),
        [self = shared_from_this()](error_code error, std::size_t) { self->done(error); });
}

void Session::done(error_code error) {
    if (all_->closed) return;
    if (error || !keep_alive_) return stop();
    read();
}

}  // namespace

struct Server::Impl : std::enable_shared_from_this<Server::Impl> {
    Impl(asio::io_context& io, std::string socket_path, Api& served)
        : acceptor(io), retry(io), path(std::move(socket_path)), api(served) {}

    void accept();
    void on_accept(error_code error, Local::socket socket);
    static void refuse(Local::socket socket);

    Local::acceptor acceptor;
    asio::steady_timer retry;
    std::string path;
    Api& api;
    std::shared_ptr<Sessions> sessions = std::make_shared<Sessions>();
};

void Server::Impl::accept() {
    acceptor.async_accept([self = shared_from_this()](error_code error, Local::socket socket) {
        self->on_accept(error, std::move(socket));
    });
}

void Server::Impl::on_accept(error_code error, Local::socket socket) {
    if (sessions->closed) return;
    if (error) {  // out of descriptors: a little later there may be some
        LOG(warning, "api", "cannot accept: {}", error.message());
        retry.expires_after(std::chrono::milliseconds(100));
        retry.async_wait([self = shared_from_this()](error_code stopped) {
            if (!stopped && !self->sessions->closed) self->accept();
        });
        return;
    }
    if (sessions->live.size() < kMaxConnections)
        std::make_shared<Session>(std::move(socket), api, sessions)->start();
    else
        refuse(std::move(socket));
    accept();
}

/// Says why at once and hangs up; whoever is one too many gets no time of the loop.
void Server::Impl::refuse(Local::socket socket) {
    LOG(warning, "api", "connection refused: {} are open", kMaxConnections);
    const Response why = respond_problem(
        problem(503, format("{} connections to the agent are open: close some", kMaxConnections)));
    const std::string text = format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
        why.status, status_title(why.status), why.content_type, why.body.size(), why.body);
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
}

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
    close();
}

void Server::close() {
    if (std::exchange(impl_->sessions->closed, true)) return;
    error_code ignored;
    impl_->acceptor.close(ignored);
    impl_->retry.cancel();
    while (!impl_->sessions->live.empty()) (*impl_->sessions->live.begin())->stop();
    ::unlink(impl_->path.c_str());
}

Result<void> Server::set_access(const Access& access) {
    const char* path = impl_->path.c_str();
    // First the narrower of the two: nobody gets in between.
    if (::chmod(path, 0600) != 0 || ::chown(path, static_cast<uid_t>(-1), access.group) != 0 ||
        ::chmod(path, access.socket_mode()) != 0)
        return fail_errno(format("api socket \"{}\"", impl_->path), errno);
    impl_->sessions->access = access;
    return {};
}

Result<std::unique_ptr<Server>> Server::open(asio::io_context& loop, std::string path, Api& api) {
    sockaddr_un name{};
    if (path.size() >= sizeof(name.sun_path))
        return fail(
            format("api socket \"{}\": longer than {} bytes", path, sizeof(name.sun_path) - 1),
            "choose a shorter --rundir");
    auto impl = std::make_shared<Impl>(loop, path, api);
    const Local::endpoint endpoint(path);
    error_code error;
    Local::socket probe(loop);
    probe.connect(endpoint, error);
    if (!error)
        return fail(format("api socket \"{}\": another agent answers there", path),
                    "stop it, or choose another --rundir");
    if (error == asio::error::connection_refused) ::unlink(path.c_str());
    impl->acceptor.open(endpoint.protocol(), error);
    if (error) return fail_errno(format("api socket \"{}\"", path), error.value());
    // bind() makes the file with this mode: nobody can connect before it is right.
    const mode_t before = ::umask(0117);
    impl->acceptor.bind(endpoint, error);
    ::umask(before);
    if (!error) impl->acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return fail_errno(format("api socket \"{}\"", path), error.value());
    impl->accept();
    return std::unique_ptr<Server>(new Server(std::move(impl)));
}

}  // namespace raicho::agent::api
