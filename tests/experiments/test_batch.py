"""Message Batches with the real SDK's endpoints: sent once, filed whole, whichever kernel files them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import batch_server as server
import pytest

import jupyter_history
from jupyter_history.errors import BadInput, ModelError, NotFound, StoreUnavailable
from jupyter_history.experiments import Experiment, axes, batches, collect, lost
from jupyter_history.experiments.batch import Collected, drop, submit
from jupyter_history.experiments.sweep import prepare
from jupyter_history.model.client import Client
from jupyter_history.session.session import Session
from jupyter_history.store import Store, engine
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


def test_every_way_of_coming_to_nothing_is_named_and_kept_beside_the_tree(store: Store) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    asked(session, "repeat=4")
    one, two, three, four = (request["custom_id"] for request in transport.batches["msgbatch_1"])
    empty = server.succeeded(" ", transport.batches["msgbatch_1"][3])
    transport.end("msgbatch_1", **{one: server.EXPIRED, two: server.ERRORED, three: server.CANCELED, four: empty})
    done = collect(session)
    assert done.filed == ()
    assert sorted(done.failed) == [
        "repeat=1: expired.",
        "repeat=2: errored, prompt is odd.",
        "repeat=3: canceled.",
        "repeat=4: answered with nothing.",
    ]
    assert len(store.failed(session.id)) == 4
    assert batches(session) == []


def test_filing_that_breaks_off_goes_on_after_a_restart_and_files_each_answer_once(
    store: Store, tmp_path: Path
) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    asked(session, "repeat=3")
    first = transport.batches["msgbatch_1"][2]["custom_id"]
    transport.end("msgbatch_1", **{first: server.EXPIRED})
    transport.cut = 3  # a line is read when the next one begins
    done = collect(session)
    assert len(done.filed) == 1
    assert len(done.failed) == 2
    assert "was not read" in done.failed[-1]
    assert len(batches(session)) == 1
    with Store.open(tmp_path / "history.db") as other:
        later = session_on(other, transport)
        again = collect(later)
        assert len(again.filed) == 1
        assert set(again.filed).isdisjoint(done.filed)
        assert batches(later) == []
        assert len(later.turns()) == 2
        assert len(other.failed(later.id)) == 1
        assert other.problems() == []
        assert collect(later) == Collected((), (), ())


def test_two_kernels_that_file_at_once_file_each_answer_once(store: Store, tmp_path: Path) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    asked(session, "repeat=2")
    transport.end("msgbatch_1")
    with Store.open(tmp_path / "history.db") as other:
        later = session_on(other, transport)
        later.refresh()
        assert len(collect(session).filed) == 2
        collect(later)
        assert len(later.turns()) == 2
        assert other.problems() == []


# -- a kernel that ends while it sends ---------------------------------------------------------------------------------


def test_what_is_asked_is_in_the_store_before_it_is_sent(store: Store) -> None:
    rows: list[int] = []

    class Watching(server.BatchServer):
        def handle_request(self, request: Any) -> Any:
            if request.method == "POST" and request.url.path.endswith("/batches"):
                rows.append(len(batches(session)))
            return super().handle_request(request)

    session = session_on(store, Watching())
    asked(session)
    assert rows == [1]


def killed(session: Session, when: str) -> None:
    """As if the kernel had ended `before` the batch arrived, or `after` it did and before its id was here."""
    transport = session.client._transport
    assert isinstance(transport, server.BatchServer)
    transport.lose = when
    with pytest.raises(ModelError):
        asked(session)


def test_a_batch_that_never_arrived_is_said_once_and_sent_by_its_cell(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    transport = server.BatchServer()
    session = session_on(store, transport)
    killed(session, "before")
    assert transport.batches == {}
    young = collect(session)
    assert "is being sent for" in young.waiting[0].line  # another kernel may be at it
    asked(session)
    assert transport.batches == {}
    monkeypatch.setattr(lost, "GRACE", 0.0)
    gone = collect(session)
    assert gone.failed == (
        "A batch of 2 answers of claude-sonnet-5-5 never arrived: its kernel ended before. Its cell sends it.",
    )
    assert collect(session) == Collected((), (), ())
    asked(session)
    assert [len(requests) for requests in transport.batches.values()] == [2]


def test_a_batch_that_arrived_is_found_again_by_its_answers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost, "GRACE", 0.0)
    transport = server.BatchServer()
    session = session_on(store, transport)
    other = Session.open("others", store, "claude-sonnet-5-5", client=session.client)
    asked(other)  # of the same size, and not it
    killed(session, "after")
    made = asked(session)
    assert len(transport.batches) == 2  # nothing is sent again while one may be it
    assert "are on their way" in made.note
    assert "may be it" in collect(session).waiting[0].line
    transport.end("msgbatch_1")
    transport.end("msgbatch_2")
    done = collect(session)
    assert len(done.filed) == 2
    assert {session.turn(turn).record.inherited["batch"] for turn in done.filed} == {"msgbatch_2"}
    assert batches(session) == []
    assert len(collect(other).filed) == 2
    assert store.problems() == []


KILLED = """
import json, os, signal, sys
import batch_server
from jupyter_history.experiments import axes
from jupyter_history.experiments.batch import submit
from jupyter_history.experiments.sweep import prepare
from jupyter_history.model.client import Client
from jupyter_history.session.session import Session
from jupyter_history.transcript import Maker

