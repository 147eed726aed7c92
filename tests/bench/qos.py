#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The measurements of tools/dev bench qos: raw frames into a running switch and out of it, over veth
pairs whose far ends are here. The switch is ordered about by ovs-ofctl. Prints rows, and exits 1 when
one of them misses its goal."""

import argparse
import datetime
import fcntl
import json
import re
import select
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
BURST = 32  # packets that a worker takes at once


class Rows:
    """What was measured; ends with the program's exit code."""

    def __init__(self):
        self.missed = 0

    def row(self, what, text, good, goal):
        self.missed += not good
        print(f"{'PASS' if good else 'FAIL'}  {what:<46} {text}  (goal: {goal})", flush=True)


def ofctl(options, command, *arguments):
    done = subprocess.run(["ovs-ofctl", "-O", "OpenFlow13", command, options.switch, *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"error: ovs-ofctl {command} {' '.join(arguments)}: {done.stdout}")
    return done.stdout


def packet_socket(interface):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    for option in (32, 33):  # SO_SNDBUFFORCE, SO_RCVBUFFORCE
        s.setsockopt(socket.SOL_SOCKET, option, 32 << 20)
    s.bind((interface, 3))
    return s


def rx_packets(interface):
    # Not /sys, which is the machine's: this is of the network namespace.
    for line in Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == interface:
            return int(counts.split()[1])
    sys.exit(f"error: no interface {interface}")


def udp_frame(flow, size=60):
    """A frame whose five-tuple is the flow's own."""
    source = bytes([10, 1, flow >> 8 & 255, flow & 255])
    ip = struct.pack("!BBHHHBBH", 0x45, 0, size - 14, 0, 0, 64, 17, 0) + source + bytes([10, 2, 0, 1])
    total = sum(struct.unpack("!10H", ip))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    ip = ip[:10] + struct.pack("!H", ~total & 0xffff) + ip[12:]
    udp = struct.pack("!HHHH", 1024 + flow * 7 % 50000, 4789, size - 34, 0)
    head = bytes.fromhex("020000000002" "020000000001" "0800")
    return (head + ip + udp).ljust(size, b"\0")


def ethernet_frame(flow, size=60):
    """A frame of no known protocol: its addresses are all that differs."""
    return (bytes.fromhex("020000000002" "0200") + struct.pack("!I", flow) +
            bytes.fromhex("88b5")).ljust(size, b"\0")


# --- select ---------------------------------------------------------------------------------------

def spread(options, rows):
    """Each flow's one frame through a select group."""
    weights, flows = [5, 100, 100], options.flows
    outs = options.links[1:4]
    ofctl(options, "add-group", "group_id=1,type=select," + ",".join(
        f"bucket=weight:{weight},output:{port}" for port, weight in enumerate(weights, 2)))
    ofctl(options, "add-flow", "in_port=1,actions=group:1")
    for name, make in (("UDP", udp_frame), ("Ethernet only", ethernet_frame)):
        sender = packet_socket(options.links[0])
        before = [rx_packets(out) for out in outs]
        for flow in range(flows):
            sender.send(make(flow))
            if flow % 64 == 0:
                time.sleep(0.002)
        deadline = time.monotonic() + 5
        while True:
            got = [rx_packets(out) - b for out, b in zip(outs, before)]
            if sum(got) >= flows or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        total = max(1, sum(got))
        off = [100 * n / total - 100 * w / sum(weights) for n, w in zip(got, weights)]
        text = (" ".join(f"{100 * n / total:.2f} %" for n in got) +
                f", off by {max(map(abs, off)):.2f} points")
        if sum(got) != flows:
            text += f"; {sum(got)} of {flows} frames came"
        rows.row(f"select 5:100:100, {flows} flows, {name}", text,
                 max(map(abs, off)) <= 2 and sum(got) == flows, "within 2 points of 2.44 48.78 48.78")
    ofctl(options, "del-groups")


# --- fast failover --------------------------------------------------------------------------------

def set_link(interface, up):
    """What `ip link set` does, without a process to start."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        name = interface.encode()
        flags = struct.unpack_from("16sh", fcntl.ioctl(s, SIOCGIFFLAGS, struct.pack(
            "16sh14x", name, 0)))[1]
        flags = flags | IFF_UP if up else flags & ~IFF_UP
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", name, flags))


class Stream:
    """Numbered frames at a steady rate; `sent` has each one's time."""

    TYPE = bytes.fromhex("88b6")

    def __init__(self, interface, rate):
        self.socket, self.rate = packet_socket(interface), rate
        self.sent, self.stop = [], threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        head = bytes.fromhex("020000000002" "020000000001") + self.TYPE
        begun = time.monotonic()
        while not self.stop.is_set():
            due = int((time.monotonic() - begun) * self.rate)
            for _ in range(min(due - len(self.sent), 16)):
                frame = head + struct.pack("!Q", len(self.sent))
                self.sent.append(time.time())
                self.socket.send(frame.ljust(60, b"\0"))
            time.sleep(0.0002)


def arrivals(sockets, into, until):
    """Number of a frame -> (interface, time), until nothing has come for so long."""
    while select.select(sockets, [], [], until)[0]:
        for s in select.select(sockets, [], [], 0)[0]:
            try:
                frame, where = s.recvfrom(2048)
            except OSError:  # its link was taken down
                continue
            if frame[12:14] == Stream.TYPE and where[2] != socket.PACKET_OUTGOING:
                into[struct.unpack_from("!Q", frame, 14)[0]] = (where[0], time.time())


def port_drops(options, name):
    """Of the port: {reason: packets}."""
    text = subprocess.run([options.lagosh, "--rundir", options.rundir, "-j", "-c",
                           f"show port {name}"], stdout=subprocess.PIPE, text=True, timeout=20,
                          check=True).stdout
    ports = json.loads(text)
    port = ports[0] if isinstance(ports, list) else ports
    return {drop["reason"]: drop["packets"] for drop in port["drops"]}


def down_told(options, name, after):
    """When the dataplane's log says that it has read the link event: the beginning of that
    millisecond, none before `after`."""
    stamp = r"^(\S+) raicho-dataplane info port: " + re.escape(name) + ": down"
    for text in re.findall(stamp, Path(options.log).read_text(encoding="utf-8"), re.M):
        at = datetime.datetime.fromisoformat(text + "+00:00").timestamp()
        if at >= after - 0.001:
            return at
    return None


def failover_once(options, rate):
    """(ms to the event, ms to the first frame on the other way, lost, lost once the event was
    read)"""
    near, far = options.links[1:3]
    sockets = [packet_socket(near), packet_socket(far)]
    came = {}
    receiver_stop = threading.Event()

    def receive():
        while not receiver_stop.is_set():
            arrivals(sockets, came, 0.1)
    receiver = threading.Thread(target=receive, daemon=True)
    receiver.start()
    stream = Stream(options.links[0], rate)
    time.sleep(0.7)
    down_at = time.time()
    set_link(near, False)
    time.sleep(0.7)
    stream.stop.set()
    stream.thread.join()
    time.sleep(0.3)
    receiver_stop.set()
    receiver.join()
    told = down_told(options, near + "-br", down_at)
    set_link(near, True)
    if told is None:
        sys.exit("error: the dataplane's log tells of no link event")
    first = min((at for name, at in came.values() if name == far), default=None)
    if first is None:
        sys.exit("error: no frame took the other way")
    lost = [number for number in range(len(stream.sent)) if number not in came]
    late = [number for number in lost if stream.sent[number] >= told]
    return (told - down_at) * 1e3, (first - down_at) * 1e3, len(lost), len(late)


def failover(options, rows):
    """Takes the first bucket's link away under traffic, several times."""
    rate = 5000
    ofctl(options, "add-group", "group_id=2,type=ff,bucket=watch_port:2,output:2,"
          "bucket=watch_port:3,output:3")
    ofctl(options, "add-flow", "in_port=1,actions=group:2")
    before = port_drops(options, options.links[1] + "-br")
    found = []
    for _ in range(options.repeat):
        found.append(failover_once(options, rate))
        told, first, lost, late = found[-1]
        print(f"      link down at 0 ms, event read at {max(0, told):.1f}, first frame on the other "
              f"way at {first:.1f}; lost {lost}, of them sent after the event {late}", flush=True)
        time.sleep(0.5)
    after = port_drops(options, options.links[1] + "-br")
    drops = {k: v - before.get(k, 0) for k, v in after.items() if v != before.get(k, 0)}
    late = max(f[3] for f in found)
    rows.row(f"fast failover, {rate} packets/s, {options.repeat} times",
             f"{statistics.median(f[1] for f in found):.1f} ms (most {max(f[1] for f in found):.1f}), "
             f"lost at most {max(f[2] for f in found)}, after the event {late}; drops of the port: "
             f"{drops or 'none'}", late <= BURST, f"at most a burst ({BURST}) after the event")
    ofctl(options, "del-groups")


# --- meters ---------------------------------------------------------------------------------------

def passed_by_arrival(interface, seconds, sender, frame, offered):
    """Packets a second that come out, from the first and the last arrival; what is offered comes
    from here."""
    sockets, times = [packet_socket(interface)], []
    begun, sent = time.monotonic(), 0
    while (now := time.monotonic() - begun) < seconds:
        while sent < now * offered:
            sender.send(frame)
            sent += 1
        if select.select(sockets, [], [], 0.5 / offered)[0]:
            data, where = sockets[0].recvfrom(2048)
            if where[2] != socket.PACKET_OUTGOING and data[:14] == frame[:14]:
                times.append(time.monotonic())
    if len(times) < 2:
        return 0.0
    return (len(times) - 1) / (times[-1] - times[0])


def passed_by_counter(interface, seconds):
    """The same from the interface's counter; the switch makes what is offered itself."""
    begun, before = time.monotonic(), rx_packets(interface)
    time.sleep(seconds)
    return (rx_packets(interface) - before) / (time.monotonic() - begun)


def meter(options, rows):
    """One live meter: `--rate` in `--unit`, frames of `--size` bytes."""
    ofctl(options, "add-meter", f"meter=1,{options.unit},stats,band=type=drop,rate={options.rate}")
    ofctl(options, "add-flow", "in_port=1,actions=meter:1,output:2")
    out, size = options.links[1], options.size
    wanted = options.rate * 1000 / 8 / size if options.unit == "kbps" else float(options.rate)
    if options.offered:
        sender, frame = packet_socket(options.links[0]), udp_frame(1, size)
        passed_by_arrival(out, 1.5, sender, frame, options.offered)  # the burst
        rates = [passed_by_arrival(out, options.seconds, sender, frame, options.offered)]
        how = f"{options.offered} packets/s offered"
    else:
        time.sleep(2)
        before = ofctl(options, "meter-stats", "meter=1")
        begun = time.monotonic()
        rates = [passed_by_counter(out, options.seconds / 3) for _ in range(3)]
        took = time.monotonic() - begun
        counts = [int(re.search(r"packet_in_count:(\d+)", text)[1])
                  for text in (before, ofctl(options, "meter-stats", "meter=1"))]
        offered = (counts[1] - counts[0]) / took
        how = f"{offered:,.0f} packets/s offered"
        if offered < wanted * 1.05:
            rows.row(options.name, f"{how}: this machine cannot offer more than the rate", False,
                     "within 1 %")
            return
    rate = statistics.median(rates)
    error = 100 * (rate - wanted) / wanted
    bits = f"{rate * size * 8:,.0f} bit/s" if options.unit == "kbps" else f"{rate:,.2f} packets/s"
    rows.row(options.name, f"{bits}, error {error:+.2f} % ({how}, {size} bytes)", abs(error) <= 1,
             "within 1 %")
    ofctl(options, "del-meters")


def pcap(options, _):
    """Frames of a size for a device that repeats them."""
    with open(options.file, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for flow in range(256):
            frame = udp_frame(flow, options.size)
            out.write(struct.pack("<IIII", 0, flow, len(frame), len(frame)) + frame)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["select", "failover", "meter", "pcap"])
    parser.add_argument("--switch", help="its OpenFlow listener, as ovs-ofctl has it")
    parser.add_argument("--lagosh")
    parser.add_argument("--rundir")
    parser.add_argument("--log", help="what the switch says")
    parser.add_argument("--links", nargs="+", help="far ends of ports 1, 2, ...")
    parser.add_argument("--flows", type=int, default=10000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--name")
    parser.add_argument("--unit", choices=["kbps", "pktps"])
    parser.add_argument("--rate", type=int)
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--offered", type=int, help="packets a second sent from here; else the "
                        "switch's port 1 makes them")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--file")
    options = parser.parse_args()
    rows = Rows()
    {"select": spread, "failover": failover, "meter": meter, "pcap": pcap}[options.what](
        options, rows)
    return 1 if rows.missed else 0


if __name__ == "__main__":
    sys.exit(main())
