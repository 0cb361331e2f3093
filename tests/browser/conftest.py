"""A real JupyterLab and a real Chromium: one server and one browser for all tests, one page and one notebook for each.

Nothing of the user's own Jupyter is read or written, nothing outside this machine is reached, and every test leaves a
screenshot in test-results/.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "jupyter_history" / "labextension"
SCREENSHOTS = Path(os.environ.get("TEST_RESULTS", ROOT / "test-results"))
CHROMIUM = [
    "--no-sandbox",  # root in CI
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # not context.route(): that turns the HTTP cache off, and every page loads 10 MB of scripts again
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
QUIET = {  # both ask the network
    "@jupyterlab/apputils-extension:announcements": True,
    "@jupyterlab/extensionmanager-extension": True,
}
LOAD = "%load_ext jupyter_history"

expect.set_options(timeout=20_000)


def find_chromium() -> str | None:
    mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    names = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", mac)
    return next((path for name in names if name and (path := shutil.which(name))), None)


@dataclass
class Server:
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
    server = Server(process, f"http://127.0.0.1:{port}", token, root)
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


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with folders of its own, this checkout's extension and the offline reader."""
    if not (BUILT / "package.json").exists():
        pytest.fail("The front end is not built: ./dev test does it, or: cd labextension && npm ci && npm run build")
    root = tmp_path_factory.mktemp("jupyter")
    for name in ("labconfig", "settings/@jupyterlab/apputils-extension"):
        (root / "config" / name).mkdir(parents=True)
    (root / "config/labconfig/page_config.json").write_text(json.dumps({"disabledExtensions": QUIET}))
    extensions = root / "path" / "labextensions"
    extensions.mkdir(parents=True)
    (extensions / "jupyter-history").symlink_to(BUILT)
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")},
        "JUPYTER_CONFIG_DIR": str(root / "config"),
        "JUPYTER_DATA_DIR": str(root / "data"),
        "JUPYTER_RUNTIME_DIR": str(root / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(root / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(root / "workspaces"),
        "IPYTHONDIR": str(root / "ipython"),
        "JUPYTER_PATH": str(root / "path"),
        "PYTHONPATH": str(ROOT),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "JUPYTER_HISTORY_STORE": str(root / "history.db"),
        "JUPYTER_HISTORY_MODEL": "offline",
    }


@pytest.fixture(scope="session")
def lab_server(jupyter: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = start("jupyterlab", jupyter, tmp_path_factory.mktemp("lab"))
    yield server
    stop(server)


@pytest.fixture(scope="session")
def notebook_server(jupyter: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = start("notebook", jupyter, tmp_path_factory.mktemp("notebook"))
    yield server
    stop(server)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    if path is None:
        pytest.fail("No Chromium: apt-get install chromium, or set CHROMIUM; all other tests: -m 'not browser'")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all tests, so that JupyterLab's scripts stay in the cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US", reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    page = context.new_page()
    yield page
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{request.node.name}.png")
    page.close(run_before_unload=False)


CURRENT = "window.jupyterapp.shell.currentWidget"


@dataclass
class Notebook:
    """A notebook open in a page. Cells are counted from 0; nothing here sleeps."""

    page: Page
    server: Server
    path: str
    errors: list[str] = field(default_factory=list)

    def open(self, *, kernel: bool = True) -> Notebook:
        self.page.goto(f"{self.server.url}/lab/tree/{self.path}?token={self.server.token}&reset")
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
        self.page.evaluate(
            f"([index, source]) => {CURRENT}.content.widgets[index].model.sharedModel.setSource(source)", [index, source]
        )

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


@pytest.fixture
def opened(page: Page, lab_server: Server, request: pytest.FixtureRequest) -> Iterator[Any]:
    """opened(cell, cell, ...): a new notebook of these cells, open in JupyterLab. No error may reach the console."""
    books: list[Notebook] = []

    def open_(*cells: Any, kernel: bool = True) -> Notebook:
        name = request.node.name.removeprefix("test_").split("[")[0]
        book = Notebook(page, lab_server, write_notebook(lab_server, f"{name}_{len(books)}", list(cells)))
        page.on("pageerror", lambda error: book.errors.append(str(error)))
        page.on("console", lambda line: book.errors.append(line.text) if line.type == "error" else None)
        books.append(book)
        return book.open(kernel=kernel)

    yield open_
    assert [error for book in books for error in book.errors] == []
