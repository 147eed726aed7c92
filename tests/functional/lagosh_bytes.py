#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What lagosh writes to its terminal, byte by byte and cell by cell: the traps of the line editor
that a look at the screen's text does not show (lagosh_traps has the list)."""

import contextlib
import os
import sys

from lagosh_lab import Agent, Screen, lab, run_tests, wait_until
from lagosh_pty import HostNamed, RawTerminal, cursor, raw_lab, wait_cursor

PLAIN = b"lab> "
# Each character brings its own escape.
BOLD = b"\x1b[1ml\x1b[1ma\x1b[1mb\x1b[1m>\x1b[0m "


def the_coloured_prompt_is_whole_before_any_key():
    with raw_lab() as (_, terminal):
        # An escape at the end would stay in libedit until a key is pressed.
        terminal.wait(lambda: terminal.seen.endswith(BOLD), "the whole prompt, with its blank")
        for _ in range(3):
            assert terminal.ask("", BOLD).endswith(BOLD), terminal.seen
    with raw_lab(environment={"NO_COLOR": "1"}) as (_, terminal):
        terminal.wait(lambda: terminal.seen.endswith(PLAIN), "the prompt")
        assert b"\x1b[1m" not in terminal.seen, terminal.seen


def a_coloured_prompt_keeps_the_columns_of_long_lines():
    with lab() as (_, screen):
        screen.clear()
        row = cursor(screen)[1]
        assert cursor(screen) == (5, row), cursor(screen)
        # One short of the edge, at the edge, beyond it, and two more rows of them.
        typed = ""
        for size in (74, 75, 76, 150, 233):
            more = "".join(chr(ord("a") + i % 26) for i in range(len(typed), size))
            screen.type(more)
            typed += more
            wait_cursor(screen, "lab> " + typed, row)
        screen.keys("C-a")
        wait_cursor(screen, "lab> ", row)
        screen.type("show ")
        typed = "show " + typed
        screen.keys("C-e")
        wait_cursor(screen, "lab> " + typed, row)
        for _ in range(170):
            screen.keys("BSpace")
        typed = typed[:-170]
        wait_cursor(screen, "lab> " + typed, row)
        wait_until("the line is what was typed", lambda: screen.text() == "lab> " + typed)
        # libedit writes anew the end of the prompt when it moves over it (from column 2 of a lower
        # row to the first column of the line): it stays bold, and what is typed is not.
        coloured = screen.tmux("capture-pane", "-p", "-e")
        assert coloured.startswith("\x1b[1mlab>\x1b[0m"), coloured
        assert coloured.count("\x1b[1m") == 1, coloured


def output_is_whole_before_the_next_prompt():
    with raw_lab(environment={"NO_COLOR": "1"}) as (agent, terminal):
        terminal.wait(lambda: terminal.seen.endswith(PLAIN), "the prompt")
        assert terminal.seen.index(b"2 bridges") < terminal.seen.index(PLAIN), terminal.seen
        for command in ("show version", "help | no-more", "show bridge", "show flow | json | no-more"):
            answer = agent.lagosh("-c", command).stdout.splitlines()
            seen = terminal.ask(command).decode()
            assert seen.count("lab> ") == 1, seen
            lines = seen.replace("\r", "").split("\n")
            assert lines[-1] == "lab> ", lines[-1]
            shown = [line for line in lines[1:-1] if line]
            # Counters and ages go on between the two.
            assert len(shown) == len([line for line in answer if line]), (shown, answer)
        # Errors come by another stream, and the notes of ^C by this one.
        seen = terminal.ask("show brige")
        assert seen.index(b"error: unknown word") < seen.index(PLAIN), seen
        assert seen.count(PLAIN) == 1 and seen.endswith(PLAIN), seen
        terminal.seen = b""
        terminal.type("show ver\x03")
        terminal.wait(lambda: terminal.seen.endswith(PLAIN), "the prompt")
        assert terminal.seen.index(b"^C") < terminal.seen.index(PLAIN), terminal.seen
    # A text of a host's program that ends in no line end.
    with contextlib.ExitStack() as stack:
        agent = Agent()
        stack.callback(agent.close)
        tool = agent.rundir / "bin"
        tool.mkdir()
        (tool / "ping").write_text("#!/bin/sh\nprintf 'first\\nwithout an end'\n")
        (tool / "ping").chmod(0o755)
        terminal = RawTerminal(agent, {"NO_COLOR": "1", "PATH": f"{tool}:{os.environ['PATH']}"})
        stack.callback(terminal.close)
        terminal.wait(lambda: terminal.seen.endswith(PLAIN), "the prompt")
        seen = terminal.ask("ping 127.0.0.1")
        assert seen.replace(b"\r", b"").endswith(b"first\nwithout an end\n" + PLAIN), seen


def history_is_plain_text_without_neighbours_that_are_equal():
    with lab() as (agent, screen):
        for command in ("show memory", "show memory", 'show port | match "ä b"', "show memory"):
            screen.run(command)
        screen.run("exit")
        assert screen.exit_code() == 0
        file = agent.rundir / "home" / ".lagosh_history"
        assert file.read_text(encoding="utf-8") == (
            'show memory\nshow port | match "ä b"\nshow memory\nexit\n'), file.read_text()
        again = Screen(agent)
        try:
            again.keys("Up", "Up", "Up")
            again.wait_line('show port | match "ä b"')
        finally:
            again.close()


def a_prompt_that_is_not_ascii_is_drawn_in_any_locale():
    agent = HostNamed("größe")
    try:
        for environment in ({"LC_ALL": "C"}, {"LANG": ""}, {"LANG": "C.UTF-8"}):
            screen = Screen(agent, environment=environment, prompt="größe>")
            try:
                screen.type("show ä")
                screen.wait_line("show ä")
                row = cursor(screen)[1]
                assert cursor(screen) == (len("größe> show ä"), row), cursor(screen)
            finally:
                screen.close()
    finally:
        agent.close()


def a_dumb_terminal_gets_no_escapes():
    with raw_lab(environment={"TERM": "dumb"}) as (_, terminal):
        terminal.wait(lambda: terminal.seen.endswith(PLAIN), "the prompt")
        for command in ("show version", "show brige", "show flow"):
            assert b"\x1b" not in terminal.ask(command), terminal.seen


if __name__ == "__main__":
    sys.exit(run_tests(sys.modules[__name__], sys.argv[1:]))
