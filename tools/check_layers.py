#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the dependency rule of docs/architecture.md: who may include whom, and behind which door
each third-party library stays. Prints every other edge as FILE:LINE and exits 1."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# folder -> folders it may include (itself always)
ALLOWED = {
    "base": set(),
    "openflow": {"base"},
    "shm": {"base"},
    "dsl": {"base"},
    "agent/model": {"openflow", "base"},
    "agent/compiler": {"agent/model", "openflow", "shm", "base"},
    "agent/plane": {"agent/model", "agent/compiler", "openflow", "shm", "base"},
    "agent/view": {"openflow", "shm", "base"},
    "agent/channel": {"agent/model", "agent/view", "openflow", "base"},
    "agent/config": {"openflow", "dsl", "shm", "base", "agent/model"},
    "agent/api": {"agent/config", "agent/model", "agent/view", "openflow", "shm", "dsl", "base"},
    "agent": {"agent/model", "agent/compiler", "agent/plane", "agent/channel", "agent/config",
              "agent/view", "agent/api", "openflow", "shm", "dsl", "base"},
    "dataplane/pipeline": {"shm", "base"},
    "dataplane/io": {"dataplane/pipeline", "shm", "base"},
    "dataplane": {"dataplane/io", "dataplane/pipeline", "shm", "base"},
    "shell": {"dsl", "openflow", "base"},
    "supervisor": {"base"},
}

# header prefix -> files or folders that may include it
DOORS = [
    (re.compile(r"^rte_"), ["dataplane/io/", "dataplane/main.cc", "tests/"]),
    (re.compile(r"^boost/"), ["agent/channel/", "agent/api/", "agent/plane/", "agent/main.cc",
                              "agent/loop", "agent/switch", "shell/client.cc", "tests/"]),
    (re.compile(r"^rapidjson/"), ["agent/api/json", "shell/render", "shell/json", "tests/"]),
    (re.compile(r"^(histedit|editline/)"), ["shell/terminal"]),
    (re.compile(r"^spdlog/"), ["base/log.cc"]),
    (re.compile(r"^CLI/"), ["agent/main.cc", "dataplane/main.cc", "shell/main.cc", "tools/",
                            "tests/bench/"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path: str) -> str | None:
    """The most specific folder of the table that holds the path."""
    best = None
    for folder in ALLOWED:
        if path.startswith(folder + "/") and (best is None or len(folder) > len(best)):
            best = folder
    return best


def faults(path: str, text: str):
    here = folder_of(path)
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quote, target = found.groups()
        if quote == '"':
            there = folder_of(target)
            if there is None:
                if here is not None and not target.startswith(here.split("/")[0]):
                    yield number, f'"{target}" names no folder of the house'
            elif here is not None and there != here and there not in ALLOWED[here]:
                yield number, f'{here} may not include {there} ("{target}")'
        else:
            for pattern, doors in DOORS:
                if pattern.match(target) and not any(path.startswith(d) for d in doors):
                    yield number, f"<{target}> belongs behind {', '.join(doors)}"


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    count = 0
    for path in sorted(set(listed)):
        file = ROOT / path
        if not file.is_file():
            continue
        for number, text in faults(path, file.read_text(encoding="utf-8")):
            print(f"{path}:{number}: error: {text}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
