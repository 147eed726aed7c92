#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a commit promises, on the real switch. tools/commit.sh makes the hosts and calls this.

Rows: `kill` (the agent, each fourth time the dataplane too, is killed at random moments of a loop
of commits: what runs is always one of the committed configurations, whole, in running.conf, in the
switch and in what it shows), `confirm` (a commit that nobody confirms is taken back in time, with
the agent killed and with it dead at the moment), `speed` (1,000 ports, one line), `loss` (no
packet, counter or connection is lost by a commit that does not change it; `control` rows must
lose, or the examiner is blind).
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
import traceback
from pathlib import Path

from agent_api import AgentApi, AgentGone, Refused
from lab_traffic import Traffic
from openflow_peer import Listener, PeerGone, flow_mod

FLOWS = 100
MANY = 1500  # flows of one of the configurations: they come and go in turns of the agent's loop
CONTROLLER_COOKIE = 0xc0ffee


def head(controller):
    return f"""
bridge br0 {{
  dpid 0x1
  fail-mode secure
  port h1-br 1
  port h2-br 2
  controller tcp:127.0.0.1:{controller}
  flow "table=9,priority=1,ip actions=drop"
"""


def kill_configs(controller, listen):
    """Configurations that differ in every kind of thing; each is a whole text."""
    base = head(controller)
    a = base + f"""
  port a1 11 {{ device null }}
  port a2 12 {{ device null; mtu 1400 }}
  listen tcp:127.0.0.1:{listen}
  flow "table=8,priority=7,ip,nw_dst=10.0.0.0/8 actions=output:a1"
  flow "table=8,priority=8 actions=output:a2"
}}
bridge only-a {{ port x {{ device null }}; flow "actions=output:x" }}
"""
    b = base + """
  port a1 11 { device null; description "changed" }
  port b1 13 { device null }
  mac-table { limit 777; static 02:00:00:00:07:07 { port a1 } }
  flow "table=8,priority=7,ip,nw_dst=10.0.0.0/8 actions=output:b1"
  meter 3 { band type=drop,rate=100 }
  group 4 { type all; bucket actions=group:5 }
  group 5 { type indirect; bucket actions=output:b1 }
  flow "table=8,priority=9 actions=meter:3,group:4"
""" + "".join(f'  flow "table=7,priority={n} actions=output:a1"\n' for n in range(1, MANY)) + """
}
log { level debug }
"""
    c = base + """
  port c1 11 { device null }
}
bridge only-c { dpid 0x77; port y 5 { device null }; port z { device null }
  flow "in_port=5 actions=output:z"; flow "in_port=6 actions=output:y" }
"""
    return [a, b, c]


