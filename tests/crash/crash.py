#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the daemons of a running switch under traffic and counts what is lost. tools/crash.sh makes
the hosts and calls this; it is the controller of the switch as well.

Rows: `agent`, `dataplane`, `both` (kill -9; the supervisor starts them again), `stop-start` (the
whole switch is stopped cleanly and started again; the controller installs its flows anew) and
`control`, which stops the dataplane for 10 ms and must show a loss: an examiner that cannot see
one proves nothing. Its ports get a receive buffer of 2 ms, for the usual one rides out such a pause.
Half of the kills happen during a storm of flow-mods.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from lab_traffic import Traffic
from openflow_peer import Listener, PeerGone, encode, flow_mod, ofp

FLOWS = 100
STORM_FLOWS = 2000


def traffic_match(flow):
    return {"in_port": 1, "eth_dst": f"02:00:00:00:02:{flow:02x}"}


class Storm:
    """Adds and strict deletes, as fast as the connection takes them, until stopped."""

    def __init__(self, peer):
        self.peer = peer
        self.stop_now = False
        messages = []
        for command in (ofp.OFPFC_ADD, ofp.OFPFC_DELETE_STRICT):
            for n in range(STORM_FLOWS):
                match = {"eth_dst": f"06:00:00:00:{n >> 8:02x}:{n & 255:02x}"}
                messages.append(encode(flow_mod(match, 2, priority=10, command=command), 7))
        self.chunks = [b"".join(messages[i:i + 50]) for i in range(0, len(messages), 50)]
        self.sent = 0
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            while not self.stop_now:
                for chunk in self.chunks:
                    if self.stop_now:
                        break
                    self.peer.send_raw(chunk)
                    self.sent += 50
        except PeerGone:
            pass

    def stop(self):
        self.stop_now = True
        self.thread.join(5)


class Lab:
    def __init__(self, options):
        self.options = options
        self.rundir = Path(options.rundir)
        self.listener = Listener(options.port)
        self.supervisor = None
        self.peer = None
        self.start_switch()
        self.wait_ports()

    def start_switch(self, dataplane=""):
        log = open(self.options.log, "ab")
        conf = Path(self.options.conf)
        started = conf.with_suffix(".started")
        started.write_text(dataplane + conf.read_text())
        self.supervisor = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", f"{self.options.bin}/raicho", "run", "-C",
             str(started), "--rundir", str(self.rundir)], stdout=log, stderr=log)
        self.reconnect()
        self.install()

    def wait_ports(self):
        """Until both ports are up: barriers without a dataplane are answered at once."""
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            shown = subprocess.run([f"{self.options.bin}/lagosh", "--rundir", str(self.rundir), "-c",
                                    "show port"], capture_output=True, text=True, check=False)
            if len(re.findall(r" up$", shown.stdout, re.M)) == 2:
                return
            time.sleep(0.02)
        raise TimeoutError("the ports do not come up")

    def stop_switch(self):
        self.supervisor.send_signal(signal.SIGTERM)
        self.supervisor.wait(15)

    def reconnect(self):
        if self.peer:
            self.peer.close()
        self.peer = self.listener.accept(15)

    def install(self):
        for flow in range(FLOWS):
            self.peer.send(flow_mod(traffic_match(flow), 2))
        self.peer.barrier(10)

    def pid(self, daemon):
        try:
            pid = int((self.rundir / f"{daemon}.pid").read_text().split()[0])
            os.kill(pid, 0)
            return pid
        except (OSError, ValueError, IndexError):
            return None

    def wait_new(self, daemon, old):
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            pid = self.pid(daemon)
            if pid is not None and pid != old:
                return
            time.sleep(0.002)
        raise TimeoutError(f"{daemon} was not started again")

    def counters(self):
        """packet_count by traffic flow."""
        counts = [None] * FLOWS
        for entry in self.peer.flow_stats():
            destination = entry.match.get("eth_dst", "")
            if entry.priority == 100 and destination.startswith("02:00:00:00:02:"):
                counts[int(destination[-2:], 16)] = entry.packet_count
        return counts

    def arrived(self):
        """Packets that reached the second host."""
        for line in Path(f"/proc/{self.options.h2}/net/dev").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name.strip() == "eth0":
                return int(rest.split()[1])
        return 0

    def wait_forwarding(self):
        """Each blow falls on a switch that forwards: the row measures blows, not their overlap."""
        deadline = time.monotonic() + 15
        before = self.arrived()
        while self.arrived() < before + 100:
            if time.monotonic() > deadline:
                raise TimeoutError("nothing is forwarded any more")
            time.sleep(0.005)


