"""A shell with the extension loaded, for what needs no kernel; real kernels for what does."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from IPython.core.interactiveshell import InteractiveShell
from jupyter_client.manager import start_new_kernel

import jupyter_history

ROOT = Path(jupyter_history.__file__).parents[1]


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A new shell in an empty folder, with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", str(tmp_path / "history.db"))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "JUPYTER_HISTORY_MODEL"):
        monkeypatch.delenv(name, raising=False)
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(colors="nocolor")
    shell.history_manager.enabled = False
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def shell(bare: InteractiveShell) -> Iterator[InteractiveShell]:
    """The same with `%load_ext jupyter_history`."""
    bare.run_line_magic("load_ext", "jupyter_history")
    yield bare
    bare.run_line_magic("unload_ext", "jupyter_history")


MIME = "application/vnd.jupyter-history.turn.v1+json"


@dataclass
class Cell:
    """What running one cell gave: the front end's view of its outputs."""

    status: str = ""
    displays: list[dict[str, Any]] = field(default_factory=list)
    """The bundles on show, each in its last form."""
    updates: int = 0
    out: str = ""
    err: str = ""
    error: tuple[str, str, list[str]] | None = None
    """(name, value, the lines that are shown)"""

    pushed: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """(comm, what the kernel told it)"""

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The answers on show, as our JSON."""
        return [bundle[MIME] for bundle in self.displays if MIME in bundle]

    @property
    def answer(self) -> dict[str, Any]:
        """The only answer on show."""
        (answer,) = self.answers
        return answer

    @property
    def text(self) -> str:
        (bundle,) = self.displays
        return str(bundle["text/markdown"])

    @property
    def lines(self) -> list[str]:
        """All lines of an error, whichever way it is shown."""
        return [*self.err.splitlines(), *("\n".join(self.error[2]).splitlines() if self.error else [])]


MAGICS = "get_ipython().magics_manager.registry['ChatMagics']"
SCRIPT = f"""
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
scripted = Scripted()
current = {MAGICS}.current
current._client = Client(transport=scripted)
current.session = None
"""


class Kernel:
    """A real kernel and the notebook file it serves; cells are told apart by their ids, as JupyterLab does.

    Processes are expensive and used again: a kernel that begins anew unloads the extension, with all it knows.
    """

    def __init__(self) -> None:
        self.environ = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
        self.environ |= {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
        self.start()

    def start(self) -> None:
        self.passed_over: list[dict[str, Any]] = []
        self.manager, self.client = start_new_kernel(kernel_name="python3", env=self.environ, startup_timeout=60)

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def serve(self, folder: Path, notebook: Path | None, **environ: str) -> None:
        """Begin as the kernel of this notebook, with the store of this folder."""
        self.notebook = notebook
        self.told = {"JUPYTER_HISTORY_STORE": str(folder / "history.db"), **environ}
        if notebook is not None:
            self.told["JPY_SESSION_NAME"] = str(notebook)
        self.folder = folder
        self.restart()

    def restart(self, *, process: bool = False) -> None:
        """Begin anew; in a new process where that makes a difference."""
        if process:
            self.stop()
            self.start()
        began = self.run(
            "%reset -f\n%unload_ext jupyter_history\nimport os\n"
            "from jupyter_history.notebook import extension\nextension.forget()\n"
            "for name in list(os.environ):\n"
            "    if name.startswith(('ANTHROPIC_', 'JPY_', 'JUPYTER_HISTORY_')): del os.environ[name]\n"
            f"os.environ.update({self.told!r})\nos.chdir({str(self.folder)!r})\n%load_ext jupyter_history"
        )
        assert began.status == "ok", began

    def send(self, code: str, cell: str | None = None) -> str:
        """Ask for a cell to be run; the id of the request."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
        message = self.client.session.msg(
            "execute_request", content | {"user_expressions": {}}, metadata={"cellId": cell} if cell else {}
        )
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def result(self, request: str, each: Callable[[Cell], None] = lambda _cell: None) -> Cell:
        """Wait for a cell to finish; `each` sees it after every message."""
        cell, places = Cell(), dict[str, int]()
        while True:
            message = self.passed_over.pop(0) if self.passed_over else self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            place = content.get("transient", {}).get("display_id", "") if kind.endswith("display_data") else ""
            if kind == "display_data":
                places[place] = len(cell.displays)
                cell.displays.append(content["data"])
            elif kind == "update_display_data":
                cell.displays[places[place]] = content["data"]
                cell.updates += 1
            elif kind == "stream":
                setattr(cell, name := content["name"][3:], getattr(cell, name) + content["text"])
            elif kind == "error":
                cell.error = (content["ename"], content["evalue"], content["traceback"])
            elif kind == "comm_msg":
                cell.pushed.append((content["comm_id"], content["data"]))
            elif kind == "execute_result":
                cell.out += content["data"]["text/plain"] + "\n"
            elif kind == "status" and content["execution_state"] == "idle":
                break
            each(cell)
        while (reply := self.client.get_shell_msg(timeout=60))["parent_header"]["msg_id"] != request:
            pass
        cell.status = reply["content"]["status"]
        return cell

    def run(self, code: str, cell: str | None = None) -> Cell:
        return self.result(self.send(code, cell))

    def open_comm(self, **data: Any) -> str:
        """A front end opens a comm; the comm's id."""
        comm = uuid4().hex
        self._comm("comm_open", {"comm_id": comm, "target_name": "jupyter_history", "data": data})
        return comm

    def close_comm(self, comm: str) -> None:
        self._comm("comm_close", {"comm_id": comm, "data": {}})

    def subshell(self) -> str:
        """A thread of the kernel that serves comms while a cell runs, as JupyterLab asks for; its id."""
        self.client.control_channel.send(self.client.session.msg("create_subshell_request"))
        return str(self.client.get_control_msg(timeout=60)["content"]["subshell_id"])

    def call(self, comm: str, call: str, /, *, subshell: str | None = None, **arguments: Any) -> dict[str, Any]:
        """Ask over a comm; the reply."""
        data = {"id": "7", "call": call, "args": arguments}
        replies = self._comm("comm_msg", {"comm_id": comm, "data": data}, subshell)
        return next(data for to, data in replies if to == comm and data.get("id") == "7")

    def _comm(
        self, kind: str, content: dict[str, Any], subshell: str | None = None
    ) -> list[tuple[str, dict[str, Any]]]:
        message = self.client.session.msg(kind, content)
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)
        heard: list[tuple[str, dict[str, Any]]] = []
        while True:
            answer = self.client.get_iopub_msg(timeout=60)
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                self.passed_over.append(answer)  # of a cell that is running
                continue
            if answer["msg_type"] == "comm_msg":
                heard.append((answer["content"]["comm_id"], answer["content"]["data"]))
            if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
                self.heard = heard
                return heard

    def ask(self, prompt: str, cell: str | None = "c1", line: str = "") -> Cell:
        """Run a `%%chat` cell that must succeed."""
        done = self.run(f"%%chat {line}\n{prompt}", cell)
        assert done.status == "ok", done
        return done

    def script(self, *replies: str) -> None:
        """From now on a script answers in this kernel: `reply('words', chunks=4, delay=0.1)` and the like."""
        prepared = self.run(SCRIPT + "\n".join(f"scripted.{reply}" for reply in replies))
        assert prepared.status == "ok", prepared

    def say(self, line: str) -> str:
        """Run a `%chat` command that must succeed; what it prints."""
        done = self.run(f"%chat {line}", "command")
        assert done.status == "ok", done
        return done.out

    def path(self) -> list[str]:
        """The turns on the path."""
        done = self.run(f"print({MAGICS}.current.session.tree.path({MAGICS}.current.session.tip))")
        return list(ast.literal_eval(done.out))


@pytest.fixture(scope="session")
def processes() -> Iterator[list[Kernel]]:
    """The kernels that run already."""
    running: list[Kernel] = []
    yield running
    for each in running:
        each.stop()


@pytest.fixture
def kernel(tmp_path: Path, processes: list[Kernel]) -> Callable[..., Kernel]:
    """Begin kernels: `kernel("a.ipynb", cells)` for a notebook with these cells in its file, `kernel()` without one."""
    free = list(processes)

    def begin(name: str | None = None, cells: Sequence[str] = (), **environ: str) -> Kernel:
        path = save(tmp_path / name, *cells) if name is not None else None
        if not free:
            processes.append(Kernel())
            free.append(processes[-1])
        free[0].serve(tmp_path, path, **environ)
        return free.pop(0)

    return begin


def save(path: Path, *cells: str) -> Path:
    """A notebook file with these cells."""
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    path.write_text(json.dumps({**content, "cells": [{"id": cell, "cell_type": "code"} for cell in cells]}))
    return path
