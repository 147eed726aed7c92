#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Configure mode of lagosh on a real terminal: modes, levels, keys, pastes, commits that wait to be
confirmed, others at work, and an agent that goes away in the middle of a line."""

import json
import os
import signal
import socket
import struct
import sys
import time

from lagosh_lab import BIN, Agent, Screen, at_prompt, configuring, run_tests, tell, wait_until


def the_prompt_shows_the_mode_and_what_is_not_committed():
    with configuring() as (agent, screen):
        screen.run("set bridge br0 port n1 device null")
        at_prompt(screen, "lab*#")
        screen.run("show | compare")
        screen.wait_text("[edit bridge br0]\n+  port n1 {\n+      device null\n+  }")
        screen.run("commit check")
        screen.wait_text("the check succeeds")
        screen.run('commit comment "first port"')
        screen.wait_text("commit complete: revision 2")
        at_prompt(screen, "lab#")
        screen.run("run show system commit")
        screen.wait_text("first port")
        screen.run("exit")
        at_prompt(screen, "lab>")
        assert "n1" in agent.lagosh("show", "port").stdout
        screen.run("exit")
        assert screen.exit_code() == 0


def levels_stand_above_the_prompt():
    with configuring() as (_, screen):
        screen.run("edit bridge br0")
        screen.wait_text("[edit bridge br0]\nlab#")
        screen.run("edit port h1-br")
        screen.wait_text("[edit bridge br0 port h1-br]\nlab#")
        screen.run("set mtu 1400")
        at_prompt(screen, "lab*#")
        screen.run("show | display set")
        screen.wait_text("set bridge br0 port h1-br mtu 1400")
        screen.run("up")
        screen.wait(lambda: screen.text().endswith("[edit bridge br0]\nlab*#"), "one level up")
        screen.run("top show bridge br-of-the-lab")
        screen.wait_text("port p3 1")
        screen.run("top")
        screen.run("up")
        screen.wait_text("error: this is the top already")
        screen.run("discard")
        at_prompt(screen, "lab#")


def keys_know_the_language():
    with configuring(columns=100) as (_, screen):
        screen.type("set br")
        screen.keys("Tab")
        screen.wait_line("set bridge")
        screen.type("br0 fail")
        screen.keys("Tab")
        screen.wait_line("set bridge br0 fail-mode")
        screen.keys("Tab")
        screen.wait_line("set bridge br0 fail-mode s")
        screen.keys("Tab")
        screen.wait_text("secure      standalone")
        screen.keys("C-u")
        screen.type("delete bridge br0 port h")
        screen.keys("Tab")
        screen.wait(lambda: screen.last().endswith("port h"), "two ports begin so")
        screen.keys("Tab")
        screen.wait_text("h1-br  h2-br")
        screen.keys("C-u")
        screen.type("set bridge br0 port h1-br mtu ")
        screen.type("?")
        screen.wait_text("<68..65535>")
        screen.wait_line("set bridge br0 port h1-br mtu")
        screen.type("1400")
        screen.keys("Enter")
        at_prompt(screen, "lab*#")
        # In a sentence it is a character.
        screen.type('commit comment "why')
        screen.type("?")
        screen.wait_line('commit comment "why?')
        screen.keys("C-c")
        at_prompt(screen, "lab*#")


def words_may_be_shortened_and_wrong_ones_are_marked():
    with configuring() as (_, screen):
        screen.run("se br br0 po h1-br mt 1400")
        at_prompt(screen, "lab*#")
        screen.run("sh br br0 po h1-br mt")
        screen.wait_text("mtu 1400")
        screen.run("set br br0 prot h1-br")
        screen.wait_text("  set br br0 prot h1-br\n             ^^^^\nhelp: did you mean \"port\"?")
        screen.run("set bridge br0 f secure")
        screen.wait_text("help: it could be fail-mode, flow")
        screen.run("monitor ports")
        screen.wait_text("help: run monitor …")


def leaving_asks_when_something_is_not_committed():
    with configuring() as (agent, screen):
        screen.run("set bridge br0 port h1-br mtu 1400")
        at_prompt(screen, "lab*#")
        screen.run("exit")
        screen.wait_text("leave? [yes,no] (no)")
        screen.keys("Enter")
        at_prompt(screen, "lab*#")
        screen.keys("C-d")
        screen.wait(lambda: screen.last().endswith("(no)"), "the question")
        screen.run("yes")
        at_prompt(screen, "lab>")
        # The shared candidate keeps what was set, and says so.
        screen.run("configure")
        screen.wait_text("warning: the candidate has changes that are not committed, by root")
        at_prompt(screen, "lab*#")
        screen.keys("C-d")
        screen.wait(lambda: screen.last().endswith("(no)"), "the question")
        screen.keys("C-d")
        at_prompt(screen, "lab*#")
        screen.keys("C-d")
        assert screen.exit_code() == 0
        assert "mtu 1400" not in agent.lagosh("show", "configuration").stdout


def an_unconfirmed_commit_counts_down_while_a_line_is_typed():
    with configuring() as (agent, screen):
        screen.run("set bridge br0 port h1-br mtu 1400")
        at_prompt(screen, "lab*#")
        screen.run("commit confirmed 10")
        screen.wait_text("it is taken back in 10m00s unless confirm")
        screen.type("show bridge")
        screen.wait(lambda: screen.last().startswith("lab[confirm:9m") and
                    screen.last().endswith("]# show bridge"), "the time left, and the line")
        first = screen.last()
        screen.wait(lambda: screen.last() != first and screen.last().endswith("# show bridge"),
                    "the next second")
        screen.keys("C-c")
        screen.run("confirm")
        screen.wait_text("confirmed: revision 2 stays")
        at_prompt(screen, "lab#")
        # One that nobody confirms comes back, and that is said above the line.
        screen.type("show bri")
        screen.wait_line("show bri")
        tell(agent, "candidates/shared/edit", commands=["set bridge br0 port h1-br mtu 1300"])
        tell(agent, "candidates/shared/commit", comment="try", confirm_seconds=4)
        screen.wait_text("root committed revision 3: try")
        screen.wait(lambda: "[confirm:" in screen.last(), "the time left")
        screen.wait_text("nobody confirmed the commit: what ran before is back (revision 4)")
        screen.wait_line("show bri")
        assert "mtu 1400" in agent.lagosh("show", "configuration").stdout


def two_people_are_told_of_each_other():
    with configuring("configure private") as (agent, screen):
        screen.run("set bridge br0 port h1-br mtu 9000")
        at_prompt(screen, "lab*#")
        done = agent.lagosh("-c", "configure", "-c", "set bridge br0 port h1-br mtu 1400",
                            "-c", "commit")
        assert done.returncode == 0, done
        assert "warning: root edits too, a private candidate" in done.stdout, done.stdout
        screen.wait_text("root committed revision 2")
        screen.run("commit")
        screen.wait_text("  bridge br0 port h1-br mtu: here 9000, committed meanwhile 1400\nhelp: ")
        screen.run("update")
        screen.wait_text("note: bridge br0 port h1-br mtu: here 9000")
        screen.run("commit and-quit")
        at_prompt(screen, "lab>")
        assert "mtu 9000" in agent.lagosh("show", "configuration").stdout


def a_block_of_a_thousand_lines_is_pasted():
    with configuring() as (agent, screen):
        ports = "".join(f"    port n{i} {{ device null }}\n" for i in range(998))
        screen.run("load merge terminal")
        screen.wait_text("^D on a line of its own ends it")
        screen.paste(f"bridge br0 {{\n{ports}}}\n")
        screen.keys("C-d")
        at_prompt(screen, "lab*#")
        screen.run("show bridge br0 | match device | count")
        screen.wait_text("Count: 998 lines")
        # ^C drops a block; a fault in it has its place.
        screen.run("load merge terminal")
        screen.paste("bridge br7 {\n")
        screen.keys("C-c")
        at_prompt(screen, "lab*#")
        screen.run("load merge terminal")
        screen.paste("bridge br7 {\n    prot ?\n}\n.\n")
        screen.wait_text("terminal:2:5: error: unknown statement \"prot\" in bridge")
        screen.run("discard")
        at_prompt(screen, "lab#")
        assert "n997" not in agent.lagosh("show", "configuration").stdout


def a_paste_of_a_thousand_commands_runs_every_one():
    with configuring() as (_, screen):
        lines = "".join(f"set bridge br0 port n{i} device null\n" for i in range(999))
        screen.paste(lines + "show bridge br0 | match device | count\n")
        wait_until("the last line's answer", lambda: "Count: 999 lines" in screen.text(), 240)
        at_prompt(screen, "lab*#")


def resizing_stopping_and_utf8_leave_the_line_whole():
    agent = Agent()
    screen = None
    try:
        screen = Screen(agent, program="bash --norc --noprofile -i", prompt="#")
        screen.run(f"PS1='$ '; {BIN}/lagosh --rundir {agent.rundir}")
        at_prompt(screen, "lab>")
        screen.run("configure")
        at_prompt(screen, "lab#")
        screen.run("set bridge br0 port h1-br mtu 1400")
        at_prompt(screen, "lab*#")
        screen.type('commit comment "Größe für Zoë, 大きい')
        for columns in (120, 60, 80):
            screen.tmux("resize-window", "-x", str(columns), "-y", "24")
            time.sleep(0.1)
        screen.wait_line('commit comment "Größe für Zoë, 大きい')
        screen.keys("C-z")
        screen.wait_text("Stopped")
        screen.run("fg")
        screen.wait_line('commit comment "Größe für Zoë, 大きい')
        screen.type('"')
        screen.keys("Enter")
        at_prompt(screen, "lab#")
        screen.run("run show system commit")
        screen.wait_text("Größe für Zoë, 大きい")
    finally:
        if screen is not None:
            screen.close()
        agent.close()


def without_locale_and_on_a_dumb_terminal_it_works():
    for environment in ({"LANG": ""}, {"TERM": "dumb"}, {"LC_ALL": "C"}):
        with configuring(environment=environment) as (_, screen):
            screen.run('set bridge br0 flow "priority=7 actions=drop"')
            at_prompt(screen, "lab*#")
            screen.run('commit comment "ä" confirmed 5')
            screen.wait(lambda: screen.last().startswith("lab[confirm:"), "the time left")
            time.sleep(2)  # a dumb terminal's line is not drawn anew each second
            screen.run("confirm")
            screen.wait_text("confirmed: revision 2 stays")


def the_agent_goes_away_in_the_middle_of_a_line():
    with configuring() as (agent, screen):
        screen.run("set bridge br0 port h1-br mtu 1400")
        at_prompt(screen, "lab*#")
        screen.type("show bridge br0 po")
        screen.wait_line("show bridge br0 po")
        agent.stop(signal.SIGKILL)
        screen.wait_text("the agent cannot be reached at")
        screen.wait_line("show bridge br0 po")
        screen.type("rt h1-br")
        screen.keys("Enter")
        screen.wait_text("error: the agent cannot be reached at")
        at_prompt(screen, "lab*#")
        screen.type("show bridge br0")
        agent.start()
        screen.wait_text("the agent was restarted")
        screen.wait_line("show bridge br0")
        screen.type(" port h1-br")
        screen.keys("Enter")
        screen.wait_text("mtu 1400")
        # One that is there but does not answer leaves the keys alone.
        at_prompt(screen, "lab*#")
        screen.clear()
        agent.process.send_signal(signal.SIGSTOP)
        try:
            screen.type("show br")
            screen.wait_text("does not answer")
            screen.wait_line("show br")
        finally:
            agent.process.send_signal(signal.SIGCONT)
        screen.wait_text("the agent answers again")
        screen.wait_line("show br")


def controllers_that_come_and_go_are_said_above_the_line():
    with socket.create_server(("127.0.0.1", 0)) as server, configuring() as (_, screen):
        server.settimeout(30)
        port = server.getsockname()[1]
        screen.run(f"set bridge br0 controller tcp:127.0.0.1:{port}")
        at_prompt(screen, "lab*#")
        screen.run("commit")
        at_prompt(screen, "lab#")
        screen.type("show br")
        connection, _ = server.accept()
        with connection:
            connection.sendall(struct.pack("!BBHI", 4, 0, 8, 1))  # HELLO, OpenFlow 1.3
            screen.wait_text("br0: a controller has come (1 of 2 connected)")
            screen.wait_line("show br")
        screen.wait_text("br0: a controller was lost (0 of 2 connected)")
        screen.wait_line("show br")


def scripts_use_every_door():
    agent = Agent()
    try:
        script = agent.rundir / "change.txt"
        script.write_text("configure\nload merge terminal\nbridge br0 { port n1 { device null } }\n.\n"
                          "commit comment script and-quit\nshow system commit\n")
        done = agent.lagosh("-f", script)
        assert done.returncode == 0 and "script" in done.stdout, done
        done = agent.lagosh(input="configure\nset bridge br0 port n2 device null\ncommit\nexit\n")
        assert done.returncode == 0 and "commit complete: revision 3" in done.stdout, done
        done = agent.lagosh("-e", "-x", "-c", "configure", "-c", "set bridge br0 prot n3",
                            "-c", "commit")
        assert done.returncode == 2 and "^^^^" in done.stderr, done
        assert "+ commit" not in done.stderr and "+ configure\n" in done.stderr, done
        done = agent.lagosh("-c", "configure", "-c", "set bridge br0 port n4 2", "-c", "commit")
        assert done.returncode == 4, done
        done = agent.lagosh("-c", "configure", "-c", "discard", "-c", "compare")
        assert done.stdout.endswith("no difference\n"), done
        done = agent.lagosh("-n", "-c", "configure", "-c", "edit br br0", "-c", "set prot x")
        assert done.returncode == 2 and "did you mean" in done.stderr, done
        done = agent.lagosh("-c", "configure private", "-c", "set bridge br0 port n5 device null")
        assert done.returncode == 0 and "are lost" in done.stderr, done
        assert "n5" not in agent.lagosh("-c", "configure", "-c", "show").stdout
        done = agent.lagosh("-j", "-c", "show system commit")
        assert [r["revision"] for r in json.loads(done.stdout)] == [3, 2, 1], done
        done = agent.lagosh("show", "configuration", "bridge", "br0", "|", "display", "set")
        assert "set bridge br0 port n1 device null" in done.stdout, done
    finally:
        agent.close()


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    sys.exit(run_tests(sys.modules[__name__], sys.argv[1:]))
