"""A resumed conversation, cut to its newest messages (rules 11 and 12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..transcript import Message, without_thinking


@dataclass(frozen=True, slots=True)
class Cut:
    """The messages that are left, and how many messages and turns went."""

    messages: tuple[Message, ...]
    dropped: int = 0
    turns: int = 0


def turn_starts(path: Sequence[Message]) -> list[int]:
    """Where the turns of a path begin: at the user prompts, never at the results of a tool."""
    starts: list[int] = []
    for n, message in enumerate(path):
        if message.role == "user" and not message.results:
            before = path[n - 1] if n else None
            if before is None or message.turn != before.turn or not message.turn:
                starts.append(n)
    return starts


def cut(path: Sequence[Message], most: int | None) -> Cut:
    """The newest whole turns of `path` with at most `most` messages in all, at least one turn.

    Uncut, the path returns as it is, to the byte, signed thinking included. A cut one is a new prefix: thinking was
    signed against the one that went, so all of it goes (rule 18).
    """
    if most is None or len(path) <= most:
        return Cut(tuple(path))
    starts = turn_starts(path)
    if not starts:
        return Cut(tuple(path))
    begin = next((start for start in starts if len(path) - start <= most), starts[-1])
    if begin == 0:
        return Cut(tuple(path))
    turns = sum(start < begin for start in starts)
    return Cut(tuple(without_thinking(path[begin:])), begin, turns)
