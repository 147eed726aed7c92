# SPDX-License-Identifier: Apache-2.0
"""Runs the program that sends frames at a rate and counts what comes back (tools/conformance_traffic.cc)."""

import json
import random
import struct
import subprocess
import tempfile

import random_frames


class Traffic:
    """`devices` are the far ends of ports 1, 2 and 3."""

    def __init__(self, program, devices, seed):
        self.program = program
        self.devices = devices
        self.rng = random.Random(seed)

    def run(self, packets, meanwhile):
        """Sends as a pattern's "packets" says; {"sent", "seconds", "lost", "classes"}. `meanwhile` is
        called all the time: the switch wants its echo requests answered."""
        sample = bytes.fromhex(packets["data"])
        frames = [sample]
        if "random" in packets:
            n = packets["pktps"] * packets["duration_time"]
            frames = random_frames.frames(sample, packets["random"], n, self.rng)
        with tempfile.NamedTemporaryFile(prefix="frames.") as file:
            for frame in frames:
                file.write(struct.pack("!H", len(frame)) + frame)
            file.flush()
            with subprocess.Popen(
                    [self.program, "--frames", file.name, "--send", self.devices[0],
                     "--rate", str(packets["pktps"]), "--seconds", str(packets["duration_time"]),
                     *(word for device in self.devices[1:] for word in ("--count", device))],
                    stdout=subprocess.PIPE) as process:
                try:
                    while process.poll() is None:
                        meanwhile()
                    output = process.stdout.read()
                finally:
                    process.kill()
            if process.returncode != 0:
                raise subprocess.CalledProcessError(process.returncode, self.program)
        report = json.loads(output)
        for row in report["classes"]:
            row["port"] = self.devices.index(row["device"]) + 1
        return report
