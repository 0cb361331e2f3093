"""`%chat doctor`: what stands behind an answer here, and what is missing. Never the value of a key."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ChatError
from .command import Said, command
from .keys import VARIABLES, hide

if TYPE_CHECKING:
    from .current import Current
    from .magics import ChatMagics


@command("doctor", "check installation, store, model and key")
def doctor(magics: ChatMagics, _words: list[str]) -> Said:
    lines = [f"{name + ':':11} {text}" for name, text in findings(magics.current)]
    return Said("\n".join(lines), next="lines with a ! say what to do; `%chat why` shows the last error")


def findings(current: Current) -> list[tuple[str, str]]:
    """(what, how it is) for each thing that can be wrong. A line that needs something done begins with `!`."""
    from .. import __version__

    return [
        ("version", f"jupyter_history {__version__}, Python {sys.version.split()[0]}, {_versions()}"),
        ("store", _store(current)),
        ("notebook", _notebook(current)),
        ("model", _model(current)),
        ("key", _key()),
        ("JupyterLab", _labextension()),
    ]


def _versions() -> str:
    found = []
    for name in ("ipython", "ipykernel", "anthropic", "sqlalchemy", "jupyterlab"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def _store(current: Current) -> str:
    try:
        if current.waiting:
            return f"! {hide(current.waiting)} Until then conversations are in memory only"
        store = current.store
        number = len(store.conversations())
        problems = store.problems()
    except ChatError as error:
        return f"! {hide(str(error))}"
    if problems:
        return f"! {hide(store.url)}: {'; '.join(problems[:3])}"
    caution = f"; {store.caution}" if store.caution else ""
    return f"{hide(store.url)}, {number:,} conversations, sound{caution}"


def _notebook(current: Current) -> str:
    cell, _ = current.cells.peek()
    told = "tells cells apart" if cell else "does not tell cells apart: a rerun asks again"
    return f"{current.path or 'the front end does not tell its path: a new conversation in each kernel'}; it {told}"


def _model(current: Current) -> str:
    from ..model import catalog

    model = current.session.model if current.session is not None else catalog.default_model()
    profile = catalog.profile(model)
    note = f" ({profile.note})" if profile.note else ""
    server = os.environ.get("ANTHROPIC_BASE_URL")
    return f"{model}{note}, window {profile.window:,} tokens" + (f", at {hide(server)}" if server else "")


def _key() -> str:
    present = [name for name in VARIABLES if os.environ.get(name)]
    if present:
        return f"{' and '.join(present)} set"
    return "none set: the offline reader answers. Set ANTHROPIC_API_KEY before Jupyter starts to ask a model"


def _labextension() -> str:
    """Whether the JupyterLab part is where JupyterLab looks, or at least in the package."""
    try:
        from jupyter_core.paths import jupyter_path

        places = jupyter_path("labextensions")
    except ImportError:  # a plain IPython
        places = [str(Path(sys.prefix) / "share" / "jupyter" / "labextensions")]
    if any((Path(place) / "jupyter-history" / "package.json").exists() for place in places):
        return "extension installed"
    if (Path(__file__).parents[1] / "labextension" / "package.json").exists():
        return "! the extension is built but not linked: `jupyter labextension develop --overwrite jupyter_history`"
    return "! no extension here: answers show as plain Markdown. If JupyterLab runs elsewhere, install it there"
