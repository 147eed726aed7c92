# SPDX-License-Identifier: Apache-2.0
"""lagosh on a pseudo-terminal of the test's own: every byte that it writes, and where tmux has the
cursor."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

from lagosh_lab import BIN, CONFIG, Agent, wait_until


class HostNamed(Agent):
    """An agent whose configuration has no name: the host's, in a UTS namespace of its own."""

    def __init__(self, name):
        self.name = name
        super().__init__()

    def start(self):
        (self.rundir / "lab.conf").write_text(CONFIG.replace("system { name lab }", ""))
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        with open(self.rundir / "agent.log", "ab") as log:
            self.process = subprocess.Popen(
                ["unshare", "--uts", *user, "sh", "-c",
                 'printf %s "$1" > /proc/sys/kernel/hostname; shift; exec "$@"', "sh", self.name,
                 BIN / "raicho-agent", "--rundir", self.rundir, "--config",
                 self.rundir / "lab.conf"], stdout=log, stderr=log)
        wait_until("the agent answers", self.answers)


class RawTerminal:
    """lagosh on a pseudo-terminal, and every byte that it writes there."""

    def __init__(self, agent, environment=None, columns=80):
        home = agent.rundir / "home"
        home.mkdir(exist_ok=True)
        variables = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
                     "TERM": "xterm", **(environment or {})}
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
                program = str(BIN / "lagosh")
                os.execve(program, [program, "--rundir", str(agent.rundir)], variables)
            finally:
                os._exit(127)

    def take(self, seconds):
        """What comes within `seconds`; false when nothing came."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            return False
        self.seen += more
        return more != b""

    def wait(self, predicate, what, seconds=30):
        until = time.monotonic() + seconds
        while not predicate():
            if time.monotonic() > until:
                raise AssertionError(f"{what} did not come; the bytes: {self.seen!r}")
            self.take(0.1)

    def type(self, text):
        os.write(self.fd, text.encode())

    def ask(self, line, prompt=b"lab> "):
        """The bytes from the typed line up to and with the next prompt, when it is silent."""
        self.seen = b""
        self.type(line + "\r")
        self.wait(lambda: b"\n" in self.seen and self.seen.endswith(prompt), "the next prompt")
        while self.take(0.3):
            pass
        return self.seen

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


@contextlib.contextmanager
def raw_lab(**options):
    agent = Agent()
    terminal = None
    try:
        terminal = RawTerminal(agent, **options)
        yield agent, terminal
    finally:
        if terminal is not None:
            terminal.close()
        agent.close()


def cursor(screen):
    """Column and row, from 0."""
    return tuple(map(int, screen.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()))


def wait_cursor(screen, text, row, width=80):
    """The cursor stands where `text`, wrapped at `width` from `row` on, has its end."""
    column, rows = len(text) % width, len(text) // width
    screen.wait(lambda: cursor(screen) == (column, row + rows),
                f"the cursor at {(column, row + rows)}")
