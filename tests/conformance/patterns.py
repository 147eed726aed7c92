# SPDX-License-Identifier: Apache-2.0
"""The pattern files: finding them, and the one form that the runner works on, in which every
message and frame is bytes already ("expanded"). Ryu's own files are expanded by expand.py first."""

import json
from pathlib import Path

VERSIONS = {"1.3": "of13"}
CATEGORIES = ("action", "match", "group", "meter")

WHERE_FROM = """The patterns are those of Ryu's switch test tool, a public project (Apache licence):
  git clone https://github.com/faucetsdn/ryu
  tools/dev conformance --patterns ryu/ryu/tests/switch
--patterns takes that directory, or one that holds them expanded (expanded/of13.json); without it
$RAICHO_PATTERNS is looked at, then ../shared/conformance/ryu beside the checkout."""


class Missing(Exception):
    """No patterns there; the text says where they come from."""


def load(directory, version="1.3"):
    """All cases by name, {"match/04_ETH_SRC#001": {"description", "prerequisite", "tests"}}."""
    folder = VERSIONS.get(version)
    if folder is None:
        raise Missing(f"--version {version}: the switch speaks OpenFlow {', '.join(VERSIONS)}")
    directory = Path(directory)
    expanded = directory / "expanded" / f"{folder}.json"
    if expanded.is_file():
        return json.loads(expanded.read_text(encoding="utf-8"))
    if (directory / folder).is_dir():
        import expand  # needs os-ken, which the expanded form does not
        return expand.directory(directory / folder)
    raise Missing(f"{directory}: neither expanded/{folder}.json nor {folder}/ is there\n{WHERE_FROM}")


def category(name):
    return name.split("/", 1)[0]


def rate(case):
    """Packets a second that the case sends; 0 when it sends one packet."""
    test = case["tests"][0]
    return test["packets"]["pktps"] if "packets" in test else 0
