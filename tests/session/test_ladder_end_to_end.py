"""A conversation that outgrows the offline reader's window, with the real store, SDK, ladder, pages and reader.

Nothing is scripted: the reader refuses by its own count, which is not our estimate, and reads the pixels it is sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jupyter_history.errors import StoreUnavailable, TooLarge
from jupyter_history.model.client import Client
from jupyter_history.model.events import Sent
from jupyter_history.model.scripted import Scripted
from jupyter_history.progress import Note
from jupyter_history.session.session import Session

Opened = Callable[..., Session]

ENGLISH = "On day {n} of run {run} the assay gave a reading close to what the team had expected from the model. "
GREEK = "Σήμερα μετρήσαμε τον ρυθμό της αντίδρασης και καταγράψαμε τα αποτελέσματα. "
"""Text that our estimate takes for half of what the reader counts."""

FACT = "The incubator opens with the code K7-4421-QX."
QUESTION = "Which code opens the incubator?"
LONG_QUESTION = ENGLISH * 12 + QUESTION


def filled(opened: Opened, runs: int, **options: object) -> Session:
    """A conversation of so many long runs after its first turn, the fact in the middle of the first run."""
    session = opened("long", model="offline", client=Client(), **options)
    session.send("We keep a lab diary here.")
    for run in range(runs):
        told = [ENGLISH.format(n=n, run=run) for n in range(44)]
        session.send("".join([*told[:22], FACT + " " if run == 0 else "", *told[22:]]))
    return session


def notes(heard: list[object]) -> str:
    return " ".join(event.text for event in heard if isinstance(event, Note))


def test_rule_14_the_readers_own_refusal_is_answered_by_a_snapshot_without_a_model_call(opened: Opened) -> None:
    session = filled(opened, 3)
    heard: list[object] = []
    turn = session.send(GREEK * 63 + QUESTION, max_tokens=300, watch=heard.append)
    assert "The provider measured" in notes(heard), "the reader refused, by its own count"
    assert "snapshot took back" in notes(heard)
    assert "Writing a summary" not in notes(heard)
    assert "K7-4421-QX" in turn.text
    assert "page 1, T002" in turn.text, "and says where it read it"
    assert "Decoded exactly from the pixels" in turn.text


def test_rule_14_the_ladder_runs_before_the_wall(opened: Opened) -> None:
    session = filled(opened, 4)
    heard: list[object] = []
    turn = session.send(LONG_QUESTION, watch=heard.append)
    assert "The provider measured" not in notes(heard)
    plan = session.plan()
    assert [taken.rung for taken in plan.rungs if taken.applied] == ["snapshot"]
    assert "page 1, T002" in turn.text


def test_rule_10_a_rung_decided_once_stays_and_the_prefix_with_it(opened: Opened) -> None:
    session = filled(opened, 4)
    kept: list[str] = []

    def sent(event: object) -> None:
        if isinstance(event, Sent) and not kept:
            kept.extend(overlay.kind for overlay in session.store.overlays(session.id))

    session.send(LONG_QUESTION, watch=sent)
    assert "snapshot" in kept, "stored before it is sent"
    before = session.request()["messages"]
    session.send("Thank you.")
    after = session.request()["messages"]
    pictures = [[b for m in body for b in m["content"] if b["type"] == "image"] for body in (before, after)]
    assert pictures[0]
    assert [b["source"] for b in pictures[0]] == [b["source"] for b in pictures[1]]


def test_rule_7_a_decision_that_cannot_be_saved_is_kept_said_and_saved_with_the_next(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = filled(opened, 4)
    add, full = session.store.add_overlays, True

    def write(*args: Any) -> None:
        if full:
            raise StoreUnavailable("The disk is full.")
        add(*args)

    monkeypatch.setattr(session.store, "add_overlays", write)
    heard: list[object] = []
    session.send(LONG_QUESTION, watch=heard.append)
    assert "The disk is full." in notes(heard)
    assert session.store.overlays(session.id) == []
    full = False
    session.send("Thank you.")
    assert "snapshot" in [overlay.kind for overlay in session.store.overlays(session.id)]


def test_a_branch_that_left_before_does_not_see_the_decision(opened: Opened) -> None:
    session = filled(opened, 4)
    session.send(LONG_QUESTION)
    assert [taken for taken in session.plan("next").rungs if taken.applied]
    session.branch(session.tree.path(session.tip)[1])
    assert not [taken for taken in session.plan("next").rungs if taken.applied]


def test_a_model_without_eyes_gets_no_pages_and_the_plan_says_why(opened: Opened) -> None:
    session = filled(opened, 3)
    plan = session.plan("next", model="offline-text", window=5000)
    snapshot = next(taken for taken in plan.rungs if taken.rung == "snapshot")
    assert not snapshot.applied
    assert "cannot see images" in snapshot.why


def test_a_what_if_changes_nothing(opened: Opened) -> None:
    session = filled(opened, 3)
    before = session.request("next")
    small = session.plan("next", window=3000)
    assert small.tokens < session.plan("next").tokens
    assert session.request("next") == before
    assert session.plan("next", ladder="off", window=3000).rungs[0].why == "the ladder is off"


def test_a_prompt_that_alone_does_not_fit_is_one_line_before_anything_is_sent(opened: Opened) -> None:
    session = filled(opened, 1)
    tip = session.tip
    with pytest.raises(TooLarge, match="This prompt alone is about"):
        session.send("word " * 40_000)
    assert session.tip == tip


def test_with_the_ladder_off_the_refusal_is_one_line_and_the_conversation_stays(opened: Opened) -> None:
    session = filled(opened, 4)
    tip = session.tip
    with pytest.raises(TooLarge) as refused:
        session.send(GREEK * 63 + QUESTION, ladder="off")
    assert "\n" not in str(refused.value)
    assert "Tried: no rung applied" in str(refused.value)
    assert session.tip == tip
    assert "K7-4421-QX" in session.send(QUESTION).text


def test_with_the_ladder_off_no_taking_back_is_announced(opened: Opened) -> None:
    session = filled(opened, 4)
    heard: list[object] = []
    with pytest.raises(TooLarge, match="of 8,000: the ladder is off"):
        session.send(GREEK * 63 + QUESTION, ladder="off", window=6_000, watch=heard.append)
    assert notes(heard) == ""
    session.send(QUESTION)
    assert session.plan("next").window == 8_000, "a window that was given once is not the model's"


def test_rule_14_what_a_refusal_shows_of_a_model_is_not_the_smaller_window_that_was_given(
    opened: Opened, script: Scripted
) -> None:
    session = opened(model="a-local-model")
    for run in range(3):
        session.send("".join(ENGLISH.format(n=n, run=run) for n in range(44)))
    script.error(400, "invalid_request_error", "prompt is too long: 7100 tokens > 7000 maximum")
    session.send("one", window=6_500)
    assert session.plan("next").window == 7_000, "what the refusal showed"


def test_a_summary_that_ran_by_itself_is_told_with_what_it_took_back(opened: Opened, script: Scripted) -> None:
    session = opened(model="a-local-model")
    for run in range(4):
        session.send("".join(ENGLISH.format(n=n, run=run) for n in range(44)))
    heard: list[object] = []
    session.send("one", window=4_000, ladder="summary", watch=heard.append)
    assert "Writing a summary" in notes(heard)
    assert "The ladder: summary took back" in notes(heard)
    assert notes(heard).count("The ladder:") == 1


def test_rule_14_a_window_that_a_refusal_showed_is_known_from_then_on(opened: Opened, script: Scripted) -> None:
    session = opened(model="a-local-model")
    for run in range(4):
        session.send("".join(ENGLISH.format(n=n, run=run) for n in range(44)))
    script.error(400, "invalid_request_error", "prompt is too long: 6000 tokens > 5000 maximum")
    session.send("one")
    assert session.plan("next").window == 5000
    calls = len(script.requests)
    session.send("two")
    assert len(script.requests) == calls + 1, "no second refusal"


def test_compact_runs_a_rung_now_and_a_fork_takes_it_along(opened: Opened) -> None:
    session = filled(opened, 3)
    before = session.plan("next").tokens
    session.compact("snapshot")
    assert session.plan("next").tokens < before
    fork = session.fork(name="aside")
    assert [page.png for page in fork.plan("next").pages] == [page.png for page in session.plan("next").pages]
    assert "page 1, T002" in fork.send(QUESTION).text
