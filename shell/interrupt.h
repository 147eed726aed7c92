// SPDX-License-Identifier: Apache-2.0
// ^C: one flag that the handler sets. Long work looks at it; the line editor is woken by the
// signal itself, therefore the handler is installed without SA_RESTART.
#pragma once

namespace raicho::shell {

/// Installs the handlers of SIGINT (sets the flag) and SIGPIPE (ignored: writing fails instead).
void install_signal_handlers();

/// Whether ^C came since clear_interrupt().
[[nodiscard]] bool interrupt_requested();
void clear_interrupt();

}  // namespace raicho::shell
