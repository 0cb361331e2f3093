"""A grid of settings: what is asked, from where, what is stored, what is never asked again."""

from __future__ import annotations

import io
import sqlite3
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from PIL import Image

from jupyter_history.errors import BadInput, Stopped
from jupyter_history.experiments import axes, experiment, grid
from jupyter_history.experiments.points import Value
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.store import Store, engine
from jupyter_history.transcript import Maker, Usage

CELL = Maker("notebook", "cell-1")


def test_axes_make_a_grid_and_equal_points_are_takes() -> None:
    points = grid(axes(["ladder=off,elide,elision+snapshot", "repeat=2"]), {"system": "Be brief."})
    assert [(point.settings["ladder"], point.take) for point in points] == [
        ("off", 1), ("off", 2), ("elision", 1), ("elision", 2), ("elision,snapshot", 1), ("elision,snapshot", 2)
    ]  # fmt: skip
    assert points[1].variant == "ladder=off, repeat=2"
    assert {point.settings["system"] for point in points} == {"Be brief."}


@pytest.mark.parametrize(
    ("each", "part"),
    [
        ("ladder", "write NAME=VALUE"),
        ("colour=red", "there are ladder, model"),
        ("ladder=off,shrink", "No rung is called 'shrink'"),
        ("repeat=0", "not a number from 1"),
        ("repeat=500", "at most 200"),
        ("repeat=nan", "not a number from 1"),
        ("repeat=-2", "not a number from 1"),
        ("repeat=2,3", "takes one number"),
        ("window=0", "not a number from 1"),
        ("max_tokens=1.5", "not a number from 1"),
        ("ladder=off,off", "off stands there twice; `repeat=2` asks everything twice"),
        ("ladder=elide,elision", "elision stands there twice"),
        ("model=offline,offline-4k,offline", "offline stands there twice"),
        ({"repeat": 2.5}, "2.5 is not a number from 1"),
        ({"repeat": True}, "True is not a number from 1"),
        ({"window": float("inf")}, "inf is not a number from 1"),
        ({"model": None, "ladder": []}, "no value is given"),
    ],
)
def test_what_does_not_fit_is_named(each: Any, part: str) -> None:
    with pytest.raises(BadInput, match=part):
        grid(axes(each))


@pytest.mark.parametrize("budget", [0, -1.0, float("nan"), "1", True])
def test_a_budget_is_an_amount_of_dollars(session: Session, script: Scripted, budget: Any) -> None:
    with pytest.raises(BadInput, match="an amount of dollars over 0"):
        experiment(session, "two?", "repeat=2", budget=budget)
    assert script.requests == []


@pytest.mark.parametrize("lanes", [0, -1, 1.5, 65, float("nan"), True])
def test_lanes_are_counted_from_1(session: Session, script: Scripted, lanes: Any) -> None:
    with pytest.raises(BadInput, match="from 1 to 64"):
        experiment(session, "two?", "repeat=2", lanes=lanes)
    assert script.requests == []


def test_two_files_with_one_text_are_the_same_system_prompt() -> None:
    with pytest.raises(BadInput, match=r"@a.md and @b.md are the same"):
        axes({"system": [Value("@a.md", "Be brief."), Value("@b.md", "Be brief.")]})


def test_every_point_is_a_sibling_under_one_parent(session: Session, script: Scripted) -> None:
    first = session.send("one")
    made = session.experiment("two?", {"model": ["claude-sonnet-5-5", "claude-opus-5-5"], "repeat": 2})
    turns = [turn for turn in made.turns if turn is not None]
    assert len({turn.id for turn in turns}) == 4
    assert {turn.parent for turn in turns} == {first.id}
    assert sorted(body["model"] for body in script.requests[1:]) == ["claude-opus-5-5"] * 2 + ["claude-sonnet-5-5"] * 2
    assert session.tip == turns[0].id
    assert session.store.problems() == []


