"""One command of `%chat`: how it is entered into the table, how it is described, and what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .magics import ChatMagics

Takes = Literal[
    "", "turn", "place", "sent", "conversation", "name", "checkpoint", "command", "setting", "switch", "model",
    "models", "rung", "rungs", "tools", "variants", "profile", "system", "file",
]  # fmt: skip
"""What an argument is: Tab offers the words there are (`offers`)."""
_TURN = "A turn is named by its id or its label; `tip` is where you are. `%chat tree` shows them."

MEANING: Mapping[Takes, str] = {
    "turn": _TURN,
    "place": f"{_TURN} `root` is the beginning.",
    "sent": f"{_TURN} `next` is the prompt that was not sent yet.",
    "conversation": "A conversation is named by its name or its id; one with spaces goes in quotes. "
    "`%chat list` shows them.",
    "name": "A name with spaces goes in quotes.",
    "setting": "`%chat config` alone shows all settings and their values.",
    "rung": "The rungs: elision, images, snapshot, summary.",
    "rungs": "The rungs, with commas: elision, images, snapshot, summary; or auto, off.",
    "checkpoint": "`%chat checkpoint` alone shows the marks there are.",
    "profile": "The profiles are what pages can be drawn in; the view shows them side by side.",
    "file": "A file name with spaces goes in quotes.",
    "command": "The commands are below.",
}
"""What the help of a command says of its arguments."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a command shows: text, or an object that displays itself, and what can be done next."""

    text: str = ""
    view: Any = None
    next: str = ""


Run = Callable[["ChatMagics", list[str]], Said | None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command. `usage` follows its name; it takes from `least` to `most` words. `flags`: what follows an option."""

    name: str
    usage: str
    summary: str
    run: Run
    least: int
    most: int
    takes: Takes = ""
    flags: Mapping[str, Takes] = field(default_factory=dict)

    @property
    def line(self) -> str:
        return f"%chat {self.name} {self.usage}".rstrip()

    @property
    def help(self) -> str:
        """Its line, what it does, and what its arguments are."""
        kinds = dict.fromkeys([self.takes, *self.flags.values()])
        return "\n".join([self.line, f"  {self.summary}", *(f"  {MEANING[kind]}" for kind in kinds if kind)])


COMMANDS: dict[str, Command] = {}


def command(
    usage: str,
    summary: str,
    *,
    words: tuple[int, int] = (0, 0),
    takes: Takes = "",
    flags: Mapping[str, Takes] | None = None,
) -> Callable[[Run], Run]:
    """Enter a function into the table. `usage` is the command with its arguments, as in "label ID NAME"; `words` is
    how many it takes, at least and at most; `flags` says of the options in `usage` what follows them."""
    name, _, arguments = usage.partition(" ")
    options: dict[str, Takes] = dict.fromkeys(re.findall(r"--[a-z]+", arguments), "")

    def enter(function: Run) -> Run:
        COMMANDS[name] = Command(name, arguments, summary, function, *words, takes, options | dict(flags or {}))
        return function

    return enter
