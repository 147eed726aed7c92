// SPDX-License-Identifier: Apache-2.0
// ^C: one flag that the handler sets. Long work looks at it; the line editor is woken by the
// signal itself, therefore the handler is installed without SA_RESTART. And the way back from ^Z,
// after which what was drawn and how the terminal was set up is gone.
#pragma once

namespace raicho::shell {

/// Installs the handlers of SIGINT (sets the flag), SIGCONT and SIGWINCH (count) and SIGPIPE
/// (ignored: writing fails instead).
void install_signal_handlers();

/// Whether ^C came since clear_interrupt().
[[nodiscard]] bool interrupt_requested();
void clear_interrupt();
/// How often the process was continued after a stop.
[[nodiscard]] unsigned n_continued();
/// How often the terminal changed its size.
[[nodiscard]] unsigned n_resized();

}  // namespace raicho::shell
