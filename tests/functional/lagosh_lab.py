# SPDX-License-Identifier: Apache-2.0
"""An agent without a dataplane, and lagosh on a real terminal (tmux) against it. Needs no root;
$RAICHO_BIN is where the programs are."""

import contextlib
import http.client
import itertools
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import port_lab
from port_lab import BIN, remove_rundir

ROOT = Path(__file__).resolve().parents[2]
# Nobody listens on TCP port 1.
CONFIG = """
system { name lab }
agent { max-flows 4096 }
bridge br0 {
    port h1-br 1
    port h2-br 2
    controller tcp:127.0.0.1:1
    flow "table=0,priority=9,ip,nw_dst=10.0.0.0/8 actions=output:2"
}
bridge br-of-the-lab { port p3 }
"""


def wait_until(what, predicate, seconds=30.0):
    """A screen is drawn by three programs: slow on a busy machine."""
    return port_lab.wait_until(what, predicate, seconds)


class Agent:
    """raicho-agent in a run directory of its own."""

    def __init__(self):
        self.rundir = Path(tempfile.mkdtemp(prefix="lagosh."))
        (self.rundir / "lab.conf").write_text(CONFIG)
        self.process = None
        self.start()

    def start(self):
        log = open(self.rundir / "agent.log", "ab")
        with log:
            self.process = subprocess.Popen(
                [BIN / "raicho-agent", "--rundir", self.rundir, "--config",
                 self.rundir / "lab.conf"], stdout=log, stderr=log)
        wait_until("the agent answers", self.answers)

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the agent ended: {(self.rundir / 'agent.log').read_text()}")
        return self.lagosh("show", "version").returncode == 0

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=10)

    def lagosh(self, *arguments, **options):
        environment = dict(os.environ, TERM="xterm", **options.pop("env", {}))
        return subprocess.run([BIN / "lagosh", "--rundir", self.rundir, *arguments],
                              text=options.pop("text", True), capture_output=True, timeout=20,
                              env=environment, check=False, **options)

    def close(self):
        if self.process.poll() is None:
            self.stop()
        remove_rundir(self.rundir)


SERVERS = itertools.count()


class Screen:
    """lagosh in a tmux session of its own server."""

    def __init__(self, agent, columns=80, rows=24, environment=None, program=None, prompt="lab>"):
        self.agent = agent
        self.socket = f"lagosh-test-{os.getpid()}-{next(SERVERS)}"
        self.status = agent.rundir / "status"
        self.status.unlink(missing_ok=True)
        home = agent.rundir / "home"
        home.mkdir(exist_ok=True)
        variables = {"HOME": str(home), "LANG": "C.UTF-8", **(environment or {})}
        words = " ".join(f"{key}={shlex.quote(value)}" for key, value in variables.items())
        program = program or f"{BIN}/lagosh --rundir {agent.rundir}"
        command = (f"env -u LC_ALL -u LANG -u LC_CTYPE {words} {program}; "
                   f"echo $? > {self.status}; sleep 60")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "sh", "-c", command)
        self.prompt = prompt
        self.wait(lambda: self.last().endswith(self.prompt), "the first prompt")

    def tmux(self, *arguments, **options):
        return subprocess.run(["tmux", "-L", self.socket, *arguments], text=True, check=True,
                              capture_output=True, timeout=30, **options).stdout

    def paste(self, text):
        """One write of many characters; line ends stay what they are."""
        self.tmux("load-buffer", "-", input=text)
        self.tmux("paste-buffer", "-r")

    def text(self):
        return self.tmux("capture-pane", "-p").rstrip("\n")

    def last(self):
        """The last line that is not blank, without trailing blanks."""
        lines = [line.rstrip() for line in self.text().splitlines() if line.strip()]
        return lines[-1] if lines else ""

    def cursor(self):
        """Column and row, from 0."""
        x, y = self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
        return int(x), int(y)

    def pid(self):
        """Of the lagosh that runs here."""
        pane = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(subprocess.run(["pgrep", "-P", pane, "lagosh"], text=True, check=True,
                                  capture_output=True).stdout)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def wait(self, predicate, what):
        try:
            wait_until(what, predicate)
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen:\n{self.text()}") from error

    def wait_text(self, text):
        self.wait(lambda: text in self.text(), f"{text!r} on the screen")

    def wait_line(self, text):
        """The line under way is the prompt and `text`."""
        expected = f"{self.prompt} {text}".rstrip()
        self.wait(lambda: self.last() == expected, f"the line {expected!r}")

    def wait_cursor(self, column, row):
        self.wait(lambda: self.cursor() == (column, row), f"the cursor at {column}, {row}")

    def run(self, line):
        self.type(line)
        self.keys("Enter")

    def clear(self):
        self.keys("C-u")
        self.tmux("send-keys", "C-l")
        self.wait(lambda: self.text().strip() == self.prompt, "a clear screen")

    def exit_code(self):
        self.wait(lambda: self.status.exists() and self.status.read_text().strip(), "the end")
        return int(self.status.read_text())

    def close(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self.tmux("kill-server")


@contextlib.contextmanager
def lab(**options):
    agent = Agent()
    screen = None
    try:
        screen = Screen(agent, **options)
        yield agent, screen
    finally:
        if screen is not None:
            screen.close()
        agent.close()


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("raicho", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.path)


def tell(agent, path, **body):
    """A POST to the agent's API, as another program would send it."""
    connection = UnixConnection(str(agent.rundir / "agent.sock"))
    connection.request("POST", f"/api/v1/config/{path}", json.dumps(body),
                       {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read().decode()
    assert answer.status // 100 == 2, text
    return json.loads(text)


def at_prompt(screen, prompt, text=""):
    screen.prompt = prompt
    screen.wait_line(text)


@contextlib.contextmanager
def configuring(command="configure", **options):
    with lab(**options) as (agent, screen):
        screen.run(command)
        at_prompt(screen, "lab#")
        yield agent, screen


def run_tests(module, arguments):
    """Runs the module's functions (or those named) in their order; the exit code."""
    if shutil.which("tmux") is None:
        print("tmux is missing: apt-get install tmux")
        return 1
    tests = [value for value in vars(module).values()
             if callable(value) and getattr(value, "__module__", "") == module.__name__]
    failed = 0
    for test in tests:
        if arguments and test.__name__ not in arguments:
            continue
        start = time.monotonic()
        try:
            test()
            print(f"ok: {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # each test is told apart; the next one still runs
            failed += 1
            print(f"FAILED: {test.__name__}: {error}", flush=True)
    return 1 if failed else 0