def test_running_it_again_makes_no_call(session: Session, script: Scripted, store: Store) -> None:
    session.send("one")
    before = experiment(session, "two?", "ladder=off,snapshot", maker=CELL)
    follow_up = session.send("three")
    calls = len(script.requests)
    fresh = Session.open("notes", store, client=Client(transport=script))
    after = experiment(fresh, "two?", "ladder=off,snapshot", maker=CELL)
    assert len(script.requests) == calls
    assert [run.state for run in after.runs] == ["stored", "stored"]
    assert [turn.id for turn in after.turns if turn] == [turn.id for turn in before.turns if turn]
    assert fresh.tip == follow_up.id


def test_another_value_asks_only_for_that(session: Session, script: Scripted) -> None:
    experiment(session, "two?", "repeat=2", maker=CELL)
    made = experiment(session, "two?", "repeat=3", maker=CELL)
    assert [run.state for run in made.runs] == ["stored", "stored", "done"]
    assert len(script.requests) == 3
    assert len(set(session.siblings(made.turns[0].id))) == 3  # type: ignore[union-attr]


def test_at_tip_follows_up_once(session: Session, script: Scripted) -> None:
    first = session.send("one")
    made = [experiment(session, "two?", "repeat=2", maker=CELL, at="tip") for _ in range(2)]
    assert len(script.requests) == 3
    assert {turn.parent for each in made for turn in each.turns if turn} == {first.id}


def test_an_edited_prompt_stands_beside_the_first_ones(session: Session) -> None:
    one = experiment(session, "two?", "repeat=2", maker=CELL)
    other = experiment(session, "deux?", "repeat=2", maker=CELL)
    assert {turn.parent for turn in (*one.turns, *other.turns) if turn} == {None}
    assert session.tip == other.runs[0].turn


def test_the_estimate_is_checked_before_the_first_call(session: Session, script: Scripted) -> None:
    with pytest.raises(BadInput, match=r"Nothing was sent: 3 calls .* the limit is \$0.0001. `budget=0.\d\d` allows"):
        experiment(session, "two?", "repeat=3", budget=0.0001)
    assert script.requests == []


def test_when_the_budget_is_spent_no_further_run_begins(session: Session, script: Scripted) -> None:
    for _ in range(6):
        script.reply("dear", usage=Usage(input=1_000_000, output=10))  # two dollars
    made = experiment(session, "two?", "repeat=6", budget=1.0, lanes=1)
    assert [run.state for run in made.runs] == ["done"] + ["left out"] * 5
    assert "the budget is spent" in made.runs[-1].error


def test_an_error_of_one_run_leaves_the_others(session: Session, script: Scripted) -> None:
    script.reply("fine").error(400, "invalid_request_error", "no")
    made = experiment(session, "two?", "repeat=3", lanes=1)
    assert made.runs[0].state == "done"
    assert sorted(run.state for run in made.runs) == ["done", "done", "failed"]
    assert [row["turn"] is None for row in made.rows] == [run.state == "failed" for run in made.runs]
    assert len(session.store.failed(session.id)) == 1


class Counting(Scripted):
    """Notes how many answers stream at once, and when each request came."""

    def __init__(self) -> None:
        super().__init__()
        self.at_once = self.most = 0
        self.began: list[tuple[float, str]] = []
        self.first_text: float | None = None
        self._lock = threading.Lock()

    def handle_request(self, request: Any) -> Any:
        self.began.append((time.monotonic(), request.url.path))
        response = super().handle_request(request)
        stream = response.stream
        inner = getattr(stream, "_parts", ())

        def counted() -> Any:
            with self._lock:
                self.at_once += 1
                self.most = max(self.most, self.at_once)
            try:
                for n, part in enumerate(inner):
                    if n == 2 and self.first_text is None:
                        self.first_text = time.monotonic()
                    yield part
            finally:
                with self._lock:
                    self.at_once -= 1

        if hasattr(stream, "_parts"):
            stream._parts = counted()
        return response


def test_of_one_prefix_the_first_starts_alone_and_few_run_at_once(store: Store) -> None:
    script = Counting()
    for _ in range(8):
        script.reply("a b c d", chunks=4, delay=0.02)
    session = Session.open("notes", store, "claude-sonnet-5-5", client=Client(transport=script))
    experiment(session, "two?", "repeat=8", lanes=3)
    assert script.first_text is not None
    assert script.began[1][0] >= script.first_text > script.began[0][0]
    assert 2 <= script.most <= 3


