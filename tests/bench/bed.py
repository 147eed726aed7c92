# SPDX-License-Identifier: Apache-2.0
"""The bench that programs are put on: devices, the forwarding core, processes that end with us."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Frames that net_pcap with infinite_rx holds in the smallest of the programs' buffer pools.
PCAP_FRAMES = 4096
REPLAY_FRAMES = 1 << 20


@dataclass
class Bed:
    bin: Path
    lab: Path         # for files; cleared away by who made it
    core: int         # the forwarding thread's
    driver: str       # net_replay's file, or empty
    pmds: str         # folder of DPDK's own drivers
    tsc_hz: float
    windows: int
    seconds: float

    @property
    def device(self):
        return "net_replay" if self.driver else "net_pcap infinite_rx -> net_null"

    @property
    def frames(self):
        return REPLAY_FRAMES if self.driver else PCAP_FRAMES

    def source(self, pcap):
        if self.driver:
            return f"net_replay0,pcap={pcap}"
        return f"net_pcap0,rx_pcap={pcap},infinite_rx=1"

    @property
    def sink(self):
        return "net_replay1" if self.driver else "net_null1,no-rx=1"

    @property
    def plugins(self):
        """EAL's words for the driver: naming one switches its own folder off."""
        return ["-d", self.driver, "-d", self.pmds] if self.driver else []

    def start(self, command, log, **more):
        """A process that ends with this one, and that the laboratory ends if we cannot."""
        with open(self.lab / log, "ab") as out:
            process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *map(str, command)],
                                       stdout=more.pop("stdout", out), stderr=out, **more)
        with open(self.lab / "pids", "a", encoding="ascii") as pids:
            pids.write(f"{process.pid}\n")
        return process


def stop(process, seconds=20):
    """Ends a process that start() made."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def pmd_folder():
    """Where Debian keeps DPDK's drivers."""
    for path in Path("/usr/lib").glob("*/dpdk/pmds-*/librte_net_null.so*"):
        return os.path.dirname(path)
    raise SystemExit("error: no DPDK drivers under /usr/lib: apt-get install dpdk")
