# SPDX-License-Identifier: Apache-2.0
"""A whole switch, hosts in network namespaces and a real controller (an application of examples/ on
os-ken): what the controller_* tests share. The script runs in a network namespace of its own, so
nothing of the machine is touched; everything is removed at the end. Needs root; $RAICHO_BIN is
where the programs are."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from port_lab import BIN, ROOT, TAG, check, remove_rundir, run, wait_until

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/crash"))

import openflow_peer as of  # noqa: E402
from openflow_peer import DATAPATH, ofp, parser  # noqa: E402

CONTROLLER, LISTENER = 6653, 6654  # in our own namespace nobody else has them


def private():
    """Runs the script again in a network namespace of its own, once."""
    if os.geteuid() != 0:
        sys.exit("namespaces and packet sockets take root")
    if os.environ.get("RAICHO_LAB_PRIVATE") != "1":
        os.environ["RAICHO_LAB_PRIVATE"] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])
    run("ip", "link", "set", "lo", "up")
    run("sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")


def ping(host, address, count=3, interval=0.05):
    """How many answers came."""
    return received(start_ping(host, address, count, interval))


def start_ping(host, address, count, interval=0.02):
    return subprocess.Popen(
        ["ip", "netns", "exec", f"{TAG}h{host}", "ping", "-c", str(count), "-i", str(interval),
         "-W", "1", address], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def received(pinging):
    text, _ = pinging.communicate(timeout=60)
    found = re.search(r"(\d+) received", text)
    check(found, text)
    return int(found.group(1))


class Application:
    """Applications of examples/ under osken-manager."""

    def __init__(self, log, *names):
        self.log = log
        self.names = names
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "osken-manager", "--ofp-listen-host",
                 "127.0.0.1", "--ofp-tcp-listen-port", str(CONTROLLER),
                 *(str(ROOT / "examples" / f"{name}.py") for name in self.names)],
                stdout=log, stderr=log,
                env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1"))

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait(self, pattern, n=1, seconds=20):
        """Until the pattern is in the log n times; the matches."""
        def enough():
            found = re.findall(pattern, self.text())
            return found if len(found) >= n else None
        return wait_until(f"{n} times {pattern!r} in the controller's log", enough, seconds)

    def must_be_content(self):
        for sign in ("refuses: type", "Traceback", "no answer to"):
            check(sign not in self.text(), f"the controller says {sign!r}")


class Lab:
    """Context: hosts h1 ... with eth0 = 10.9.0.<n>/24, the switch and its controller. `{hosts}` in
    the configuration are the hosts' ports, h<n>-br with number n."""

    def __init__(self, config, applications, hosts=2, links=()):
        self.config = config
        self.hosts = hosts
        self.links = links
        self.stack = contextlib.ExitStack()
        self.directory = None
        self.applications = applications

    def __enter__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="raicho-controller-"))
        self.stack.callback(remove_rundir, self.directory)
        self.rundir = self.directory / "run"
        self.stack.callback(remove_rundir, self.rundir)
        self.log = self.directory / "switch.log"
        try:
            self.application = Application(self.directory / "controller.log", *self.applications)
            self.stack.callback(self.application.stop)
            self.application.start()
            for n in range(1, self.hosts + 1):
                self.host(n)
            for one, other in self.links:
                run("ip", "link", "add", one, "type", "veth", "peer", "name", other)
                run("ip", "link", "set", one, "up")
                run("ip", "link", "set", other, "up")
            self.start_switch()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            for log in (self.log, self.application.log):
                if log.exists():
                    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
                    print(f"-- {log.name}", *lines[-60:], sep="\n", file=sys.stderr)
        self.stack.close()
        return False

    def host(self, n):
        name = f"{TAG}h{n}"
        run("ip", "netns", "add", name)
        self.stack.callback(run, "ip", "netns", "del", name, check=False)
        run("ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1",
            "net.ipv6.conf.all.disable_ipv6=1")
        run("ip", "link", "add", f"h{n}-br", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"h{n}-br", "up")
        run("ip", "-n", name, "link", "set", "eth0", "address", f"02:00:00:00:00:{n:02x}")
        run("ip", "-n", name, "addr", "add", f"10.9.0.{n}/24", "dev", "eth0")
        run("ip", "-n", name, "link", "set", "eth0", "up")

    def start_switch(self):
        ports = "\n".join(f"port h{n}-br {n}" for n in range(1, self.hosts + 1))
        conf = self.directory / "switch.conf"
        conf.write_text(self.config.replace("{hosts}", ports), encoding="utf-8")
        with open(self.log, "ab") as log:
            self.supervisor = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", BIN / "raicho", "run", "-C", conf, "--rundir",
                 self.rundir], stdout=log, stderr=log)
        self.stack.callback(self.stop_switch)
        expected = conf.read_text(encoding="utf-8").count("port ")

        def up():
            check(self.supervisor.poll() is None, "the switch ended")
            return len(re.findall(r" up$", self.lagosh("show port"), re.M)) == expected
        wait_until(f"{expected} ports are up", up, 30)

    def stop_switch(self):
        self.supervisor.send_signal(signal.SIGCONT)
        self.supervisor.terminate()
        self.supervisor.wait(20)

    def lagosh(self, command):
        return run(BIN / "lagosh", "--rundir", self.rundir, "-c", command, check=False)

    def agent_pid(self):
        try:
            pid = int((self.rundir / "agent.pid").read_text(encoding="ascii").split()[0])
            os.kill(pid, 0)
            return pid
        except (OSError, ValueError, IndexError):
            return None

    def kill_agent(self):
        """kill -9; the supervisor starts another one, which is waited for."""
        old = self.agent_pid()
        adopted = self.log.read_text(encoding="utf-8").count("adopted arena")
        os.kill(old, signal.SIGKILL)
        wait_until("another agent runs", lambda: self.agent_pid() not in (None, old), 20)
        wait_until("it has adopted the tables", lambda: self.log.read_text(
            encoding="utf-8").count("adopted arena") > adopted, 20)

    def kill_agent_for_good(self):
        """kill -9 with the supervisor stopped; `revive_agent` lets it start another one."""
        self.supervisor.send_signal(signal.SIGSTOP)
        os.kill(self.agent_pid(), signal.SIGKILL)

    def revive_agent(self):
        self.supervisor.send_signal(signal.SIGCONT)
        wait_until("another agent runs", self.agent_pid, 20)

    @contextlib.contextmanager
    def look(self, port=LISTENER):
        """Another connection to a bridge, by which tests read its statistics."""
        def connected():
            with contextlib.suppress(OSError):
                return Look(port)
            return None
        look = wait_until("the listener answers", connected, 20)
        try:
            yield look
        finally:
            look.peer.close()


