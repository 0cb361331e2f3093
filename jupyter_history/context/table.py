"""A plan as two tables, rungs and messages: as text, and as static HTML without scripts or styles from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .plan import Plan

RUNG_HEADS = ("rung", "before", "after", "taken back", "cost", "lost", "why")
ROW_HEADS = ("turn", "role", "before", "after", "what became of it", "why", "text")
NUMBERS = {"before", "after", "taken back", "cost"}


def text(plan: Plan, *, most: int | None = None) -> str:
    """Both tables in plain text; `most`: how many of the newest messages to list (None: all)."""
    shown, left = _newest(plan, most)
    parts = [headline(plan), _grid(RUNG_HEADS, _rungs(plan)), _grid(ROW_HEADS, shown)]
    if left:
        parts.append(f"({left:,} older messages are not listed)")
    return "\n\n".join([*parts, *_remarks(plan)])


def html(plan: Plan, *, most: int | None = None) -> str:
    """Both tables in HTML, all text escaped: what a model wrote is never markup (rule 21)."""
    shown, left = _newest(plan, most)
    below = [f"({left:,} older messages are not listed)"] if left else []
    return "".join(
        [
            '<div class="jupyter-history-ladder">',
            f"<p>{escape(headline(plan))}</p>",
            _table("What each rung took back", RUNG_HEADS, _rungs(plan)),
            _table("What became of each message", ROW_HEADS, shown),
            *(f"<p>{escape(line)}</p>" for line in (*below, *_remarks(plan))),
            "</div>",
        ]
    )


def headline(plan: Plan) -> str:
    """How full the window is, in one line."""
    scene = plan.draft.scene
    share = 100 * plan.tokens / plan.room
    ratio = f", corrected by {scene.calibration.ratio:.2f} as measured" if scene.calibration.seen else ""
    pages = f", {len(plan.pages)} of them pages" if plan.pages else ""
    count = plan.draft.measure.pictures
    images = f"; {count} image{'s' * (count != 1)}{pages}" if count else ""
    return (
        f"About {plan.tokens:,} tokens of {plan.room:,} ({share:.0f} %), {scene.profile.id}, "
        f"ladder {scene.policy.name}{ratio}{images}."
    )


def _remarks(plan: Plan) -> list[str]:
    remarks = [str(plan.rewrite)] if plan.rewrite is not None else []
    remarks += [f"Before this is sent, a summary has to be written: {plan.need}."] if plan.need is not None else []
    remarks += [plan.problem] if plan.problem is not None else []
    return [*remarks, *plan.notes]


def _rungs(plan: Plan) -> list[tuple[str, ...]]:
    return [
        (
            rung.rung,
            f"{rung.before:,}",
            f"{rung.after:,}",
            f"{rung.back:,}",
            "free" if rung.cost == 0 else "not known" if rung.cost is None else f"${rung.cost:.4f}",
            rung.lost,
            rung.why,
        )
        for rung in plan.rungs
    ]


def _newest(plan: Plan, most: int | None) -> tuple[list[tuple[str, ...]], int]:
    rows = plan.rows
    left = max(0, len(rows) - most) if most is not None else 0
    cells: list[tuple[str, ...]] = [
        (row.tag, row.role, f"{row.before:,}", f"{row.after:,}", row.disposition, row.reason, row.text)
        for row in rows[left:]
    ]
    return cells, left


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return "\n".join(_line(heads, cells, widths) for cells in (heads, *rows))


def _line(heads: Iterable[str], cells: Iterable[str], widths: Iterable[int]) -> str:
    aligned = [
        cell.rjust(width) if head in NUMBERS else cell.ljust(width)
        for head, cell, width in zip(heads, cells, widths, strict=True)
    ]
    return "  ".join(aligned).rstrip()


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(
        f'<th scope="col" style="text-align:{"right" if head in NUMBERS else "left"}">{escape(head)}</th>'
        for head in heads
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{"right" if head in NUMBERS else "left"}">{escape(cell)}</td>'
            for head, cell in zip(heads, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