def test_a_rate_limit_holds_all_runs(store: Store) -> None:
    script = Counting()
    script.reply("a").error(429, "rate_limit_error", "slow down", headers={"retry-after": "0.5"})
    session = Session.open("notes", store, "claude-sonnet-5-5", client=Client(transport=script))
    made = experiment(session, "two?", "repeat=6", lanes=2)
    assert {run.state for run in made.runs} == {"done"}
    times = [at for at, _ in script.began]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert max(gaps) > 0.4
    held = gaps.index(max(gaps))
    assert held <= 3  # after the refusal at most the run that was already under way went on


def test_one_stop_ends_all_and_keeps_what_finished(store: Store) -> None:
    script = Scripted()
    script.reply("first, whole")
    for _ in range(2):
        script.reply("slow " * 400, chunks=400, delay=0.05)
    session = Session.open("notes", store, "claude-sonnet-5-5", client=Client(transport=script))

    def show(_made: object, runs: Any) -> None:
        if sum(run.state == "writing" for run in runs.runs) >= 2:
            raise KeyboardInterrupt

    with pytest.raises(Stopped, match="of 4 answers are kept") as stop:
        experiment(session, "two?", "repeat=4", lanes=2, show=show, maker=CELL)
    made = stop.value.experiment  # type: ignore[attr-defined]
    assert made.runs[0].state == "done"
    assert {run.state for run in made.runs} <= {"done", "stopped", "left out"}
    assert all(stream.closed for stream in script.streams)
    kept = [turn for turn in made.turns if turn is not None]
    assert [turn.outcome for turn in kept].count("complete") == 1
    assert any(turn.outcome == "stopped" and turn.text.startswith("slow") for turn in kept)
    asked = len(script.requests)
    again = experiment(session, "two?", "repeat=4", maker=CELL)
    assert {turn.outcome for turn in again.turns if turn} == {"complete"}
    assert len(script.requests) == asked + 3
    assert session.store.problems() == []


def test_results_are_rows_and_a_frame(session: Session, script: Scripted) -> None:
    script.reply("yes", usage=Usage(input=100, output=7, cache_read=50))
    made = experiment(session, "two?", ["ladder=off", "repeat=2"], lanes=1, score=lambda text: float(text == "yes"))
    row = made.rows[0]
    assert (row["variant"], row["ladder"], row["answer"], row["score"]) == ("ladder=off, repeat=1", "off", "yes", 1.0)
    assert (row["input"], row["output"], row["cache_read"], row["tokens"]) == (100, 7, 50, 157)
    assert row["turn"] == made.turns[0].id  # type: ignore[union-attr]
    pandas = pytest.importorskip("pandas")
    assert isinstance(made.results, pandas.DataFrame)
    assert list(made.results["score"]) == [1.0, 0.0]


def test_compare_shows_the_answers_side_by_side(session: Session) -> None:
    made = experiment(session, "two?", "repeat=2")
    assert [turn.id for turn in made.compare().turns] == [run.turn for run in made.runs]


def test_the_table_has_a_bar_the_cost_and_every_point(session: Session, script: Scripted) -> None:
    script.reply("a | b <script>alert(1)</script>")
    made = experiment(session, "two?", "ladder=off,snapshot", lanes=1)
    text = str(made)
    assert "2 of 2" in text
    assert "estimated before: 2 calls" in text
    assert "ladder=snapshot" in text
    assert "<script>" in text
    marked = made._repr_markdown_()
    assert "<script>" not in marked
    assert "$" not in marked  # dollars begin a formula; ours are written as entities
    again = experiment(session, "two?", "ladder=off,snapshot")
    assert "all stored: no call was made" in str(again)


