"""A real JupyterLab and a real Chromium: one server and one browser for all tests, one page and one notebook for each.

Nothing of the user's own Jupyter is read or written, nothing outside this machine is reached, and every test leaves a
screenshot in test-results/.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab import Notebook, Server, start, stop, write_notebook
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

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
JUPYTERS_OWN = (
    "Could not restore the debugger state",  # when a kernel is shut down under it
    "Cannot read properties of undefined (reading 'schema')",  # Notebook 7: its shortcuts, without any extension too
    "Blocked attempt to show a 'beforeunload'",  # Chromium, of a page that nobody clicked in
)

expect.set_options(timeout=20_000)


def find_chromium() -> str | None:
    mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    names = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", mac)
    return next((path for name in names if name and (path := shutil.which(name))), None)


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


@pytest.fixture
def shot(page: Page, request: pytest.FixtureRequest) -> Any:
    """shot("name"): a picture of the page as it is now, or of a part of it (`clip`)."""
    SCREENSHOTS.mkdir(exist_ok=True)
    return lambda name, **more: page.screenshot(path=SCREENSHOTS / f"{name}{_front(request)}.png", **more)


def _front(request: pytest.FixtureRequest) -> str:
    """What tells the pictures of a test that runs in both front ends apart."""
    spec = getattr(request.node, "callspec", None)
    return "-notebook-7" if spec is not None and spec.params.get("opened") == "notebook" else ""


BOTH = pytest.mark.parametrize("opened", ["jupyterlab", "notebook"], indirect=True)
"""A test that runs in JupyterLab and in Notebook 7."""


@pytest.fixture
def opened(page: Page, request: pytest.FixtureRequest) -> Iterator[Any]:
    """opened(cell, cell, ...): a new notebook of these cells, open in JupyterLab. No error may reach the console."""
    books: list[Notebook] = []
    app = getattr(request, "param", "jupyterlab")
    server: Server = request.getfixturevalue("lab_server" if app == "jupyterlab" else "notebook_server")

    def open_(*cells: Any, kernel: bool = True) -> Notebook:
        name = request.node.name.removeprefix("test_").split("[")[0]
        book = Notebook(page, server, write_notebook(server, f"{name}_{len(books)}", list(cells)))
        page.on("pageerror", lambda error: book.errors.append(str(error)))
        page.on("console", lambda line: book.errors.append(line.text) if line.type == "error" else None)
        books.append(book)
        return book.open(kernel=kernel)

    yield open_
    errors = [error for book in books for error in book.errors]
    assert [error for error in errors if not error.startswith(JUPYTERS_OWN)] == []
