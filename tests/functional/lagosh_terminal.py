#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lagosh on a real terminal: keys, help, completion, history, pager, and each trap of libedit."""

import os
import signal
import sys
import time
from pathlib import Path

from lagosh_lab import BIN, Agent, Screen, lab, run_tests, wait_until


def greets_with_version_bridges_controllers_and_warnings():
    with lab() as (_, screen):
        screen.wait_text("Raicho ")
        screen.wait_text("2 bridges, 0 of 1 controller up, no dataplane")


def question_mark_lists_what_may_follow_and_keeps_the_line():
    with lab(columns=120) as (_, screen):
        screen.type("show flow ")
        screen.wait_line("show flow")
        screen.type("?")
        screen.wait_text("aligned columns, ports by name, rate and age")
        screen.wait_text("br-of-the-lab")
        screen.wait_text("<Enter>")
        screen.wait_line("show flow")
        screen.type("brief")
        screen.keys("Enter")
        screen.wait_text("output:h2-br")


def question_mark_in_quotes_comments_and_pastes_is_a_character():
    with lab() as (_, screen):
        screen.type('show port | match "h')
        screen.wait_line('show port | match "h')
        screen.type("?")
        screen.wait_line('show port | match "h?')
        screen.type('"')
        screen.keys("Enter")
        screen.wait_text("h1-br")
        screen.clear()
        screen.type("show # why")
        screen.wait_line("show # why")
        screen.type("?")
        screen.wait_line("show # why?")
        screen.clear()
        screen.paste("show port | match h?1-b")
        screen.wait_line("show port | match h?1-b")
        screen.keys("Enter")
        screen.wait_text("h1-br")


def tab_completes_words_and_live_names():
    with lab() as (_, screen):
        screen.type("sho")
        screen.keys("Tab")
        screen.wait_line("show")
        screen.type("br")
        screen.keys("Tab")
        screen.wait_line("show bridge")
        screen.keys("Tab")
        screen.wait_line("show bridge br")
        screen.keys("Tab")
        screen.wait_text("br-of-the-lab")
        screen.wait_line("show bridge br")
        screen.type("-")
        screen.keys("Tab")
        screen.wait_line("show bridge br-of-the-lab")
        screen.keys("Enter")
        screen.wait_text("br-of-the-lab: ")


def a_tab_in_a_paste_is_a_blank():
    with lab() as (_, screen):
        screen.paste("sho\tver\n")
        screen.wait_text("run directory")


def a_paste_of_a_thousand_lines_runs_every_line():
    with lab() as (_, screen):
        lines = "".join(f"show version | match nothing-{i}\n" for i in range(999))
        screen.paste(lines + "show version | count\n")
        wait_until("the last line's answer", lambda: "Count: " in screen.text(), 120)
        screen.wait_line("")
        screen.run("history 3")
        screen.wait_text("nothing-998")


def control_c_drops_the_line_and_nothing_of_it_stays():
    with lab() as (_, screen):
        screen.type("show nonsense")
        screen.wait_line("show nonsense")
        screen.keys("C-c")
        screen.wait_text("^C")
        screen.wait_line("")
        screen.run("show version")
        screen.wait_text("run directory")
        for _ in range(3):
            screen.keys("C-c")
        screen.wait_line("")
        screen.run("show memory")
        screen.wait_text("REGION")


def control_d_leaves_on_a_line_of_its_own():
    with lab() as (_, screen):
        screen.keys("C-d")
        assert screen.exit_code() == 0
        # libedit shows the key; whatever comes next begins on a line of its own.
        screen.wait(lambda: screen.last() in ("lab> ^D", "lab>"), "the prompt as the last line")
    with lab() as (_, screen):
        screen.run("exit")
        assert screen.exit_code() == 0


def resizing_does_not_garble_the_line():
    with lab() as (_, screen):
        text = "show flow br0 brief | match priority | except drop"
        screen.type(text)
        screen.wait_line(text)
        for columns in (120, 70, 100, 80):
            screen.tmux("resize-window", "-x", str(columns), "-y", "30")
            time.sleep(0.1)
        screen.type(" | count")
        screen.wait_line(text + " | count")
        screen.keys("Enter")
        screen.wait_text("Count: 0 lines")


def history_is_kept_for_its_owner_and_searched():
    with lab() as (agent, screen):
        screen.run("show memory")
        screen.wait_text("REGION")
        screen.run("exit")
        screen.exit_code()
        screen.close()
        file = agent.rundir / "home" / ".lagosh_history"
        assert file.read_text() == "show memory\nexit\n", file.read_text()
        assert file.stat().st_mode & 0o777 == 0o600
        again = Screen(agent)
        try:
            again.keys("Up", "Up")
            again.wait_line("show memory")
            again.keys("C-c")
            again.wait_line("")
            again.keys("C-r")
            again.type("mem")
            again.wait_text("show memory")
            again.keys("Enter")
            again.wait_text("REGION")
        finally:
            again.close()