when, folder = sys.argv[1:]


class Killer(batch_server.BatchServer):
    def _create(self, request):
        if when == "after":
            super()._create(request)
            with open(f"{folder}/sent.json", "w") as file:
                json.dump(self.batches, file)
        os.kill(os.getpid(), signal.SIGKILL)


session = Session.open("notes", f"{folder}/history.db", "claude-sonnet-5-5", client=Client(transport=Killer()))
submit(prepare(session, "two?", axes("repeat=2"), {}, maker=Maker("notebook", "cell-1")))
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kernel_that_is_killed_while_it_sends_leaves_word_of_the_batch(
    when: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lost, "GRACE", 0.0)
    path = os.pathsep.join([str(Path(server.__file__).parent), str(Path(jupyter_history.__file__).parents[1])])
    died = subprocess.run(
        [sys.executable, "-c", KILLED, when, str(tmp_path)], env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert died.returncode == -signal.SIGKILL
    transport = server.BatchServer()
    session = session_on(store, transport)
    (left,) = batches(session)
    assert (left.provider, len(left.points)) == (None, 2)
    if when == "after":
        for id, requests in json.loads((tmp_path / "sent.json").read_text()).items():
            transport.arrive(id, requests)
        transport.end("msgbatch_1")
        assert len(collect(session).filed) == 2
    else:
        assert "never arrived" in collect(session).failed[0]
    assert batches(session) == []
    made = asked(session, "repeat=2")
    assert [run.state for run in made.runs] == ["stored" if when == "after" else "waiting"] * 2
    assert len(transport.batches) == 1
    assert store.problems() == []


def test_where_the_server_lists_no_batches_the_user_decides(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost, "GRACE", 0.0)
    transport = server.BatchServer()
    transport.lists = False
    session = session_on(store, transport)
    killed(session, "before")
    (waiting,) = collect(session).waiting
    assert "whether it arrived is not known" in waiting.line
    assert f"`%chat batches drop {waiting.id}`" in waiting.line
    asked(session)
    assert transport.batches == {}
    with pytest.raises(NotFound, match=f"there are {waiting.id}"):
        drop(session, "msgbatch_9")
    drop(session, waiting.id)
    asked(session)
    assert len(transport.batches) == 1


def test_a_store_that_cannot_be_written_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY", 0.2)  # seconds to wait for another writer
    transport = server.BatchServer()
    with Store.open(tmp_path / "busy.db") as store:
        session = session_on(store, transport)
        made = prepare(session, "two?", axes(GRID), {}, maker=CELL)
        disk = sqlite3.connect(tmp_path / "busy.db", isolation_level=None)
        disk.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable):
            submit(made)
        assert transport.batches == {}
        disk.rollback()
        disk.close()


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
