#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the line editor does to programs that trust it. Each of its traps has a test on a real
terminal; where it is:

  a prompt that ends in an escape hangs         a_coloured_prompt_neither_hangs_nor_shifts_the_line
  a bound ? fires in quotes and in pastes       lagosh_terminal question_mark_in_quotes_comments_...
  Tab in a paste completes                      lagosh_terminal a_tab_in_a_paste_is_a_blank
  ^W takes more than a word                     control_w_takes_a_word_and_control_u_the_line
  H_SAVE lets two shells overwrite each other   two_shells_keep_each_others_history
  history files of mode 0644, with secrets      lagosh_terminal history_is_kept_for_its_owner_...,
                                                secrets_are_not_written_down
  el_gets drops bytes of a script               lagosh_commands exit_codes_and_streams_of_one_shot_runs
  ^C kills, or leaves the line's text           lagosh_terminal control_c_drops_the_line_...
  a resize garbles the line, or kills           lagosh_terminal resizing_does_not_garble_the_line,
                                                a_burst_of_resizes_is_survived
  a prompt of other letters crashes in C        lagosh_terminal text_that_is_not_ascii_...
  events draw over the line that is typed       lagosh_configure controllers_that_come_and_go_...,
                                                an_unconfirmed_commit_counts_down_...
  ^D leaves the cursor behind the prompt        lagosh_terminal control_d_leaves_on_a_line_of_its_own
  a dumb terminal                               lagosh_terminal a_dumb_terminal_without_colour_works
  .editrc read before the own bindings          lagosh_terminal editrc_of_the_user_wins
  a paste of a block runs line by line          lagosh_configure a_block_of_a_thousand_lines_is_pasted
  output of others in the midst of the prompt   output_is_whole_before_the_prompt_behind_it
  two threads at the editor                     the_editor_is_alone_in_its_process

lagosh_bytes looks closer at the prompt, its columns and what is written before it, at equal lines
of the history, a prompt that is not ASCII and a dumb terminal."""

import sys
from pathlib import Path

from lagosh_lab import BIN, Screen, at_prompt, lab, run_tests, wait_until


def a_coloured_prompt_neither_hangs_nor_shifts_the_line():
    with lab(columns=40, rows=12) as (_, screen):
        def coloured_at(prompt):
            bold = f"\033[1m{prompt}\033[0m"
            screen.wait(lambda: bold in screen.tmux("capture-pane", "-p", "-e"), f"{prompt} in bold")

        coloured_at("lab>")
        screen.wait_cursor(len("lab> "), screen.cursor()[1])
        # The first key behind the prompt is drawn by itself, in the place behind the blank.
        screen.type("s")
        screen.wait_line("s")
        screen.wait_cursor(len("lab> s"), screen.cursor()[1])
        # A line of two rows: its ends are where the prompt's visible letters put them.
        text = "how flow br0 brief | match priority | count"
        screen.type(text)
        row = len("lab> s" + text) // 40
        screen.wait(lambda: "| count" in screen.text(), "the line's second row")
        bottom = screen.cursor()[1]
        screen.wait_cursor(len("lab> s" + text) % 40, bottom)
        screen.keys("Home")
        screen.wait_cursor(len("lab> "), bottom - row)
        screen.keys("End")
        screen.wait_cursor(len("lab> s" + text) % 40, bottom)
        screen.keys("Enter")
        screen.wait_text("Count: ")
        screen.run("configure")
        at_prompt(screen, "lab#")
        coloured_at("lab#")
        screen.wait_cursor(len("lab# "), screen.cursor()[1])


def control_w_takes_a_word_and_control_u_the_line():
    # ^W as in bash, not to the line's begin; ^U the whole line, as operators have it in JunOS.
    with lab() as (_, screen):
        screen.type("show flow br-of-the-lab")
        screen.wait_line("show flow br-of-the-lab")
        screen.keys("C-w")
        screen.wait_line("show flow")
        screen.type("br0")
        screen.wait_line("show flow br0")
        screen.keys("Left", "Left", "Left", "C-u")
        screen.wait_line("")


def two_shells_keep_each_others_history():
    with lab() as (agent, one):
        other = Screen(agent)
        try:
            one.run("show memory")
            one.wait_text("REGION")
            other.run("show version")
            other.wait_text("run directory")
            one.run("show port")
            one.wait_text("h1-br")
            for screen in (one, other):
                screen.run("exit")
            file = agent.rundir / "home" / ".lagosh_history"
            wait_until("both ends", lambda: file.read_text().count("exit\n") == 2)
            lines = file.read_text().splitlines()
            assert lines == ["show memory", "show version", "show port", "exit", "exit"], lines
        finally:
            other.close()


def a_burst_of_resizes_is_survived():
    with lab() as (_, screen):
        screen.type("show ver")
        screen.wait_line("show ver")
        for columns in (*range(60, 120, 3), 80):
            screen.tmux("resize-window", "-x", str(columns), "-y", "24")
        screen.type("sion")
        screen.wait_line("show version")
        screen.keys("Enter")
        screen.wait_text("run directory")
        screen.wait_line("")


def output_is_whole_before_the_prompt_behind_it():
    commands = ["show port", "show brige", "help | no-more", "show memory | match REGION", "show nothing"]
    with lab() as (agent, screen):
        screen.close()
        # What a flush does not empty stays in the buffer, a newline or not.
        program = f"stdbuf -o1M {BIN}/lagosh --rundir {agent.rundir}"
        screen = Screen(agent, columns=160, rows=200, program=program)
        try:
            screen.clear()
            expected = []
            for command in commands:
                screen.run(command)
                done = agent.lagosh("-c", command)
                expected += [f"lab> {command}", *(done.stdout + done.stderr).splitlines()]
            expected.append("lab>")
            screen.wait(lambda: [line.rstrip() for line in screen.text().splitlines()]
                        == [line.rstrip() for line in expected], "\n".join(expected))
        finally:
            screen.close()


def the_editor_is_alone_in_its_process():
    with lab() as (agent, screen):
        tasks = Path(f"/proc/{screen.pid()}/task")
        assert len(list(tasks.iterdir())) == 1
        # An event above the prompt comes from no thread either.
        screen.type("show ver")
        agent.stop()
        screen.wait_text("agent")
        assert len(list(tasks.iterdir())) == 1
        screen.wait_line("show ver")


if __name__ == "__main__":
    sys.exit(run_tests(sys.modules[__name__], sys.argv[1:]))
