// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/messages.h"

namespace raicho::openflow::v13 {
namespace {

/// Words of the bitmap that are looked at: versions 0 to 63.
constexpr std::size_t kBitmapWords = 2;

std::uint64_t bitmap_of(Bytes words) {
    std::uint64_t bitmap = 0;
    for (std::size_t i = 0; i < kBitmapWords && (i + 1) * 4 <= words.size(); ++i)
        bitmap |= std::uint64_t{load_be<std::uint32_t>(words.data() + i * 4)} << (32 * i);
    return bitmap;
}

/// One element; its padding may be missing at the end of the message, some peers leave it out.
OfResult<void> decode_element(ByteReader& in, Hello& hello) {
    const auto header = in.pull<HelloElement>();
    if (!header || header->length.value() < sizeof(HelloElement))
        return ofp_error(BadRequest::bad_len, "hello element is shorter than its header");
    const std::size_t length = header->length.value();
    const auto body = in.take(length - sizeof(HelloElement));
    if (!body) return ofp_error(BadRequest::bad_len, "hello element is longer than the message");
    static_cast<void>(in.take(std::min(padded(length) - length, in.size())));
    if (header->type.value() != kVersionBitmap || hello.bitmap) return {};
    if (body->size() % 4 != 0)
        return ofp_error(BadRequest::bad_len, format("hello bitmaps of {} bytes", body->size()));
    hello.bitmap = bitmap_of(*body);
    return {};
}

}  // namespace

OfResult<Hello> decode_hello(std::uint8_t version, ByteReader in) {
    Hello hello;
    while (!in.empty()) {
        // §7.5.1: elements came with 1.3; what older versions put there has no meaning.
        if (auto element = decode_element(in, hello); !element) {
            if (version < version::k13) return Hello{};
            return std::unexpected(std::move(element.error()));
        }
    }
    return hello;
}

void encode(const Hello& hello, MessageWriter& out) {
    if (!hello.bitmap) return;
    const auto low = static_cast<std::uint32_t>(*hello.bitmap);
    const auto high = static_cast<std::uint32_t>(*hello.bitmap >> 32);
    const std::size_t size = sizeof(HelloElement) + (high != 0 ? 8 : 4);
    out.put(HelloElement{kVersionBitmap, static_cast<std::uint16_t>(size)});
    out.put(Be32(low));
    if (high != 0) out.put(Be32(high));
    out.out().zeros(padded(size) - size);
}

OfResult<ErrorMsg> decode_error(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireError>(in));
    return ErrorMsg{wire.type.value(), wire.code.value(), copy_of(in.rest())};
}

void encode(const ErrorMsg& error, MessageWriter& out) {
    out.put(WireError{error.type, error.code});
    out.put_tail(error.data);
}

OfResult<Experimenter> decode_experimenter(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireExperimenter>(in));
    return Experimenter{wire.experimenter.value(), wire.exp_type.value(), copy_of(in.rest())};
}

void encode(const Experimenter& message, MessageWriter& out) {
    out.put(WireExperimenter{message.experimenter, message.exp_type});
    out.put_tail(message.data);
}

OfResult<FeaturesReply> decode_features(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireFeatures>(in));
    return FeaturesReply{Dpid(wire.dpid.value()), wire.n_buffers.value(), wire.n_tables,
                         wire.auxiliary_id, wire.capabilities.value()};
}

void encode(const FeaturesReply& features, MessageWriter& out) {
    out.put(WireFeatures{.dpid = features.dpid.value(),
                         .n_buffers = features.n_buffers,
                         .n_tables = features.n_tables,
                         .auxiliary_id = features.auxiliary_id,
                         .pad = {},
                         .capabilities = features.capabilities,
                         .reserved = {}});
}

OfResult<SetConfig> decode_config(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireConfig>(in));
    return SetConfig{wire.flags.value(), wire.miss_send_len.value()};
}

void encode(const SetConfig& config, MessageWriter& out) {
    out.put(WireConfig{config.flags, config.miss_send_len});
}

}  // namespace raicho::openflow::v13
