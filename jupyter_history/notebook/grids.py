"""A cell with `--each`: the grid shown while it fills, the answers side by side below it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from ..errors import Stopped
from .live import _in_kernel
from .options import system_file

if TYPE_CHECKING:
    from ..experiments import Experiment
    from ..session.session import Session
    from ..tools.attached import Attached
    from ..transcript import Maker
    from .magics import ChatMagics
    from .options import Options

RATE = 3.0
"""Updates of the table a second, at most."""


def run(
    magics: ChatMagics,
    session: Session,
    options: Options,
    settings: dict[str, Any],
    prompt: str,
    maker: Maker | None,
    at: str | None,
    edit: str | None,
    attached: Attached | None = None,
) -> None:
    """Ask at every point of the grid, or through Message Batches; show it; bind it."""
    from ..experiments import batch, sweep
    from ..experiments.estimate import BUDGET
    from ..experiments.points import axes

    for name in ("take", "label"):
        if getattr(options, name) is not None:
            raise UsageError(f"--each and --{name} exclude each other: `--each repeat=N` asks N times")
    varied = axes(_texts(options.each or []))
    budget = BUDGET if options.budget is None else options.budget
    shown = _Table(magics.current.told())
    made = sweep.prepare(
        session, prompt, varied, settings, at=at, edit=edit, maker=maker or sweep.SCRIPT, attached=attached
    )
    if options.output is not None:
        magics.current.shell.user_ns[options.output] = made
    try:
        if options.batch:
            batch.submit(made, budget=budget)
        else:
            made.estimate.check(budget, sweep.option(made.estimate))
            sweep.run(made, budget=budget, show=lambda _made, _runs: shown.update(made))
    except Stopped:
        shown.finish(made)
        raise
    finally:
        magics.link.moved()
    shown.finish(made)
    answers = {turn.id for turn in made.turns if turn is not None}
    if 2 <= len(answers) <= 6:
        from IPython.display import display

        display(made.compare())


def _texts(each: list[str]) -> list[str] | dict[str, Any]:
    """The axes, with `system=@file` read: the file's text counts, and the table calls it by its name."""
    from ..experiments.points import Value

    if not any(text.startswith("system=") for text in each):
        return each
    found: dict[str, Any] = {}
    for text in each:
        name, _, values = text.partition("=")
        words = [value.strip() for value in values.split(",") if value.strip()]
        if name == "system":
            found[name] = [Value(w, system_file(w[1:], Path.cwd())) if w.startswith("@") else w for w in words]
        else:
            found[name] = words
    return found


class _Table:
    """One display, updated in place; in a terminal the table when it is done."""

    def __init__(self, notes: tuple[str, ...]) -> None:
        self._handle: Any = None
        self._due = 0.0
        self._notes = notes

    def update(self, made: Experiment) -> None:
        if _in_kernel() and time.monotonic() >= self._due:
            self._due = time.monotonic() + 1 / RATE
            self._show(made)

    def finish(self, made: Experiment) -> None:
        self._show(made)

    def _show(self, made: Experiment) -> None:
        text = "\n\n".join([*self._notes, str(made)])
        bundle = {"text/markdown": text, "text/plain": text}
        from IPython.display import display

        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)
