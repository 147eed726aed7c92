# SPDX-License-Identifier: Apache-2.0
"""Debian's Open vSwitch with DPDK on the same devices, in a run directory of its own: the same
messages over OpenFlow, its caches settled, its best settings of them looked for."""

import os
import re
import shutil
import subprocess
import time

from bed import stop
from readings import Silent, measure
from wire import Connection, Refused

DAEMON = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
SETTLE = 120  # seconds at most

# Name, and what of other_config it is; the first is how it comes.
SETTINGS = {
    "default": {"emc-insert-inv-prob": "100", "smc-enable": "false"},
    "emc 1": {"emc-insert-inv-prob": "1", "smc-enable": "false"},
    "emc off": {"emc-insert-inv-prob": "0", "smc-enable": "false"},
    "smc": {"emc-insert-inv-prob": "100", "smc-enable": "true"},
    "smc, emc off": {"emc-insert-inv-prob": "0", "smc-enable": "true"},
}


class OpenVswitch:
    def __init__(self, bed):
        self.bed, self.dir = bed, bed.lab / "ovs"
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir()
        self.environment = {**os.environ, "OVS_RUNDIR": str(self.dir), "OVS_LOGDIR": str(self.dir),
                            "OVS_DBDIR": str(self.dir)}
        self.processes = []
        self.database = f"unix:{self.dir}/db.sock"

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            stop(process)

    def _start(self):
        self._tool("ovsdb-tool", "create", self.dir / "conf.db",
                   "/usr/share/openvswitch/vswitch.ovsschema")
        self._daemon("ovsdb-server", self.dir / "conf.db", f"--remote=p{self.database}",
                     f"--unixctl={self.dir}/ovsdb.ctl")
        deadline = time.monotonic() + 10
        while not (self.dir / "db.sock").exists():
            if time.monotonic() > deadline:
                raise SystemExit("error: ovsdb-server does not start")
            time.sleep(0.05)
        self.vsctl("--no-wait", "init")
        extra = " ".join([*self.bed.plugins, "--in-memory", "--no-pci", "--file-prefix",
                          f"ovs{self.bed.lab.name}"])
        # A megaflow for each flow of the traffic, and revalidation at 12 times its usual pace: the
        # limit of megaflows grows with each round.
        self.set("dpdk-init=true", f"pmd-cpu-mask={1 << self.bed.core:#x}", "dpdk-socket-mem=1024",
                 f"dpdk-extra=\"{extra}\"", "flow-limit=2000000", "max-idle=60000",
                 "max-revalidator=40", now=False)
        self._daemon(DAEMON, self.database, "--disable-system", f"--unixctl={self.dir}/vswitchd.ctl",
                     f"--log-file={self.dir}/vswitchd.log")
        self.vsctl("add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev",
                   "fail-mode=secure", "protocols=OpenFlow13")

    def _daemon(self, *command):
        self.processes.append(self.bed.start(command, "ovs.log", env=self.environment))

    def _tool(self, *command):
        done = subprocess.run([*map(str, command)], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise SystemExit(f"error: {' '.join(map(str, command))}: {done.stdout}")
        return done.stdout

    def vsctl(self, *words):
        return self._tool("ovs-vsctl", "-t", "60", f"--db={self.database}", *words)

    def appctl(self, *words):
        return self._tool("ovs-appctl", "-t", self.dir / "vswitchd.ctl", *words)

    def set(self, *settings, now=True):
        self.vsctl(*([] if now else ["--no-wait"]), "set", "Open_vSwitch", ".",
                   *(f"other_config:{setting}" for setting in settings))

    def port(self, name, number, device):
        self.vsctl("add-port", "br0", name, "--", "set", "interface", name, "type=dpdk",
                   f"ofport_request={number}", f"options:dpdk-devargs=\"{device}\"")
        error = self.vsctl("get", "interface", name, "error").strip()
        if error != "[]":
            raise SystemExit(f"error: Open vSwitch, port {name}: {error}")

    def statistics(self):
        """Of the forwarding thread: {"packets received": n, "emc hits": n, ...}."""
        text = self.appctl("dpif-netdev/pmd-stats-show").split("main thread")[0]
        return {name: int(n) for name, n in re.findall(r"^\s+([a-z() ]+): (\d+)", text, re.M)}

    def forwarded(self):
        return self.statistics()["packets received"]

    def upcalls(self, seconds):
        """Packets of the slow path in a hundred, over so long."""
        before = self.statistics()
        time.sleep(seconds)
        after = self.statistics()
        packets = after["packets received"] - before["packets received"]
        slow = sum(after[name] - before[name] for name in after if "upcall" in name)
        return 100 * slow / packets if packets else 100.0

    def settle(self):
        """Until hardly a packet takes the slow path; else what it was in the end."""
        deadline, quiet = time.monotonic() + SETTLE, 0
        while quiet < 3:
            share = self.upcalls(0.5)
            quiet = quiet + 1 if share < 0.001 else 0
            if time.monotonic() > deadline:
                return f"not settled after {SETTLE} s, {share:.2f} % upcalls"
        return None

    def figures(self, windows):
        return measure(self.forwarded, self.processes[-1].pid, self.bed.tsc_hz, windows,
                       self.bed.seconds)

    def best(self):
        """Name of the best settings, found by short looks at each."""
        found = {}
        for name, settings in SETTINGS.items():
            self.use(settings)
            found[name] = self.figures(3).median
        name = max(found, key=found.get)
        self.use(SETTINGS[name])
        probes = ", ".join(f"{setting} {mpps:.2f}" for setting, mpps in found.items())
        return name, probes

    def use(self, settings):
        self.set(*(f"{key}={value}" for key, value in settings.items()))
        time.sleep(1)

    def rates(self, before):
        """Hit rates of the caches since the statistics `before`, as text."""
        after = self.statistics()
        part = {name: after[name] - before.get(name, 0) for name in after}
        packets = max(1, part["packets received"])
        hits = (f"{what} {100 * part.get(name, 0) / packets:.1f} %" for what, name in
                (("EMC", "emc hits"), ("SMC", "smc hits"), ("megaflow", "megaflow hits")))
        return ", ".join(hits)


def run(bed, pcap):
    """(figures or None, text of settings and cache hits, what is wrong or None)"""
    with OpenVswitch(bed) as ovs:
        try:
            ovs.port("out", 2, bed.sink)
            with Connection(f"{ovs.dir}/br0.mgmt") as openflow:
                installed = openflow.install((bed.lab / "rules.bin").read_bytes())
            ovs.port("in", 1, bed.source(pcap))
            unsettled = ovs.settle()
            name, probes = ovs.best()
            before = ovs.statistics()
            figures = ovs.figures(bed.windows)
        except (Refused, Silent) as wrong:
            return None, None, str(wrong)
        text = (f"{name} ({ovs.rates(before)}; Mpps by settings: {probes}; installed in "
                f"{installed:.2f} s)")
    return figures, text if unsettled is None else f"{text}; {unsettled}", None
