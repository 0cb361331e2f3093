"""An experiment as a table: while it runs, and as it stays in a saved notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..notebook.answers import price
from ..notebook.markdown import safe_line, visible

if TYPE_CHECKING:
    from .runs import Run
    from .sweep import Experiment

GLANCE = 90
"""Characters of an answer that a row shows."""
BAR = 20


def head(made: Experiment) -> str:
    """A bar, with the cost so far and what was estimated."""
    ended = sum(run.ended for run in made.runs)
    share = ended / len(made.runs)
    bar = "█" * round(BAR * share) + "░" * (BAR - round(BAR * share))
    line = f"{bar} {ended} of {len(made.runs)}"
    if all(run.state == "stored" for run in made.runs):
        return line + " · all stored: no call was made"
    return line + f" · {price(made.cost) if made.cost else 'nothing'} so far · estimated before: {made.estimate}"


def progress(made: Experiment) -> str:
    """A bar with the cost so far, and a row for each point; Markdown that reads as text too."""
    turns = {turn.id: turn for turn in made.turns if turn is not None}
    header = ["variant", "answer", "tokens in", "out", "cost", "s", "the ladder took", "turn", "state"]
    body = []
    for point, run in zip(made.points, made.runs, strict=True):
        turn = turns.get(run.turn or "")
        if turn is not None:
            usage = turn.usage
            figures = [f"{usage.prompt:,}", f"{usage.output:,}", price(turn.cost), f"{turn.seconds:.1f}"]
            said, back = turn.text, took(turn.record.inherited)
        else:
            figures = ["", "", "", f"{run.seconds:.1f}" if run.seconds else ""]
            said, back = run.text, ""
        shown = f"`{turn.id}`" if turn is not None else ""
        body.append([glance(point.variant), glance(said), *figures, back, shown, standing(run)])
    lines = [head(made), "", *rows(header, body, right=(2, 3, 4, 5))]
    if made.hint:
        lines += ["", made.hint]
    if made.note:
        lines += ["", made.note]
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
    """The beginning of an answer on one line, harmless (rule 21)."""
    line = " ".join(visible(text).split())
    return safe_line(line if len(line) <= GLANCE else line[: GLANCE - 1] + "…")


def standing(run: Run) -> str:
    """What a run is doing, or what came of it."""
    told = run.status or run.state
    return f"{told}: {safe_line(visible(run.error))}" if run.error and run.state in ("failed", "left out") else told
