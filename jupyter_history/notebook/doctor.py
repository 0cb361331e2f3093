"""`%chat doctor`: what stands behind an answer here, and what is missing. Never the value of a key."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from ..errors import ChatError
from . import installed
from .command import Said, command
from .keys import VARIABLES, hide

if TYPE_CHECKING:
    from .current import Current
    from .magics import ChatMagics


@command("doctor", "check installation, store, model and key")
def doctor(magics: ChatMagics, _words: list[str]) -> Said:
    lines = [f"{name + ':':11} {text}" for name, text in findings(magics.current, magics.link.front)]
    return Said("\n".join(lines), next="lines with a ! say what to do; `%chat why` shows the last error")


def findings(current: Current, front: str | None = None) -> list[tuple[str, str]]:
    """(what, how it is) for each thing that can be wrong. A line that needs something done begins with `!`.

    `front`: the version of the JupyterLab extension that talks to this kernel.
    """
    from .. import __version__

    return [
        ("version", f"jupyter_history {__version__}, Python {sys.version.split()[0]}, {_versions()}"),
        ("store", _store(current)),
        ("notebook", _notebook(current)),
        ("model", _model(current)),
        ("key", _key()),
        ("JupyterLab", installed.extension(__version__, front, *installed.here())),
        ("widgets", installed.widgets(installed.packages(), *installed.here())),
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