def kill_daemons(lab, daemons):
    """One event of the rows agent, dataplane and both; milliseconds until all run again."""
    old = {daemon: lab.pid(daemon) for daemon in daemons}
    before = time.monotonic()
    for pid in old.values():
        os.kill(pid, signal.SIGKILL)
    for daemon in daemons:
        lab.wait_new(daemon, old[daemon])
    if "agent" in daemons:
        lab.reconnect()
    return (time.monotonic() - before) * 1000


def stop_start(lab):
    before = time.monotonic()
    lab.stop_switch()
    lab.start_switch()
    return (time.monotonic() - before) * 1000


def pause_worker(lab):
    pid = lab.pid("dataplane")
    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.010)
    os.kill(pid, signal.SIGCONT)
    return 10.0


ROWS = {
    "agent": lambda lab: kill_daemons(lab, ["agent"]),
    "dataplane": lambda lab: kill_daemons(lab, ["dataplane"]),
    "both": lambda lab: kill_daemons(lab, ["agent", "dataplane"]),
    "stop-start": stop_start,
    "control": pause_worker,
}


def run_row(name, lab, kills, rng):
    """Runs one row; returns the list of what is wrong."""
    before = lab.counters()
    traffic = Traffic(lab.options, lab.options.rate, FLOWS)
    time.sleep(0.3)
    times = []
    for n in range(kills):
        storm = Storm(lab.peer) if n % 2 else None
        time.sleep(rng.uniform(0.02, 0.15))
        times.append(ROWS[name](lab))
        if storm:
            storm.stop()
        lab.wait_forwarding()
    time.sleep(0.3)
    report = traffic.finish()
    lab.peer.barrier(20)
    after = lab.counters()
    wrong = []
    note = ""
    if any(count is None for count in after):
        wrong.append(f"{sum(count is None for count in after)} of {FLOWS} flows are gone")
    elif name == "stop-start":
        if any(count > sent for count, sent in zip(after, report["sent_by_flow"])):
            wrong.append("a flow counted more packets than were sent")
    else:
        grown = [now - then for now, then in zip(after, before)]
        if name == "agent" and grown != report["sent_by_flow"]:
            wrong.append("the flows' counters differ from the packets")
        if any(not received <= count <= sent for received, count, sent in
               zip(report["received_by_flow"], grown, report["sent_by_flow"])):
            wrong.append("a flow's counter lies outside received..sent")
        note = f" counters {sum(grown)}"
    if report["duplicates"]:
        wrong.append(f"{report['duplicates']} duplicates")
    if name == "agent" and report["lost"]:
        wrong.append("packets were lost")
    if name == "control" and not report["lost"]:
        wrong.append("the examiner saw no loss when a worker stood still")
    print(f"{name:<10} lost {report['lost']:<7} of {report['sent']:<8} blows {kills}  "
          f"longest gap {report['longest_gap_ms']:.1f} ms  running again after "
          f"{sorted(times)[len(times) // 2]:.0f} ms (max {max(times):.0f}){note}", flush=True)
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__)
    for name in ("bin", "rundir", "conf", "log"):
        options.add_argument(f"--{name}", required=True)
    for name in ("h1", "h2", "port"):
        options.add_argument(f"--{name}", type=int, required=True)
    options.add_argument("--rate", type=int, default=20000)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    options.add_argument("--rows", nargs="*", default=list(ROWS))
    options = options.parse_args()
    print(f"seed {options.seed}, {options.rate} packets a second over {FLOWS} flows", flush=True)
    rng = random.Random(options.seed)
    lab = Lab(options)
    failures = []
    try:
        for name in options.rows:
            kills = 3 if name == "control" else options.kills
            if name == "control":
                lab.stop_switch()
                lab.start_switch("dataplane { rx-buffer 32k }\n")
                lab.wait_ports()
            failures += [f"{name}: {text}" for text in run_row(name, lab, kills, rng)]
    finally:
        lab.stop_switch()
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"crash: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
