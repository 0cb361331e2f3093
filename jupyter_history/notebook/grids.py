"""A cell with `--each`: one display that fills, the answers side by side; a table where there are too many for that."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from ..errors import Stopped
from .options import system_file
from .runs import SIDE_BY_SIDE, SideBySide, Table

if TYPE_CHECKING:
    from ..session.session import Session
    from ..tools.attached import Attached
    from ..transcript import Maker
    from .magics import ChatMagics
    from .options import Options


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
    notes = (*magics.current.told(), *(attached.notes if attached is not None else ()))
    made = sweep.prepare(
        session, prompt, varied, settings, at=at, edit=edit, maker=maker or sweep.SCRIPT, attached=attached
    )
    beside = len(made.points) in SIDE_BY_SIDE and not options.batch
    shown = SideBySide(made, notes) if beside else Table(made, notes)
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
            found[name] = [
                Value(w, system_file(w[1:], Path.cwd(), "--each system")) if w.startswith("@") else w for w in words
            ]
        else:
            found[name] = words
    return found
