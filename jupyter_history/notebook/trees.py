"""A conversation's tree to look at: an outline in text, and the same as HTML without scripts.

A chain does not indent, however long; only a side branch does. Where a turn has several children, the one on the path
(else the one with most turns below it) goes on in the same column, after the others: so indentation grows with the
logarithm of the tree, and 10,000 turns in a row are a straight line. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from .markdown import visible
from .marks import NOTHING, Mark, Noted, legend, marks
from .static import escaped

if TYPE_CHECKING:
    from ..store.records import Head

TITLE = 70
"""Characters of a prompt that are shown."""

OPEN = 40
"""A tree of at most this many turns shows its side branches unfolded in HTML."""


class Shape(Protocol):
    """What is drawn: `jupyter_history.tree.Tree` is such."""

    heads: dict[str, Head]
    children: dict[str | None, list[str]]
    labels: dict[str, str]
    tip: str | None

    def path(self, turn: str | None) -> list[str]: ...


class Row(NamedTuple):
    """One turn in the outline. `depth`: how many side branches it stands in; `first`: it begins one of `size` turns."""

    head: Head
    depth: int
    first: bool
    size: int
    on_path: bool
    marks: tuple[Mark, ...]


def outline(tree: Shape, noted: Noted = NOTHING) -> Iterator[Row]:
    """The turns in the order they are drawn; a hidden turn is left out, with all below it."""
    path = set(tree.path(tree.tip))
    seen = shown(tree, noted)
    size = dict.fromkeys(seen, 1)
    for turn in reversed(seen):  # a turn comes after its parent
        parent = tree.heads[turn].parent
        if parent is not None:
            size[parent] += size[turn]
    places = {
        turn: (n, len(answers))
        for beside in tree.children.values()
        if len(beside) > 1 and len(answers := [turn for turn in beside if tree.heads[turn].outcome != "failed"]) > 1
        for n, turn in enumerate(answers, start=1)
    }
    labels: dict[str, list[str]] = {}
    for label, turn in tree.labels.items():
        labels.setdefault(turn, []).append(label)

    def onwards(children: list[str]) -> str:
        return max(children, key=lambda turn: (turn in path, size[turn], tree.heads[turn].n))

    stack: list[tuple[str, int, bool]] = []

    def push(all_of: list[str], depth: int) -> None:
        children = [turn for turn in all_of if turn in size]
        if children:
            main = onwards(children)
            stack.append((main, depth, False))
            stack.extend((turn, depth + 1, True) for turn in reversed(children) if turn != main)

    push(tree.children[None], 0)
    while stack:
        turn, depth, first = stack.pop()
        head = tree.heads[turn]
        said = marks(
            head,
            tree.heads[head.parent] if head.parent is not None else None,
            labels=labels.get(turn, ()),
            place=places.get(turn),
            here=turn == tree.tip,
            noted=noted,
        )
        yield Row(head, depth, first, size[turn], turn in path, tuple(said))
        push(tree.children[turn], depth)


def shown(tree: Shape, noted: Noted = NOTHING) -> list[str]:
    """The turns that are drawn: all but the hidden ones and those below them."""
    seen: dict[str, None] = {}
    for turn, head in tree.heads.items():
        if turn not in noted.hidden and (head.parent is None or head.parent in seen):
            seen[turn] = None
    return list(seen)


def _title(head: Head) -> str:
    title = " ".join(visible(head.title).split())
    return title if len(title) <= TITLE else title[: TITLE - 1] + "…"


def text(tree: Shape, noted: Noted = NOTHING) -> str:
    """The outline in text: `●` is on the path, `○` beside it."""
    lines: list[str] = []
    kinds: set[str] = set()
    for row in outline(tree, noted):
        gutter = "│ " * (row.depth - 1) + "├─" if row.first else "│ " * row.depth
        said = f"   {visible(' · '.join(map(str, row.marks)))}" if row.marks else ""
        lines.append(f"{gutter}{'●' if row.on_path else '○'} {row.head.id}  {_title(row.head)}{said}")
        kinds |= _kinds(row)
    if not lines:
        return "The conversation is empty." if not tree.heads else _left_out(len(tree.heads))
    if tree.tip is None:
        lines.insert(0, "<- you are here, before the first turn")
    if hidden := len(tree.heads) - len(lines) + (tree.tip is None):
        lines.append(_left_out(hidden))
    if signs := legend(kinds):
        lines.append("   ".join(f"{sign} {meaning}" for sign, meaning in signs))
    return "\n".join(lines)


def _kinds(row: Row) -> set[str]:
    """What a legend has to explain of a row."""
    return {"path" if row.on_path else "beside", *(mark.kind for mark in row.marks)}


def _left_out(hidden: int) -> str:
    return f"{hidden:,} hidden {'turn is' if hidden == 1 else 'turns are'} left out"


_ROW = "display:flex;gap:0.6em;align-items:baseline;padding:1px 4px;border-radius:3px"
_ON_PATH = "background-color:rgba(33,150,243,0.13)"
_BRANCH = "margin:1px 0 1px 0.45em;padding-left:0.9em;border-left:2px solid rgba(128,128,128,0.35)"
_QUIET = "opacity:0.7;font-size:90%"
_COLOUR = {"favourite": "#b26a00", "failed": "#c62828", "unsaved": "#c62828", "stopped": "#b26a00", "here": "#1976d2"}
"""Kinds of marks that stand out, and outcomes; legible on white and on near black."""
_ID = "font-family:monospace;white-space:nowrap"


def html(tree: Shape, noted: Noted = NOTHING) -> str:
    """The outline as HTML: no script, no class, styles in place, side branches folded where the tree is large."""
    unfolded = " open" if len(tree.heads) <= OPEN else ""
    out = ['<div style="line-height:1.5;max-width:75em">']
    closing: list[str] = []
    kinds: set[str] = set()
    drawn = 0
    for row in outline(tree, noted):
        drawn += 1
        kinds |= _kinds(row)
        while len(closing) > row.depth - row.first:
            out.append(closing.pop())
        line = _html_row(row)
        if not row.first:
            out.append(f"<div>{line}</div>")
        elif row.size == 1:
            out.append(f'<div style="{_BRANCH}">{line}')
            closing.append("</div>")
        else:
            more = f'<span style="{_QUIET}">+{row.size - 1} below</span>'
            out.append(f'<details style="{_BRANCH}"{unfolded}><summary style="cursor:pointer">{line} {more}</summary>')
            out.append('<div style="padding-left:1.1em">')
            closing.append("</div></details>")
    out.extend(reversed(closing))
    if not tree.heads:
        out.append("The conversation is empty.")
    signs = [f"{escaped(sign)} {meaning}" for sign, meaning in legend(kinds)]
    if drawn < len(tree.heads):
        signs.append(_left_out(len(tree.heads) - drawn))
    if signs:
        out.append(f'<div style="{_QUIET};margin-top:0.4em">{" &nbsp; ".join(signs)}</div>')
    out.append("</div>")
    return "".join(out)


def _html_row(row: Row) -> str:
    style = f"{_ROW};{_ON_PATH}" if row.on_path else _ROW
    if row.first and row.size > 1:
        style = style.replace("display:flex", "display:inline-flex")  # beside the triangle that folds it
    said = "".join(f'<span style="{_mark_style(mark)}">{escaped(str(mark))}</span>' for mark in row.marks)
    dot, id = "●" if row.on_path else "○", f'<code style="{_ID}">{escaped(row.head.id)}</code>'
    return f'<span style="{style}"><span>{dot}</span> {id} <span>{escaped(_title(row.head))}</span> {said}</span>'


def _mark_style(mark: Mark) -> str:
    colour = _COLOUR.get(mark.text if mark.kind == "outcome" else mark.kind)
    return f"white-space:nowrap;font-size:90%;{f'color:{colour}' if colour else 'opacity:0.7'}"
