# SPDX-License-Identifier: Apache-2.0
"""The examiner of one switch: a line {"name", "case"} in, a line {"name", "passed", "reason",
"lines", "seconds"} out. Runs inside lane.sh's namespace."""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import crowd
from examiner import Examiner, Failure
from links import Link
from openflow import Controller, Lost, Refused, Silent
from traffic import Traffic

CONNECT_SECONDS = 30
DEVICES = ("c1", "c2", "c3")


def result(name, failure, started):
    return {"name": name, "passed": failure is None,
            "reason": failure.reason if failure else "",
            "lines": failure.lines if failure else [],
            "seconds": round(time.monotonic() - started, 2)}


class Lane:
    """A connection that is made anew when the switch drops it: that case fails, the next may not."""

    def __init__(self, options):
        self.log = Path(options.log)
        self.controller = Controller(6653)
        self.traffic = Traffic(options.traffic, DEVICES, options.seed)
        self.links = [Link(device) for device in DEVICES]
        self.beside = crowd.FLOWS if options.crowded else ()
        self.connected = False
        Path(options.listening).touch()

    def connect(self):
        self.controller.accept(CONNECT_SECONDS)
        deadline = time.monotonic() + CONNECT_SECONDS
        while missing := {1, 2, 3} - self.controller.ports_up():
            if time.monotonic() > deadline:
                raise Lost(f"ports {sorted(missing)} did not come up")
            time.sleep(0.05)
        self.connected = True

    def examine(self, name, case):
        started = time.monotonic()
        try:
            if not self.connected:
                self.connect()
            Examiner(self.controller, self.links, self.traffic, self.beside).examine(case)
            return result(name, None, started)
        except Failure as failure:
            return result(name, failure, started)
        except (Refused, Silent) as error:
            return result(name, Failure(f"the handshake failed: {error}"), started)
        except (Lost, subprocess.SubprocessError) as error:
            self.connected = False
            self.controller.close()
            log = self.log.read_text(errors="replace").splitlines()[-8:] if self.log.exists() else []
            return result(name, Failure(str(error), [f"    log: {line}" for line in log]), started)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--traffic", required=True)
    arguments.add_argument("--log", required=True)
    arguments.add_argument("--listening", required=True)
    arguments.add_argument("--seed", type=int, required=True)
    arguments.add_argument("--crowded", action="store_true")
    lane = Lane(arguments.parse_args())
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(lane.examine(request["name"], request["case"])), flush=True)


if __name__ == "__main__":
    main()
