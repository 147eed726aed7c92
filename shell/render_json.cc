// SPDX-License-Identifier: Apache-2.0
#include "shell/render_json.h"

#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace raicho::shell {

struct Json::Document {
    // Small chunks: a flow is a document of its own, and there may be a million of them.
    rapidjson::MemoryPoolAllocator<> pool{4096};
    rapidjson::Document value{&pool};
};

namespace {

const rapidjson::Value* value_of(const void* node) {
    return static_cast<const rapidjson::Value*>(node);
}

/// Deeper documents would recurse in pretty(); ours have six levels.
constexpr std::size_t kMaxDepth = 64;

bool shallow(std::string_view text) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '[')) {
            if (++depth > kMaxDepth) return false;
        } else if (!quoted && (c == '}' || c == ']'))
            --depth;
    }
    return true;
}

}  // namespace

std::optional<Json> Json::parse(std::string_view text) {
    if (!shallow(text)) return std::nullopt;
    auto document = std::make_shared<Document>();
    document->value.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
    if (document->value.HasParseError()) return std::nullopt;
    const rapidjson::Value* root = &document->value;
    return Json(std::move(document), root);
}

Json Json::operator[](std::string_view key) const {
    const rapidjson::Value* value = value_of(node_);
    if (value == nullptr || !value->IsObject()) return {};
    const rapidjson::Value name(
        rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size())));
    const auto member = value->FindMember(name);
    if (member == value->MemberEnd()) return {};
    return {document_, &member->value};
}

std::vector<Json> Json::items() const {
    std::vector<Json> all;
    const rapidjson::Value* value = value_of(node_);
    if (value == nullptr || !value->IsArray()) return all;
    all.reserve(value->Size());
    for (const rapidjson::Value& item : value->GetArray()) all.push_back({document_, &item});
    return all;
}

std::string Json::text() const {
    const rapidjson::Value* value = value_of(node_);
    if (value == nullptr || !value->IsString()) return {};
    return {value->GetString(), value->GetStringLength()};
}

std::uint64_t Json::number() const {
    const rapidjson::Value* value = value_of(node_);
    return value != nullptr && value->IsUint64() ? value->GetUint64() : 0;
}

double Json::real() const {
    const rapidjson::Value* value = value_of(node_);
    return value != nullptr && value->IsNumber() ? value->GetDouble() : 0;
}

bool Json::flag() const {
    const rapidjson::Value* value = value_of(node_);
    return value != nullptr && value->IsTrue();
}

bool Json::null() const {
    const rapidjson::Value* value = value_of(node_);
    return value == nullptr || value->IsNull();
}

std::string Json::pretty() const {
    const rapidjson::Value* value = value_of(node_);
    if (value == nullptr) return "null";
    rapidjson::StringBuffer buffer;
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
    writer.SetIndent(' ', 2);
    value->Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

std::string Json::compact() const {
    const rapidjson::Value* value = value_of(node_);
    if (value == nullptr) return "null";
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value->Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

namespace {
std::string json_text(std::string_view text) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return {buffer.GetString(), buffer.GetSize()};
}
}  // namespace

void JsonBody::key(std::string_view name) {
    if (out_.size() > 1) out_ += ',';
    out_ += json_text(name) + ":";
}

JsonBody& JsonBody::text(std::string_view name, std::string_view value) {
    key(name);
    out_ += json_text(value);
    return *this;
}

JsonBody& JsonBody::number(std::string_view name, std::uint64_t value) {
    key(name);
    out_ += std::to_string(value);
    return *this;
}

JsonBody& JsonBody::texts(std::string_view name, const std::vector<std::string>& values) {
    key(name);
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i)
        out_ += (i == 0 ? "" : ",") + json_text(values[i]);
    out_ += ']';
    return *this;
}

std::string json_object(const std::vector<std::pair<std::string_view, std::string_view>>& members) {
    JsonBody body;
    for (const auto& [name, value] : members) body.text(name, value);
    return body.take();
}

}  // namespace raicho::shell
