// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "openflow/text.h"

namespace raicho::agent {

namespace {

using openflow::BadRequest;
using openflow::ByteVector;

constexpr std::uint64_t kOurBitmap = 1ull << openflow::version::k13;
/// Two frames: while one is incomplete, its rest and much of the next fit.
constexpr std::size_t kBufferSize = 128 * 1024;
static_assert(kBufferSize >= 2 * kMaxFrame);

constexpr std::array<std::string_view, 7> kVersionNames{"",    "1.0", "1.1", "1.2",
                                                        "1.3", "1.4", "1.5"};
constexpr std::uint8_t kOfptHello = 0;
constexpr std::uint8_t kOfptError = 1;
constexpr std::uint8_t kNoType = 0xff;

/// What the peer offers: its bitmap where it sent one, else its header's version and, as §6.3.1
/// has it, every lower one.
std::string offer_text(const openflow::Header& header, const openflow::Hello& hello) {
    if (!hello.bitmap) return version_text(header.version);
    std::string text;
    for (std::uint8_t v = 1; v < 64; ++v) {
        if ((*hello.bitmap & 1ull << v) == 0) continue;
        if (!text.empty()) text += ", ";
        text += version_text(v);
    }
    return text.empty() ? "none" : text;
}

/// A HELLO of any version: header and elements are the same in all of them, so a damaged or
/// unknown body only means that no bitmap was sent.
openflow::Hello decode_hello(Bytes frame) {
    ByteVector copy(frame.begin(), frame.end());
    copy[0] = std::byte{openflow::version::k13};
    const auto decoded = openflow::decode(copy);
    if (!decoded) return {};
    const auto* hello = std::get_if<openflow::Hello>(&*decoded);
    return hello != nullptr ? *hello : openflow::Hello{};
}

/// Type and code have the same place in every version; only their meaning moved.
openflow::ErrorMsg decode_error(Bytes frame) {
    ByteReader reader(frame.subspan(openflow::kHeaderSize));
    openflow::ErrorMsg error;
    if (const auto type = reader.pull<Be<std::uint16_t>>()) error.type = type->value();
    if (const auto code = reader.pull<Be<std::uint16_t>>()) error.code = code->value();
    error.data.assign(reader.rest().begin(), reader.rest().end());
    return error;
}

/// An error from the peer, for the operator; a refused HELLO with the text that came with it.
std::string said_text(const openflow::ErrorMsg& error) {
    std::string text =
        format("the controller answered {}, {}", openflow::error_type_name(error.type),
               openflow::error_code_name(error.type, error.code));
    if (error.type != std::to_underlying(openflow::ErrorType::hello_failed) || error.data.empty())
        return text;
    constexpr std::size_t kMostText = 200;
    text += ": \"";
    for (const std::byte b : std::span(error.data).first(std::min(error.data.size(), kMostText)))
        text += b >= std::byte{0x20} && b < std::byte{0x7f} ? static_cast<char>(b) : '?';
    return text + '"';
}

ByteVector text_bytes(std::string_view text) {
    const Bytes bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

openflow::OfpError bad_request(BadRequest code) {
    return openflow::ofp_error(code).error();
}

}  // namespace

std::string version_text(std::uint8_t version) {
    if (version >= 1 && version < kVersionNames.size())
        return format("{} (0x{:02x})", kVersionNames[version], version);
    return format("0x{:02x}", version);
}

WireSession::WireSession(const SessionConfig& config, Time now)
    : config_(config), last_sign_(now) {}

void WireSession::start(ByteVector& out) {
    openflow::encode(openflow::Hello{kOurBitmap}, openflow::version::k13, next_xid_++, out);
}

std::span<std::byte> WireSession::space() {
    if (buffer_.empty()) buffer_.resize(kBufferSize);
    if (begin_ == end_ || state_ == State::closed) {
        begin_ = end_ = 0;
    } else if (buffer_.size() - begin_ < kMaxFrame || end_ == buffer_.size()) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    return std::span(buffer_).subspan(end_);
}

void WireSession::received(std::size_t size, Time now) {
    end_ += size;
    last_sign_ = now;
    probed_.reset();
}

WireSession::Step WireSession::next(ByteVector& out) {
    if (state_ == State::closed) return Step::closed;
    const Bytes ready = Bytes(buffer_).subspan(begin_, end_ - begin_);
    const auto header = openflow::peek_header(ready);
    if (!header) return Step::starved;
    if (header->length < openflow::kHeaderSize) {
        // Where the next message begins cannot be known any more.
        const Bytes head = ready.first(openflow::kHeaderSize);
        openflow::encode(openflow::make_error(bad_request(BadRequest::bad_len), head),
                         openflow::version::k13, header->xid, out);
        return close(format("sent a message of length {}, less than its header", header->length));
    }
    if (ready.size() < header->length) return Step::starved;
    const Bytes frame = ready.first(header->length);
    begin_ += frame.size();
    return state_ == State::hello ? negotiate(*header, frame, out)
                                  : handle_frame(*header, frame, out);
}

WireSession::Step WireSession::negotiate(const openflow::Header& header, Bytes frame,
                                         ByteVector& out) {
    if (header.type == kOfptError) {
        trouble_ = said_text(decode_error(frame));
        return close(trouble_);
    }
    const std::uint8_t answer_version =
        std::clamp(header.version, openflow::version::k10, openflow::version::k13);
    const auto refuse = [&](std::string text) {
        const openflow::ErrorMsg error{
            .type = std::to_underlying(openflow::ErrorType::hello_failed),
            .code = std::to_underlying(openflow::HelloFailed::incompatible),
            .data = text_bytes(text)};
        openflow::encode(error, answer_version, header.xid, out);
        return close(std::move(text));
    };
    if (header.type != kOfptHello)
        return refuse(format("raicho waits for a HELLO, message type {} came first", header.type));
    const openflow::Hello hello = decode_hello(frame);
    const bool common =
        hello.bitmap ? (*hello.bitmap & kOurBitmap) != 0 : header.version >= openflow::version::k13;
    if (!common)
        return refuse(
            format("raicho speaks OpenFlow {}, the controller offers {}: let the controller offer "
                   "1.3 (Ryu, os-ken: OFP_VERSIONS = [0x04]; ovs-ofctl: -O OpenFlow13)",
                   version_text(openflow::version::k13), offer_text(header, hello)));
    state_ = State::up;
    return Step::up;
}

WireSession::Step WireSession::handle_frame(const openflow::Header& header, Bytes frame,
                                            ByteVector& out) {
    if (header.type == kOfptHello) return Step::handled;  // a second HELLO changes nothing
    const auto answer_error = [&](const openflow::OfpError& error) {
        refused(header.xid, error, frame);
        openflow::encode(openflow::make_error(error, frame), openflow::version::k13, header.xid,
                         out);
        return Step::handled;
    };
    if (header.type == kOfptError) {
        // An error never answers an error, whatever its version; the operator wants to know it.
        const openflow::ErrorMsg error = decode_error(frame);
        trouble_ = said_text(error);
        const bool whole = frame.size() >= openflow::kHeaderSize + 2 * sizeof(std::uint16_t);
        if (whole && error.type == std::to_underlying(openflow::ErrorType::hello_failed))
            return close(trouble_);
        LOG(info, "channel", "{}", trouble_);
        return Step::handled;
    }
    if (header.version != openflow::version::k13)
        return answer_error(bad_request(BadRequest::bad_version));
    auto decoded = openflow::decode(frame);
    if (!decoded) return answer_error(decoded.error());
    if (auto* echo = std::get_if<openflow::EchoRequest>(&*decoded)) {
        openflow::encode(openflow::EchoReply{std::move(echo->data)}, openflow::version::k13,
                         header.xid, out);
        return Step::handled;
    }
    if (std::holds_alternative<openflow::EchoReply>(*decoded)) return Step::handled;
    message_ = std::move(*decoded);
    xid_ = header.xid;
    raw_ = frame;
    return Step::message;
}

void WireSession::refused(std::uint32_t xid, const openflow::OfpError& error, Bytes request) {
    const auto type = request.size() > 1 ? std::to_integer<std::uint8_t>(request[1]) : kNoType;
    trouble_ = format("refused {} (xid {}): {}, {}{}{}", openflow::message_type_name(type), xid,
                      openflow::error_type_name(std::to_underlying(error.type)),
                      openflow::error_code_name(std::to_underlying(error.type), error.code),
                      error.why.empty() ? "" : ": ", error.why);
    LOG(debug, "channel", "{}", trouble_);
}

WireSession::Step WireSession::close(std::string reason) {
    state_ = State::closed;
    close_reason_ = std::move(reason);
    return Step::closed;
}

void WireSession::tick(Time now, ByteVector& out) {
    if (state_ == State::closed || now < deadline()) return;
    if (state_ == State::hello) {
        close(format("no HELLO within {}", age_text(config_.hello_timeout)));
        return;
    }
    if (probed_) {
        close(format("no answer to an echo request for {}", age_text(config_.probe_interval)));
        return;
    }
    openflow::encode(openflow::EchoRequest{}, openflow::version::k13, next_xid_++, out);
    probed_ = now;
}

Time WireSession::deadline() const {
    if (state_ == State::hello) return last_sign_ + config_.hello_timeout;
    if (config_.probe_interval == 0) return kNever;
    return std::max(probed_.value_or(0), last_sign_) + config_.probe_interval;
}

}  // namespace raicho::agent
