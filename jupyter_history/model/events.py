"""What an answer is made of while it streams: `Sent`, then pieces, then `Done`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sent:
    """The request goes out now; once for each attempt."""


@dataclass(frozen=True, slots=True)
class Text:
    """More of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """More of the (summarised) thinking that the model shows."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """The model has begun to write a tool call; its arguments are still coming."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Retry:
    """The server was busy or out of reach before anything was shown; the request goes out again in `seconds`.

    Told once a second until then. `attempt` counts the attempts made so far, from 1.
    """

    seconds: float
    reason: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Done:
    """The answer is complete: the server said so."""


Event = Sent | Text | Thinking | Call | Retry | Done
