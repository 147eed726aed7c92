#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/dev bench: the switch, and its peers, on one core with 64-byte frames that a replay device
feeds and drains. Each case runs the shipped programs with rules installed over OpenFlow; afterwards
the flows' counters must equal the packets and sampled frames the slow model's, else the row is FAIL."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import ovs
import raicho
import testpmd
from bed import Bed, pmd_folder
from rows import GOALS, Rows

ROOT = Path(__file__).resolve().parent.parent.parent


def arguments():
    options = argparse.ArgumentParser(prog="tools/dev bench", description=__doc__)
    options.add_argument("--case", action="append", metavar="NAME",
                         help="only this case (repeatable); default: the table")
    options.add_argument("--peers", action="store_true",
                         help="beside Debian's Open vSwitch with DPDK, at its best settings")
    options.add_argument("--windows", type=int, default=10, help="windows of a row (10)")
    options.add_argument("--seconds", type=float, default=0.3, help="length of a window (0.3)")
    options.add_argument("--seed", type=int, default=1, help="of rules and traffic (1)")
    options.add_argument("--replay-driver", metavar="FILE", default="",
                         help="net_replay's file; without it net_pcap feeds and net_null drains")
    options.add_argument("--json", metavar="FILE", default=str(ROOT / "build/bench.json"),
                         help="results as JSON (build/bench.json)")
    options.add_argument("--bin", default=str(ROOT / "build/release/bin"), help=argparse.SUPPRESS)
    options.add_argument("--lab", help=argparse.SUPPRESS)
    options = options.parse_args()
    if options.windows < 1 or options.seconds <= 0:
        sys.exit("error: --windows and --seconds: more than none")
    if options.replay_driver and not os.path.isfile(options.replay_driver):
        sys.exit(f"error: --replay-driver \"{options.replay_driver}\": no such file")
    return options


def bench_set(options, *words):
    done = subprocess.run([f"{options.bin}/bench-set", *map(str, words)], stdout=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(1)
    return done.stdout


def run_case(bed, options, rows, name):
    bench_set(options, name, bed.lab, "--seed", options.seed, "--packets", bed.frames)
    case = json.loads((bed.lab / "set.json").read_text(encoding="ascii"))
    pcap = bed.lab / "traffic.pcap"
    for mode in ("io", "mac"):
        rows.add(name, f"testpmd-{mode}", testpmd.run(bed, mode, pcap))
    figures, wrong = raicho.run(bed, case, pcap)
    rows.add(name, "raicho", figures, wrong)
    if options.peers:
        figures, settings, wrong = ovs.run(bed, pcap)
        rows.add(name, "ovs-dpdk", figures, wrong, settings)
        rows.rows[-1].wrong = wrong or rows.ovs_too_slow(name)
    seconds = case.get("install_s")
    installed = "not installed" if seconds is None else f"installed in {seconds:.2f} s"
    print(f"# {name}: {case['what']}, {case['rules']} rules {installed}; traffic of "
          f"{case['flows']} flows", flush=True)
    rows.print_case(name)
    if options.peers:
        print(f"# {name}: Open vSwitch's settings: {settings}", flush=True)


def main():
    options = arguments()
    known = bench_set(options, "--list").split()
    names = options.case or [name for name in known if name in GOALS]
    for name in names:
        if name not in known:
            sys.exit(f"error: --case \"{name}\": unknown; there are {' '.join(known)}")
    bed = Bed(Path(options.bin), Path(options.lab), os.cpu_count() - 1,
              os.path.realpath(options.replay_driver) if options.replay_driver else "",
              pmd_folder(), float(bench_set(options, "--tsc")), options.windows, options.seconds)
    rows = Rows(bed.device)
    print(f"device: {bed.device}, {bed.frames} frames in a loop; core {bed.core}; 64-byte frames; "
          f"{bed.windows} windows of {bed.seconds} s; TSC {bed.tsc_hz / 1e6:.0f} MHz")
    print("cycles: TSC of the forwarding thread's own time, as on a TSC of 2.6 GHz (scaled by "
          "testpmd mac); nothing is subtracted from rates")
    Rows.print_head()
    for name in names:
        run_case(bed, options, rows, name)
        rows.write(options.json)
    wrong = [row for row in rows.rows if row.wrong]
    for row in wrong:
        print(f"FAIL {row.case} {row.who}: {row.wrong}")
    print(f"results: {options.json}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