def test_a_figure_shows_each_variant(session: Session) -> None:
    pytest.importorskip("matplotlib")
    made = experiment(session, "two?", {"ladder": ["off", "snapshot"], "repeat": 2})
    bars, dollars = made.plot().axes
    assert dollars.get_xlabel() == "dollars"
    assert [label.get_text() for label in bars.get_yticklabels()] == ["ladder=off", "ladder=snapshot"]
    dots, _ = made.plot(score=lambda text: 0.5).axes
    assert len(dots.collections) == 2
    assert dots.get_legend_handles_labels()[1] == ["ladder=off: 0.50 (n = 2)", "ladder=snapshot: 0.50 (n = 2)"]


def test_a_figure_shows_itself_and_has_no_dollars_where_nothing_was_paid(store: Store) -> None:
    pytest.importorskip("matplotlib")
    made = Session.open("free", store, "offline").experiment("two?", "ladder=off,snapshot")
    drawn = made.plot()
    (tokens,) = drawn.axes
    assert tokens.get_xlabel() == "tokens (in and out)"
    assert drawn.get_suptitle() == "free: offline"
    shell = InteractiveShell.instance()
    shown, _ = shell.display_formatter.format(drawn)  # type: ignore[union-attr]
    InteractiveShell.clear_instance()
    assert shown["image/png"].startswith(b"\x89PNG")


def test_ladders_that_have_nothing_to_do_say_so(session: Session, script: Scripted) -> None:
    session.send("one")
    made = experiment(session, "two?", "ladder=off,snapshot")
    assert "every ladder sends it whole" in str(made)
    for _ in range(6):
        script.reply("words that fill the window with more and more words " * 120)
        session.send("go on")
    tight = experiment(session, "three?", "ladder=off,snapshot", window=8_000)
    assert "every ladder sends it whole" not in str(tight)
    rows = {row["ladder"]: row for row in tight.rows}
    assert rows["off"]["snapshot"] == 0
    assert rows["snapshot"]["snapshot"] > 0
    assert f"snapshot {rows['snapshot']['snapshot']:,}" in str(tight)


def test_rule_7_answers_that_cannot_be_saved_are_kept(
    tmp_path: Path, script: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY", 0.2)  # seconds to wait for another writer
    folder = tmp_path / "home"
    folder.mkdir()
    with Store.open(folder / "history.db") as store:
        session = Session.open("notes", store, "claude-sonnet-5-5", client=Client(transport=script))
        session.send("one")
        disk = sqlite3.connect(folder / "history.db", isolation_level=None)

        def show(_made: object, runs: Any) -> None:
            if not disk.in_transaction and any(run.state == "writing" for run in runs.runs):
                disk.execute("BEGIN IMMEDIATE")  # somebody else writes, and does not end

        for _ in range(2):
            script.reply("a b c d e", chunks=5, delay=0.2)
        made = experiment(session, "two?", "repeat=2", show=show)
        assert len(session.unsaved) == 2
        assert made.note.startswith("Not saved")
        disk.rollback()
        session.send("three")
        assert session.unsaved == ()
        assert {turn.text for turn in made.turns if turn} <= {turn.text for turn in session.turns()}
        assert len(session.turns()) == 4
        disk.close()


def test_what_is_attached_goes_with_every_point_and_belongs_to_the_question(session: Session, script: Scripted) -> None:
    png = io.BytesIO()
    Image.new("1", (8, 8)).save(png, "PNG")
    for _ in range(2):
        experiment(session, "what is it?", "repeat=2", images=[png.getvalue()], maker=CELL)
    assert len(script.requests) == 2
    assert all(body["messages"][0]["content"][0]["type"] == "image" for body in script.requests)
    experiment(session, "what is it?", "repeat=2", maker=CELL)
    assert len(script.requests) == 4


def test_the_users_functions_run_one_at_a_time(session: Session, script: Scripted) -> None:
    running: list[int] = []
    most = 0

    def look(what: str) -> str:
        """Look."""
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        time.sleep(0.05)
        running.pop()
        return "seen"

    session.tools.add(look)
    for n in range(4):
        script.tool_call("look", {"what": str(n)})
    made = experiment(session, "two?", "repeat=4", lanes=4)
    assert {run.state for run in made.runs} == {"done"}
    assert most == 1
    assert sum(bool(message.results) for turn in made.turns if turn for message in turn.messages) == 4
