"""JupyterLab as a test sees it: a server of its own, and a notebook that is open in a page."""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page

LOAD = "%load_ext jupyter_history"
TURNS = "from jupyter_history import Store; print(sum(talk.turns for talk in Store.open().conversations()))"
"""Prints how many turns are stored: as many as calls were made."""


def chat(text: str, options: str = "") -> str:
    """The source of a chat cell."""
    return f"{f'%%chat {options}'.rstrip()}\n{text}"


@dataclass
class Server:
    app: str
    """jupyterlab or notebook."""
    process: subprocess.Popen[bytes]
    url: str
    token: str
    root: Path


def start(app: str, env: dict[str, str], root: Path) -> Server:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    options = [
        *("--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}"),
        *("--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}"),
        *("--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly"),
        "--JupyterNotebookApp.expose_app_in_browser=True",
    ]
    log = root.parent / f"{app}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", app, *options], env=env, cwd=root, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    server = Server(app, process, f"http://127.0.0.1:{port}", token, root)
    end = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(f"{server.url}/api/status?token={token}", timeout=5):
                return server
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                raise RuntimeError(log.read_text()) from None
            time.sleep(0.1)


def stop(server: Server) -> None:
    server.process.terminate()
    try:
        server.process.wait(20)
    except subprocess.TimeoutExpired:
        server.process.kill()


CURRENT = "window.jupyterapp.shell.currentWidget"


@dataclass
class Notebook:
    """A notebook open in a page. Cells are counted from 0; nothing here sleeps."""

    page: Page
    server: Server
    path: str
    errors: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        where = "notebooks" if self.server.app == "notebook" else "lab/tree"
        return f"{self.server.url}/{where}/{self.path}?token={self.server.token}"

    def open(self, *, kernel: bool = True) -> Notebook:
        self.page.goto(f"{self.url}&reset")
        return self.ready(kernel=kernel)

    def ready(self, *, kernel: bool = True) -> Notebook:
        self.page.wait_for_function("() => window.jupyterapp?.restored")
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        if kernel:
            self.page.wait_for_function(f"() => {CURRENT}?.sessionContext?.session?.kernel?.status === 'idle'")
        return self

    def command(self, name: str) -> None:
        self.page.evaluate("name => window.jupyterapp.commands.execute(name)", name)

    def cell(self, index: int) -> Locator:
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def answer(self, index: int) -> Locator:
        return self.cell(index).locator(".jh-answer")

    def body(self, index: int) -> Locator:
        return self.answer(index).locator(".jh-body")

    def button(self, index: int, name: str) -> Locator:
        return self.answer(index).get_by_role("button", name=name, exact=True)

    def select(self, index: int) -> None:
        self.page.evaluate(
            f"index => {{ const book = {CURRENT}.content; book.activeCellIndex = index; book.deselectAll(); }}", index
        )

    def write(self, index: int, source: str) -> None:
        cell = f"{CURRENT}.content.widgets[index]"
        self.page.evaluate(f"([index, source]) => {cell}.model.sharedModel.setSource(source)", [index, source])

    def sources(self) -> list[str]:
        return self.page.evaluate(f"() => {CURRENT}.content.widgets.map(cell => cell.model.sharedModel.getSource())")

    def ids(self) -> list[str]:
        return self.page.evaluate(f"() => {CURRENT}.content.widgets.map(cell => cell.model.id)")

    def start(self, index: int) -> None:
        """Run a cell and do not wait for it."""
        self.select(index)
        self.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-cell')")

    def run(self, index: int) -> None:
        """Run a cell to its end."""
        self.select(index)
        self.command("notebook:run-cell")

    def run_all(self) -> None:
        self.command("notebook:run-all-cells")

    def text(self, index: int) -> str:
        """All that a cell's outputs show."""
        return self.cell(index).locator(".jp-Cell-outputArea").inner_text()

    def ask(self, code: str) -> str:
        """Run code in the kernel, in a cell at the end; what it printed."""
        last = len(self.ids()) - 1
        self.select(last)
        self.command("notebook:insert-cell-below")
        self.write(last + 1, code)
        self.run(last + 1)
        printed = self.text(last + 1)
        self.select(last + 1)
        self.command("notebook:delete-cell")
        return printed.strip()

    def restart(self) -> None:
        """Restart the kernel, without the dialog."""
        self.page.evaluate(f"() => {CURRENT}.sessionContext.restartKernel()")
        self.ready()

    def save(self) -> Any:
        """Save, and read the file."""
        self.command("docmanager:save")
        return nbformat.read(self.server.root / self.path, as_version=4)


def write_notebook(server: Server, name: str, cells: list[Any]) -> str:
    book = new_notebook(cells=[cell if isinstance(cell, dict) else new_code_cell(cell) for cell in cells])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, server.root / f"{name}.ipynb")
    return f"{name}.ipynb"
