"""Exploratory sessions with language models in Jupyter: `%%chat` cells on a persisted session tree.

In a notebook: `%load_ext jupyter_history`. In Python: `from jupyter_history import Session, Store`.
Importing this package, or loading the extension, imports no database, model or widget library: public names come on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from .errors import BadInput, BrokenChain, ChatError, ModelError, NotFound, Stopped, StoreUnavailable, TooLarge
    from .experiments import page_test, recall_test
    from .session.session import Session
    from .session.turn import Turn
    from .store import Store
    from .tools.tools import tool

    __version__: str

_HOMES = {
    "Session": "session.session",
    "Store": "store",
    "Turn": "session.turn",
    "tool": "tools.tools",
    **dict.fromkeys(("page_test", "recall_test"), "experiments"),
    **dict.fromkeys(
        ("ChatError", "BadInput", "NotFound", "BrokenChain", "StoreUnavailable", "ModelError", "TooLarge", "Stopped"),
        "errors",
    ),
}

__all__ = [
    "BadInput",
    "BrokenChain",
    "ChatError",
    "ModelError",
    "NotFound",
    "Session",
    "Stopped",
    "Store",
    "StoreUnavailable",
    "TooLarge",
    "Turn",
    "__version__",
    "page_test",
    "recall_test",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            value: Any = version("jupyter-history")
        except PackageNotFoundError:  # a checkout on the path, not installed
            value = "0+unknown"
    elif name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: InteractiveShell) -> None:
    """`%load_ext jupyter_history`: the magics `%%chat` and `%chat`, their completion, the link to the front end."""
    from .notebook.extension import load

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """`%unload_ext jupyter_history`: take away exactly what loading added."""
    from .notebook.extension import unload

    unload(shell)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab finds the prebuilt extension."""
    return [{"src": "labextension", "dest": "jupyter-history"}]
