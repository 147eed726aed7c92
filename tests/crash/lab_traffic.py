# SPDX-License-Identifier: Apache-2.0
"""Numbered packets from one host to the other (tools/lab_traffic.cc)."""

import json
import signal
import subprocess


class Traffic:
    """Packets are on their way when it is there, until finish()."""

    def __init__(self, options, rate, flows):
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", f"{options.bin}/lab-traffic", "--tx",
             f"{options.h1}:eth0", "--rx", f"{options.h2}:eth0", "--rate", str(rate), "--flows",
             str(flows)], stdout=subprocess.PIPE)
        # Before that a signal would end it without a report.
        if self.process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"lab-traffic did not begin: exit code {self.process.wait(10)}")

    def finish(self):
        """Its report of what was sent, received and lost."""
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=30)
        return json.loads(out)