class Look:
    """Statistics over a connection of our own."""

    def __init__(self, port):
        self.peer = of.connect(port)

    def ask(self, request):
        """The entries of all parts of a multipart reply."""
        replies = self.peer.wait(self.peer.send(request), 10,
                                 lambda m: not getattr(m, "flags", 0) & ofp.OFPMPF_REPLY_MORE)
        return [entry for reply in replies for entry in reply.body]

    def flows(self, table=None):
        return [flow for flow in self.peer.flow_stats() if table in (None, flow.table_id)]

    def groups(self):
        return {g.group_id: g for g in
                self.ask(parser.OFPGroupStatsRequest(DATAPATH, 0, ofp.OFPG_ALL))}

    def meters(self):
        return {m.meter_id: m for m in
                self.ask(parser.OFPMeterStatsRequest(DATAPATH, 0, ofp.OFPM_ALL))}

    def queues(self):
        return {(q.port_no, q.queue_id): q for q in self.ask(
            parser.OFPQueueStatsRequest(DATAPATH, 0, ofp.OFPP_ANY, ofp.OFPQ_ALL))}

    def ports(self):
        return {p.port_no: p for p in
                self.ask(parser.OFPPortStatsRequest(DATAPATH, 0, ofp.OFPP_ANY))}


UDP_SEND = """
import socket, sys, time
address, (first, n, size) = sys.argv[1], map(int, sys.argv[2:5])
rate, seconds = map(float, sys.argv[5:])
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
payload = bytes(size - 42)  # the frame has so many bytes
begun, sent = time.monotonic(), 0
while (passed := time.monotonic() - begun) < seconds:
    due = min(int(passed * rate), sent + max(1, int(rate / 20)))
    while sent < due:
        out.sendto(payload, (address, first + sent % n))
        sent += 1
    time.sleep(0.001)
print(sent)
"""


def start_udp(host, address, first_port, n_ports, size, rate, seconds):
    """Frames of `size` bytes at `rate` a second to n ports in turn; its output is how many."""
    return subprocess.Popen(
        ["ip", "netns", "exec", f"{TAG}h{host}", sys.executable, "-c", UDP_SEND, address,
         *(str(v) for v in (first_port, n_ports, size, rate, seconds))],
        text=True, stdout=subprocess.PIPE)


def sent(sending):
    text, _ = sending.communicate(timeout=60)
    return int(text)


UDP_COUNT = """
import select, socket, sys
sockets, bytes_of = {}, {}
for port in map(int, sys.argv[1:]):
    taker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    taker.bind(("", port))
    sockets[taker], bytes_of[port] = port, 0
print("ready", flush=True)
while True:
    for ready in select.select([*sockets, sys.stdin], [], [])[0]:
        if ready in sockets:
            bytes_of[sockets[ready]] += len(ready.recv(2048)) + 42
        elif sys.stdin.readline():
            print(*bytes_of.values(), flush=True)
        else:
            sys.exit()
"""


class UdpCounters:
    """Context: bytes of the frames that reach UDP ports of a host."""

    def __init__(self, host, *udp_ports):
        self.udp_ports = udp_ports
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", f"{TAG}h{host}", sys.executable, "-c", UDP_COUNT,
             *map(str, udp_ports)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        check(self.process.stdout.readline() == "ready\n", "the receiver did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def now(self):
        """{UDP port: bytes}"""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return dict(zip(self.udp_ports, map(int, self.process.stdout.readline().split())))


class Counters:
    """Frames and bytes that reached a host since it was made, by its own interface."""

    def __init__(self, host):
        self.host = host
        self.base = (0, 0)
        self.base = self.now()

    def now(self):
        text = run("ip", "netns", "exec", f"{TAG}h{self.host}", "cat", "/proc/net/dev")
        fields = re.search(r"eth0:\s*(\d+)\s+(\d+)", text)
        return int(fields[2]) - self.base[0], int(fields[1]) - self.base[1]
