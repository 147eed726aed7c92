#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lagosh on a real terminal (tmux), against an agent without a dataplane: keys, help, completion,
history, pager, and each trap of libedit. Needs no root; $RAICHO_BIN is where the programs are."""

import contextlib
import itertools
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import port_lab
from port_lab import BIN, remove_rundir

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

    def __init__(self, agent, columns=80, rows=24, environment=None):
        self.agent = agent
        self.socket = f"lagosh-test-{os.getpid()}-{next(SERVERS)}"
        self.status = agent.rundir / "status"
        self.status.unlink(missing_ok=True)
        home = agent.rundir / "home"
        home.mkdir(exist_ok=True)
        variables = {"HOME": str(home), "LANG": "C.UTF-8", **(environment or {})}
        words = " ".join(f"{key}={shlex.quote(value)}" for key, value in variables.items())
        command = (f"env -u LC_ALL -u LANG -u LC_CTYPE {words} {BIN}/lagosh "
                   f"--rundir {agent.rundir}; echo $? > {self.status}; sleep 60")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "sh", "-c", command)
        self.prompt = "lab>"
        self.wait(lambda: self.last() == self.prompt, "the first prompt")

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


def greets_with_version_bridges_controllers_and_warnings():
    with lab() as (_, screen):
        screen.wait_text("Raicho ")
        screen.wait_text("2 bridges, 0 of 1 controller up, no dataplane")


def question_mark_lists_what_may_follow_and_keeps_the_line():
    with lab(columns=120) as (_, screen):
        screen.type("show flow ")
        screen.wait_line("show flow")
        screen.type("?")
        screen.wait_text("aligned columns, ports by name, rate and age")
        screen.wait_text("br-of-the-lab")
        screen.wait_text("<Enter>")
        screen.wait_line("show flow")
        screen.type("brief")
        screen.keys("Enter")
        screen.wait_text("output:h2-br")


def question_mark_in_quotes_comments_and_pastes_is_a_character():
    with lab() as (_, screen):
        screen.type('show port | match "h')
        screen.wait_line('show port | match "h')
        screen.type("?")
        screen.wait_line('show port | match "h?')
        screen.type('"')
        screen.keys("Enter")
        screen.wait_text("h1-br")
        screen.clear()
        screen.type("show # why")
        screen.wait_line("show # why")
        screen.type("?")
        screen.wait_line("show # why?")
        screen.clear()
        screen.paste("show port | match h?1-b")
        screen.wait_line("show port | match h?1-b")
        screen.keys("Enter")
        screen.wait_text("h1-br")


def tab_completes_words_and_live_names():
    with lab() as (_, screen):
        screen.type("sho")
        screen.keys("Tab")
        screen.wait_line("show")
        screen.type("br")
        screen.keys("Tab")
        screen.wait_line("show bridge")
        screen.keys("Tab")
        screen.wait_line("show bridge br")
        screen.keys("Tab")
        screen.wait_text("br-of-the-lab")
        screen.wait_line("show bridge br")
        screen.type("-")
        screen.keys("Tab")
        screen.wait_line("show bridge br-of-the-lab")
        screen.keys("Enter")
        screen.wait_text("br-of-the-lab: ")


def a_tab_in_a_paste_is_a_blank():
    with lab() as (_, screen):
        screen.paste("sho\tver\n")
        screen.wait_text("run directory")


def a_paste_of_a_thousand_lines_runs_every_line():
    with lab() as (_, screen):
        lines = "".join(f"show version | match nothing-{i}\n" for i in range(999))
        screen.paste(lines + "show version | count\n")
        wait_until("the last line's answer", lambda: "Count: " in screen.text(), 120)
        screen.wait_line("")
        screen.run("history 3")
        screen.wait_text("nothing-998")


def control_c_drops_the_line_and_nothing_of_it_stays():
    with lab() as (_, screen):
        screen.type("show nonsense")
        screen.wait_line("show nonsense")
        screen.keys("C-c")
        screen.wait_text("^C")
        screen.wait_line("")
        screen.run("show version")
        screen.wait_text("run directory")
        for _ in range(3):
            screen.keys("C-c")
        screen.wait_line("")
        screen.run("show memory")
        screen.wait_text("REGION")


def control_d_leaves_on_a_line_of_its_own():
    with lab() as (_, screen):
        screen.keys("C-d")
        assert screen.exit_code() == 0
        # libedit shows the key; whatever comes next begins on a line of its own.
        screen.wait(lambda: screen.last() in ("lab> ^D", "lab>"), "the prompt as the last line")
    with lab() as (_, screen):
        screen.run("exit")
        assert screen.exit_code() == 0


def resizing_does_not_garble_the_line():
    with lab() as (_, screen):
        text = "show flow br0 brief | match priority | except drop"
        screen.type(text)
        screen.wait_line(text)
        for columns in (120, 70, 100, 80):
            screen.tmux("resize-window", "-x", str(columns), "-y", "30")
            time.sleep(0.1)
        screen.type(" | count")
        screen.wait_line(text + " | count")
        screen.keys("Enter")
        screen.wait_text("Count: 0 lines")


def history_is_kept_for_its_owner_and_searched():
    with lab() as (agent, screen):
        screen.run("show memory")
        screen.wait_text("REGION")
        screen.run("exit")
        screen.exit_code()
        screen.close()
        file = agent.rundir / "home" / ".lagosh_history"
        assert file.read_text() == "show memory\nexit\n", file.read_text()
        assert file.stat().st_mode & 0o777 == 0o600
        again = Screen(agent)
        try:
            again.keys("Up", "Up")
            again.wait_line("show memory")
            again.keys("C-c")
            again.wait_line("")
            again.keys("C-r")
            again.type("mem")
            again.wait_text("show memory")
            again.keys("Enter")
            again.wait_text("REGION")
        finally:
            again.close()


def long_output_stops_at_each_screen():
    with lab(rows=12) as (_, screen):
        screen.run("help")
        screen.wait_text("--More--")
        assert "history [N]" not in screen.text()
        screen.type(" ")
        screen.wait_text("show configuration")
        screen.keys("Enter")
        screen.type("q")
        screen.wait_line("")
        assert "--More--" not in screen.last()
        screen.clear()
        screen.run("help | no-more")
        screen.wait_text("Words may be shortened")
        screen.wait_line("")


def a_wrong_word_gets_a_caret_and_a_suggestion():
    with lab() as (_, screen):
        screen.run("show brige")
        screen.wait_text('error: unknown word "brige"')
        screen.wait_text("  show brige\n       ^^^^^")
        screen.wait_text('help: did you mean "bridge"?')


def a_restart_of_the_agent_is_survived_and_said():
    with lab() as (agent, screen):
        agent.stop(signal.SIGKILL)
        screen.run("show version")
        screen.wait_text("the agent cannot be reached at")
        screen.wait_text("raicho run -C FILE")
        screen.wait_line("")
        agent.start()
        screen.run("show flow count")
        screen.wait_text("the agent was restarted")
        screen.wait_text("FLOWS")


def text_that_is_not_ascii_does_not_crash_without_a_locale():
    # No locale at all is what containers have; libedit's own answer to such text there is SIGSEGV.
    for environment in ({"LANG": "C"}, {"LANG": ""}, {"LANG": "xx_YY.NOPE"}, {"LC_ALL": "C"}):
        with lab(environment=environment) as (_, screen):
            screen.run("show version")
            screen.wait_text("run directory")
            screen.wait_line("")
            screen.type("show ä")
            screen.wait_line("show ä")
            screen.keys("C-c")
            screen.wait_line("")


def a_dumb_terminal_without_colour_works():
    with lab(environment={"TERM": "dumb"}) as (_, screen):
        screen.run("show brige")
        screen.wait_text("did you mean")
        screen.run("show version")
        screen.wait_text("run directory")


def editrc_of_the_user_wins():
    with lab() as (agent, screen):
        screen.close()
        (agent.rundir / "home" / ".editrc").write_text('bind "^T" "em-upper-case"\nbind "?" "ed-insert"\n')
        other = Screen(agent)
        try:
            other.type("show ?")
            other.wait_line("show ?")
        finally:
            other.close()


def stop_and_continue_keep_the_line():
    with lab() as (_, screen):
        screen.type("show ver")
        screen.wait_line("show ver")
        pid = int(screen.tmux("display-message", "-p", "#{pane_pid}"))
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        shell = int(children[0])
        os.kill(shell, signal.SIGSTOP)
        os.kill(shell, signal.SIGCONT)
        screen.type("sion")
        screen.keys("Enter")
        screen.wait_text("run directory")


def exit_codes_and_streams_of_one_shot_runs():
    agent = Agent()
    try:
        def equal(done, code, out=None, err=None):
            assert done.returncode == code, (done.args, done.returncode, done.stdout, done.stderr)
            if out is not None:
                assert out in done.stdout, done.stdout
            if err is not None:
                assert err in done.stderr, done.stderr

        equal(agent.lagosh("-c", "show version", "-c", "sh fl | count"), 0, "Count: ")
        equal(agent.lagosh("show", "flow", "br0"), 0, "Bridge: br0\n Table id: 0\n  priority=9,")
        equal(agent.lagosh("show", "bridge", "br9"), 1, "", "^^^")
        equal(agent.lagosh("show", "brige"), 2, "", "did you mean")
        equal(agent.lagosh("--nonsense"), 2)
        equal(agent.lagosh("--rundir", "/nowhere", "show"), 3, "", "/nowhere/agent.sock")
        bad = agent.rundir / "bad.conf"
        bad.write_text("bridge br0 {\n  prot p1\n}\n")
        equal(agent.lagosh("check", bad), 4, "", f"{bad}:2:3: error:")
        equal(agent.lagosh("load", bad), 4, "", f"{bad}:2:3: error:")
        equal(agent.lagosh("-j", "show", "port"), 0, '"name": "h1-br"')
        # Standard input: no prompt, no colour, own reader.
        equal(agent.lagosh(input="show flow count\nshow version"), 0, "run directory")
        assert "\033" not in agent.lagosh(input="show").stdout
        equal(agent.lagosh(input="shwo\nshow version\n"), 2, "run directory", "stdin:1:1: error")
        stopped = agent.lagosh("-e", input="shwo\nshow version\n")
        equal(stopped, 2)
        assert stopped.stdout == "", stopped.stdout
        equal(agent.lagosh("-n", input="show version\nshow bogus\n"), 2, "", "stdin:2:6: error")
        equal(agent.lagosh("-x", "-c", "show version"), 0, None, "+ show version\n")
        done = agent.lagosh(text=False, input=b"show version\nshow \xff\n")
        assert done.returncode == 2 and b"stdin:2:6: byte 0xff is no UTF-8" in done.stderr, done
        script = agent.rundir / "script.txt"
        script.write_text("# a comment\nshow version\n" + "#" * 200_000 + "\nshow memory\n")
        equal(agent.lagosh("-f", script), 0, "REGION")
        equal(agent.lagosh(script), 0, "REGION")
        equal(agent.lagosh("-c", "show ?"), 0, "flow entries with their counters")
    finally:
        agent.close()


def an_interrupt_ends_a_script_with_130():
    agent = Agent()
    try:
        process = subprocess.Popen([BIN / "lagosh", "--rundir", agent.rundir],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdin.write("show version | match agent\n")
        process.stdin.flush()
        agent.process.send_signal(signal.SIGSTOP)  # the next request gets no answer
        process.stdin.write("show version\n")
        process.stdin.flush()
        try:
            def has_socket():
                links = Path(f"/proc/{process.pid}/fd").iterdir()
                return any("socket:" in os.readlink(link) for link in links)

            wait_until("the shell waits for the agent", has_socket)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=10) == 130, process.returncode
        finally:
            agent.process.send_signal(signal.SIGCONT)
            process.stdin.close()
            process.stdout.close()
    finally:
        agent.close()


def ports_change_on_the_live_switch():
    agent = Agent()
    try:
        done = agent.lagosh("add", "port", "br0", "tap1", "7 { device null }")
        assert done.returncode == 0 and "tap1" in done.stdout, done
        assert "  7  " in agent.lagosh("show", "port").stdout
        done = agent.lagosh("add", "port", "br0", "tap2", "devise null")
        assert done.returncode == 4 and "^^^^^^" in done.stderr, done
        assert agent.lagosh("delete", "port", "br0", "tap1").returncode == 0
        done = agent.lagosh("delete", "port", "br0", "tap1")
        assert done.returncode == 1 and "^^^^" in done.stderr, done
        done = agent.lagosh("load", agent.rundir / "lab.conf")
        assert done.returncode == 0 and "nothing to change" in done.stdout, done
    finally:
        agent.close()


TESTS = [value for value in list(globals().values())
         if callable(value) and getattr(value, "__module__", "") == __name__
         and value.__name__ not in ("wait_until", "lab", "main", "Agent", "Screen")]


def main():
    if shutil.which("tmux") is None:
        print("tmux is missing: apt-get install tmux")
        return 1
    wanted = sys.argv[1:]
    failed = 0
    for test in TESTS:
        if wanted and test.__name__ not in wanted:
            continue
        start = time.monotonic()
        try:
            test()
            print(f"ok: {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # each test is told apart; the next one still runs
            failed += 1
            print(f"FAILED: {test.__name__}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
