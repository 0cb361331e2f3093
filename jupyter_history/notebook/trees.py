"""A conversation's tree to look at: an outline in text, and the same as HTML without scripts.

A chain does not indent, however long; only a side branch does. Where a turn has several children, the one on the path
(else the one with most turns below it) goes on in the same column, after the others: so indentation grows with the
logarithm of the tree, and 10,000 turns in a row are a straight line. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from .markdown import visible
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
    marks: tuple[str, ...]


def outline(tree: Shape) -> Iterator[Row]:
    """The turns in the order they are drawn."""
    path = set(tree.path(tree.tip))
    size = dict.fromkeys(tree.heads, 1)
    for turn in reversed(tree.heads):  # a turn comes after its parent
        parent = tree.heads[turn].parent
        if parent is not None:
            size[parent] += size[turn]
    place = {
        turn: f"answer {n} of {len(beside)}"
        for beside in tree.children.values()
        if len(beside) > 1
        for n, turn in enumerate(beside, start=1)
    }
    labels: dict[str, list[str]] = {}
    for label, turn in tree.labels.items():
        labels.setdefault(turn, []).append(label)

    def onwards(children: list[str]) -> str:
        return max(children, key=lambda turn: (turn in path, size[turn], tree.heads[turn].n))

    stack: list[tuple[str, int, bool]] = []

    def push(children: list[str], depth: int) -> None:
        if children:
            main = onwards(children)
            stack.append((main, depth, False))
            stack.extend((turn, depth + 1, True) for turn in reversed(children) if turn != main)

    push(tree.children[None], 0)
    while stack:
        turn, depth, first = stack.pop()
        head = tree.heads[turn]
        marks = [*(f"[{label}]" for label in labels.get(turn, [])), place.get(turn, ""), *_marks(tree, head)]
        yield Row(head, depth, first, size[turn], turn in path, tuple(filter(None, marks)))
        push(tree.children[turn], depth)


def _marks(tree: Shape, head: Head) -> Iterator[str]:
    """What is worth saying: a model other than the parent's, an outcome other than complete, the tip."""
    parent = tree.heads.get(head.parent) if head.parent is not None else None
    if parent is None or parent.model != head.model:
        yield head.model
    if head.outcome != "complete":
        yield head.outcome
    if head.id == tree.tip:
        yield "<- you are here"


def _title(head: Head) -> str:
    title = " ".join(visible(head.title).split())
    return title if len(title) <= TITLE else title[: TITLE - 1] + "…"


def text(tree: Shape) -> str:
    """The outline in text: `●` is on the path, `○` beside it."""
    lines = []
    for row in outline(tree):
        gutter = "│ " * (row.depth - 1) + "├─" if row.first else "│ " * row.depth
        marks = f"   {visible(' · '.join(row.marks))}" if row.marks else ""
        lines.append(f"{gutter}{'●' if row.on_path else '○'} {row.head.id}  {_title(row.head)}{marks}")
    if not lines:
        return "The conversation is empty."
    if tree.tip is None:
        lines.insert(0, "<- you are here, before the first turn")
    return "\n".join(lines)


_ROW = "display:flex;gap:0.6em;align-items:baseline;padding:1px 4px;border-radius:3px"
_ON_PATH = "background-color:rgba(33,150,243,0.13)"
_BRANCH = "margin:1px 0 1px 0.45em;padding-left:0.9em;border-left:2px solid rgba(128,128,128,0.35)"
_QUIET = "opacity:0.7;font-size:90%"
_ID = "font-family:monospace;white-space:nowrap"


def html(tree: Shape) -> str:
    """The outline as HTML: no script, no class, styles in place, side branches folded where the tree is large."""
    unfolded = " open" if len(tree.heads) <= OPEN else ""
    out = ['<div style="line-height:1.5;max-width:75em">']
    closing: list[str] = []
    for row in outline(tree):
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
    if len(out) == 1:
        out.append("The conversation is empty.")
    out.append("</div>")
    return "".join(out)


def _html_row(row: Row) -> str:
    style = f"{_ROW};{_ON_PATH}" if row.on_path else _ROW
    if row.first and row.size > 1:
        style = style.replace("display:flex", "display:inline-flex")  # beside the triangle that folds it
    marks = "".join(f'<span style="{_QUIET};white-space:nowrap">{escaped(mark)}</span>' for mark in row.marks)
    dot, id = "●" if row.on_path else "○", f'<code style="{_ID}">{escaped(row.head.id)}</code>'
    return f'<span style="{style}"><span>{dot}</span> {id} <span>{escaped(_title(row.head))}</span> {marks}</span>'
