// SPDX-License-Identifier: Apache-2.0
// Stops at each screen of output with `--More--`: blank goes on by a screen, Enter by a line, q
// ends. Only for a terminal at both ends.
#pragma once

#include <cstddef>
#include <string_view>

#include "shell/output.h"

namespace raicho::shell {

class Pager : public LineSink {
  public:
    /// Asks the terminal for its size at each page, so that resizing works.
    Want line(std::string_view text) override;
    void end() override;

  private:
    /// Shows `--More--` and waits for a key.
    Want ask();

    std::size_t used_ = 0;  // rows since the last stop
    bool one_line_ = false;
    bool stopped_ = false;
};

}  // namespace raicho::shell
