"""What runs will cost, before the first call: from the plan's tokens, the model's prices and the room for an answer.

An upper estimate: no token is assumed to be cached, and tools that the model calls are not known yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..context.plan import Plan
from ..errors import BadInput
from ..model import catalog
from ..transcript import Usage

ANSWER = 600
"""Tokens of an answer where the conversation has none to go by."""
BUDGET = 1.0
"""Dollars that an experiment may cost where nothing else is said."""
BATCH = 0.5
"""What the provider's Message Batches cost, of the usual price."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`about` and `most` are dollars for all calls; models without a known price are in `unpriced` and count nothing.

    `most` is with every answer as long as it may be.
    """

    calls: int = 0
    tokens: int = 0
    about: float = 0.0
    most: float = 0.0
    unpriced: tuple[str, ...] = ()

    def __add__(self, other: Estimate) -> Estimate:
        unpriced = tuple(dict.fromkeys((*self.unpriced, *other.unpriced)))
        return Estimate(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.about + other.about,
            self.most + other.most,
            unpriced,
        )

    def times(self, factor: int) -> Estimate:
        """The same so many times."""
        more = (self.calls * factor, self.tokens * factor, self.about * factor, self.most * factor)
        return Estimate(*more, self.unpriced)

    def half(self) -> Estimate:
        """The same through Message Batches."""
        return Estimate(self.calls, self.tokens, self.about * BATCH, self.most * BATCH, self.unpriced)

    def __str__(self) -> str:
        if not self.calls:
            return "no call: every answer is stored"
        calls = f"{self.calls} call{'s' * (self.calls > 1)} of {self.tokens:,} tokens in all"
        if self.about == self.most == 0.0:
            cost = "free" if not self.unpriced else "at a price that is not known"
        else:
            cost = f"about {dollars(self.about)}, at most {dollars(self.most)}"
            cost += f", besides {' and '.join(self.unpriced)}, whose price is not known" * bool(self.unpriced)
        return f"{calls}: {cost}"

    def check(self, budget: float, raise_by: str) -> None:
        """BadInput, one line, where this is over the budget; `raise_by` says how to allow more."""
        if self.about > budget:
            raise BadInput(f"Nothing was sent: {self}; the limit is {dollars(budget)}. {raise_by} allows it.")


def dollars(amount: float) -> str:
    return f"${amount:.4f}" if amount < 0.1 else f"${amount:,.2f}"


def checked_budget(dollars: Any) -> float:
    """The dollars that may be spent; BadInput where it is no amount. Infinity is no limit."""
    if isinstance(dollars, bool) or not isinstance(dollars, int | float) or not dollars > 0:
        raise BadInput(f"budget is an amount of dollars over 0; {dollars!r} is not.")
    return float(dollars)


def of_request(model: str, tokens: int, answer: int, room: int, extra: float = 0.0) -> Estimate:
    """One request of so many tokens, its answer expected to have `answer` of the `room` it may have.

    `extra`: dollars of the calls that have to come before it.
    """
    about = catalog.cost(model, Usage(cache_write=tokens, output=min(answer, room)))
    most = catalog.cost(model, Usage(cache_write=tokens, output=room))
    if about is None or most is None:
        return Estimate(1, tokens, unpriced=(model,))
    return Estimate(1, tokens, about + extra, most + extra)


def of_plan(made: Plan, model: str, room: int, answer: int = ANSWER) -> Estimate:
    """The request of a plan. Where a summary has to be written first, that is counted too, and the request as it is."""
    extra = made.need.cost or 0.0 if made.need is not None else 0.0
    return of_request(model, made.tokens, answer, room, extra)


def total(estimates: Iterable[Estimate]) -> Estimate:
    return sum(estimates, Estimate())
