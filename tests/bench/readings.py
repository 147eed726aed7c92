# SPDX-License-Identifier: Apache-2.0
"""What is read off a running forwarder: packets a second and TSC cycles a packet over windows."""

import statistics
import time
from dataclasses import dataclass
from pathlib import Path


def thread_times(pid):
    """Nanoseconds on a CPU by thread."""
    times = {}
    for stat in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            times[stat.parent.name] = int(stat.read_text(encoding="ascii").split()[0])
        except OSError:
            pass
    return times


@dataclass
class Figures:
    """Mpps by window, in order, and TSC cycles a packet."""

    rates: list
    cycles: float
    share: float  # of the core that the thread had

    @property
    def median(self):
        return statistics.median(self.rates)


class Silent(Exception):
    """Nothing was forwarded."""


def measure(counter, pid, tsc_hz, windows, seconds):
    """`counter()` is the number of forwarded packets. A shared machine takes the core away now and
    then: a rate is per second of the busiest thread's own time on a CPU."""
    rates, cycles, shares = [], [], []
    for _ in range(windows):
        packets, began, before = counter(), time.monotonic(), thread_times(pid)
        time.sleep(seconds)
        sent, took, after = counter() - packets, time.monotonic() - began, thread_times(pid)
        busiest = max((after[t] - before[t] for t in after if t in before), default=0) / 1e9
        if sent <= 0 or busiest <= 0:
            raise Silent("nothing was forwarded")
        rates.append(sent / min(took, busiest) / 1e6)
        cycles.append(busiest * tsc_hz / sent)
        shares.append(busiest / took)
    return Figures(rates, statistics.median(cycles), statistics.median(shares))
