"""What runs begun from Python show of themselves: one display in a kernel, one line in a terminal, or nothing."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_history.experiments import page_test, recall_test
from jupyter_history.experiments.estimate import Estimate
from jupyter_history.experiments.runs import Run
from jupyter_history.experiments.table import line
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.store import Store

VIEW = "application/vnd.jupyter-history.view.v1+json"
SCRIPT = """
from jupyter_history import Session
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
server = Scripted()
for n in range(8):
    server.reply(f"answer {n}, whole", chunks=4, delay=0.05)
session = Session.open("notes", None, "claude-sonnet-5-5", client=Client(transport=server))
"""


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def quiet(_line: str) -> None:
    """Nobody reads the estimate."""


def ask(_watch: Any) -> None:
    return None


def runs(*states: str, started: float = 0.0) -> list[Run]:
    return [Run(str(n), ask, state=state, started=started, cost=0.01) for n, state in enumerate(states)]  # type: ignore[arg-type]


def test_the_line_counts_what_ended_and_says_what_it_cost() -> None:
    said = line(runs("done", "failed", "running", "waiting"), Estimate(4, 1_000, 0.5, 0.9))
    assert said.startswith("██████████░░░░░░░░░░ 2 of 4 · 1 failed · $0.0400 so far · estimated before: 4 calls")


def test_the_line_never_calls_free_what_has_no_known_price() -> None:
    waiting, done = runs("waiting", "waiting"), runs("done", "done")
    waiting[0].cost = waiting[1].cost = None
    assert "· nothing so far ·" in line(waiting, Estimate(2))
    done[0].cost = done[1].cost = 0.0
    assert "· free ·" in line(done, Estimate(2))
    done[0].cost = None
    assert "· price unknown ·" in line(done, Estimate(2))
    done[1].cost = 0.02
    assert "· $0.0200, 1 of unknown price ·" in line(done, Estimate(2))


def test_the_line_says_how_long_the_rest_may_take_once_there_is_a_pace() -> None:
    two = runs("done", "done", started=100.0) + runs("waiting", "waiting", "waiting")
    assert "left" not in line(two, Estimate(5), now=101.0)
    assert "about 15 s left" in line(two, Estimate(5), now=110.0)
    assert "about 8 min left" in line(two, Estimate(5), now=400.0)
    assert "left" not in line(runs("done", "done", started=100.0), Estimate(2), now=110.0)


# -- in a terminal -----------------------------------------------------------------------------------------------------


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """The stderr from here on; pytest puts its own back between a fixture and its test."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("COLUMNS", "60")
    return made


def test_in_a_terminal_one_line_is_written_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    page_test("offline", "default", tokens=5, tell=quiet)
    written = stderr.getvalue()
    assert written.count("\n") == 1
    lines = [part.removesuffix("\x1b[K") for part in written.rstrip("\n").split("\r")[1:]]
    assert len(lines) >= 2
    assert "5 of 5" in lines[-1]
    assert all(len(part) < 60 for part in lines)


def test_a_script_whose_stderr_is_no_terminal_writes_the_first_and_the_last_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with Store.open(tmp_path / "history.db") as store:
        Session.open("notes", store, "offline").experiment("two?", "repeat=3")
    said = capsys.readouterr()
    assert said.out == ""
    first, last = said.err.splitlines()
    assert "0 of 3 · nothing so far · estimated before: 3 calls" in first
    assert "3 of 3 · free" in last


def test_the_estimate_is_told_before_the_first_call(tmp_path: Path) -> None:
    script, asked = Scripted(), list[int]()
    with Store.open(tmp_path / "history.db") as store:
        session = Session.open("notes", store, "claude-sonnet-5-5", client=Client(transport=script))
        session.experiment("two?", "repeat=2", show=lambda _made, _runs: asked.append(len(script.requests)))
    assert asked[0] == 0
    assert asked[-1] == 2


@pytest.mark.parametrize("show", [False, None])
def test_show_false_is_silent(show: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    page_test("offline", "default", tokens=5, tell=quiet, show=show)
    assert stderr.getvalue() == ""


def test_a_function_is_called_in_place_of_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    seen: list[int] = []
    recall_test(
        "debugging",
        ladders="off",
        models="offline-long",
        tell=quiet,
        show=lambda runs: seen.append(runs.ended),
    )
    assert seen[-1] == 20
    assert stderr.getvalue() == ""


# -- in a kernel -------------------------------------------------------------------------------------------------------


@pytest.fixture
def notebook(kernel: Callable[..., Any]) -> Any:
    made = kernel("a.ipynb", ["c1"], JUPYTER_HISTORY_OFFLINE_DELAY="0.01")
    assert made.run(SCRIPT).status == "ok"
    return made


def test_a_few_points_from_python_fill_one_comparison(notebook: Any) -> None:
    looks: list[str] = []
    done = notebook.result(
        notebook.send("made = session.experiment('two?', 'repeat=3')"),
        lambda cell: looks.append(str(cell.displays[0]["text/plain"])) if cell.displays else None,
    )
    assert done.error is None
    assert (done.out, done.err) == ("", "")
    (shown,) = done.displays
    assert len(shown[VIEW]["data"]["columns"]) == 3
    assert "3 of 3" in shown["text/plain"]
    assert any("0 of 3" in look for look in looks)
    assert done.updates >= 2


def test_more_points_are_one_bar_and_the_result_has_the_table(notebook: Any) -> None:
    done = notebook.run("display(session.experiment('two?', 'repeat=8'))")
    bar, table = done.displays
    assert VIEW not in bar
    assert "8 of 8" in bar["text/plain"]
    assert "\n" not in bar["text/plain"]
    assert "$" not in bar["text/markdown"]
    assert table["text/markdown"].count("| done |") == 8


RECALL = """
from jupyter_history.experiments import recall_test
found = recall_test(["debugging", "analysis"], ladders="off", models="offline-long", lanes=1)
"""


def test_one_interrupt_stops_a_recall_test_and_keeps_what_was_answered(notebook: Any) -> None:
    sent: list[bool] = []

    def interrupt(cell: Any) -> None:
        if not sent and cell.displays and not cell.displays[0]["text/plain"].split(" of ")[0].endswith(" 0"):
            notebook.manager.interrupt_kernel()
            sent.append(True)

    stopped = notebook.result(notebook.send(RECALL), interrupt)
    assert sent
    assert len(stopped.displays) == 1
    assert "questions were answered; `sys.last_value.result` has them" in "\n".join(stopped.lines)
    kept = notebook.run("import sys; made = sys.last_value.result; print(len(made.asked), len(made.failed))")
    answered, failed = map(int, kept.out.split())
    assert 0 < answered < 40
    assert answered + failed <= 40


def test_a_recall_test_shows_one_bar(notebook: Any) -> None:
    done = notebook.run(RECALL.replace('["debugging", "analysis"]', '"debugging"'))
    assert "Recall test, 20 questions: 20 calls" in done.out
    (bar,) = done.displays
    assert "20 of 20 · free" in bar["text/plain"]
    assert done.updates >= 2
