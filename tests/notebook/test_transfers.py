"""`%chat find`, `export` and `import` as a user meets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]


@pytest.fixture
def notebook(kernel: Start) -> Any:
    return kernel("a.ipynb", ("c1", "c2"))


def test_a_text_is_found_on_any_branch_of_any_conversation(notebook: Any) -> None:
    first = notebook.ask("What is a zebra?", "c1").answer["id"]
    notebook.ask("What is an okapi?", "c1")
    assert "Nothing said" in notebook.say("find giraffe")
    said = notebook.say("find ZEBRA")
    assert f"{first}" in said
    assert "this conversation, at the end of a branch, prompt:" in said
    assert f"`%chat branch {first}` goes to the first" in said
    notebook.say("new other")
    said = notebook.say("find okapi")
    assert "on the path" in said
    assert "`%chat open " in said


def test_an_emoji_is_found_and_what_cannot_be_looked_for_is_said(notebook: Any) -> None:
    first = notebook.ask("I like 🦓", "c1").answer["id"]
    assert first in notebook.say("find 🦓")
    assert "no word, number or sign" in notebook.say("find ++")
    assert "Nothing said" in notebook.say("find 🦒")


def test_an_exported_conversation_comes_back(notebook: Any, tmp_path: Path) -> None:
    notebook.ask("one", "c1")
    notebook.ask("two", "c2")
    for name in ("out.jsonl", "out.html", "out.md"):
        assert "2 turns" in notebook.say(f"export {tmp_path / name}")
    again = notebook.run(f"%chat export {tmp_path / 'out.md'}", "x")
    assert (again.status, len(again.lines)) == ("error", 1)
    assert "--overwrite" in again.lines[0]
    notebook.say(f"export {tmp_path / 'out.md'} --overwrite")
    said = notebook.say(f"import {tmp_path / 'out.jsonl'}")
    assert "(jupyter_history)" in said
    assert "2 turns on 1 branch" in said
    name = said.split("`%chat open ")[1].split("`")[0]
    assert "2 turns" in notebook.say(f"open {name}")


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("out.jsonl", "everything (3 turns)"),
        ("out.html", "the path (2 turns) and, folded, 1 other branch (1 turn)"),
        ("out.md", "the path (2 turns) and, in a line each, 1 other branch (1 turn not in it)"),
    ],
)
def test_an_export_says_what_the_file_holds(notebook: Any, tmp_path: Path, name: str, held: str) -> None:
    notebook.ask("one", "c1")
    notebook.ask("two", "c2")
    notebook.ask("deux", "c2")
    assert f"{tmp_path / name} now: {held}." in notebook.say(f"export {tmp_path / name}")


def test_an_export_has_the_prompts_without_an_answer(notebook: Any, tmp_path: Path) -> None:
    notebook.ask("one", "c1")
    notebook.run("%%chat -m claude-haiku-4-5\ntwo", "c2")
    said = notebook.say(f"export {tmp_path / 'x.jsonl'}")
    assert "everything (1 turn, 1 prompt without an answer)" in said


def test_what_was_not_understood_is_said(notebook: Any, tmp_path: Path) -> None:
    body = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "tools": []}
    (tmp_path / "m.json").write_text(json.dumps(body))
    said = notebook.say(f"import {tmp_path / 'm.json'}")
    assert "Left out: 1 x the request's 'tools'." in said


@pytest.mark.parametrize("text", ["Dear diary", '{"jupyter_history": 7}', '{"messages": []}'])
def test_what_cannot_be_imported_is_one_line(notebook: Any, tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    for file in ("x", "nowhere"):
        done = notebook.run(f"%chat import {tmp_path / file}", "x")
        assert (done.status, len(done.lines)) == ("error", 1)
