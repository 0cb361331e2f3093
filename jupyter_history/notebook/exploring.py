"""The commands that show an explorer. None of them calls a model or moves anything (rule 23)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from IPython.core.error import UsageError

from .command import Said, command
from .options import count

if TYPE_CHECKING:
    from .magics import ChatMagics


@command("tree", "all turns on all branches")
def tree(magics: ChatMagics, _words: list[str]) -> Said:
    from .explorers import explore

    session = magics.current.required()
    magics.current.tell(session.refresh())
    goes_on = "`%chat branch ID` continues from a turn, `%chat compare A B` compares two"
    return Said(view=explore(session), next=goes_on if session.tree.heads else "write a %%chat cell")


@command(
    "compare [A] [B] [C] [D] [E] [F]",
    "answers side by side, by id or label; by default all beside the tip",
    words=(0, 6),
    takes="turn",
)
def compare(magics: ChatMagics, words: list[str]) -> Said:
    from .explorers import compare
    from .explorers.compare import alone

    session = magics.current.required()
    magics.current.tell(session.refresh())
    if not words and (session.tip is None or len(session.tree.siblings(session.tip)) < 2):
        why, instead = alone(session.tip)
        return Said(f"{why}.", next=instead)
    view = compare(session, *words)
    return Said(view=view, next=f"`%chat branch {view.turns[0].id}` continues from one of them")


@command(
    "ladder [ID] [--window N] [--rungs A,B]",
    "what was sent for a turn and why; `next` for the next prompt, with options a what-if",
    words=(0, 5),
    takes="sent",
    flags={"--rungs": "rungs"},
)
def ladder(magics: ChatMagics, words: list[str]) -> Said:
    from .explorers import ladder

    parser = _Parser(prog="%chat ladder", add_help=False, allow_abbrev=False)
    parser.add_argument("turn", nargs="?")
    parser.add_argument("--window", type=count)
    parser.add_argument("--rungs")
    asked = parser.parse_args(words)
    view = ladder(magics.current.required(), asked.turn, window=asked.window, rungs=asked.rungs)
    return Said(view=view, next="`%chat pages` shows the images, `%chat request` the exact request")


@command(
    "pages [ID] [--profile NAME]",
    "older turns as images, with their text and their price",
    words=(0, 3),
    takes="sent",
    flags={"--profile": "profile"},
)
def pages(magics: ChatMagics, words: list[str]) -> Said:
    from .explorers import pages

    parser = _Parser(prog="%chat pages", add_help=False, allow_abbrev=False)
    parser.add_argument("turn", nargs="?")
    parser.add_argument("--profile")
    asked = parser.parse_args(words)
    view = pages(magics.current.required(), asked.turn, profile=asked.profile)
    return Said(view=view, next="`%chat ladder` shows what else was taken back")


@command(
    "batches [drop ID]",
    "answers that are on their way through Message Batches; files those that arrived. `drop` forgets a batch",
    words=(0, 2),
)
def batches(magics: ChatMagics, words: list[str]) -> Said:
    from ..experiments import batch

    session = magics.current.required()
    if words:
        if len(words) != 2 or words[0] != "drop":
            raise UsageError(f"%chat batches takes nothing, or `drop ID`; {' '.join(words)!r} is neither")
        dropped = batch.drop(session, words[1])
        return Said(f"Forgotten: {dropped.line}.", next="its cell may send it again")
    done = batch.collect(session)
    magics.link.moved()
    lines = [f"Filed: {', '.join(f'`{turn}`' for turn in done.filed)}."] if done.filed else []
    lines += [*done.failed, *(waiting.line for waiting in done.waiting)]
    if not lines:
        return Said("No batch is on its way in this conversation.", next="`%%chat --each model=A,B --batch` sends one")
    return Said("\n".join(lines), next="run the cell that sent it again to see its answers, or `%chat tree`")


class _Parser(argparse.ArgumentParser):
    """Its errors are one line of the cell."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}")
