# SPDX-License-Identifier: Apache-2.0
"""raicho-agent alone, without a dataplane, in a run directory of its own: what tests of the
OpenFlow channel share. Needs no root."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from port_lab import BIN, ROOT, check, remove_rundir, wait_until

sys.path.insert(0, str(ROOT / "tests/crash"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Agent:
    """One agent with one listener; `{listen}` in the configuration is its port."""

    def __init__(self, config):
        self.rundir = Path(tempfile.mkdtemp(prefix="channel."))
        self.port = free_port()
        self.config = self.rundir / "switch.conf"
        self.config.write_text(config.replace("{listen}", str(self.port)), encoding="utf-8")
        self.log = self.rundir / "agent.log"
        self.process = None
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.stop()
        if kind is not None:
            print(self.log.read_text(encoding="utf-8"))
        remove_rundir(self.rundir)

    def start(self):
        offset = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [BIN / "raicho-agent", "--rundir", self.rundir, "--config", self.config,
                 "--log-level", "debug"], stdout=log, stderr=log)

        def ready():
            check(self.process.poll() is None, f"the agent ended: {self.log_text()}")
            return "agent: ready" in self.log_text()[offset:]
        wait_until("the agent is ready", ready, 20)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(timeout=10)

    def log_text(self):
        return self.log.read_text(encoding="utf-8")

    def ofctl(self, *arguments, version="OpenFlow13", check=True):
        """What ovs-ofctl prints."""
        command, *rest = arguments
        environment = dict(os.environ, OVS_RUNDIR=str(self.rundir))
        done = subprocess.run(
            ["ovs-ofctl", "-O", version, *command.split(), f"tcp:127.0.0.1:{self.port}", *rest],
            text=True, capture_output=True, timeout=20, check=False, env=environment)
        if check and done.returncode != 0:
            raise AssertionError(f"ovs-ofctl {arguments}: {done.stderr}")
        return done.stdout + done.stderr
