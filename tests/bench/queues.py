#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The queues' part of tools/dev bench qos: an af-packet port with two egress queues, more offered to
both than they may send, and what leaves of each beside what was ordered. The lab and the senders are
those of tests/functional/port_queues. Exits 1 when a rate is off by more than 1 %."""

import statistics
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

FUNCTIONAL = Path(__file__).resolve().parents[1] / "functional"
sys.path.insert(0, str(FUNCTIONAL))
GOAL = 1.0  # percent


def port_queues():
    """A test without a suffix, as a module."""
    loader = SourceFileLoader("port_queues", str(FUNCTIONAL / "port_queues"))
    module = module_from_spec(spec_from_loader("port_queues", loader))
    loader.exec_module(module)
    return module


def row(what, senders, **wanted):
    """The median of three rates; True when each is within the goal."""
    found = [senders.rates(2.0) for _ in range(3)]
    texts, worst = [], 0.0
    for queue, mbit in wanted.items():
        rate = statistics.median(rates[int(queue[1:])] for rates in found)
        error = 100 * (rate - mbit) / mbit
        worst = max(worst, abs(error))
        texts.append(f"queue {queue[1:]} {rate:.2f} of {mbit} Mbit/s ({error:+.2f} %)")
    good = worst <= GOAL
    print(f"{'PASS' if good else 'FAIL'}  {what:<46} {', '.join(texts)}  (goal: within {GOAL:.0f} %)",
          flush=True)
    return good


def main():
    queues = port_queues()
    lab = queues.lab_with("af-packet", "p3")
    good = True
    try:
        # queue: (number, priority, weight, least rate, most rate)
        queues.set_queues(lab, 0, (1, 0, 1, 0, 20e6), (2, 0, 1, 0, 5e6))
        with queues.Senders(lab, h1=40, h2=40) as senders:
            good &= row("queues: max-rate 20 and 5, 40 offered", senders, q1=20, q2=5)
            queues.set_queues(lab, 40, (1, 3, 1, 0, 0), (2, 3, 3, 0, 0))
            good &= row("queues: weights 1 and 3 of 40 Mbit/s", senders, q1=10, q2=30)
            queues.set_queues(lab, 40, (1, 0, 1, 8e6, 0), (2, 9, 1, 0, 0))
            good &= row("queues: min-rate 8 beside a higher priority", senders, q1=8, q2=32)
    finally:
        lab.__exit__(None, None, None)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
