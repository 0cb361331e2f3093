"""Two to six answers side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from .. import compare as columns
from ..answers import price
from ..markdown import safe, safe_line, visible
from .view import View

if TYPE_CHECKING:
    from ...session.session import Session
    from ...session.turn import Turn

MANY = 6
"""Answers that stand side by side, at most."""

MOST = 400_000
"""Characters of answers up to which an output's JSON holds them, so that it reads without a kernel."""


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})\s")


class CompareView(View):
    """Answers in columns along the blocks of one of them; what was asked differently stands above."""

    kind = "compare"

    def __init__(self, session: Session, turns: Sequence[Turn]) -> None:
        super().__init__(session, turns=[turn.id for turn in turns])
        self.turns = tuple(turns)

    def data(self) -> dict[str, Any]:
        return {"columns": [column(turn) for turn in self.turns], "beside": self.beside}

    @property
    def beside(self) -> bool:
        """Whether these are all answers to one parent, or the newest of very many: then the next one belongs here."""
        siblings = self.session.tree.siblings(self.turns[0].id)
        return {turn.id for turn in self.turns} == set(siblings[-MANY:])

    def texts(self) -> dict[str, Any]:
        if sum(len(turn.text) + len(turn.prompt) for turn in self.turns) > MOST:
            return {}
        return {"texts": texts(self.turns)}

    def html(self) -> str:
        return columns.html(self.turns)

    def text(self) -> str:
        return columns.text(self.turns)

    def markdown(self) -> str:
        """The comparison as Markdown: a table of facts, then the answers one after the other, below their ids."""
        names = [f"`{turn.id}`" + (f" {safe_line(turn.label)}" if turn.label else "") for turn in self.turns]
        facts = [columns.facts(turn, self.turns[0]) for turn in self.turns]
        rows = [(name, *(column[n][1] for column in facts)) for n, (name, _) in enumerate(facts[0])]
        lines = [_row(["", *names]), "|---" * (len(self.turns) + 1) + "|"]
        lines += [_row([safe_line(value) for value in row]) for row in rows]
        once = len({turn.prompt for turn in self.turns}) == 1
        if once:
            lines += ["", _quoted(self.turns[0].prompt)]
        for name, turn in zip(names, self.turns, strict=True):
            lines += ["", f"## {name}"]
            if not once:
                lines += ["", _quoted(turn.prompt)]
            lines += ["", lowered(safe(turn.text).rstrip())]
        return "\n".join(lines) + "\n"

    def to_frame(self) -> Any:
        """One row a turn, as a pandas DataFrame. Raises BadInput where pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise BadInput("to_frame() needs pandas, which is not installed here: pip install pandas") from None
        rows = [{**column(turn), "prompt": turn.prompt, "answer": turn.text} for turn in self.turns]
        return pandas.DataFrame(rows).set_index("id")


def lowered(markdown: str, by: int = 2) -> str:
    """Markdown with its headings so many levels lower, six being the lowest."""
    out, fence = [], ""
    for line in markdown.split("\n"):
        opening = _FENCE.match(line)
        if opening and not fence:
            fence = opening[1]
        elif opening and opening[1].startswith(fence) and line.strip() == opening[1]:
            fence = ""
        heading = None if fence else _HEADING.match(line)
        out.append("#" * min(by, 6 - len(heading[1])) + line if heading else line)
    return "\n".join(out)


def _quoted(prompt: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in safe(prompt).rstrip().split("\n"))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def compare(session: Session, *names: str) -> CompareView:
    """Two to six answers side by side, by id or label; one: all answers beside it; none: all beside the tip."""
    session.refresh()
    ids = list(dict.fromkeys(session.tree.resolve(name) for name in names))
    if len(names) > 1 == len(ids):
        raise BadInput(f"{' and '.join(map(repr, names))} are one turn, `{ids[0]}`; name two to compare.")
    if len(ids) < 2:
        beside = ids[0] if ids else session.tip
        ids = session.tree.siblings(beside)[-MANY:] if beside is not None else []
        if len(ids) < 2:
            raise BadInput(f"{'. '.join(alone(beside))}.")
    if len(ids) > MANY:
        raise BadInput(f"Compare takes two to six answers; there are {len(ids)}. `%chat tree` shows their ids.")
    return CompareView(session, [session.turn(id) for id in ids])


def alone(turn: str | None) -> tuple[str, str]:
    """Why there is nothing to compare beside this turn, and what can be done."""
    if turn is None:
        return "The next prompt begins at the root: no answer stands there to compare", "Name two: `%chat compare A B`"
    return (
        f"No other answer stands beside `{turn}`",
        "`%chat again` asks for another, `%chat compare A B` compares any two",
    )


def column(turn: Turn) -> dict[str, Any]:
    """What is known of a turn beside its text."""
    return {
        "id": turn.id,
        "parent": turn.parent,
        "label": turn.label,
        "question": visible(turn.prompt[:160]),
        "model": turn.model,
        "outcome": turn.outcome,
        "ladder": columns.took(turn) or "nothing",
        "tokens_in": turn.usage.prompt,
        "tokens_out": turn.usage.output,
        "cached": turn.usage.cache_read,
        "cost": turn.cost,
        "price": price(turn.cost),
        "seconds": round(turn.seconds, 2),
    }


def open_column(
    key: str, parent: str | None, prompt: str, state: str, *, growing: bool = True, model: str = ""
) -> dict[str, Any]:
    """What is known of an answer that is not there: yet, where it is `growing`, else for good. `key`: its texts' id."""
    return {
        "key": key,
        "parent": parent,
        "question": visible(prompt[:160]),
        "model": model,
        "state": state,
        "open": growing,
    }


def texts(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """Prompts as they were typed and answers as harmless Markdown."""
    return [{"id": turn.id, "prompt": visible(turn.prompt), "text": safe(turn.text).rstrip()} for turn in turns]
