#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Packets a second and TSC cycles a packet of a running forwarder, over windows: reads a counter by
a command (a number, `TX-packets: N`, or lagosh's JSON of a port) and the CPU time of the busiest
thread of the process."""

import argparse
import re
import subprocess
import time
from pathlib import Path


def tsc_hz():
    """From the kernel's log if it is there, else from the CPU's nominal MHz."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("cpu MHz"):
            return float(line.split(":")[1]) * 1e6
    return 0.0


def read_counter(command):
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for pattern in (r'"tx_packets"\s*:\s*(\d+)', r"TX-packets:\s*(\d+)", r"^\s*(\d+)\s*$"):
        found = re.search(pattern, text, re.M)
        if found:
            return int(found.group(1))
    raise SystemExit(f"no counter in: {text[:200]}")


def thread_times(pid):
    """Nanoseconds on a CPU by thread."""
    times = {}
    for stat in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            times[stat.parent.name] = int(stat.read_text().split()[0])
        except OSError:
            pass
    return times


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--who", required=True)
    options.add_argument("--pid", type=int, required=True)
    options.add_argument("--windows", type=int, default=10)
    options.add_argument("--seconds", type=float, default=0.5)
    options.add_argument("command", nargs="+")
    options = options.parse_args()
    rates, cycles = [], []
    for _ in range(options.windows):
        packets, began, cpu = read_counter(options.command), time.monotonic(), thread_times(options.pid)
        time.sleep(options.seconds)
        sent = read_counter(options.command) - packets
        took = time.monotonic() - began
        after = thread_times(options.pid)
        busiest = max((after[t] - cpu[t] for t in after if t in cpu), default=0)
        if sent <= 0 or busiest <= 0:
            raise SystemExit(f"{options.who}: nothing was forwarded")
        # A shared machine takes the core away now and then: the rate is per second of own CPU time.
        rates.append(sent / min(took, busiest / 1e9) / 1e6)
        cycles.append(busiest / 1e9 * tsc_hz() / sent)
    rates.sort()
    cycles.sort()
    middle = len(rates) // 2
    print(f"{options.who:<14} {rates[middle]:>10.2f} {rates[0]:>10.2f} {rates[-1]:>10.2f} "
          f"{cycles[middle]:>10.1f}", flush=True)


if __name__ == "__main__":
    main()
