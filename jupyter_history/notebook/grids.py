"""A cell with `--each`: one display that fills, the answers side by side; a table where there are too many for that."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from ..errors import Stopped
from .live import Pace, _in_kernel
from .options import system_file

if TYPE_CHECKING:
    from ..experiments import Experiment
    from ..session.session import Session
    from ..tools.attached import Attached
    from ..transcript import Maker
    from .magics import ChatMagics
    from .options import Options

RATE = 4.0
"""Updates a second, at most."""
SIDE_BY_SIDE = range(2, 7)
"""As many points stand side by side while they fill."""


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
    notes = magics.current.told()
    made = sweep.prepare(
        session, prompt, varied, settings, at=at, edit=edit, maker=maker or sweep.SCRIPT, attached=attached
    )
    beside = len(made.points) in SIDE_BY_SIDE and not options.batch
    shown = _SideBySide(made, notes) if beside else _Table(made, notes)
    if options.output is not None:
        magics.current.shell.user_ns[options.output] = made
    try:
        if options.batch:
            batch.submit(made, budget=budget)
        else:
            made.estimate.check(budget, sweep.option(made.estimate))
            sweep.run(made, budget=budget, show=lambda _made, _runs: shown.update())
    except Stopped:
        shown.finish()
        raise
    finally:
        magics.link.moved()
    shown.finish()
    if not beside and len({turn.id for turn in made.turns if turn is not None}) in SIDE_BY_SIDE:
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

    def __init__(self, made: Experiment, notes: tuple[str, ...]) -> None:
        self.made, self.notes = made, notes
        self._handle: Any = None
        self._pace = Pace(time.monotonic, RATE)

    def update(self) -> None:
        if _in_kernel() and self._pace.ready():
            first, began = self._handle is None, time.thread_time()
            self._show(self.bundle())
            # what the first one cost is mostly imports
            self._pace.shown(self.size(), 0.0 if first else time.thread_time() - began)

    def finish(self) -> None:
        self._show(self.bundle(whole=True))

    def bundle(self, *, whole: bool = False) -> Mapping[str, Any]:
        """What is on show; `whole`: the last time."""
        text = "\n\n".join([*self.notes, str(self.made)])
        return {"text/markdown": text, "text/plain": text}

    def size(self) -> int:
        """Bytes of that, about."""
        return 500 * len(self.made.points)

    def _show(self, bundle: Mapping[str, Any]) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


class _SideBySide(_Table):
    """The comparison in place of the table."""

    def __init__(self, made: Experiment, notes: tuple[str, ...]) -> None:
        from .explorers.grid import GridView

        super().__init__(made, notes)
        self._view = GridView(made, notes)

    def bundle(self, *, whole: bool = False) -> Mapping[str, Any]:
        self._view.look(whole=whole)
        return self._view._repr_mimebundle_()

    def size(self) -> int:
        return self._view.size
