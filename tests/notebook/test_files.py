"""Notebooks that are copied, renamed, recreated, or run by a batch runner."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import jupyter_history

from .conftest import MIME, save

Start = Callable[..., Any]


def test_a_renamed_notebook_goes_on(kernel: Start, tmp_path: Path) -> None:
    first = kernel("Untitled.ipynb", ("c1", "c2"))
    answer = first.ask("one", "c1").answer
    first.notebook.rename(tmp_path / "analysis.ipynb")
    again = kernel("analysis.ipynb", ("c1", "c2")).ask("one", "c1").answer
    assert (again["id"], again["stored"]) == (answer["id"], True)
    assert any("Untitled.ipynb" in note for note in again["notes"])


def test_a_copied_notebook_gets_a_fork_and_the_original_keeps_its_own(kernel: Start, tmp_path: Path) -> None:
    first = kernel("a.ipynb", ("c1", "c2", "c3"))
    one = first.ask("one", "c1").answer
    first.ask("two", "c2")
    shutil.copy(first.notebook, tmp_path / "b.ipynb")
    copy = kernel("b.ipynb", ("c1", "c2", "c3"))
    again = [copy.ask(text, cell).answer for text, cell in (("one", "c1"), ("two", "c2"))]
    assert all(answer["stored"] for answer in again)
    assert again[0]["conversation"] != one["conversation"]
    assert any("copy of a.ipynb" in note for note in again[0]["notes"])
    copy.ask("three, in the copy", "c3")
    copy.restart()
    assert copy.ask("three, in the copy", "c3").answer["stored"]
    assert first.ask("three", "c3").answer["conversation"] == one["conversation"]
    assert len(first.path()) == 3


def test_a_copied_notebook_runs_its_own_fork_cell(kernel: Start, tmp_path: Path) -> None:
    cells = [("one", "c1", ""), ("two", "c2", "--fork other"), ("three", "c3", "")]
    first = kernel("a.ipynb", ("c1", "c2", "c3"))
    theirs = {first.ask(*cell).answer["conversation"] for cell in cells}
    shutil.copy(first.notebook, tmp_path / "b.ipynb")
    copy = kernel("b.ipynb", ("c1", "c2", "c3"))
    ours = {copy.ask(*cell).answer["conversation"] for cell in cells}
    assert len(ours) == 2
    assert not ours & theirs
    assert all(copy.ask(*cell).answer["stored"] for cell in cells)


def test_a_recreated_notebook_begins_a_new_conversation_and_says_so(kernel: Start) -> None:
    first = kernel("Untitled.ipynb", ("c1",)).ask("one", "c1").answer
    second = kernel("Untitled.ipynb", ("n1",)).ask("one", "n1").answer
    assert second["conversation"] != first["conversation"]
    assert any(first["conversation"] in note for note in second["notes"])


def test_a_cell_that_was_moved_into_another_notebook_leaves_its_conversation_behind(
    kernel: Start, tmp_path: Path
) -> None:
    first = kernel("a.ipynb", ("c1", "c2", "c3"))
    theirs = [first.ask(text, cell).answer["conversation"] for text, cell in (("one", "c1"), ("two", "c3"))]
    save(first.notebook, "c1", "c2")
    ours = kernel("b.ipynb", ("n1", "c3")).ask("three", "n1").answer
    assert ours["parent"] is None
    assert ours["conversation"] not in theirs
    assert any(f"were in a.ipynb; `%chat open {theirs[0]}`" in note for note in ours["notes"]), ours["notes"]


def test_a_path_without_a_cell_says_so(kernel: Start) -> None:
    notebook = kernel("a.ipynb", ("c1", "c2"))
    kept, gone = notebook.ask("one", "c1").answer["id"], notebook.ask("two", "c2").answer["id"]
    assert "cell is gone" not in notebook.say("path")
    notebook.restart()
    assert "cell is gone" not in notebook.say("path")
    notebook.notebook.write_text(notebook.notebook.read_text().replace('"c2"', '"c9"'))
    lines = notebook.say("path").splitlines()
    assert "cell is gone" in next(line for line in lines if gone in line)
    assert "cell is gone" not in next(line for line in lines if kept in line)


def test_a_batch_runner_that_is_told_the_file_shows_stored_answers_as_jupyterlab_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.ipynb"
    sources = ["%load_ext jupyter_history", "%%chat\nOnce.", "x = 1", "%%chat\nAgain.", "%%chat\nAgain."]
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources]), path)
    clean(monkeypatch, tmp_path)
    monkeypatch.setenv("JUPYTER_HISTORY_NOTEBOOK", str(path))

    def run() -> list[dict[str, Any]]:
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        return [output.data[MIME] for cell in notebook.cells for output in cell.outputs if MIME in output.data]

    first, second = run(), run()
    assert [answer["stored"] for answer in first] == [False] * 3
    assert [answer["stored"] for answer in second] == [True] * 3
    assert [answer["id"] for answer in second] == [answer["id"] for answer in first]
    assert len({answer["id"] for answer in first}) == 3, "cells of the same text are two cells"
    path.write_text(path.read_text().replace("Once.", "Twice."))
    edited = run()
    assert edited[0]["siblings"] == [first[0]["id"], edited[0]["id"]]
    assert edited[1]["parent"] == edited[0]["id"]


def test_a_batch_runner_that_is_told_a_wrong_file_sends_nothing_and_says_so(kernel: Start, tmp_path: Path) -> None:
    batch = kernel(JUPYTER_HISTORY_NOTEBOOK=str(tmp_path / "nowhere.ipynb"))
    done = batch.run("%%chat\nHello?", None)
    assert len(done.lines) == 1
    assert "nowhere.ipynb" in done.lines[0]
    assert "nothing was sent" in done.lines[0]


def clean(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Kernels that begin now have their store there, and no key."""
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", str(folder / "history.db"))
    monkeypatch.setenv("PYTHONPATH", str(Path(jupyter_history.__file__).parents[1]))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)


def test_a_batch_runner_runs_a_notebook_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clean(monkeypatch, tmp_path)
    sources = [
        "%load_ext jupyter_history",
        "%%chat -o one --label start\nWhat is a mixture?",
        "%%chat -o two\nAnd then?",
        "%%chat -o three --edit start\nWhat is a blend?",
        "%%chat -o four --fork other\nOn.",
        "%chat tree",
        "",
        "assert two.parent == one.id and three.siblings == [one.id, three.id]",
        "assert four.conversation != one.conversation",
    ]
    sources[6] = "get_ipython().run_line_magic('chat', f'open {one.conversation}')\n"
    sources[6] += "get_ipython().run_line_magic('chat', f'compare {one.id} {three.id}')"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert sum("text/markdown" in output.get("data", {}) for output in outputs) >= 4
    nbformat.validate(notebook)
