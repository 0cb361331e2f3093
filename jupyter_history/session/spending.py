"""What a conversation cost besides its turns: prompts that came to nothing, and summaries that were written by hand."""

from __future__ import annotations

from dataclasses import dataclass

from ..transcript import Usage
from .asking import PAID
from .standing import Standing


@dataclass(frozen=True, slots=True)
class Spent:
    """`cost` in dollars; None where the model's price is unknown."""

    model: str
    usage: Usage
    cost: float | None


def unanswered(standing: Standing) -> list[Spent]:
    """All that was paid for and is no turn."""
    failed = [Spent(each.model, each.usage, each.cost) for each in standing.failures() if each.usage.prompt]
    written = [overlay.payload[PAID] for overlay in standing.overlays() if PAID in overlay.payload]
    return failed + [Spent(paid["model"], Usage(**paid["usage"]), paid["cost"]) for paid in written]
