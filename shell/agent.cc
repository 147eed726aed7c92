// SPDX-License-Identifier: Apache-2.0
#include "shell/agent.h"

#include "base/text.h"

namespace raicho::shell {

namespace {

constexpr std::chrono::seconds kKeepNames{2};

Failure from_client(ClientError&& error) {
    ExitCode code = ExitCode::unreachable;
    if (error.fault == ClientFault::interrupted) code = ExitCode::interrupted;
    return {code, std::move(error.error.text), std::move(error.error.hint), 0, 0, {}};
}

/// A problem document (RFC 9457) as a failure.
Failure from_problem(const Answer& answer) {
    Failure failure;
    // 422: the text is wrong. 409: what it asks for cannot be had. Both refuse a configuration.
    if (answer.status == 422 || answer.status == 409) failure.code = ExitCode::refused;
    const auto problem = Json::parse(answer.body);
    failure.text = problem ? problem->text("detail") : std::string();
    if (failure.text.empty()) failure.text = format("the agent answered {}", answer.status);
    if (!problem) return failure;
    failure.hint = problem->text("hint");
    failure.rendered = problem->text("rendered");
    const auto errors = (*problem)["errors"].items();
    for (const Json& error : errors)
        if (error.number("line") == 0 && error.text("text") != failure.text)
            failure.details.push_back(error.text("text"));
    if (!errors.empty() && errors.front().number("line") == 1) {
        // Places count from 1 within what was sent; the caller moves them to its own line.
        failure.begin = errors.front().number("column");
        failure.end = failure.begin + std::max<std::uint64_t>(errors.front().number("length"), 1);
        if (failure.hint.empty()) failure.hint = errors.front().text("hint");
    }
    return failure;
}

}  // namespace

std::string bridge_query(std::string_view bridge) {
    return bridge.empty() ? std::string() : "?bridge=" + percent_encode(bridge);
}

std::expected<std::string, Failure> Agent::get_text(const std::string& target) {
    auto answer = client_.call({"GET", target});
    if (!answer) return std::unexpected(from_client(std::move(answer.error())));
    if (answer->status != 200) return std::unexpected(from_problem(*answer));
    return std::move(answer->body);
}

std::expected<Json, Failure> Agent::get(const std::string& target,
                                        std::chrono::milliseconds patience) {
    return call({"GET", target, {}, patience});
}

std::expected<Json, Failure> Agent::send(std::string method, std::string target, std::string body) {
    return call({std::move(method), std::move(target), std::move(body)});
}

std::expected<Json, Failure> Agent::call(const Call& request) {
    auto answer = client_.call(request);
    if (!answer) return std::unexpected(from_client(std::move(answer.error())));
    if (answer->status / 100 != 2) return std::unexpected(from_problem(*answer));
    auto json = Json::parse(answer->body);
    if (!json) return std::unexpected(Failure{ExitCode::failed, "the agent's answer is no JSON"});
    return std::move(*json);
}

std::expected<void, Failure> Agent::stream(const std::string& target, const BodySink& sink) {
    auto answer = client_.stream({"GET", target}, sink);
    if (!answer) return std::unexpected(from_client(std::move(answer.error())));
    if (answer->status != 200) return std::unexpected(from_problem(*answer));
    return {};
}

std::vector<std::string> Agent::names_at(const std::string& target) {
    std::vector<std::string> names;
    if (const auto document = get(target))
        for (const Json& item : document->items()) names.push_back(item.text("name"));
    return names;
}

std::vector<std::string> Agent::bridges() {
    const auto now = std::chrono::steady_clock::now();
    if (bridges_.until < now) bridges_ = {now + kKeepNames, names_at("/api/v1/bridges"), {}};
    return bridges_.names;
}

std::vector<std::string> Agent::ports(std::string_view bridge) {
    const auto now = std::chrono::steady_clock::now();
    if (ports_.until < now || ports_.bridge != bridge)
        ports_ = {now + kKeepNames, names_at("/api/v1/ports" + bridge_query(bridge)),
                  std::string(bridge)};
    return ports_.names;
}

void Agent::forget_names() {
    bridges_.until = {};
    ports_.until = {};
}

}  // namespace raicho::shell
