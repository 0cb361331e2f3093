"""`%%chat --each` in a kernel: one display that fills, one interrupt for all, a rerun that asks for the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

SLOW = "0.03"


@pytest.fixture
def notebook(kernel: Callable[..., Any]) -> Any:
    made = kernel("a.ipynb", ["c1", "c2"], JUPYTER_HISTORY_OFFLINE_DELAY=SLOW)
    made.run("%load_ext jupyter_history")
    made.run("%%chat\nThe launch code is 4711 and the door is green.", "c1")
    return made


def table(cell: Any) -> str:
    return str(cell.displays[0]["text/markdown"])


def test_one_table_is_updated_in_place_and_the_answers_stand_below(notebook: Any) -> None:
    done = notebook.run("%%chat --each repeat=3\nWhat is the launch code?", "c2")
    assert done.updates >= 2
    assert "3 of 3" in table(done)
    assert table(done).count("4711") == 3
    assert len(done.displays) == 2
    assert "4711" in done.displays[1]["text/plain"]
    again = notebook.run("%%chat --each repeat=3\nWhat is the launch code?", "c2")
    assert "all stored: no call was made" in table(again)


def test_one_interrupt_stops_all_and_a_rerun_asks_for_the_rest(notebook: Any) -> None:
    text = "%%chat --each repeat=12\nWhat is the launch code?"
    sent: list[bool] = []

    def interrupt(cell: Any) -> None:
        if not sent and cell.displays and "| done |" in table(cell):
            notebook.manager.interrupt_kernel()
            sent.append(True)

    stopped = notebook.result(notebook.send(text, "c2"), interrupt)
    assert sent
    assert stopped.error is not None
    assert "of 12 answers are kept" in "\n".join(stopped.lines)
    assert "| left out |" in table(stopped)
    kept = table(stopped).count("| done |")
    assert 1 <= kept < 12
    rest = notebook.run(text, "c2")
    assert rest.error is None
    assert table(rest).count("| stored |") == kept
    assert table(rest).count("| done |") == 12 - kept
