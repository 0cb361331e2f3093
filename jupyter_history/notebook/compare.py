"""Answers side by side: what was asked differently, what each answer has that the first has not, what each cost.

The first turn is the measure: every other one is compared with it, and all are laid out along its blocks. Differences
are tinted, nothing is struck through; what is the same in all columns stands once, folded where it is long. The HTML
has no script and carries its styles in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from ..transcript import Usage
from .answers import price
from .diff import Diff, Piece, Row, diff, shared, words
from .markdown import visible
from .static import escaped

LONG = 400
"""Characters from which text that is the same everywhere is folded."""


class Compared(Protocol):
    """What is compared; `Turn` and `TurnRecord` are such."""

    @property
    def id(self) -> str: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def prompt(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def cost(self) -> float | None: ...
    @property
    def seconds(self) -> float: ...
    @property
    def took(self) -> Mapping[str, Sequence[int]]: ...


class Column(NamedTuple):
    """A column that may still fill: its turn where there is one, else what has come and how it stands."""

    name: str
    turn: Compared | None
    text: str = ""
    state: str = ""


Cell = tuple[Piece, ...]


class Line(NamedTuple):
    """One row of the layout: a cell for each turn, () where it has nothing here. `same`: one cell for all."""

    cells: tuple[Cell, ...]
    same: bool


def layout(texts: Sequence[str]) -> list[Line]:
    """Texts in columns along the blocks of the first one, with what differs from it marked."""
    diffs = [diff(texts[0], text) for text in texts[1:]]
    if any(found.coarse for found in diffs):
        return [Line(tuple((Piece(text, False),) for text in texts), False)]
    columns = [_slots(found) for found in diffs]
    lines: list[Line] = []
    for slot in range(max(map(len, columns))):
        slots = [column[slot] if slot < len(column) else ([], None) for column in columns]
        for n in range(max(len(added) for added, _ in slots)):
            lines.append(Line(((), *(added[n] if n < len(added) else () for added, _ in slots)), False))
        rows = [row for _, row in slots if row is not None]
        if rows:
            same = all(row.kind == "same" for row in rows)
            lines.append(Line((_first(rows), *(row.right or () for row in rows)), same))
    return lines


def _slots(found: Diff) -> list[tuple[list[Cell], Row | None]]:
    """For each block of the first text: the blocks only the other has before it, and the row it stands in."""
    slots: list[tuple[list[Cell], Row | None]] = []
    added: list[Cell] = []
    for row in found.rows:
        if row.left is None:
            added.append(row.right or ())
        else:
            slots.append((added, row))
            added = []
    return [*slots, (added, None)]


def _first(rows: Sequence[Row]) -> Cell:
    """The first text's block, marked where all others differ from it."""
    marks = [[piece.changed for piece in row.left or () for _ in piece.text] for row in rows]
    text = "".join(piece.text for piece in rows[0].left or ())
    changed = [all(mark[n] for mark in marks) for n in range(len(text))]
    pieces: list[Piece] = []
    start = 0
    for n in range(1, len(text) + 1):
        if n == len(text) or changed[n] != changed[start]:
            pieces.append(Piece(text[start:n], changed[start]))
            start = n
    return tuple(pieces)


def facts(turn: Compared, first: Compared) -> list[tuple[str, str]]:
    """What is known of a turn beside its text."""
    share = shared(words(first.text), words(turn.text))
    rows = [
        ("model", turn.model if turn.outcome == "complete" else f"{turn.model}, {turn.outcome}"),
        ("continues from", turn.parent or "the root"),
        ("tokens", f"{turn.usage.prompt:,} in, {turn.usage.output:,} out"),
        ("cost", price(turn.cost)),
        ("time", f"{turn.seconds:.1f} s"),
        ("ladder", took(turn) or "-"),
        ("same words", "-" if turn is first else f"{share:.0%}, with {first.id}"),
    ]
    return [(name, visible(value)) for name, value in rows]


