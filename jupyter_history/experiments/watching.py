"""Who watches runs: a display that shows them by itself, a function of the user's, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..notebook.runs import Shown

Hook = Callable[..., None]
Shows = Hook | bool | None
"""What `show=` takes: True shows how far the runs are, False or None shows nothing, a function is called instead."""


@contextmanager
def watching(show: Shows, display: Callable[[], Shown]) -> Iterator[Hook]:
    """What is called while runs are under way; `display` is made only where it is wanted, and finished in any case."""
    if callable(show):
        yield show
    elif not show:
        yield _nothing
    else:
        shown = display()
        try:
            yield lambda *_runs: shown.update()
        finally:
            shown.finish()


def _nothing(*_runs: Any) -> None:
    """Nobody watches."""
