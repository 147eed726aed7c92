# SPDX-License-Identifier: Apache-2.0
"""dpdk-testpmd on the same devices: what a core can do that looks at no packet (io), or only
writes Ethernet addresses (mac)."""

import re
import select
import subprocess
import time

from bed import stop
from readings import measure


class Testpmd:
    def __init__(self, bed, mode, pcap):
        self.bed, self.text = bed, ""
        command = ["stdbuf", "-o0", "dpdk-testpmd", "-l", f"0,{bed.core}", "--no-pci", "--in-memory",
                   "--file-prefix", f"bench{bed.lab.name}", "--no-telemetry", *bed.plugins,
                   "--vdev", bed.source(pcap), "--vdev", bed.sink, "--", "-i", "--nb-cores=1",
                   f"--forward-mode={mode}", "--total-num-mbufs=65536"]
        self.process = bed.start(command, "testpmd.log", stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        self._until("testpmd> ", 60)
        self.ask("start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)

    def ask(self, command):
        self.text = ""
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        return self._until("testpmd> ", 20)

    def _until(self, end, seconds):
        deadline = time.monotonic() + seconds
        while not self.text.endswith(end):
            left = deadline - time.monotonic()
            chunk = b""
            if left > 0 and select.select([self.process.stdout], [], [], left)[0]:
                chunk = self.process.stdout.read1(1 << 16)
            if not chunk:
                raise SystemExit(f"error: dpdk-testpmd: {self.text[-2000:]}")
            self.text += chunk.decode(errors="replace")
        return self.text

    def sent(self):
        return int(re.search(r"TX-packets:\s*(\d+)", self.ask("show port stats 1"))[1])


def run(bed, mode, pcap):
    """Figures of one mode."""
    with Testpmd(bed, mode, pcap) as testpmd:
        time.sleep(1)
        return measure(testpmd.sent, testpmd.process.pid, bed.tsc_hz, bed.windows, bed.seconds)
