"""Runs as one line, an experiment as a table: while it is under way, and as it stays in a saved notebook."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..notebook.answers import price
from ..notebook.markdown import safe_line, visible

if TYPE_CHECKING:
    from .estimate import Estimate
    from .runs import Run
    from .sweep import Experiment

GLANCE = 90
"""Characters of an answer that a row shows."""
BAR = 20
SOON = 3.0
"""Seconds after which the pace so far says something about the rest."""


def head(made: Experiment) -> str:
    """A bar, with the cost so far and what was estimated, as plain text."""
    return line(made.runs, made.estimate)


def line(runs: Sequence[Run], estimate: Estimate | None = None, now: float | None = None) -> str:
    """Runs on one line of plain text: how many have ended, what they cost, how long the rest may take, and `estimate`
    where nothing else tells it. `now`: seconds of the clock that `Run.started` has."""
    ended = sum(run.ended for run in runs)
    bar = "█" * round(BAR * ended / max(1, len(runs)))
    parts = [f"{bar:░<{BAR}} {ended} of {len(runs)}"]
    if all(run.state == "stored" for run in runs):
        return f"{parts[0]} · all stored: no call was made"
    if failed := sum(run.state == "failed" for run in runs):
        parts.append(f"{failed} failed")
    parts.append(spent(runs))
    left = seconds_left(runs, time.monotonic() if now is None else now)
    if left is not None:
        parts.append(f"about {left:.0f} s left" if left < 100 else f"about {left / 60:.0f} min left")
    if estimate is not None:
        parts.append(f"estimated before: {estimate}")
    return " · ".join(parts)


def spent(runs: Sequence[Run]) -> str:
    """What the answers that were asked now cost, as far as their prices are known."""
    answered = [run for run in runs if run.state == "done"]
    known = sum(run.cost or 0.0 for run in runs)
    unknown = sum(run.cost is None for run in answered)
    said = price(known) if known or answered else "nothing"
    if unknown:
        said = "price unknown" if not known else f"{said}, {unknown} of unknown price"
    return said if all(run.ended for run in runs) else f"{said} so far"


def seconds_left(runs: Sequence[Run], now: float) -> float | None:
    """At the pace so far; None where nothing waits, or where there is no pace yet."""
    asked = [run for run in runs if run.started]
    ended = sum(run.ended for run in asked)
    waiting = sum(not run.ended for run in runs)
    elapsed = now - min((run.started for run in asked), default=now)
    return elapsed / ended * waiting if ended and waiting and elapsed >= SOON else None


def progress(made: Experiment, *, markdown: bool = False) -> str:
    """The line, and a row for each point: plain text that is a Markdown table too, or made harmless as Markdown."""
    shown = safe_line if markdown else str
    turns = {turn.id: turn for turn in made.turns if turn is not None}
    header = ["variant", "answer", "tokens in", "out", "cost", "s", "the ladder took", "turn", "state"]
    body = []
    for point, run in zip(made.points, made.runs, strict=True):
        turn = turns.get(run.turn or "")
        if turn is not None:
            usage = turn.usage
            figures = [f"{usage.prompt:,}", f"{usage.output:,}", shown(price(turn.cost)), f"{turn.seconds:.1f}"]
            said, back = turn.text, took(turn.record.inherited)
        else:
            figures = ["", "", "", f"{run.seconds:.1f}" if run.seconds else ""]
            said, back = run.text, ""
        name = f"`{turn.id}`" if turn is not None else ""
        told = [shown(glance(point.variant)), shown(glance(said)), *figures, back, name, shown(standing(run))]
        body.append(told)
    lines = [shown(head(made)), "", *rows(header, body, right=(2, 3, 4, 5))]
    if made.hint:
        lines += ["", made.hint]
    if made.note:
        lines += ["", shown(made.note)]
    return "\n".join(lines)


def took(inherited: Mapping[str, Any]) -> str:
    """Which rungs held on a turn's request, and the tokens that each took back."""
    return ", ".join(f"{rung} {before - after:,}" for rung, (before, after) in inherited.get("took", {}).items())


def rows(header: Sequence[str], body: Sequence[Sequence[Any]], right: Sequence[int] = ()) -> list[str]:
    """The lines of a Markdown table; columns in `right` are aligned to the right."""
    marks = ["---:" if n in right else "---" for n in range(len(header))]
    lines = [f"| {' | '.join(header)} |", f"| {' | '.join(marks)} |"]
    return lines + [f"| {' | '.join(cell(str(value)) for value in row)} |" for row in body]


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def glance(text: str) -> str:
    """The beginning of an answer on one line."""
    line = " ".join(visible(text).split())
    return line if len(line) <= GLANCE else line[: GLANCE - 1] + "…"


def standing(run: Run) -> str:
    """What a run is doing, or what came of it."""
    told = run.status or run.state
    return f"{told}: {visible(run.error)}" if run.error and run.state in ("failed", "left out") else told
