# SPDX-License-Identifier: Apache-2.0
"""tools/dev conformance: the public OpenFlow switch-certification suite against a switch. Several
switches (lanes) work at once on cases that wait most of the time; cases of a high rate run alone
at the end. A case that was not run counts as failed."""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import patterns

ROOT = Path(__file__).resolve().parents[2]
HIGH_RATE = 10000  # frames a second: such a case has the machine for itself
LANES = 13  # the suite's 39 cases of lower rates take three rounds of half a minute
BESIDE = ROOT.parent / "shared/conformance/ryu"


class Lane:
    """A switch and its examiner (lane.sh)."""

    def __init__(self, options):
        self.process = subprocess.Popen(
            [ROOT / "tests/conformance/lane.sh", options.switch, options.bin,
             str(options.workers), f"table-template {options.template}; {options.config}", "--seed", str(options.seed),
             *(["--crowded"] if options.crowded else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={k: v for k, v in os.environ.items() if k != "RAICHO_LAB_PRIVATE"})

    def examine(self, name, case):
        """The result, or None when the lane is dead."""
        try:
            self.process.stdin.write(json.dumps({"name": name, "case": case}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            return None
        return json.loads(line) if line else None

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()


class Run:
    """The cases, dealt to the lanes, and what came of them."""

    def __init__(self, cases, quiet):
        self.cases = cases
        self.quiet = quiet
        self.results = {}
        self.lock = threading.Lock()

    def deal(self, names, lanes):
        """Each lane takes the next case until there is none."""
        waiting = iter(names)

        def work(lane):
            while True:
                with self.lock:
                    name = next(waiting, None)
                if name is None:
                    return
                found = lane.examine(name, self.cases[name])
                if found is None:
                    self.report({"name": name, "passed": False, "lines": [], "seconds": 0,
                                 "reason": "not run: the switch or its examiner ended"})
                    return
                self.report(found)

        threads = [threading.Thread(target=work, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def report(self, found):
        with self.lock:
            self.results[found["name"]] = found
            if found["passed"] or self.quiet:
                return
            description = self.cases[found["name"]]["description"]
            print(f"FAILED {found['name']} {description}: {found['reason']}")
            for line in found["lines"]:
                print(line)
            sys.stdout.flush()

    def finish(self):
        """What no lane took has failed too."""
        for name in self.cases:
            if name not in self.results:
                self.report({"name": name, "passed": False, "lines": [], "seconds": 0,
                             "reason": "not run: no switch was left"})

    def summary(self):
        passed = {name for name, found in self.results.items() if found["passed"]}
        for kind in patterns.CATEGORIES:
            of_kind = [name for name in self.cases if patterns.category(name) == kind]
            if of_kind:
                print(f"{kind:<7} {sum(name in passed for name in of_kind)} of {len(of_kind)}")
        print(f"{len(passed)} passed, {len(self.cases) - len(passed)} failed")
        return len(passed) == len(self.cases)


def options():
    parser = argparse.ArgumentParser(
        prog="tools/dev conformance", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__.split(": ", 1)[1], epilog=patterns.WHERE_FROM)
    parser.add_argument("--patterns", metavar="DIR", help="where the patterns are")
    parser.add_argument("--version", default="1.3", help="of OpenFlow (default 1.3)")
    parser.add_argument("--category", default="all", choices=(*patterns.CATEGORIES, "all", "quick"),
                        help="quick: action and match (default all)")
    parser.add_argument("--switch", default="raicho", choices=("raicho", "ovs"),
                        help="ovs: Debian's Open vSwitch, to examine the examiner")
    parser.add_argument("--case", metavar="REGEX", default="", help="only cases with such a name")
    parser.add_argument("--workers", type=int, default=1, help="forwarding threads of raicho")
    parser.add_argument("--config", default="", help="more of raicho's bridge configuration")
    parser.add_argument("--template", default="auto", choices=("auto", "exact", "tuple-merge"),
                        help="how raicho searches the tables that can be searched so")
    parser.add_argument("--crowded", action="store_true",
                        help="keep flows of many shapes in the tables beside each case's")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32),
                        help="of the frames that are drawn (printed; default another each time)")
    parser.add_argument("--lanes", type=int, default=LANES,
                        help=f"switches at once (default {LANES})")
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"), help=argparse.SUPPRESS)
    parser.add_argument("--report", metavar="FILE", help="write every result there (JSON)")
    parser.add_argument("--seeded", action="store_true",
                        help="put bugs into the switch: does the suite notice? (--seeded --help)")
    parser.add_argument("--quiet", action="store_true", help="the sums only")
    return parser.parse_args()


def chosen(cases, wanted):
    kinds = {"all": patterns.CATEGORIES, "quick": ("action", "match")}.get(
        wanted.category, (wanted.category,))
    return {name: case for name, case in cases.items()
            if patterns.category(name) in kinds and re.search(wanted.case, name)}


def order(rates, n_lanes):
    """Names to be dealt to the lanes, and those to be run alone. Those that measure come first, so
    that no lane ends with one; each round of them has its share of the faster ones."""
    alone = [name for name in rates if rates[name] >= HIGH_RATE]
    slow = sorted((name for name in rates if 0 < rates[name] < HIGH_RATE),
                  key=lambda name: (-rates[name], name))
    rounds = max(1, -(-len(slow) // max(1, n_lanes)))
    together = [name for first in range(rounds) for name in slow[first::rounds]]
    return together + [name for name in rates if rates[name] == 0], alone


def find_patterns(given):
    """Where the patterns are; None when nobody said and the usual place has none."""
    return given or os.environ.get("RAICHO_PATTERNS") or (str(BESIDE) if BESIDE.is_dir() else None)


def main():
    wanted = options()
    directory = find_patterns(wanted.patterns)
    if directory is None:
        print(f"error: no patterns\n{patterns.WHERE_FROM}", file=sys.stderr)
        return 3
    try:
        cases = chosen(patterns.load(directory, wanted.version), wanted)
    except patterns.Missing as missing:
        print(f"error: {missing}", file=sys.stderr)
        return 3
    if not cases:
        print("error: no such case", file=sys.stderr)
        return 2
    if os.geteuid() != 0:
        print("error: namespaces and packet sockets take root", file=sys.stderr)
        return 1
    run = Run(cases, wanted.quiet)
    print(f"{len(cases)} cases, seed {wanted.seed}", flush=True)
    together, alone = order({name: patterns.rate(case) for name, case in cases.items()},
                            wanted.lanes)
    lanes = [Lane(wanted) for _ in range(max(1, min(wanted.lanes, len(together))))]
    try:
        run.deal(together, lanes)
        for lane in lanes[1:]:
            lane.close()
        run.deal(alone, lanes[:1])
    finally:
        for lane in lanes:
            lane.close()
    run.finish()
    if wanted.report:
        Path(wanted.report).write_text(json.dumps(run.results, indent=1), encoding="utf-8")
    return 0 if run.summary() else 1


if __name__ == "__main__":
    sys.exit(main())
