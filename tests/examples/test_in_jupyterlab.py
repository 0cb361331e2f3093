"""The examples as JupyterLab runs them: cells told apart by their ids, one notebook file, from top to bottom, twice."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
sys.path.append(str(EXAMPLES))
examples = importlib.import_module("store_outputs")
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))
TURN = "application/vnd.jupyter-history.turn.v1+json"


class Ran(NamedTuple):
    """How a cell ended, and the answers that it showed."""

    error: str
    answers: list[dict[str, Any]]


class Lab:
    """One kernel that serves one notebook after the other."""

    def __init__(self) -> None:
        env = {**examples.offline(ROOT), "PYTHONPATH": str(ROOT)}
        self.manager, self.client = start_new_kernel(kernel_name="python3", env=env, startup_timeout=60)

    def open(self, folder: Path, name: str) -> list[Any]:
        """Begin anew as the kernel of this notebook; its code cells."""
        examples.bring_samples(folder)
        book = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
        nbformat.write(book, folder / f"{name}.ipynb")
        told = {"JUPYTER_HISTORY_STORE": str(folder / "history.db"), "JPY_SESSION_NAME": str(folder / f"{name}.ipynb")}
        self.run("%reset -f\n%unload_ext jupyter_history")
        began = self.run(f"import os\nos.environ.update({told!r})\nos.chdir({str(folder)!r})")
        assert not began.error
        return [cell for cell in book.cells if cell.cell_type == "code"]

    def run(self, code: str, cell: str | None = None) -> Ran:
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
        message = self.client.session.msg(
            "execute_request", content | {"user_expressions": {}}, metadata={"cellId": cell} if cell else {}
        )
        self.client.shell_channel.send(message)
        error, answers = "", {}
        while True:
            heard = self.client.get_iopub_msg(timeout=60)
            if heard["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            content = heard["content"]
            if heard["msg_type"] == "error":
                error = f"{content['ename']}: {content['evalue']}"
            if heard["msg_type"] == "status" and content["execution_state"] == "idle":
                break
            shown = content.get("data", {}).get(TURN) if isinstance(content.get("data"), dict) else None
            if shown is not None:
                answers[shown["id"]] = shown
        while self.client.get_shell_msg(timeout=60)["parent_header"]["msg_id"] != message["header"]["msg_id"]:
            pass
        return Ran(error, list(answers.values()))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    made = Lab()
    yield made
    made.client.stop_channels()
    made.manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs_twice_in_jupyterlab(name: str, lab: Lab, tmp_path: Path) -> None:
    cells = lab.open(tmp_path, name)
    first = {cell.id: lab.run(cell.source, cell.id) for cell in cells}
    second = {cell.id: lab.run(cell.source, cell.id) for cell in cells}
    assert [ran.error for ran in (*first.values(), *second.values()) if ran.error] == []
    asks = [cell for cell in cells if cell.source.startswith("%%chat") and "--each" not in cell.source]
    if not any("%chat new" in cell.source for cell in cells):  # there, a run begins a conversation
        again = [cell.source for cell in asks if not all(answer["stored"] for answer in second[cell.id].answers)]
        assert again == []
