// SPDX-License-Identifier: Apache-2.0
#include "agent/api/json.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/text.h"
#include "dsl/syntax/utf8.h"

namespace raicho::agent::api {

namespace {

/// `text` with U+FFFD for every byte that is no UTF-8; nothing when there is none.
std::optional<std::string> repaired(std::string_view text) {
    std::string out;
    bool valid = true;
    for (std::string_view rest = text; !rest.empty();) {
        const dsl::Character character = dsl::first_character(rest);
        valid = valid && character.valid;
        out += character.valid ? rest.substr(0, character.size) : std::string_view("\xef\xbf\xbd");
        rest.remove_prefix(character.size);
    }
    if (valid) return std::nullopt;
    return out;
}

}  // namespace

struct JsonWriter::Impl {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
};

JsonWriter::JsonWriter() : impl_(std::make_unique<Impl>()) {}
JsonWriter::~JsonWriter() = default;

JsonWriter& JsonWriter::begin_object() {
    ASSERT(impl_->writer.StartObject());
    return *this;
}
JsonWriter& JsonWriter::end_object() {
    ASSERT(impl_->writer.EndObject());
    return *this;
}
JsonWriter& JsonWriter::begin_array() {
    ASSERT(impl_->writer.StartArray());
    return *this;
}
JsonWriter& JsonWriter::end_array() {
    ASSERT(impl_->writer.EndArray());
    return *this;
}
JsonWriter& JsonWriter::key(std::string_view name) {
    ASSERT(impl_->writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size())));
    return *this;
}
JsonWriter& JsonWriter::text(std::string_view value) {
    const bool ascii = std::ranges::all_of(value, [](char c) { return (c & 0x80) == 0; });
    const std::optional<std::string> valid = ascii ? std::nullopt : repaired(value);
    if (valid) value = *valid;
    ASSERT(impl_->writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size())));
    return *this;
}
JsonWriter& JsonWriter::number(std::uint64_t value) {
    ASSERT(impl_->writer.Uint64(value));
    return *this;
}
JsonWriter& JsonWriter::real(double value) {
    ASSERT(impl_->writer.Double(value));
    return *this;
}
JsonWriter& JsonWriter::boolean(bool value) {
    ASSERT(impl_->writer.Bool(value));
    return *this;
}
JsonWriter& JsonWriter::null() {
    ASSERT(impl_->writer.Null());
    return *this;
}

std::string JsonWriter::take() {
    ASSERT(impl_->writer.IsComplete());
    std::string out(impl_->buffer.GetString(), impl_->buffer.GetSize());
    impl_->buffer.Clear();
    impl_->writer.Reset(impl_->buffer);
    return out;
}

const JsonValue* JsonValue::find(std::string_view name) const {
    const Object* object = std::get_if<Object>(&value);
    if (object == nullptr) return nullptr;
    const auto at = std::ranges::find(*object, name, &JsonMember::name);
    return at == object->end() ? nullptr : &at->value;
}

namespace {

/// Builds a JsonValue from RapidJSON's events; false from an event stops the parser.
class Builder {
  public:
    explicit Builder(std::size_t max_depth) : max_depth_(max_depth) {}

    std::string fault;
    [[nodiscard]] JsonValue take() { return std::move(root_); }

    bool Null() { return put(nullptr); }
    bool Bool(bool value) { return put(value); }
    // With kParseNumbersAsStringsFlag every number arrives as text.
    bool Int(int) { return false; }
    bool Uint(unsigned) { return false; }
    bool Int64(std::int64_t) { return false; }
    bool Uint64(std::uint64_t) { return false; }
    bool Double(double) { return false; }
    bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
        return number({text, size});
    }
    bool String(const char* text, rapidjson::SizeType size, bool) {
        return put(std::string(text, size));
    }
    bool StartObject() { return open(JsonValue::Object{}); }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        keys_.back().assign(text, size);
        return true;
    }
    bool EndObject(rapidjson::SizeType) {
        const auto& object = std::get<JsonValue::Object>(open_.back().value);
        std::vector<std::string_view> names;
        names.reserve(object.size());
        for (const auto& [name, value] : object) names.emplace_back(name);
        std::ranges::sort(names);
        if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
            return refuse(format("key \"{}\" stands twice in one object", *twice));
        return close();
    }
    bool StartArray() { return open(JsonValue::Array{}); }
    bool EndArray(rapidjson::SizeType) { return close(); }

  private:
    bool refuse(std::string why) {
        fault = std::move(why);
        return false;
    }
    bool number(std::string_view text) {
        const char* const end = text.data() + text.size();
        const auto parsed = [&](auto& value) {
            const auto [at, error] = std::from_chars(text.data(), end, value);
            return error == std::errc{} && at == end;
        };
        if (text.find_first_of(".eE") != std::string_view::npos) {
            double value = 0;
            if (!parsed(value)) return refuse(format("number {} is out of range", text));
            return put(value);
        }
        if (text.starts_with('-')) {
            std::int64_t value = 0;
            if (!parsed(value)) return refuse(format("integer {} needs more than 64 bits", text));
            return put(value);
        }
        std::uint64_t value = 0;
        if (!parsed(value)) return refuse(format("integer {} needs more than 64 bits", text));
        return put(value);
    }
    template <class T>
    bool put(T&& value) {
        return place(JsonValue{std::forward<T>(value)});
    }
    bool place(JsonValue value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return true;
        }
        if (auto* array = std::get_if<JsonValue::Array>(&open_.back().value))
            array->push_back(std::move(value));
        else
            std::get<JsonValue::Object>(open_.back().value)
                .push_back({std::move(keys_.back()), std::move(value)});
        return true;
    }
    template <class Container>
    bool open(Container container) {
        if (open_.size() == max_depth_)
            return refuse(format("nested deeper than {} levels", max_depth_));
        open_.push_back(JsonValue{std::move(container)});
        keys_.emplace_back();
        return true;
    }
    bool close() {
        JsonValue value = std::move(open_.back());
        open_.pop_back();
        keys_.pop_back();
        return place(std::move(value));
    }

    std::size_t max_depth_;
    JsonValue root_{nullptr};
    std::vector<JsonValue> open_;    // objects and arrays not closed yet, outermost first
    std::vector<std::string> keys_;  // of each of them the key read last
};

JsonError error_at(std::string_view text, std::size_t offset, std::string what) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return {std::move(what), 1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
            1 + before.size() - line_start};
}

}  // namespace

std::expected<JsonValue, JsonError> parse_json(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.max_size)
        return std::unexpected(
            JsonError{format("larger than {} bytes", with_thousands(limits.max_size))});
    rapidjson::MemoryStream raw(text.data(), text.size());
    rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(raw);
    rapidjson::Reader reader;
    Builder builder(limits.max_depth);
    constexpr unsigned flags = rapidjson::kParseIterativeFlag |
                               rapidjson::kParseValidateEncodingFlag |
                               rapidjson::kParseNumbersAsStringsFlag;
    const rapidjson::ParseResult result = reader.Parse<flags>(stream, builder);
    if (result) return builder.take();
    std::string what = builder.fault;
    if (what.empty()) {
        what = rapidjson::GetParseError_En(result.Code());
        if (what.ends_with('.')) what.pop_back();
    }
    return std::unexpected(error_at(text, result.Offset(), std::move(what)));
}

}  // namespace raicho::agent::api