class Lab:
    def __init__(self, options):
        self.options = options
        self.rundir = Path(options.rundir)
        self.api = AgentApi(self.rundir)
        self.listener = Listener(options.port)
        self.supervisor = None
        self.peer = None

    def start(self, text):
        conf = self.rundir.parent / "start.conf"
        conf.write_text(text)
        with open(self.options.log, "ab") as log:
            self.supervisor = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", f"{self.options.bin}/raicho", "run", "-C",
                 str(conf), "--rundir", str(self.rundir)], stdout=log, stderr=log)
        self.api.wait()

    def stop(self):
        if self.supervisor:
            self.supervisor.send_signal(signal.SIGTERM)
            self.supervisor.wait(15)
            self.supervisor = None

    def accept(self):
        if self.peer:
            self.peer.close()
        self.peer = self.listener.accept(15)

    def pid(self, daemon):
        try:
            return int((self.rundir / f"{daemon}.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def wait_ports(self, *names):
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            up = {p["name"] for p in self.api.get("ports") if p["health"] == "up"}
            if up.issuperset(names):
                return
            time.sleep(0.02)
        raise TimeoutError(f"the ports {names} do not come up")

    def file_text(self):
        lines = (self.rundir / "running.conf").read_text().splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("#@ "))

    def shown(self):
        """What the switch shows of itself, as far as a configuration rules it."""
        ports = sorted((p["bridge"], p["name"], p["number"], p["kind"], p["device"])
                       for p in self.api.get("ports"))
        flows = sorted((f["bridge"], f["table"], f["priority"], f["cookie"], f["match_text"],
                        f["actions_text"]) for f in self.api.flows())
        bridges = sorted((b["name"], b["dpid"], b["fail_mode"], b["mac_limit"])
                         for b in self.api.get("bridges"))
        entries = sorted((e["bridge"], e["text"]) for kind in ("groups", "meters")
                         for e in self.api.get(kind))
        controllers = self.api.get("controllers")
        doors = sorted((c["bridge"], c["target"])
                       for c in controllers["controllers"] + controllers["listens"])
        return {"bridges": bridges, "ports": ports, "flows": flows, "entries": entries,
                "doors": doors}

    def in_arena(self):
        """The same from the arena file alone, by another program."""
        text = subprocess.run([f"{self.options.bin}/raicho-arena-dump", str(self.rundir)],
                              capture_output=True, text=True, check=True).stdout
        found = []
        for line in text.splitlines():
            if flow := re.match(r"  (priority=.*),packet_count=\d+,byte_count=\d+(.*)", line):
                found.append("".join(flow.groups()))
            elif port := re.match(r" Port: (\S+ \S+ \S+)", line):
                found.append(port[1])
        return sorted(found)


# --- kill ------------------------------------------------------------------------------------------

def row_kill(lab, kills, rng):
    """Returns the list of what is wrong."""
    options = lab.options
    configs = kill_configs(options.port, options.listen)
    lab.start(configs[0])
    lab.accept()
    lab.peer.send(flow_mod({"eth_dst": "02:00:00:00:09:09"}, 1, cookie=CONTROLLER_COOKIE, table=6))
    lab.peer.barrier(10)
    wanted = {}  # canonical text -> what the switch shows then
    order = []
    for config in configs:
        lab.api.load(config)
        time.sleep(0.1)
        text = lab.api.running()
        wanted[text] = {**lab.shown(), "rows of the arena": lab.in_arena()}
        order.append(text)
    if len(wanted) != len(configs):
        return ["the configurations do not differ"]
    wrong = []
    came = {"before": 0, "after": 0}
    longest = 0.0
    took = []
    current = order[-1]
    for n in range(kills):
        target = rng.choice([t for t in order if t != current])
        acknowledged = []

        def commit(text=target, done=acknowledged):
            try:
                lab.api.load(text)
                done.append(True)
            except (AgentGone, Refused):
                pass

        victims = [lab.pid("agent")] + [lab.pid("dataplane")] * (n % 4 == 3)
        thread = threading.Thread(target=commit)
        thread.start()
        # Commits take about so long; the blow falls anywhere in one or right after it.
        time.sleep(rng.uniform(0, 1.3 * (sorted(took)[len(took) // 2] if took else 0.02)))
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        thread.join()
        begun = time.monotonic()
        lab.api.wait()
        longest = max(longest, time.monotonic() - begun)
        text = lab.api.running()
        if text not in wanted:
            wrong.append(f"kill {n}: none of the committed configurations runs:\n{text}")
            break
        if text not in (current, target):
            wrong.append(f"kill {n}: what runs was committed earlier")
        if acknowledged and text != target:
            wrong.append(f"kill {n}: an acknowledged commit is gone")
        if lab.file_text() != text:
            wrong.append(f"kill {n}: running.conf differs from what is said to run")
        shown = {**lab.shown(), "rows of the arena": lab.in_arena()}
        for kind, things in wanted[text].items():
            if shown[kind] != things:
                wrong.append(f"kill {n}: {kind} are\n  {shown[kind]}\nnot\n  {things}")
        left = [f for f in os.listdir(lab.rundir) if re.search(r"\.(next|last|new)$", f)]
        if left:
            wrong.append(f"kill {n}: files left behind: {left}")
        came["after" if text == target else "before"] += 1
        current = text
        if wrong:
            break
        if n % 4 == 0:  # how long a commit takes when nobody kills it
            other = rng.choice([t for t in order if t != current])
            begun = time.monotonic()
            lab.api.load(other)
            took.append(time.monotonic() - begun)
            current = other
    revisions = lab.api.get("config/revisions") if not wrong else []
    if len(revisions) > 50:
        wrong.append(f"{len(revisions)} revisions are kept")
    print(f"kill       {kills} kills: undone {came['before']}, finished {came['after']}; "
          f"running again after at most {longest * 1000:.0f} ms; a commit takes "
          f"{sorted(took)[len(took) // 2] * 1000:.0f} ms", flush=True)
    if not wrong and (came["before"] == 0 or came["after"] == 0) and kills >= 20:
        wrong.append("all kills fell on one side of the decision: choose another seed")
    return wrong


# --- confirm ---------------------------------------------------------------------------------------

def commit_text(lab, text, **order):
    """By the shared candidate."""
    lab.api.post("config/candidates/shared/load", {"mode": "override", "text": text})
    return lab.api.post("config/candidates/shared/commit", order)


def wait_text(lab, text, deadline):
    while time.monotonic() < deadline:
        try:
            if lab.api.running() == text:
                return True
        except AgentGone:
            pass
        time.sleep(0.01)
    return False


def row_confirm(lab, minutes):
    wrong = []
    first, second, _ = kill_configs(lab.options.port, lab.options.listen)
    lab.start(first)
    before = lab.api.running()
    cases = [("killed", 3), ("dead at the moment", 3)]
    if minutes:
        cases.append(("killed", 60))
    for how, seconds in cases:
        order = {"confirm_minutes": 1} if seconds == 60 else {"confirm_seconds": seconds}
        committed = time.monotonic()
        commit_text(lab, second, **order)
        status = lab.api.get("config/status")["confirm"]
        if not 0 < status["seconds_left"] <= seconds:
            wrong.append(f"{how}: {status['seconds_left']} s left of {seconds}")
        time.sleep(seconds * 0.7)
        if how == "killed":
            os.kill(lab.pid("agent"), signal.SIGKILL)
            lab.api.wait()
            back = lab.api.running() == before
            if back and time.monotonic() < committed + seconds:
                wrong.append(f"{how}: it came back too early")
        else:
            os.kill(lab.supervisor.pid, signal.SIGSTOP)
            os.kill(lab.pid("agent"), signal.SIGKILL)
            time.sleep(seconds * 0.5)
            os.kill(lab.supervisor.pid, signal.SIGCONT)
            lab.api.wait()
        # At the deadline, or at once where the agent was dead then.
        if not wait_text(lab, before, max(committed + seconds, time.monotonic()) + 1):
            wrong.append(f"{how}: it did not come back")
        late = time.monotonic() - committed - seconds
        if how == "killed" and late < -0.1:
            wrong.append(f"{how}: it came back {-late:.1f} s too early")
        if lab.api.get("config/revisions")[0]["via"] != "rollback":
            wrong.append(f"{how}: the revision does not say that it came back")
        print(f"confirm    {seconds} s, agent {how}: back {late:+.2f} s after the deadline", flush=True)
    return wrong


# --- speed -----------------------------------------------------------------------------------------

def row_speed(lab):
    wrong = []
    base = "bridge br0 {\n  port h1-br 1\n  port h2-br 2\n"
    lab.start(base + "}\n")
    many = base + "".join(f"  port n{n} {{ device null }}\n" for n in range(1000)) + "}\n"
    begun = time.monotonic()
    lab.api.load(many)
    thousand = time.monotonic() - begun
    if len(lab.api.get("ports")) != 1002:
        wrong.append("not all ports are there")
    lines = []
    for n in range(5):
        begun = time.monotonic()
        lab.api.load(many.replace("port n7 {", f"port n7 {{ description d{n};"))
        lines.append(time.monotonic() - begun)
    begun = time.monotonic()
    lab.api.load(base + "}\n")
    gone = time.monotonic() - begun
    lab.api.load(base + "port one { device null } }\n")
    begun = time.monotonic()
    lab.api.load(base + "port one { device null; mtu 1400 } }\n")
    small = time.monotonic() - begun
    line = sorted(lines)[2]
    print(f"speed      1,000 null ports {thousand:.2f} s, without them again {gone:.2f} s; one line "
          f"{line * 1000:.0f} ms among 1,000 ports, {small * 1000:.0f} ms among three", flush=True)
    if thousand >= 5:
        wrong.append(f"1,000 ports took {thousand:.1f} s")
    if line >= 0.1 or small >= 0.1:
        wrong.append(f"one line took {max(line, small) * 1000:.0f} ms")
    return wrong


# --- loss ------------------------------------------------------------------------------------------

def loss_config(controller, inside="", outside="", h1="", h2=""):
    return (f"bridge br0 {{\n dpid 0x1\n fail-mode secure\n port h1-br 1 {{ {h1} }}\n"
            f" port h2-br 2 {{ {h2} }}\n controller tcp:127.0.0.1:{controller}\n"
            f" port other 9 {{ device null }}\n{inside}}}\n{outside}")


def changes(options):
    """Kinds of changes that leave the traffic's ports and flows alone."""
    def plain(**what):
        return loss_config(options.port, **what)
    return {
        "description": plain(h1='description "uplink"', h2='description "hosts"'),
        "neighbour-added": plain(inside='port n1 20 { device null }\n'),
        "neighbours-added": plain(inside="".join(f"port n{n} {20 + n} {{ device null }}\n"
                                                 for n in range(50))),
        "neighbour-changed": plain(inside='port n1 20 { device null; mtu 1400; admin down }\n'),
        "neighbour-gone": plain(),
        "controller-gained": plain(inside=f"controller tcp:127.0.0.1:{options.listen + 1}\n"),
        "listener-gained": plain(inside=f"listen tcp:127.0.0.1:{options.listen}\n"),
        "flows-added": plain(inside="".join(
            f'flow "table=5,priority={n},ip actions=drop"\n' for n in range(1, 200))),
        "entries-added": plain(inside='meter 1 { band type=drop,rate=1000 }\n'
                               'group 1 { type all; bucket actions=output:other }\n'
                               'flow "table=5,priority=8,ip actions=meter:1,group:1"\n'),
        "policer": plain(h1="policer { rate 100G }"),
        "policer-changed": plain(h1="policer { rate 200G; burst 10M }"),
        "neighbour-traffic": plain(inside='port n1 20 { device null; vlan { access 10 }\n'
                                   'max-rate 10M; queue 1 { min-rate 1M }; policer { rate 1M } }\n'),
        "share": plain(inside="max-flows 5000; max-tables 100; table-template tuple-merge\n"),
        "flow-changed": plain(inside='flow "table=5,priority=7,ip actions=output:other"\n'),
        "mac-table": plain(inside="mac-table { limit 100; ageing 30; static 02:00:00:00:07:07 { port other } }\n"),
        "bridge-added": plain(outside="bridge br9 { port z { device null } }\n"),
        "log": plain(outside="log { level debug }\n"),
        "settings": plain(outside="dataplane { rx-buffer 8M }\nsystem { name other }\n"),
    }


CONTROLS = {"control": {"h2": "mtu 1400; admin down"}}


def run_traffic(lab, rate, act=lambda: None, seconds=0.6):
    traffic = Traffic(lab.options, rate, FLOWS)
    time.sleep(seconds / 2)
    act()
    time.sleep(seconds / 2)
    return traffic.finish()


def lossless_rate(lab):
    """The highest of some rates at which three runs without a commit lose nothing."""
    best = 0
    for rate in (5000, 10000, 20000, 40000, 80000, 160000):
        if any(run_traffic(lab, rate)["lost"] for _ in range(3)):
            break
        best = rate
    return best


def traffic_flows(lab):
    return {f["match_text"]: f for f in lab.api.flows("br0") if f["cookie"] == CONTROLLER_COOKIE}


def row_loss(lab):
    wrong = []
    plain = loss_config(lab.options.port)
    lab.start(plain)
    lab.accept()
    for flow in range(FLOWS):
        lab.peer.send(flow_mod({"in_port": 1, "eth_dst": f"02:00:00:00:02:{flow:02x}"}, 2,
                               cookie=CONTROLLER_COOKIE))
    lab.peer.barrier(10)
    lab.wait_ports("h1-br", "h2-br")
    rate = lossless_rate(lab)
    print(f"loss       {rate} packets a second lose nothing without a commit", flush=True)
    if rate == 0:
        return ["the machine loses packets without any commit"]
    for name, text in changes(lab.options).items():
        before = traffic_flows(lab)
        # A busy machine loses packets by itself: what counts is a loss that comes each time.
        for attempt in range(3):
            report = run_traffic(lab, rate, lambda text=text: lab.api.load(text))
            back = run_traffic(lab, rate, lambda: lab.api.load(plain))
            lost = report["lost"] + back["lost"]
            if not lost:
                break
        after = traffic_flows(lab)
        if lost:
            wrong.append(f"{name}: {lost} packets lost in each of three runs at {rate} a second")
        if set(after) != set(before):
            wrong.append(f"{name}: flows of the controller are gone or new")
        elif any(after[m]["age_ns"] <= before[m]["age_ns"] or
                 after[m]["packet_count"] <= before[m]["packet_count"] for m in after):
            wrong.append(f"{name}: ages or counters of flows began anew")
        try:
            lab.peer.barrier(5)
        except (PeerGone, TimeoutError):
            wrong.append(f"{name}: the controller's connection ended")
            lab.accept()
        print(f"loss       {name:<18} lost {lost} of {report['sent'] + back['sent']}", flush=True)
    for name, what in CONTROLS.items():
        report = run_traffic(lab, rate, lambda: lab.api.load(loss_config(lab.options.port, **what)))
        if not report["lost"]:
            wrong.append(f"{name}: a port that was shut down lost nothing: the examiner is blind")
        print(f"loss       {name:<18} lost {report['lost']} of {report['sent']} (must lose)",
              flush=True)
    return wrong


ROWS = {
    "kill": lambda lab: row_kill(lab, lab.options.kills, random.Random(lab.options.seed)),
    "confirm": lambda lab: row_confirm(lab, lab.options.minutes),
    "speed": row_speed,
    "loss": row_loss,
}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    for name in ("bin", "rundir", "log"):
        options.add_argument(f"--{name}", required=True)
    for name in ("h1", "h2", "port", "listen"):
        options.add_argument(f"--{name}", type=int, required=True)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--minutes", action="store_true", help="a whole minute for confirm")
    options.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    options.add_argument("--rows", nargs="*", default=list(ROWS))
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    failures = []
    for name in options.rows:
        lab = Lab(options)
        try:
            failures += [f"{name}: {text}" for text in ROWS[name](lab)]
        except Exception as error:  # the other rows' failures are told all the same
            traceback.print_exc()
            failures.append(f"{name}: the row broke off: {error!r}")
        finally:
            lab.stop()
            lab.listener.sock.close()
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"commit: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
