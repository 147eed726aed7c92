# SPDX-License-Identifier: Apache-2.0
"""A dataplane without its agent, for the port_* tests: a run directory, raicho-dataplane, the
stand-in agent (port_agent.cc) and hosts in network namespaces of their own. Everything is removed
at the end, whatever happens. Needs root; $RAICHO_BIN is where the programs are."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("RAICHO_BIN", ROOT / "build/dev/bin")).resolve()
TAG = f"rp{os.getpid() % 100000}"


def run(*command, check=True, timeout=60):
    """Runs a command; its output as text."""
    done = subprocess.run(command, text=True, timeout=timeout, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def wait_until(what, predicate, seconds=5.0):
    """Polls with a deadline, ever more seldom; returns what the predicate gave."""
    deadline, pause = time.monotonic() + seconds, 0.01
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(pause)
        pause = min(pause * 1.2, 0.05)


def remove_rundir(rundir):
    """With the arena, which is a link to memory where the directory lies on a disk."""
    arena = Path(rundir, "arena")
    if arena.is_symlink():
        arena.resolve().unlink(missing_ok=True)
    shutil.rmtree(rundir, ignore_errors=True)


class Agent:
    """The stand-in agent as an object: `agent.open(3)` sends `open 3`."""

    def __init__(self, rundir):
        self.process = subprocess.Popen([BIN / "port-agent", rundir], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *words):
        """The answer's text; an answer `error …` comes back with that word."""
        self.process.stdin.write(" ".join(str(w) for w in words) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def __getattr__(self, verb):
        def command(*words):
            answer = self.ask(verb.replace("_", "-"), *words)
            if not answer.startswith("ok"):
                raise AssertionError(f"{verb} {words}: {answer}")
            return answer[2:].strip()
        return command

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Lab:
    """Context: the switch's side is a namespace too, so that nothing of the machine is touched."""

    def __init__(self, **settings):
        self.settings = settings
        self.stack = contextlib.ExitStack()
        self.switch = f"{TAG}sw"
        self.dataplane = None
        self.agent = None

    def __enter__(self):
        if os.geteuid() != 0:
            sys.exit("needs root")
        self.rundir = tempfile.mkdtemp(prefix="raicho-port-")
        self.stack.callback(remove_rundir, self.rundir)
        self.log = open(f"{self.rundir}.log", "w+", encoding="utf-8")
        self.stack.callback(lambda: os.unlink(self.log.name))
        self.stack.callback(self.show_log)
        self.namespace(self.switch)
        self.stack.callback(self.end_processes)
        self.agent = Agent(self.rundir)
        self.agent.arena(*(f"{k}={v}" for k, v in self.settings.items()))
        return self

    def __exit__(self, kind, value, trace):
        self.failed = kind is not None
        self.stack.close()
        return False

    def show_log(self):
        if self.failed:
            self.log.flush()
            print(Path(self.log.name).read_text(encoding="utf-8"), file=sys.stderr)

    def end_processes(self):
        if self.agent:
            self.agent.kill()
        if self.dataplane and self.dataplane.poll() is None:
            self.dataplane.kill()
            self.dataplane.wait()

    def namespace(self, name):
        run("ip", "netns", "add", name)
        self.stack.callback(run, "ip", "netns", "del", name, check=False)
        run("ip", "-n", name, "link", "set", "lo", "up")
        # no router solicitations and the like: tests count packets
        run("ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1",
            "net.ipv6.conf.default.disable_ipv6=1")

    def host(self, n, mtu=None):
        """Namespace h<n> with eth0 = 10.9.0.<n>/24; its other end p<n> lies with the switch."""
        name = f"{TAG}h{n}"
        self.namespace(name)
        self.link(n, mtu)
        return name

    def link(self, n, mtu=None):
        name = f"{TAG}h{n}"
        run("ip", "-n", self.switch, "link", "add", f"p{n}", "type", "veth", "peer", "name",
            "eth0", "netns", name)
        if mtu:
            run("ip", "-n", self.switch, "link", "set", f"p{n}", "mtu", str(mtu))
            run("ip", "-n", name, "link", "set", "eth0", "mtu", str(mtu))
        run("ip", "-n", self.switch, "link", "set", f"p{n}", "up")
        # the same after a re-creation, so that the other hosts' ARP entries stay true
        run("ip", "-n", name, "link", "set", "eth0", "address", f"02:00:00:00:00:{n:02x}")
        run("ip", "-n", name, "addr", "add", f"10.9.0.{n}/24", "dev", "eth0")
        run("ip", "-n", name, "link", "set", "eth0", "up")

    def start(self, *arguments):
        self.dataplane = subprocess.Popen(
            ["ip", "netns", "exec", self.switch, BIN / "raicho-dataplane", "--rundir", self.rundir,
             *arguments], stdout=self.log, stderr=self.log, cwd="/")
        wait_until("control socket", lambda: self.connectable(), 10)
        return self.dataplane

    def connectable(self):
        if self.dataplane.poll() is not None:
            raise AssertionError(f"dataplane ended with {self.dataplane.returncode}")
        return os.path.exists(f"{self.rundir}/dataplane.sock")

    def kill_dataplane(self):
        self.dataplane.send_signal(signal.SIGKILL)
        self.dataplane.wait()
        os.unlink(f"{self.rundir}/dataplane.sock")

    def add_port(self, slot, kind, name, device="-", *options):
        """Prepares, opens and attaches; the OpenFlow number is slot + 1."""
        self.agent.port(slot, slot + 1, kind, name, device, *options)
        text = self.agent.open(slot)
        self.agent.attach(slot)
        return text

    def in_host(self, n, *command, **options):
        return run("ip", "netns", "exec", f"{TAG}h{n}", *command, **options)

    def in_switch(self, *command, **options):
        return run("ip", "netns", "exec", self.switch, *command, **options)

    def ping(self, source, address, count=3, interval=0.2, check=True):
        return self.in_host(source, "ping", "-c", str(count), "-i", str(interval), "-W", "2",
                            address, check=check)

    def health(self, slot):
        return self.agent.status(slot).split()[0]

    def cpu_ms(self):
        """Processor time the dataplane has used."""
        fields = Path(f"/proc/{self.dataplane.pid}/stat").read_text(encoding="ascii")
        ticks = fields.rsplit(")", 1)[1].split()
        return (int(ticks[11]) + int(ticks[12])) * 1000 // os.sysconf("SC_CLK_TCK")


def equal(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: {found!r}, expected {expected!r}")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def main(*tests):
    """Runs the tests of a script in order; the first failure ends it."""
    for test in tests:
        print(f"== {test.__name__}", flush=True)
        test()
        print("ok", flush=True)
