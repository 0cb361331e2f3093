"""One command of `%chat`: how it is entered into the table, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .magics import ChatMagics

Takes = Literal["", "turn", "conversation", "setting"]
"""What Tab offers for a command's arguments."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a command shows: text, or an object that displays itself, and what can be done next."""

    text: str = ""
    view: Any = None
    next: str = ""


Run = Callable[["ChatMagics", list[str]], Said | None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command. `usage` follows its name; it takes from `least` to `most` words."""

    name: str
    usage: str
    summary: str
    run: Run
    least: int
    most: int
    takes: Takes = ""

    @property
    def line(self) -> str:
        return f"%chat {self.name} {self.usage}".rstrip()


COMMANDS: dict[str, Command] = {}


def command(usage: str, summary: str, *, words: tuple[int, int] = (0, 0), takes: Takes = "") -> Callable[[Run], Run]:
    """Enter a function into the table. `usage` is the command with its arguments, as in "label ID NAME"; `words` is
    how many it takes, at least and at most."""
    name, _, arguments = usage.partition(" ")

    def enter(function: Run) -> Run:
        COMMANDS[name] = Command(name, arguments, summary, function, *words, takes)
        return function

    return enter