def long_output_stops_at_each_screen():
    with lab(rows=12) as (_, screen):
        screen.run("help")
        screen.wait_text("--More--")
        assert "history [N]" not in screen.text()
        screen.type(" ")
        screen.wait_text("show memory")
        screen.keys("Enter")
        screen.type("q")
        screen.wait_line("")
        assert "--More--" not in screen.last()
        screen.clear()
        screen.run("help | no-more")
        screen.wait_text("Words may be shortened")
        screen.wait_line("")


def a_wrong_word_gets_a_caret_and_a_suggestion():
    with lab() as (_, screen):
        screen.run("show brige")
        screen.wait_text('error: unknown word "brige"')
        screen.wait_text("  show brige\n       ^^^^^")
        screen.wait_text('help: did you mean "bridge"?')


def a_restart_of_the_agent_is_survived_and_said():
    with lab() as (agent, screen):
        agent.stop(signal.SIGKILL)
        screen.run("show version")
        screen.wait_text("the agent cannot be reached at")
        screen.wait_text("raicho run -C FILE")
        screen.wait_line("")
        agent.start()
        screen.run("show flow count")
        screen.wait_text("the agent was restarted")
        screen.wait_text("FLOWS")


def text_that_is_not_ascii_does_not_crash_without_a_locale():
    # No locale at all is what containers have; libedit's own answer to such text there is SIGSEGV.
    for environment in ({"LANG": "C"}, {"LANG": ""}, {"LANG": "xx_YY.NOPE"}, {"LC_ALL": "C"}):
        with lab(environment=environment) as (_, screen):
            screen.run("show version")
            screen.wait_text("run directory")
            screen.wait_line("")
            screen.type("show ä")
            screen.wait_line("show ä")
            screen.keys("C-c")
            screen.wait_line("")


def a_dumb_terminal_without_colour_works():
    with lab(environment={"TERM": "dumb"}) as (_, screen):
        screen.run("show brige")
        screen.wait_text("did you mean")
        screen.run("show version")
        screen.wait_text("run directory")


def editrc_of_the_user_wins():
    with lab() as (agent, screen):
        screen.close()
        (agent.rundir / "home" / ".editrc").write_text('bind "^T" "em-upper-case"\nbind "?" "ed-insert"\n')
        other = Screen(agent)
        try:
            other.type("show ?")
            other.wait_line("show ?")
        finally:
            other.close()


def stop_and_continue_keep_the_line():
    with lab() as (_, screen):
        screen.type("show ver")
        screen.wait_line("show ver")
        pid = int(screen.tmux("display-message", "-p", "#{pane_pid}"))
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        shell = int(children[0])
        os.kill(shell, signal.SIGSTOP)
        os.kill(shell, signal.SIGCONT)
        screen.type("sion")
        screen.keys("Enter")
        screen.wait_text("run directory")


def control_z_stops_and_fg_goes_on():
    agent = Agent()
    screen = None
    try:
        screen = Screen(agent, program="bash --norc --noprofile -i", prompt="#")
        screen.run(f"PS1='$ '; {BIN}/lagosh --rundir {agent.rundir}")
        screen.wait_text("2 bridges")
        screen.type("show ver")
        screen.prompt = "lab>"
        screen.wait_line("show ver")
        screen.keys("C-z")
        screen.wait_text("Stopped")
        screen.run("fg")
        screen.wait_line("show ver")
        screen.type("sion")
        screen.keys("Enter")
        screen.wait_text("run directory")
        # In a live view, and at the pager: keys still come one by one afterwards.
        screen.run("monitor ports")
        screen.wait_text("RX PKT/S")
        screen.keys("C-z")
        screen.wait(lambda: screen.text().count("Stopped") >= 1, "stopped")
        screen.run("clear; fg")
        screen.wait_text("RX PKT/S")
        screen.keys("q")
        screen.wait_line("")
        screen.tmux("resize-window", "-x", "80", "-y", "10")
        screen.run("help")
        screen.wait_text("--More--")
        screen.keys("C-z")
        screen.wait_text("Stopped")
        screen.run("clear; fg")
        screen.wait_text("--More--")
        screen.keys("q")
        screen.wait_line("")
    finally:
        if screen is not None:
            screen.close()
        agent.close()


def a_paste_is_not_eaten_by_the_pager():
    with lab(rows=12) as (_, screen):
        screen.paste("help\nshow version | match agent\nshow memory | match REGION\n")
        screen.wait_text("REGION")
        screen.wait_line("")


def secrets_are_not_written_down():
    with lab() as (agent, screen):
        screen.run("show version | match password")
        screen.run("show version | match agent")
        screen.wait_text("agent ")
        text = (agent.rundir / "home" / ".lagosh_history").read_text()
        assert "password" not in text and "match agent" in text, text


if __name__ == "__main__":
    sys.exit(run_tests(sys.modules[__name__], sys.argv[1:]))
