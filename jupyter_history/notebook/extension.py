"""Load the extension into a shell, and take exactly that away again.

Everything that loading adds is written down in one `Loaded`; unloading undoes that list, and puts back what was there
before. Nothing here imports a library that a bare IPython has not imported.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from IPython.core.interactiveshell import InteractiveShell

from .cell_text import verbatim
from .comm import TARGET, Link, comm_manager
from .complete import Completer
from .current import Current
from .magics import ChatMagics

if TYPE_CHECKING:
    from ..store.records import Notebook

KINDS = ("cell", "line")


@dataclass
class Loaded:
    """What loading added to one shell. `before`: the magics called `chat` that were there, by kind."""

    magics: ChatMagics
    before: dict[str, Any]
    completer: Any
    link: Link


_loaded: WeakKeyDictionary[InteractiveShell, Loaded] = WeakKeyDictionary()
_left: WeakKeyDictionary[InteractiveShell, Notebook] = WeakKeyDictionary()
"""Where a shell worked when the extension was unloaded: loading it again goes on there."""


def load(shell: InteractiveShell) -> None:
    """Add the magics, their completion, the comm target and the step that keeps a prompt verbatim."""
    if shell in _loaded:
        return
    manager = shell.magics_manager
    before = {kind: manager.magics[kind][ChatMagics.name] for kind in KINDS if ChatMagics.name in manager.magics[kind]}
    current = Current(shell, resume=_left.pop(shell, None))
    link = Link(current)
    magics = ChatMagics(shell, current, link)
    shell.register_magics(magics)
    completer = Completer(current, magics).matcher()
    shell.Completer.custom_matchers.append(completer)
    # first of all, because the steps that follow strip `>>>` from prompts
    shell.input_transformer_manager.cleanup_transforms.insert(0, verbatim)
    if (comms := comm_manager(shell)) is not None:
        comms.register_target(TARGET, link.opened)
    _loaded[shell] = Loaded(magics, before, completer, link)
    if before:
        print(_collision(before), file=sys.stderr)
    threading.Thread(target=_warm_up, name="jupyter_history warm-up", daemon=True).start()


def link_of(shell: InteractiveShell) -> Link | None:
    """The line to the front end of a shell that has the extension loaded."""
    loaded = _loaded.get(shell)
    return loaded.link if loaded is not None else None


def unload(shell: InteractiveShell) -> None:
    """Take away what `load` added, and nothing that came after it."""
    loaded = _loaded.pop(shell, None)
    if loaded is None:
        return
    manager = shell.magics_manager
    for kind in KINDS:
        present = manager.magics[kind].get(ChatMagics.name)
        if getattr(present, "__self__", None) is loaded.magics:
            del manager.magics[kind][ChatMagics.name]
            if kind in loaded.before:
                manager.magics[kind][ChatMagics.name] = loaded.before[kind]
    if manager.registry.get(type(loaded.magics).__name__) is loaded.magics:
        del manager.registry[type(loaded.magics).__name__]
    with suppress(ValueError):
        shell.Completer.custom_matchers.remove(loaded.completer)
    with suppress(ValueError):
        shell.input_transformer_manager.cleanup_transforms.remove(verbatim)
    comms = comm_manager(shell)
    if comms is not None and comms.targets.get(TARGET) == loaded.link.opened:
        comms.unregister_target(TARGET, loaded.link.opened)
    loaded.link.close()
    if loaded.magics.current.notebook is not None:
        _left[shell] = loaded.magics.current.notebook
    loaded.magics.current.close()


def forget() -> None:
    """As in a new process: no shell is known to have worked anywhere."""
    _left.clear()


def _collision(before: dict[str, Any]) -> str:
    """One line: which other extension has a magic of this name."""
    spelled = " and ".join({"cell": "%%chat", "line": "%chat"}[kind] for kind in before)
    owners = sorted({getattr(magic, "__module__", None) or "another extension" for magic in before.values()})
    return (
        f"jupyter_history: {spelled} of {', '.join(owners)} gives way to ours; "
        "`%unload_ext jupyter_history` brings it back."
    )


def _warm_up() -> None:
    """Import what the first cell needs, while its user types. What fails here fails again, in sight, in the cell."""
    with suppress(Exception):
        from ..model.client import warm_up
        from ..session.session import Session  # noqa: F401

        warm_up()