def took(turn: Compared) -> str:
    """What the ladder took back for a turn, in a few words; "" where it did nothing."""
    return ", ".join(f"{rung} {before:,} to {after:,}" for rung, (before, after) in turn.took.items())


# -- text ----------------------------------------------------------------------------------------------------------


def text(turns: Sequence[Compared]) -> str:
    """The comparison for a terminal: `=` is the same in all, `A`, `B` ... only in that turn or different there."""
    letters = "ABCDEF"
    out = []
    for letter, turn in zip(letters, turns, strict=False):
        told = ", ".join(f"{name} {value}" for name, value in facts(turn, turns[0]) if value != "-")
        out.append(f"{letter}  {turn.id}: {told}")
    for name, texts in (("prompt", [turn.prompt for turn in turns]), ("answer", [turn.text for turn in turns])):
        out.append(f"\n{name}" + (" (the same)" if len(set(texts)) == 1 else ""))
        for line in layout([visible(text) for text in texts]):
            if line.same:
                out += _indented("=", line.cells[0], marked=False)
                continue
            having: dict[Cell, str] = {}
            for letter, cell in zip(letters, line.cells, strict=False):
                having[cell] = having.get(cell, "") + letter
            for cell, who in having.items():
                out += _indented(who, cell, marked=True) if cell else []
    return "\n".join(out)


def _indented(mark: str, cell: Cell, *, marked: bool) -> list[str]:
    whole = all(piece.changed for piece in cell) or not marked
    text = "".join(piece.text if whole or not piece.changed else _bracketed(piece.text) for piece in cell)
    return [f"{mark if n == 0 else ' ' * len(mark)} | {line}" for n, line in enumerate(text.split("\n"))]


def _bracketed(text: str) -> str:
    bare = text.rstrip()
    return f"[{bare}]{text[len(bare) :]}" if bare else text


# -- HTML ----------------------------------------------------------------------------------------------------------

_HERE = "background-color:rgba(255,152,0,0.28)"
_THERE = "background-color:rgba(33,150,243,0.28)"
_TINT = "border-radius:2px"
_EDGE = "1px solid rgba(128,128,128,0.35)"
_TOP = f"vertical-align:top;text-align:left;border:{_EDGE}"
_CELL = f"{_TOP};padding:4px 10px;white-space:pre-wrap;overflow-wrap:anywhere"
_FACT = f"{_TOP};padding:4px 10px;opacity:0.85"
_LINE = "display:flex;flex-wrap:wrap"
_NAME = "flex:0 0 8em;opacity:0.7"
_VALUE = "flex:1 1 6em;min-width:0;overflow-wrap:anywhere"
_BAND = f"text-align:left;padding:6px 10px;border:{_EDGE};background-color:rgba(128,128,128,0.12)"
_SAME = f"{_CELL};opacity:0.75"
_CODE = "font-family:monospace;font-size:92%"


_TABLE = '<table style="table-layout:fixed;width:100%;border-collapse:collapse;font-size:inherit"><tbody>'


def html(turns: Sequence[Compared], names: Sequence[str] = ()) -> str:
    """The comparison as one table. `names`: what to call the columns, beside their turns' ids."""
    width = f"width:{100 / len(turns):.1f}%"
    out = [f"{_TABLE}<tr>"]
    for n, turn in enumerate(turns):
        name = names[n] if names else ""
        out.append(f'<td style="{_FACT};{width}">{_head(name, turn.id)}{_told(facts(turn, turns[0]))}</td>')
    out.append("</tr>")
    out += _section("prompt", [turn.prompt for turn in turns])
    out += _section("answer", [turn.text for turn in turns])
    out.append("</tbody></table>")
    return "".join(out)


