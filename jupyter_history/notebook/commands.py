"""Read a `%chat` line, run its command, show what it says."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from . import doctor, exploring, finding, looking, moving, transfers, window
from .command import COMMANDS, Said, command
from .options import refuse_keys, split

if TYPE_CHECKING:
    from .magics import ChatMagics

__all__ = ["COMMANDS", "run"]

_GROUPS = (
    ("Look", looking),
    ("Explore", exploring),
    ("Fit the window", window),
    ("Go elsewhere", moving),
    ("Find", finding),
    ("Files", transfers),
    ("Check", doctor),
)


def run(magics: ChatMagics, line: str) -> None:
    """Run a `%chat` line; without a command, `status`. A usage error for what does not fit."""
    refuse_keys(line)
    name, *words = split(line) or ["status"]
    chosen = COMMANDS.get(name)
    if chosen is None:
        raise UsageError(_unknown(name))
    if not chosen.least <= len(words) <= chosen.most:
        raise UsageError(f"`{chosen.line}`: {chosen.summary}; {_number(len(words))} given")
    said = chosen.run(magics, words)
    show(said or Said(), magics.current.told())


def show(said: Said, notes: Sequence[str] = ()) -> None:
    """Print what a command says; display its view between, where it has one."""
    before = [*notes, said.text] if said.text else [*notes]
    if before:
        print("\n".join(before))
    if said.view is not None:
        from IPython.display import display

        display(said.view)
    if said.next:
        print(f"Next: {said.next}.")


def _number(words: int) -> str:
    return f"{words} argument{'' if words == 1 else 's'}"


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, COMMANDS, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`%chat help` lists them."
    return f"%chat has no command {name!r}; {hint} To ask the model, begin a cell with %%chat, the prompt below it"


@command("help", "this list")
def help_(_magics: ChatMagics, _words: list[str]) -> Said:
    width = max(len(item.line) for item in COMMANDS.values())
    lines = ["%%chat asks the model; `%%chat?` describes it. For the rest:"]
    for title, module in _GROUPS:
        lines.append(title)
        mine = (item for item in COMMANDS.values() if item.run.__module__ == module.__name__)
        lines += [f"  {item.line:{width}}  {item.summary}" for item in mine]
    return Said("\n".join(lines))
