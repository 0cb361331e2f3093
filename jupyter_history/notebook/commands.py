"""Read a `%chat` line, run its command, show what it says."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from . import doctor, exploring, finding, looking, moving, transfers, window
from .command import COMMANDS, Command, Said, command
from .options import HELP, refuse_keys
from .spelling import split, typed

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
    if name in HELP:
        name = "help"
    chosen = _command(name)
    if not HELP.isdisjoint(words):
        chosen, words = COMMANDS["help"], [name]
    if not chosen.least <= len(words) <= chosen.most:
        raise UsageError(_miscounted(chosen, words))
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


def _miscounted(command: Command, words: list[str]) -> str:
    """Not the words that a command takes: one name in several words only lacks its quotes."""
    if len(words) > command.most and command.takes in ("name", "conversation", "file"):
        return f"`{command.line}` takes one; a name with spaces goes in quotes: {typed(command.name, ' '.join(words))}"
    number = f"{len(words)} argument{'' if len(words) == 1 else 's'}"
    return f"`{command.line}`: {command.summary}; {number} given"


def _command(name: str) -> Command:
    if name in COMMANDS:
        return COMMANDS[name]
    near = difflib.get_close_matches(name, COMMANDS, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`%chat help` lists them."
    raise UsageError(
        f"%chat has no command {name!r}; {hint} To ask the model, begin a cell with %%chat, the prompt below it"
    )


@command("help [COMMAND]", "this list; with a command, what it takes", words=(0, 1), takes="command")
def help_(_magics: ChatMagics, words: list[str]) -> Said:
    if words:
        return Said(_command(words[0]).help, next="`%chat help` lists the commands, `%%chat?` describes the cells")
    width = max(len(item.line) for item in COMMANDS.values())
    lines = ["%%chat asks the model; `%%chat?` describes it. For the rest:"]
    for title, module in _GROUPS:
        lines.append(title)
        mine = (item for item in COMMANDS.values() if item.run.__module__ == module.__name__)
        lines += [f"  {item.line:{width}}  {item.summary}" for item in mine]
    return Said("\n".join(lines))
