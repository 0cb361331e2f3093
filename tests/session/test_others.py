"""Other writers, full disks, stops: what a session keeps and says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jupyter_history.errors import Stopped, StoreUnavailable
from jupyter_history.model.scripted import Scripted
from jupyter_history.progress import Note
from jupyter_history.session.beside import beside, take_in
from jupyter_history.session.session import Session
from jupyter_history.transcript import Maker

Opened = Callable[..., Session]


def notes(heard: list[object]) -> str:
    return " ".join(event.text for event in heard if isinstance(event, Note))


def test_rule_5_a_turn_built_on_an_older_tip_becomes_a_branch_and_says_so(opened: Opened) -> None:
    mine, yours = opened(place="a"), opened(place="b")
    root = mine.send("one")
    yours.refresh()
    yours.branch(root.id)
    heard: list[object] = []

    def meanwhile(event: object) -> None:
        heard.append(event)
        if len(heard) == 1:
            yours.send("yours")

    turn = mine.send("mine", watch=meanwhile)
    assert turn.parent == root.id
    assert "Another writer was faster" in notes(heard)
    assert {mine.turn(id).prompt for id in mine.siblings(turn.id)} == {"mine", "yours"}
    assert mine.tip == turn.id


def test_rule_5_the_points_of_a_grid_are_no_other_writers_of_each_other(session: Session, script: Scripted) -> None:
    session.send("one")
    for _ in range(4):
        script.reply("a b c d", chunks=4, delay=0.05)
    made = session.experiment("two", {"repeat": 4})
    told = [note for run in made.runs for note in run.notes]
    assert [run.turn is not None for run in made.runs] == [True] * 4
    assert "Another writer" not in " ".join(told)


def test_rule_5_where_the_tip_went_is_told_to_who_only_looked_so_far(opened: Opened) -> None:
    there = opened(place="a")
    there.send("one")
    here = opened(place="b")
    gone = there.send("two")
    (told,) = here.refresh()
    assert f"to `{gone.id}`" in told
    assert here.refresh() == ()


def test_rule_5_a_move_made_elsewhere_is_told_once_and_not_followed(opened: Opened) -> None:
    here, there = opened(place="nb"), None
    first = here.send("one")
    second = here.send("two")
    there = opened(place="nb")
    there.branch(first.id)
    told = here.refresh()
    assert [first.id in line for line in told] == [True]
    assert here.tip == second.id
    assert here.refresh() == ()


def test_rule_5_each_notebook_keeps_its_own_place(opened: Opened) -> None:
    a, b = opened(place="a"), opened(place="b")
    first = a.send("one")
    a.send("two")
    b.refresh()
    b.branch(first.id)
    assert opened(place="a").tip == a.tip
    assert opened(place="b").tip == first.id
    assert opened(place="new").tip == first.id, "a newcomer starts at the place that moved last"


def test_rule_7_a_turn_that_cannot_be_saved_is_kept_said_and_saved_with_the_next(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened()
    session.send("one")
    commit, full = session.store.commit, True

    def write(*args: object, **options: object) -> object:
        if full:
            raise StoreUnavailable("The disk is full.")
        return commit(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(session.store, "commit", write)
    heard: list[object] = []
    lost = session.send("two", watch=heard.append)
    assert "Not saved: The disk is full." in notes(heard)
    assert session.unsaved == (lost.id,)
    below = session.send("three")
    assert [turn.prompt for turn in session.path()] == ["one", "two", "three"]
    full = False
    session.send("four")
    assert session.unsaved == ()
    assert [turn.prompt for turn in opened().path()] == ["one", "two", "three", "four"]
    assert below.parent == lost.id


@pytest.mark.parametrize("whose", ["its own", "taken in"])
def test_rules_7_and_8_what_an_unsaved_turn_marked_is_saved_with_it_however_often_saving_fails(
    opened: Opened, script: Scripted, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    session = opened()
    target = session.send("one")
    commit, full = session.store.commit, True

    def write(*args: object, **options: object) -> object:
        if full:
            raise StoreUnavailable("The disk is full.")
        return commit(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(session.store, "commit", write)
    asking = session if whose == "its own" else beside(session)
    script.tool_call("checkpoint", {"label": "start"}).reply("marked")
    asking.send("mark here")
    if asking is not session:
        take_in(session, asking)
    session.send("two")
    assert set(session.checkpoints) == {"start"}
    full = False
    session.send("three")
    assert opened().checkpoints["start"].target == target.id


def test_rule_24_a_stop_keeps_what_came_and_moves_the_tip(session: Session, script: Scripted) -> None:
    session.send("one")
    script.interrupt("half an ans")
    with pytest.raises(Stopped) as stopped:
        session.send("two")
    kept = session.turn(stopped.value.turn or "")
    assert (kept.text, kept.outcome, session.tip) == ("half an ans", "stopped", kept.id)
    session.send("three")
    sent = [message["content"][0]["text"] for message in script.requests[-1]["messages"]]
    assert sent[2:4] == ["two", "half an ans"], "the user read it, so the model sees it"


def test_rule_24_running_a_stopped_cell_asks_again_beside_it(session: Session, script: Scripted) -> None:
    cell = Maker("nb", "cell")
    script.interrupt("half")
    with pytest.raises(Stopped):
        session.run(cell, "one", {})
    ran = session.run(cell, "one", {})
    assert not ran.stored
    assert ran.turn.position == (2, 2)
    assert session.run(cell, "one", {}).turn.id == ran.turn.id
    assert len(script.requests) == 2


def test_rule_24_a_stop_before_anything_came_is_a_failed_record(session: Session, script: Scripted) -> None:
    script.interrupt("")
    with pytest.raises(Stopped, match="nothing was added"):
        session.send("one")
    assert session.tip is None
    assert [turn.prompt for turn in session.store.failed(session.id)] == ["one"]


def test_a_stop_is_one_line_and_no_exception_that_except_catches() -> None:
    assert not issubclass(Stopped, Exception)
    assert Stopped("Stopped.", None)._render_traceback_() == ["Stopped."]


def test_rule_3_a_branch_moves_the_tip_and_nothing_else(session: Session) -> None:
    first = session.send("one")
    second = session.send("two")
    before = [turn.record for turn in session.turns()]
    moved = session.branch(first.id)
    assert moved.left == (second.id,)
    assert second.id in moved.note
    assert [turn.record for turn in session.turns()] == before


def test_rule_4_a_fork_goes_on_alone(session: Session) -> None:
    session.send("one")
    session.send("two")
    fork = session.fork(name="aside")
    assert [turn.prompt for turn in fork.path()] == ["one", "two"]
    assert not {turn.id for turn in fork.turns()} & {turn.id for turn in session.turns()}
    fork.send("three")
    assert len(session.turns()) == 2
