// SPDX-License-Identifier: Apache-2.0
// The commit engine on a switch of plain values.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "agent/config/commit.h"
#include "tests/unit/agent/config/fake_clock.h"
#include "tests/unit/agent/config/fake_files.h"
#include "tests/unit/agent/config/fake_target.h"

namespace raicho::agent::config {

class CommitTest : public testing::Test {
  protected:
    CommitOutcome load(const std::string& text) {
        CommitOutcome outcome = std::unexpected(CommitFailure{Error{"no answer"}});
        engine.load_text(text, "t.conf", {}, [&](CommitOutcome o) { outcome = std::move(o); });
        return outcome;
    }
    /// Loads what must succeed and forgets how.
    void have(const std::string& text) {
        const CommitOutcome outcome = load(text);
        ASSERT_TRUE(outcome) << outcome.error().error.text << outcome.error().rendered;
        target.calls.clear();
    }
    static std::string error(const CommitOutcome& outcome) {
        return outcome ? "no error" : outcome.error().error.text;
    }

    FakeTarget target;
    FakeFiles files;
    Journal journal{files};
    FakeClock clock;
    AtOnce background;
    CommitEngine engine{target, journal, clock, background};
};

}  // namespace raicho::agent::config
