"""A command that a message shows can be pasted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from jupyter_history.notebook.spelling import new_name, split, typed

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20)


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_what_is_typed_is_read_as_it_was_meant(words: list[str]) -> None:
    assert split(typed(*words)[1:-1]) == ["%chat", *words]


def test_only_what_needs_quotes_has_some() -> None:
    assert typed("open", "letters") == "`%chat open letters`"
    assert typed("open", "letters again") == '`%chat open "letters again"`'
    assert typed("open", 'the "new" one') == "`%chat open 'the \"new\" one'`"
    assert typed("--at", "a'b", magic="%%chat") == '`%%chat --at "a\'b"`'


@pytest.mark.parametrize("name", ["tip", "root", "next", "--as", "-x"])
def test_a_name_that_means_something_else_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(UsageError) as told:
        new_name(name)
    assert repr(name) in str(told.value)
    assert "\n" not in str(told.value)


def said(shell: InteractiveShell, capsys: pytest.CaptureFixture[str], cell: str) -> str:
    shell.run_cell(cell)
    out = capsys.readouterr()
    assert out.err == "", out.err
    return out.out


def test_every_hint_that_names_a_conversation_can_be_pasted(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    name = 'letters "again"'
    said(shell, capsys, f"%chat open '{name}'")
    shell.run_cell("%%chat\nWhat is a zebra?")
    shell.run_cell("%chat export out.jsonl")
    capsys.readouterr()
    for cell in (
        "%chat new other", "%chat new third\n%chat find zebra", f"%chat open '{name}'\n%chat open other",
        f"%chat open '{name}'\n%chat fork --as two", "%chat import out.jsonl",
    ):  # fmt: skip
        lines = re.findall(r"`(%chat open [^`]+)`", said(shell, capsys, cell))
        assert lines, cell
        assert "Now in conversation `letters" in said(shell, capsys, lines[-1]), cell


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("%chat open letters again", '`%chat open "letters again"`'),
        ("%chat new my letters", '`%chat new "my letters"`'),
        ("%chat import my letters.jsonl", '`%chat import "my letters.jsonl"`'),
    ],
)
def test_a_name_in_several_words_is_told_its_quotes(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], cell: str, hint: str
) -> None:
    shell.run_cell(cell)
    error = capsys.readouterr().err
    assert hint in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "cell",
    [
        "%chat new next", "%chat open root", "%chat fork --as tip", "%chat label tip next", "%chat checkpoint next",
        "%%chat --label next\nhi", "%%chat --fork next\nhi",
    ],
)  # fmt: skip
def test_a_keyword_names_nothing(shell: InteractiveShell, capsys: pytest.CaptureFixture[str], cell: str) -> None:
    shell.run_cell("%%chat\nWhat is a mixture?")
    capsys.readouterr()
    shell.run_cell(cell)
    error = capsys.readouterr().err
    assert "means a turn already" in error
    assert error.count("\n") == 1
