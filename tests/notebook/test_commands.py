"""The commands of `%chat`: each says what it did or shows, and what can be done next."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from jupyter_history.notebook import moving
from jupyter_history.session import written
from jupyter_history.tools import limits

Start = Callable[..., Any]


@pytest.fixture
def notebook(kernel: Start) -> Any:
    return kernel("a.ipynb", ("c1", "c2", "c3"))


@pytest.fixture
def asked(notebook: Any) -> tuple[Any, str, str, str]:
    """A notebook with two answers to its first cell and a second turn below the first of them."""
    first = notebook.ask("What is a mixture?", "c1").answer["id"]
    below = notebook.ask("And a blend?", "c2").answer["id"]
    beside = notebook.ask("What is a compound?", "c1").answer["id"]
    return notebook, first, below, beside


@pytest.mark.parametrize("command", ["", "status", "list", "models", "doctor", "why", "new", "new mine"])
def test_what_can_be_said_before_anything_was_asked_is_said(notebook: Any, command: str) -> None:
    assert "Next: " in notebook.say(command)


@pytest.mark.parametrize(
    "command", ["", "tree", "path", "list", "cost", "models", "request", "why", "doctor", "config"]
)
def test_looking_moves_nothing_and_says_what_can_be_done_next(asked: Any, command: str) -> None:
    notebook, _, _, beside = asked
    done = notebook.run(f"%chat {command}", "x")
    assert done.status == "ok"
    assert "Next: " in done.out
    assert notebook.path() == [beside]


def test_status_says_where_the_next_cell_continues(asked: Any) -> None:
    notebook, _, _, beside = asked
    said = notebook.say("")
    assert f"`{beside}` (What is a compound?)" in said
    assert "3 turns on 2 branches" in said
    assert "With it the window was 5 % full." in said


def test_the_path_names_which_answer_a_turn_is(asked: Any) -> None:
    notebook, *_ = asked
    assert "What is a compound?  answer 2 of 2" in notebook.say("path")


def test_what_an_empty_conversation_cost_is_said_in_words(notebook: Any) -> None:
    notebook.say("new")
    assert "Nothing was asked" in notebook.say("cost")


def test_load_counts_the_turns_of_the_path(notebook: Any) -> None:
    notebook.ask("What is a mixture?", "c1")
    assert "The whole path is loaded (1 turn)" in notebook.say("load")


def test_where_there_is_one_answer_compare_says_so_and_does_not_end_a_run_of_all_cells(notebook: Any) -> None:
    only = notebook.ask("What is a mixture?", "c1").answer["id"]
    done = notebook.run("%chat compare", "x")
    assert done.status == "ok"
    assert f"No other answer stands beside `{only}`." in done.out


def test_takes_of_one_cell_are_not_told_one_by_one_that_they_leave_the_path(notebook: Any) -> None:
    old = notebook.ask("What is a mixture?", "c1").answer["id"]
    done = notebook.run("%%chat --take 4\nWhat is a blend?", "c1")
    assert "answer 5 of 5" in done.text
    assert done.text.count("Off the path now") == 1
    assert f"(`{old}`)" in done.text


def test_the_tree_is_text_and_html(asked: Any) -> None:
    notebook, *turns = asked
    (shown,) = notebook.run("%chat tree", "x").displays
    for turn in turns:
        assert turn in shown["text/plain"]
        assert turn in shown["text/html"]


def test_compare_is_text_and_html(asked: Any) -> None:
    notebook, first, _, beside = asked
    (shown,) = notebook.run(f"%chat compare {first} {beside}", "x").displays
    assert first in shown["text/plain"]
    assert beside in shown["text/html"]


def test_branch_moves_the_tip_and_nothing_else_rule_3(asked: Any) -> None:
    notebook, first, below, beside = asked
    said = notebook.say(f"branch {below}")
    assert beside in said
    assert notebook.path() == [first, below]
    notebook.say("branch root")
    assert notebook.path() == []
    assert notebook.ask("Something else", "c3").answer["parent"] is None


def test_again_asks_once_more_now(asked: Any) -> None:
    notebook, first, _, beside = asked
    shown = notebook.run("%chat again", "x").answer
    assert shown["siblings"] == [first, beside, shown["id"]]
    assert not shown["stored"]
    assert notebook.path() == [shown["id"]]


def test_labels_are_given_used_and_taken_away(asked: Any) -> None:
    notebook, first, below, _ = asked
    notebook.say(f"label {below} good-one")
    notebook.say("branch good-one")
    assert notebook.path() == [first, below]
    notebook.say("label good-one --remove")
    assert notebook.run("%chat branch good-one", "x").status == "error"


def test_fork_open_and_list(asked: Any) -> None:
    notebook, first, below, beside = asked
    home = notebook.run(
        f"print({'get_ipython().magics_manager.registry'}['ChatMagics'].current.session.id)"
    ).out.strip()
    assert "Now in conversation `copy`" in notebook.say(f"fork {below} --as copy")
    copied = notebook.path()
    assert len(copied) == 2
    assert not {first, below, beside} & set(copied)
    listed = notebook.say("list")
    assert home in listed
    assert any(line.startswith("*  copy") for line in listed.splitlines())
    assert "Now in conversation" in notebook.say(f"open {home}")
    assert notebook.path() == [beside]


def test_opening_a_name_nobody_has_begins_it_and_says_so(notebook: Any) -> None:
    assert "There was no conversation `fresh`" in notebook.say("open fresh")
    notebook.ask("one", "c1")
    assert "1 turn" in notebook.say("open fresh")


def test_a_chosen_conversation_is_kept_through_a_restart_and_coming_back_continues_at_its_place(asked: Any) -> None:
    notebook, first, below, _ = asked
    notebook.say(f"branch {below}")
    home = notebook.ask("And a blend?", "c2").answer["conversation"]
    notebook.say("new elsewhere")
    notebook.restart()
    assert "`elsewhere`" in notebook.say("")
    notebook.say(f"open {home}")
    assert notebook.path() == [first, below]


def test_the_request_is_the_exact_body(asked: Any) -> None:
    notebook, _, _, _ = asked
    said = notebook.say("request")
    body, _ = json.JSONDecoder().raw_decode(said)
    assert body["messages"][-1]["role"] == "user"
    assert "What is a compound?" in json.dumps(body["messages"][-1])


def test_compact_runs_all_rungs_down_to_their_goal_and_one_however_much_room_there_is(notebook: Any) -> None:
    note = "Zebras and okapis eat the leaves of trees in the wood. " * 20
    for n in range(3):
        notebook.ask(f"Note {n}. {note}", f"n{n}")
    assert "nothing was taken back; the table says why" in notebook.say("compact snapshot"), "there is no middle yet"
    for n in range(3, 8):
        notebook.ask(f"Note {n}. {note}", f"n{n}")
    assert "nothing was taken back; the table says why" in notebook.say("compact"), "under 60 % of the room"
    assert "the next prompt is sent like this" in notebook.say("compact snapshot")


def test_cost_and_models_name_the_model(asked: Any) -> None:
    notebook, *_ = asked
    assert "offline" in notebook.say("cost")
    assert any(line.startswith("*  offline ") for line in notebook.say("models").splitlines())


def test_every_setting_of_a_session_can_be_configured() -> None:
    assert tuple(moving.SETTINGS) == (*written.SETTINGS, *limits.NAMES)


def test_settings_are_shown_set_and_unset(asked: Any) -> None:
    notebook, *_ = asked
    assert "max_tokens: default" in notebook.say("config")
    assert "max_tokens: 50" in notebook.say("config max_tokens 50")
    assert "system: be brief" in notebook.say('config system "be brief"')
    assert "max_tokens: default" in notebook.say("config max_tokens default")
    for line in ("config colour red", "config max_tokens many", "config max_tokens 0", "config system @nowhere"):
        done = notebook.run(f"%chat {line}", "x")
        assert (done.status, len(done.lines)) == ("error", 1)


@pytest.mark.parametrize("line", ["%chat help fork", "%chat fork --help", "%chat fork ID -h"])
def test_a_command_explains_itself(notebook: Any, line: str) -> None:
    done = notebook.run(line, "x")
    assert done.out.startswith("%chat fork [ID] [--as NAME]\n")
    assert "`%chat tree` shows them" in done.out
    assert "Next: " in done.out


def test_help_of_what_is_no_command_and_of_cells(notebook: Any) -> None:
    assert "did you mean fork" in notebook.run("%chat help frok", "x").lines[0]
    assert notebook.say("--help") == notebook.say("help")
    for cell in ("%%chat --help", "%%chat -m offline --help\nAnd a prompt"):
        done = notebook.run(cell, "c1")
        assert (done.status, done.displays) == ("ok", [])
        assert "--max-tokens N" in done.out


def test_the_tree_of_an_empty_conversation_says_how_it_begins(notebook: Any) -> None:
    notebook.say("new")
    assert "Next: write a %%chat cell." in notebook.say("tree")


def test_help_names_every_command(notebook: Any) -> None:
    said = notebook.say("help")
    commands = "status tree path branch again fork compare label open new list cost models request why doctor config"
    assert all(f"%chat {name}" in said for name in commands.split())
