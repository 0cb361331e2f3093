"""Whether the JupyterLab extension is where JupyterLab looks, switched on, and of this version: one line that says so.

Every line that needs something done begins with `!` and says what to do (`%chat doctor`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAME = "jupyter-history"
MANAGER = "@jupyter-widgets/jupyterlab-manager"
UNKNOWN = "0+unknown"
"""The version of a checkout that was not installed."""


def extension(version: str, greeted: str | None, places: Iterable[Path], settings: Iterable[Path]) -> str:
    """How it is with the extension.

    `greeted`: the version that a page told this kernel; `places`: where JupyterLab looks for extensions; `settings`:
    where it looks for what is switched off.
    """
    if greeted is not None:
        return f"extension {greeted} talks to this kernel" if same(greeted, version) else _apart(greeted, version)
    found = next((place / NAME for place in places if (place / NAME / "package.json").exists()), None)
    if found is None:
        if (Path(__file__).parents[1] / "labextension" / "package.json").exists():
            return "! the extension is built but not linked: `jupyter labextension develop --overwrite jupyter_history`"
        return "! no extension here: answers show as plain Markdown. If JupyterLab runs elsewhere, install it there"
    if off := switched_off(settings):
        return f"! the extension is switched off ({', '.join(off)}): `jupyter labextension enable {off[0]}`"
    there = str(_read(found / "package.json").get("version", UNKNOWN))
    if not same(there, version):
        return _apart(there, version)
    return "extension installed, but no page talked to this kernel: reload a JupyterLab page that was open before"


def widgets(missing: Iterable[str], places: Iterable[Path], settings: Iterable[Path]) -> str:
    """How it is with widgets, as which the explorers live where our extension is not.

    `missing`: the packages that the kernel lacks; `places` and `settings` as in `extension`.
    """
    if lacks := list(missing):
        return f"! the kernel has no {' and no '.join(lacks)}: explorers are HTML only. `pip install {' '.join(lacks)}`"
    if not any((place / MANAGER / "package.json").exists() for place in places):
        return (
            "no widget manager (jupyterlab_widgets) here: other front ends bring their own, JupyterLab shows explorers "
            "by our extension"
        )
    if off := switched_off(settings, MANAGER):
        return f"! the widget manager is switched off: `jupyter labextension enable {off[0]}`"
    return "the kernel has them, JupyterLab their manager"


def packages() -> list[str]:
    """The packages behind widgets that this kernel lacks."""
    return [name for name in ("anywidget", "ipywidgets") if find_spec(name) is None]


def here() -> tuple[list[Path], list[Path]]:
    """Where JupyterLab looks on this machine: for extensions, and for what is switched off."""
    try:
        from jupyter_core.paths import jupyter_config_path, jupyter_path
    except ImportError:  # a plain IPython
        return [Path(sys.prefix) / "share" / "jupyter" / "labextensions"], []
    settings = [Path(folder) / "labconfig" / "page_config.json" for folder in jupyter_config_path()]
    return [Path(folder) for folder in jupyter_path("labextensions")], settings


def switched_off(settings: Iterable[Path], extension: str = NAME) -> list[str]:
    """The names under which an extension, or a plugin of it, is switched off."""
    off: dict[str, bool] = {}
    for path in settings:
        named = _read(path).get("disabledExtensions", {})
        names = named if isinstance(named, dict) else dict.fromkeys(named, True)
        for name, on in names.items():
            if name == extension or name.startswith(f"{extension}:"):
                off.setdefault(name, bool(on))
    return [name for name, is_off in off.items() if is_off]


def same(front: str, kernel: str) -> bool:
    """Whether two versions belong together; nobody can tell for a checkout that was not installed."""
    return UNKNOWN in (front, kernel) or front == kernel


def _apart(front: str, kernel: str) -> str:
    return (
        f"! the extension is {front}, this kernel's jupyter_history {kernel}: install one version where JupyterLab "
        "runs and where the kernel runs, then reload the page"
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
