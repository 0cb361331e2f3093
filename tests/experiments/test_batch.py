"""Message Batches with the real SDK's endpoints: sent once, filed whole, whichever kernel files them."""

from __future__ import annotations

from pathlib import Path

import batch_server as server
import pytest

from jupyter_history.errors import BadInput, ModelError
from jupyter_history.experiments import Experiment, axes, batches, collect
from jupyter_history.experiments.batch import submit
from jupyter_history.experiments.sweep import prepare
from jupyter_history.model.client import Client
from jupyter_history.session.session import Session
from jupyter_history.store import Store
from jupyter_history.transcript import Maker

CELL = Maker("notebook", "cell-1")
GRID = "model=claude-sonnet-5-5,claude-opus-5-5"


def session_on(store: Store, transport: object) -> Session:
    return Session.open("notes", store, "claude-sonnet-5-5", client=Client(transport=transport))  # type: ignore[arg-type]


def asked(session: Session, each: str = GRID, prompt: str = "two?", budget: float = 1.0) -> Experiment:
    made = prepare(session, prompt, axes(each), {}, maker=CELL)
    submit(made, budget=budget)
    return made


def test_a_batch_is_sent_once_and_filed_by_another_kernel(store: Store, tmp_path: Path) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    first = session.send("one")
    made = asked(session)
    assert list(transport.batches) == ["msgbatch_1"]
    assert [request["params"]["model"] for request in transport.batches["msgbatch_1"]] == [
        "claude-sonnet-5-5", "claude-opus-5-5"
    ]  # fmt: skip
    assert "stream" not in transport.batches["msgbatch_1"][0]["params"]
    assert "in batch msgbatch_1" in str(made)
    assert session.tip == first.id

    with Store.open(tmp_path / "history.db") as other:  # a restart
        later = session_on(other, transport)
        again = asked(later)
        assert len(transport.batches) == 1
        assert [run.state for run in again.runs] == ["waiting", "waiting"]
        assert collect(later).waiting[0].status == "in progress, 0 of 2 done"

        transport.end("msgbatch_1")
        done = collect(later)
        assert len(done.filed) == 2
        assert later.tip == first.id  # filing moves nothing
        assert batches(later) == []
        shown = asked(later)
        assert [turn.text for turn in shown.turns if turn] == ["answer 0", "answer 1"]
        assert {turn.parent for turn in shown.turns if turn} == {first.id}
        assert len(transport.batches) == 1
        assert later.tip == shown.runs[0].turn
        assert other.problems() == []


def test_a_batch_costs_half(store: Store) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    asked(session, "repeat=1")
    transport.end("msgbatch_1")
    (turn,) = collect(session).filed
    assert session.turn(turn).cost == pytest.approx((2.0 + 1.0) / 2)
    assert session.turn(turn).record.inherited["batch"] == "msgbatch_1"


def test_what_failed_in_a_batch_is_asked_again_and_nothing_else(store: Store) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    asked(session, "repeat=3")
    one, two, _ = (request["custom_id"] for request in transport.batches["msgbatch_1"])
    transport.end("msgbatch_1", **{one: server.EXPIRED, two: server.ERRORED})
    done = collect(session)
    assert len(done.filed) == 1
    assert any("expired" in line for line in done.failed)
    assert any("prompt is odd" in line for line in done.failed)
    assert len(session.store.failed(session.id)) == 2
    asked(session, "repeat=3")
    assert [len(requests) for requests in transport.batches.values()] == [3, 2]


def test_filing_twice_changes_nothing(store: Store) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    asked(session, "repeat=2")
    waiting = session.conversation.settings["batches"]
    transport.end("msgbatch_1")
    assert len(collect(session).filed) == 2
    session._configure(batches=waiting)  # as if the kernel had ended before it could note that they were filed
    collect(session)
    assert len(session.turns()) == 2
    assert store.problems() == []


def test_a_refused_batch_leaves_nothing_behind(store: Store) -> None:
    transport = server.BatchServer()
    transport.refuse = (400, "batches are not for you")
    session = session_on(store, transport)
    with pytest.raises(ModelError, match="batches are not for you"):
        asked(session)
    assert batches(session) == []


def test_a_server_that_is_out_of_reach_keeps_the_batch(store: Store) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    asked(session)
    transport.refuse = (404, "not found")
    done = collect(session)
    assert "was not read" in done.failed[0]
    assert len(batches(session)) == 1


def test_the_estimate_is_half_and_is_checked(store: Store) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    live = prepare(session, "two?", axes(GRID), {}, maker=CELL).estimate
    with pytest.raises(BadInput, match="--budget"):
        asked(session, budget=live.about / 3)
    assert transport.batches == {}
    made = asked(session, budget=live.about * 0.6)
    assert made.estimate.about == pytest.approx(live.about / 2)


def test_the_offline_reader_takes_no_batches(store: Store) -> None:
    session = Session.open("notes", store, "offline")
    with pytest.raises(BadInput, match="offline reader takes no batches"):
        asked(session, "repeat=2")


def test_tools_are_offered_but_not_called(store: Store) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    asked(session)
    params = transport.batches["msgbatch_1"][0]["params"]
    assert params["tools"][0]["name"] == "recall"
    assert params["tool_choice"] == {"type": "none"}


def test_a_summary_that_a_batch_needs_is_written_live_once_and_said(store: Store) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    for n in range(8):
        transport.reply("words that fill the window with more and more words " * 120)
        session.send(f"part {n}")
    live = len(transport.requests)
    made = prepare(session, "two?", axes(["ladder=summary", "repeat=3"]), {"window": 8_000}, maker=CELL)
    submit(made)
    written = len(transport.requests) - live
    assert written >= 1
    assert "Writing a summary" in made.note
    bodies = [request["params"]["messages"] for request in transport.batches["msgbatch_1"]]
    assert bodies[0] == bodies[1] == bodies[2]
    assert f"ok {live + written}" in str(bodies[0])
    assert len(transport.requests) == live + written
