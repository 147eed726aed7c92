# SPDX-License-Identifier: Apache-2.0
"""The results: a table while they come, JSON at the end, and Open vSwitch's figures beside those
that were measured of it before."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from readings import Figures

# dpdk-testpmd mac on the machine whose cycles the goals are given in: 2.6 GHz TSC, Mpps by device.
REFERENCE_TSC = 2.596e9
REFERENCE_MAC = {"net_replay": 123.0, "net_pcap infinite_rx -> net_null": 81.0}

# Most cycles above testpmd io, and least ratio to Open vSwitch, by case.
GOALS = {
    "forward": (10, 2), "l2_1k": (20, 3.5), "l2_100k": (40, 8), "l2_1m": (80, 10),
    "five_tuple_1k": (24, 3.5), "l3_1k": (22, 8), "l3_10k": (30, 12), "l3_100k": (45, 20), "l3_10k_varied": (30, 12),
    "acl_1k": (110, 5), "acl_10k": (260, 60), "gateway": (170, 60), "acl_1k_hot": (32, None),
    "gateway_hot": (70, None),
}

# Mpps of Debian's build at its best, net_replay, on that machine: what it must reach here too.
OVS_BEFORE = {
    "forward": 36.6, "l2_1k": 18.4, "l2_100k": 4.11, "l3_1k": 6.13, "l3_10k": 3.06,
    "l3_100k": 1.52, "l3_10k_varied": 0.158, "acl_1k": 3.92, "acl_10k": 0.138, "gateway": 0.185,
}
OVS_LEAST = 0.8


@dataclass
class Row:
    case: str
    who: str
    figures: Figures
    wrong: str = None
    settings: str = None


@dataclass
class Rows:
    device: str
    rows: list = field(default_factory=list)

    def of(self, case, who):
        return next((r for r in self.rows if (r.case, r.who) == (case, who) and r.figures), None)

    def scale(self, case):
        """Cycles here to cycles there, by testpmd mac."""
        mac = self.of(case, "testpmd-mac")
        return REFERENCE_TSC / 1e6 / REFERENCE_MAC[self.device] / mac.figures.cycles if mac else 1.0

    def ovs_too_slow(self, case):
        """Why Open vSwitch's figure cannot be taken, or None: it may only be compared with where
        it does here what it does elsewhere, by how fast testpmd is."""
        row, mac = self.of(case, "ovs-dpdk"), self.of(case, "testpmd-mac")
        if row is None or mac is None or case not in OVS_BEFORE:
            return None
        known = OVS_BEFORE[case] * mac.figures.median / REFERENCE_MAC["net_replay"]
        if row.figures.median >= OVS_LEAST * known:
            return None
        return (f"VOID: Open vSwitch does {row.figures.median:.3f} Mpps, {known:.3f} were measured "
                f"before (scaled by testpmd mac): compare nothing with it")

    def document(self, row):
        io, ovs = self.of(row.case, "testpmd-io"), self.of(row.case, "ovs-dpdk")
        scale, figures = self.scale(row.case), row.figures
        document = {"case": row.case, "who": row.who, "device": self.device}
        for name, function in (("mpps_median", lambda f: f.median),
                               ("mpps_min", lambda f: min(f.rates)),
                               ("mpps_max", lambda f: max(f.rates)),
                               ("cycles", lambda f: f.cycles * scale)):
            document[name] = round(function(figures), 3) if figures else None
        document["cycles_above_io"] = round(
            (figures.cycles - io.figures.cycles) * scale, 2) if figures and io else None
        document["of_testpmd_io"] = round(
            figures.median / io.figures.median, 4) if figures and io else None
        document["of_ovs"] = round(
            figures.median / ovs.figures.median, 3) if figures and ovs else None
        # Beyond the table: how the figures here became those above, and whether they count.
        document["tsc_scale"] = round(scale, 4)
        document["wrong"] = row.wrong
        if row.settings:
            document["settings"] = row.settings
        return document

    def add(self, *arguments, **more):
        self.rows.append(Row(*arguments, **more))

    def write(self, path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        text = ",\n".join(json.dumps(self.document(row)) for row in self.rows)
        Path(path).write_text(f"[\n{text}\n]\n", encoding="ascii")

    @staticmethod
    def print_head():
        print(f"{'case':<15} {'who':<12} {'Mpps':>8} {'min':>8} {'max':>8} {'cycles':>8} "
              f"{'above io':>8} {'of io':>6} {'of ovs':>7}", flush=True)

    def print_case(self, case):
        for row in self.rows:
            if row.case != case:
                continue
            d = self.document(row)
            texts = [f"{d[key]:>{width}.{digits}f}" if d[key] is not None else f"{'-':>{width}}"
                     for key, width, digits in (
                         ("mpps_median", 8, 2), ("mpps_min", 8, 2), ("mpps_max", 8, 2),
                         ("cycles", 8, 1), ("cycles_above_io", 8, 1), ("of_testpmd_io", 6, 2),
                         ("of_ovs", 7, 2))]
            print(f"{case:<15} {row.who:<12} {' '.join(texts)}  {self.verdict(row, d)}".rstrip(),
                  flush=True)

    @staticmethod
    def verdict(row, document):
        if row.wrong:
            return f"FAIL: {row.wrong}"
        if row.who != "raicho":
            return ""
        if row.case not in GOALS:
            return "counters and sample right"
        cycles, times = GOALS[row.case]
        text = f"goal: <= {cycles} above io" + (f", >= {times} of ovs" if times else "")
        above, of_ovs = document["cycles_above_io"], document["of_ovs"]
        missed = (above is not None and above > cycles) or (
            times and of_ovs is not None and of_ovs < times)
        return f"counters and sample right; {text}{': missed' if missed else ''}"
