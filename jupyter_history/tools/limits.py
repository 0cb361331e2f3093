"""How much one turn may do: rounds of tool calls, seconds, dollars, and how long one result may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..errors import BadInput

PREFIX = "max_"
"""A limit's name as a setting of the conversation is this and its field: `max_rounds`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one turn. They end it at a boundary with one line that names the limit; they are no part of the question."""

    rounds: int = 20
    """Requests: one, and one more each time that tools were called."""
    seconds: float = 900.0
    """From the first request on. A tool that still runs then is broken off, an answer that still streams is stopped."""
    cost: float = 2.0
    """Dollars, where the model's price is known; looked at between requests."""
    result: int = 30_000
    """Characters of one tool result that are sent; `recall` shows the rest."""

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Limits:
        """The limits that a conversation's settings name, the rest as they are by default."""
        named = {field.name: settings.get(PREFIX + field.name) for field in fields(cls)}
        return cls(**{name: value for name, value in named.items() if value is not None})

    def less(self, *, rounds: int, seconds: float, cost: float) -> Limits:
        """What is left of them after a part of a turn; at least one round, so that it can end."""
        return Limits(max(1, self.rounds - rounds), max(0.0, self.seconds - seconds), self.cost - cost, self.result)


NAMES = tuple(PREFIX + field.name for field in fields(Limits))
"""The settings of a conversation that are limits."""


def checked(name: str, value: object) -> float | int | None:
    """The value of a limit as it is kept; BadInput for what is not a number over 0."""
    if value is None:
        return None
    whole = name in ("max_rounds", "max_result")
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    if number is None and isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            number = None
    if number is None or not 0 < number < float("inf") or (whole and number != int(number)):
        raise BadInput(f"{name} is a {'whole number from 1' if whole else 'number over 0'}; {value!r} is not.")
    return int(number) if whole else float(number)
