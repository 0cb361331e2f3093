"""Slips of the hand cost nothing and damage nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jupyter_history.errors import BadInput, TooLarge
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.transcript import Maker


def test_a_window_too_small_for_the_prompt_writes_no_summary(opened: Callable[..., Session]) -> None:
    session = opened(model="offline", client=Client())
    session.send("The password is plover. The buffer is Tris.")
    session.send("Which buffer is it?")
    with pytest.raises(TooLarge, match="Nothing was sent"):
        session.send("hey", window=10)
    assert not [taken for taken in session.plan("next").rungs if taken.applied]
    assert "plover" in session.send("What is the password?").text


def test_a_take_of_hundreds_is_refused_before_any_call(session: Session, script: Scripted) -> None:
    with pytest.raises(BadInput, match="from 1 to 20"):
        session.run(Maker("nb", "cell"), "one", {}, take=300)
    assert not script.requests


@pytest.mark.parametrize("word", ["tip", "root", "next"])
def test_a_word_that_commands_understand_is_no_label(session: Session, word: str) -> None:
    turn = session.send("one")
    with pytest.raises(BadInput, match=f"'{word}' already means a turn"):
        session.label(turn.id, word)
    with pytest.raises(BadInput, match="Choose another label"):
        session.send("two", label=word)


def test_an_unknown_rung_is_one_line(session: Session) -> None:
    session.send("one")
    with pytest.raises(BadInput, match="No rung is called 'bogus'"):
        session.compact("bogus")  # type: ignore[arg-type]


def test_what_is_no_text_is_one_line(session: Session, script: Scripted) -> None:
    for prompt in (None, 5, ["a"]):
        with pytest.raises(BadInput, match="A prompt is text"):
            session.send(prompt)  # type: ignore[arg-type]
    assert not script.requests


def test_the_root_and_the_tip_are_places_to_continue_from(session: Session) -> None:
    first = session.send("one")
    assert session.send("two", at="root").parent is None
    assert session.send("three", at=first.id).parent == first.id
    session.label("tip", "here")
    assert session.turn("here").id == session.tip
