# SPDX-License-Identifier: Apache-2.0
"""Raicho as the switch of a Mininet network.

    mn --custom examples/mininet/raicho.py --switch raicho --topo tree,2 --controller remote

One agent and one dataplane serve all switches of the network, each of which is a bridge. While
Mininet runs, `lagosh` in another terminal (or `sh lagosh` at Mininet's prompt) looks into them.

Options, as in `--switch raicho,fail_mode=standalone`:
    fail_mode  secure (default) or standalone: what happens without a controller
    rundir     run directory; default $RAICHO_RUNDIR, else /run/raicho

Mininet's own `iperf` command and `--test iperf` wait for ever with Debian 12's iperf 2.1.8, whatever
the switch; `h4 iperf -s &` and `h1 iperf -c h4` at the prompt measure the same.

The programs are taken from $RAICHO_BIN (a directory), else from $PATH, else from this source
tree's build/release/bin or build/dev/bin.
"""

import http.client
import inspect
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from mininet.log import debug, error, info
from mininet.node import Switch

# Mininet runs this file by exec(), which knows no __file__.
RAICHO_TREE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(inspect.currentframe().f_code.co_filename))))
RAICHO_PATIENCE = 30  # seconds a start or a stop may take


class AgentConnection(http.client.HTTPConnection):
    """HTTP to the agent's Unix socket."""

    def __init__(self, path):
        super().__init__("raicho", timeout=RAICHO_PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class RaichoDaemons:
    """The two daemons in one run directory and the bridges they serve."""

    by_rundir = {}

    @classmethod
    def at(cls, rundir):
        return cls.by_rundir.setdefault(rundir, cls(rundir))

    def __init__(self, rundir):
        self.rundir = rundir
        self.bridges = {}  # name -> its statement
        self.n_ports = 0
        self.head = ""
        self.process = None
        self.files = None  # directory of configuration and log

    @staticmethod
    def program():
        given = os.environ.get("RAICHO_BIN")
        places = [given] if given else [
            None, os.path.join(RAICHO_TREE, "build/release/bin"),
            os.path.join(RAICHO_TREE, "build/dev/bin")]
        for place in places:
            found = shutil.which("raicho", path=place)
            if found:
                return found
        raise FileNotFoundError(
            "no program raicho in " + (given or "$PATH or the source tree's build directories") +
            "; build it (cmake --workflow --preset release) or set RAICHO_BIN to its directory")

    def ask(self, method, path, body=None):
        """The agent's answer; an error's text is raised."""
        connection = AgentConnection(os.path.join(self.rundir, "agent.sock"))
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, "/api/v1/" + path, text,
                               {"Content-Type": "application/json"} if text else {})
            answer = connection.getresponse()
            document = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status >= 400:
            raise RuntimeError(document.get("rendered") or " ".join(
                filter(None, (document["detail"], document.get("hint")))))
        return document

    def configuration(self):
        return self.head + "\n".join(self.bridges.values())

    def apply(self):
        """Makes the daemons serve exactly `bridges`; starts or stops them where needed."""
        if not self.bridges:
            self.stop()
        elif self.process is None:
            self.start()
        else:
            self.ask("POST", "config/load", {"text": self.configuration(), "file": "mininet"})
        if self.bridges:
            self.wait_for_ports()

    def start(self):
        # Sizes of the shared memory; they count from the start on, so leave room to grow.
        self.head = "agent {{ max-flows 262144; max-bridges {}; max-ports {} }}\n".format(
            min(1024, max(64, 2 * len(self.bridges))), min(8192, max(1024, 2 * self.n_ports)))
        self.files = tempfile.mkdtemp(prefix="raicho-mininet.")
        path = os.path.join(self.files, "switch.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.configuration())
        with open(os.path.join(self.files, "switch.log"), "wb") as log:
            # A session of its own: ^C at Mininet's prompt is not meant for the switch. It dies
            # with Mininet all the same.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", self.program(), "run", "-C", path,
                 "--rundir", self.rundir],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        try:
            self.wait_until("the switch answers", self.answers)
        except Exception as failure:
            text = "Raicho did not start: {}\n{}".format(failure, self.log_text())
            self.stop()
            if "in use by" in text:
                text += "or: --switch raicho,rundir=DIR\n"
            raise RuntimeError(text) from failure

    def answers(self):
        if self.process.poll() is not None:
            raise RuntimeError("it ended with code {}".format(self.process.returncode))
        try:
            return bool(self.ask("GET", "version"))
        except (OSError, http.client.HTTPException):
            return False

    def wait_for_ports(self):
        """Ports whose link Mininet has set down stay down; every other one comes up."""
        def opened():
            return all(port["health"] in ("up", "down") for port in self.ask("GET", "ports"))
        try:
            self.wait_until("all ports are open", opened)
        except RuntimeError as failure:
            for port in self.ask("GET", "ports"):
                if port["health"] not in ("up", "down"):
                    error("{bridge}: port {name}: {state}\n".format(**port))
            raise RuntimeError("Raicho: {}".format(failure)) from failure

    @staticmethod
    def wait_until(what, predicate):
        deadline = time.monotonic() + RAICHO_PATIENCE
        while not predicate():
            if time.monotonic() > deadline:
                raise RuntimeError("not within {} s: {}".format(RAICHO_PATIENCE, what))
            time.sleep(0.05)

    def log_text(self):
        with open(os.path.join(self.files, "switch.log"), encoding="utf-8",
                  errors="replace") as log:
            return log.read()

    def stop(self):
        """Ends both daemons; what they and we made goes away."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(RAICHO_PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            debug(self.log_text())
        if self.files:
            shutil.rmtree(self.files, ignore_errors=True)
        self.process, self.files = None, None


class RaichoSwitch(Switch):
    """One bridge of the daemons."""

    def __init__(self, name, fail_mode="secure", rundir=None, batch=False, **params):
        """fail_mode: secure or standalone
           rundir: run directory of the daemons that all switches with the same one share
           batch: start all switches of the network together"""
        Switch.__init__(self, name, **params)
        if fail_mode not in ("secure", "standalone"):
            raise ValueError("fail_mode {!r}: allowed: secure, standalone".format(fail_mode))
        self.fail_mode = fail_mode
        self.batch = batch
        self.controller_list = []
        self.daemons = RaichoDaemons.at(
            os.path.abspath(rundir or os.environ.get("RAICHO_RUNDIR") or "/run/raicho"))

    @classmethod
    def setup(cls):
        RaichoDaemons.program()

    def data_interfaces(self):
        """Those without an address: one with an address is Mininet's control network."""
        return [i for i in self.intfList() if self.ports[i] and not i.IP()]

    def statement(self):
        lines = ["bridge {} {{".format(self.name),
                 "    dpid 0x{}".format(self.dpid),
                 "    fail-mode {}".format(self.fail_mode)]
        lines += ["    port {} {}".format(i, self.ports[i]) for i in self.data_interfaces()]
        for controller in self.controller_list:
            if controller.protocol != "tcp":
                raise ValueError("controller {}: protocol {}: Raicho speaks tcp to controllers"
                                 .format(controller, controller.protocol))
            lines.append("    controller tcp:{}:{} {{ backoff-max 1s }}".format(
                controller.IP(), controller.port))
        if self.listenPort:
            lines.append("    listen tcp:127.0.0.1:{}".format(self.listenPort))
        return "\n".join(lines + ["}\n"])

    def describe(self):
        """Tells the daemons what this switch is by now; apply() makes it so."""
        self.daemons.bridges[self.name] = self.statement()

    def start(self, controllers):
        if self.inNamespace:
            raise RuntimeError("one dataplane serves all switches: leave --innamespace out")
        self.controller_list = list(controllers)
        self.daemons.n_ports += len(self.data_interfaces())
        self.describe()
        if not self.batch:
            self.daemons.apply()

    @classmethod
    def batchStartup(cls, switches, **_options):
        for daemons in {s.daemons for s in switches}:
            daemons.apply()
            info("(lagosh --rundir {}) ".format(daemons.rundir))
        for switch in switches:
            switch.batch = False  # from now on each change acts at once
        return switches

    def stop(self, deleteIntfs=True):
        if self.daemons.bridges.pop(self.name, None) is not None:
            self.daemons.apply()
        super().stop(deleteIntfs)

    @classmethod
    def batchShutdown(cls, switches, **_options):
        for switch in switches:
            switch.daemons.bridges.pop(switch.name, None)
        for daemons in {s.daemons for s in switches}:
            daemons.apply()
        for switch in switches:
            switch.deleteIntfs()
            switch.terminate()
        return switches

    def attach(self, _interface):
        """A data port that was added to the running switch."""
        self.describe()
        self.daemons.apply()

    def detach(self, interface):
        """Takes a data port out of the running switch."""
        self.daemons.bridges[self.name] = "".join(
            line for line in self.statement().splitlines(True)
            if not line.startswith("    port {} ".format(interface)))
        self.daemons.apply()

    def connected(self):
        found = self.daemons.ask("GET", "controllers?bridge=" + self.name)["controllers"]
        return any(c["connected"] for c in found) or self.fail_mode == "standalone"

    def dpctl(self, *words):
        """ovs-ofctl on this switch (`dpctl dump-flows` at Mininet's prompt)."""
        if not self.listenPort:
            return "{} has no listening port: leave --nolistenport out\n".format(self)
        return self.cmd("ovs-ofctl", "-O", "OpenFlow13", words[0],
                        "tcp:127.0.0.1:{}".format(self.listenPort), *words[1:])


switches = {"raicho": RaichoSwitch}