def html_filling(prompt: str, columns: Sequence[Column], tinted: Sequence[str]) -> str:
    """A comparison of which some columns are not there yet. `tinted`: the answers of those that are (`stacked`)."""
    width = f"width:{100 / len(columns):.1f}%"
    span = f'colspan="{len(columns)}"'
    first = next((column.turn for column in columns if column.turn is not None), None)
    heads, cells = [], []
    answers = iter(tinted)
    for column in columns:
        if column.turn is not None and first is not None:
            told, body = facts(column.turn, first), next(answers)
        else:
            told, body = [("state", visible(column.state))], escaped(visible(column.text))
        id = column.turn.id if column.turn is not None else ""
        heads.append(f'<td style="{_FACT};{width}">{_head(column.name, id)}{_told(told)}</td>')
        cells.append(f'<td style="{_CELL}">{body}</td>')
    return "".join([
        f"{_TABLE}<tr>{''.join(heads)}</tr>",
        f'<tr><th {span} style="{_BAND}">prompt, the same in all</th></tr>',
        f'<tr><td {span} style="{_SAME}">{_folded([visible(prompt)])}</td></tr>',
        f'<tr><th {span} style="{_BAND}">answer</th></tr><tr>{"".join(cells)}</tr></tbody></table>',
    ])  # fmt: skip


def stacked(turns: Sequence[Compared]) -> list[str]:
    """Each turn's answer as HTML by itself, with what differs from the first one tinted."""
    if len(turns) < 2:
        return [escaped(visible(turn.text)) for turn in turns]
    lines = layout([visible(turn.text) for turn in turns])
    tints = [_HERE, *[_THERE] * (len(turns) - 1)]
    return ["\n\n".join(_body(line.cells[n], tint) for line in lines if line.cells[n]) for n, tint in enumerate(tints)]


def _head(name: str, id: str) -> str:
    said = f"<strong>{escaped(name)}</strong> " if name else ""
    return said + (f'<strong style="font-family:monospace">{escaped(id)}</strong>' if id else "")


def _told(rows: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f'<div style="{_LINE}"><span style="{_NAME}">{escaped(name)}</span> '
        f'<span style="{_VALUE}">{escaped(value)}</span></div>'
        for name, value in rows
    )


def _section(name: str, texts: Sequence[str]) -> list[str]:
    told = f"{name}, the same in all" if len(set(texts)) == 1 else name
    span = f'colspan="{len(texts)}"'
    out = [f'<tr><th {span} style="{_BAND}">{told}</th></tr>']
    same: list[str] = []

    def flush() -> None:
        if same:
            out.append(f'<tr><td {span} style="{_SAME}">{_folded(same)}</td></tr>')
            same.clear()

    for line in layout([visible(text) for text in texts]):
        if line.same:
            same.append("".join(piece.text for piece in line.cells[0]))
            continue
        flush()
        cells = (_cell(cell, _HERE if n == 0 else _THERE) for n, cell in enumerate(line.cells))
        out.append(f"<tr>{''.join(cells)}</tr>")
    flush()
    return out


def _folded(same: Sequence[str]) -> str:
    body = "\n\n".join(_block(escaped(text), text) for text in same)
    if sum(map(len, same)) < LONG:
        return body
    blocks = "1 block" if len(same) == 1 else f"{len(same)} blocks"
    begins = escaped(" ".join(same[0].split())[:80])
    return f'<details><summary style="cursor:pointer">{blocks} the same: {begins}…</summary>\n{body}</details>'


def _cell(cell: Cell, tint: str) -> str:
    return f'<td style="{_CELL}">{_body(cell, tint)}</td>'


def _body(cell: Cell, tint: str) -> str:
    text = "".join(piece.text for piece in cell)
    marked = "".join(
        f'<span style="{tint};{_TINT}">{escaped(piece.text)}</span>' if piece.changed else escaped(piece.text)
        for piece in cell
    )
    return _block(marked, text)


def _block(html: str, text: str) -> str:
    code = text.lstrip().startswith(("```", "~~~"))
    return f'<span style="{_CODE}">{html}</span>' if code else html
