# SPDX-License-Identifier: Apache-2.0
"""tools/dev conformance --seeded: does the suite notice? A copy of the tree is built with one bug at
a time (seeded_bugs.py); each must fail a case. --check only looks whether each still applies."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from seeded_bugs import BUGS

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "build/seeded/tree"
PROGRAMS = ("raicho", "raicho-agent", "raicho-dataplane", "lagosh", "conformance-traffic")


def applied(bug, root):
    """The file's text with the bug in it."""
    text = (root / bug.file).read_text(encoding="utf-8")
    if text.count(bug.old) != 1:
        raise ValueError(f"{bug.file} holds its piece {text.count(bug.old)} times, not once")
    return text.replace(bug.old, bug.new)


def copy_tree():
    """The tracked and new files of the working tree; what is unchanged keeps its time."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for name in wanted:
        to = COPY / name
        if to.is_file() and to.read_bytes() == (ROOT / name).read_bytes():
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, to)
    if COPY.is_dir():
        for path in COPY.rglob("*"):
            name = path.relative_to(COPY).as_posix()
            if path.is_file() and not name.startswith("build/") and name not in wanted:
                path.unlink()


def build():
    """True when it compiled; the output is in build/seeded/build.log."""
    environment = dict(os.environ, CCACHE_NOHASHDIR="1", CCACHE_BASEDIR=str(COPY))
    with open(COPY.parent / "build.log", "w", encoding="utf-8") as log:
        if not (COPY / "build/release/build.ninja").is_file():
            if subprocess.run(["cmake", "--preset", "release"], cwd=COPY, stdout=log, stderr=log,
                              env=environment, check=False).returncode != 0:
                return False
        return subprocess.run(["cmake", "--build", "build/release", "--target", *PROGRAMS],
                              cwd=COPY, stdout=log, stderr=log, env=environment,
                              check=False).returncode == 0


def examine(cases, patterns):
    """(failed, of how many)."""
    report = COPY.parent / "report.json"
    report.unlink(missing_ok=True)
    subprocess.run(["/usr/bin/python3", "-B", ROOT / "tests/conformance/run.py", "--quiet", "--case",
                    cases, "--bin", COPY / "build/release/bin", "--report", report,
                    *(["--patterns", patterns] if patterns else [])],
                   stdout=subprocess.DEVNULL, check=False)
    if not report.is_file():
        sys.exit("error: the suite did not run: try tools/dev conformance")
    results = json.loads(report.read_text(encoding="utf-8")).values()
    return sum(not found["passed"] for found in results), len(results)


def verdict(bug, patterns):
    """Builds with the bug and examines; (noticed, text)."""
    path = COPY / bug.file
    clean = path.read_text(encoding="utf-8")
    try:
        path.write_text(applied(bug, COPY), encoding="utf-8")
        if not build():
            return False, "does not compile, see build/seeded/build.log"
        failed, of = examine(bug.cases, patterns)
        return failed > 0, f"{failed} of {of} cases failed"
    except ValueError as error:
        return False, str(error)
    finally:
        path.write_text(clean, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(prog="tools/dev conformance --seeded", description=__doc__)
    parser.add_argument("--patterns", metavar="DIR")
    parser.add_argument("--bug", metavar="REGEX", default="", help="only bugs with such a name")
    parser.add_argument("--check", action="store_true", help="does each bug still apply?")
    options = parser.parse_args()
    bugs = [bug for bug in BUGS if re.search(options.bug, bug.name)]
    if options.check:
        wrong = 0
        for bug in bugs:
            try:
                applied(bug, ROOT)
            except ValueError as error:
                print(f"seeded bug \"{bug.name}\": {error}; adapt tests/conformance/seeded_bugs.py")
                wrong += 1
        return 1 if wrong else 0
    copy_tree()
    missed = 0
    for bug in bugs:
        noticed, text = verdict(bug, options.patterns)
        missed += not noticed
        print(f"{'noticed' if noticed else 'MISSED '} {bug.name}: {text}", flush=True)
    print(f"{len(bugs) - missed} of {len(bugs)} seeded bugs noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
