# SPDX-License-Identifier: Apache-2.0
"""The switch itself on the bench: rules over OpenFlow, the source added by configuration, windows,
then what must be true: counters equal packets, and sampled frames leave as the slow model says."""

import shutil
import struct
import sys
import time
from pathlib import Path

from bed import stop
from readings import Silent, measure
from wire import Connection, Refused

sys.path.append(str(Path(__file__).resolve().parent.parent / "crash"))
import agent_api  # pylint: disable=wrong-import-position

LISTEN = 6654


class Wrong(Exception):
    """The switch did not do what it must."""


def pcap_frames(path):
    data, at, frames = Path(path).read_bytes(), 24, []
    while at + 16 <= len(data):
        size, = struct.unpack_from("<I", data, at + 8)
        frames.append(data[at + 16:at + 16 + size])
        at += 16 + size
    return frames


class Raicho:
    def __init__(self, bed, case):
        self.bed, self.case, self.figures = bed, case, None
        self.rundir = bed.lab / "run"
        shutil.rmtree(self.rundir, ignore_errors=True)
        conf = bed.lab / "switch.conf"
        conf.write_text(self.text(out=("out", bed.sink)), encoding="ascii")
        self.process = bed.start([bed.bin / "raicho", "run", "-C", conf, "--rundir", self.rundir],
                                 "switch.log")
        self.api = agent_api.AgentApi(self.rundir)
        self.api.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)

    @staticmethod
    def flow_packets(table=0xff):
        """Cookie to packets. Each question has its connection: one that answers no echo request
        while windows are measured would be closed."""
        with Connection(("127.0.0.1", LISTEN)) as openflow:
            return openflow.flow_packets(table)

    def text(self, into=None, out=None):
        """The configuration; a port is (name, device, other statements)."""
        def port(number, name, device, more=""):
            return f'  port {name} {number} {{ device ethdev "{device}"; {more} }}\n'
        driver = f'; driver "{self.bed.driver}"' if self.bed.driver else ""
        return (f"dataplane {{ workers 1; cores [ {self.bed.core} ]; profile busy{driver} }}\n"
                f"bridge br0 {{\n  fail-mode secure\n  listen tcp:127.0.0.1:{LISTEN}\n" +
                (port(1, *into) if into else "") + (port(2, *out) if out else "") + "}\n")

    def load(self, **ports):
        self.api.load(self.text(**ports))
        names = {port[0] for port in ports.values() if len(port) < 3}
        deadline = time.monotonic() + 20
        while not names <= {p["name"] for p in self.api.get("ports") if p["health"] == "up"}:
            if time.monotonic() > deadline:
                raise Wrong(f"the ports {names} do not come up: {self.api.get('ports')}")
            time.sleep(0.02)

    def port(self, name):
        return next(p for p in self.api.get("ports") if p["name"] == name)

    def counted(self):
        """Packets by the first table's flows, and those that none of them took."""
        missed = sum(t["lookups"] - t["matches"] for t in self.api.get("tables")
                     if t["table"] == 0)
        return sum(self.flow_packets(0).values()), missed

    def run(self, pcap):
        """Installs, measures, checks."""
        bed, source = self.bed, ("in", self.bed.source(pcap))
        sink = ("out", bed.sink)
        with Connection(("127.0.0.1", LISTEN)) as openflow:
            self.case["install_s"] = openflow.install((bed.lab / "rules.bin").read_bytes())
        self.load(into=source, out=sink)
        time.sleep(1)
        pid = int((self.rundir / "dataplane.pid").read_text(encoding="ascii").split()[0])
        self.figures = measure(lambda: self.port("out")["tx_packets"], pid, bed.tsc_hz,
                               bed.windows, bed.seconds)
        self.load(into=(*source, "admin down"), out=sink)
        self.check_counters()
        self.check_sample()

    def check_counters(self):
        """Every packet that came in is in one flow's counter, or is a miss, or came while the port
        was down. The device does not stop, and the two counters of it that go on are not read at
        one instant: they are read until they agree, the others stand still."""
        deadline = time.monotonic() + 5
        while True:
            flows, missed = self.counted()
            for _ in range(20):
                port = self.port("in")
                down = sum(d["packets"] for d in port["drops"] if d["reason"] == "port-down")
                if port["rx_packets"] - down == flows + missed and flows > 0:
                    return
            if time.monotonic() > deadline:
                raise Wrong(f"{port['rx_packets'] - down} packets came in, the flows counted {flows} "
                            f"and {missed} missed; drops: {port['drops']}")

    def check_sample(self):
        """The sampled frames through files, against the slow model: bytes, order, counters."""
        captured = self.bed.lab / "out.pcap"
        into = ("sampled", f"net_pcap8,rx_pcap={self.bed.lab / 'sample.pcap'}")
        out = ("captured", f"net_pcap9,tx_pcap={captured}")
        self.load(out=out)
        before = self.flow_packets()
        self.load(into=into, out=out)
        wanted, deadline = self.case["sample"], time.monotonic() + 20
        while self.port("sampled")["rx_packets"] < wanted and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
        counts = {cookie: packets - before.get(cookie, 0)
                  for cookie, packets in self.flow_packets().items()
                  if packets != before.get(cookie, 0)}
        self.load()
        frames = pcap_frames(captured)
        if len(frames) != len(self.case["outputs"]):
            raise Wrong(f"of {wanted} sampled frames {len(frames)} left, the slow model sends "
                        f"{len(self.case['outputs'])}")
        for number, (frame, allowed) in enumerate(zip(frames, self.case["outputs"])):
            if frame.hex() not in allowed:
                raise Wrong(f"sampled frame {number} left as {frame.hex()}, the slow model sends "
                            f"{' or '.join(allowed)}")
        expected = {int(cookie): packets for cookie, packets in self.case["counts"].items()}
        if counts != expected:
            cookie = next(c for c in {**counts, **expected} if counts.get(c) != expected.get(c))
            raise Wrong(f"flow {cookie} counted {counts.get(cookie, 0)} of the sampled packets, the "
                        f"slow model {expected.get(cookie, 0)}")


def run(bed, case, pcap):
    """(figures or None, what is wrong or None)"""
    with Raicho(bed, case) as switch:
        try:
            switch.run(pcap)
        except (Wrong, Silent, Refused, agent_api.Refused, agent_api.AgentGone, OSError) as wrong:
            return switch.figures, str(wrong)
        return switch.figures, None
