"""What a rewrite costs where the provider's prompt cache is warm, and after how many turns it has paid for itself.

Without a rewrite the next request reads its prefix from the cache. With one, what stands behind the first edited
message is written anew. Taking E tokens away with S kept tokens behind them costs once S * (w - r) and saves E * r in
every later turn, so it pays after (S / E) * (w - r) / r turns; w and r are the prices of a cache write and a read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .budget import Price


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One rewrite of a cached prefix. Tokens; dollars where the price is known."""

    taken: int
    """E: what the rewrite takes back."""
    behind: int
    """S: what is kept behind the first edit and has to be written again."""
    cost: float | None
    """Dollars, once: the rewrite itself."""
    saving: float | None
    """Dollars for each later turn."""
    pays_after: float | None
    """Turns; 0 where nothing was cached, None where no price is known."""
    turns_left: float | None
    """Turns until the wall at the pace of this conversation; None: not known."""

    @property
    def waits(self) -> bool:
        """Whether the rewrite would not have paid by the time the window is full."""
        return self.pays_after is not None and self.turns_left is not None and self.pays_after > self.turns_left

    def __str__(self) -> str:
        if self.pays_after is None:
            return f"{self.behind:,} cached tokens are written anew; no price is known for this model"
        if not self.behind:
            return "no cached tokens stand behind the first edit: the rewrite is free"
        if not self.cost:
            return f"{self.behind:,} cached tokens are written anew, which is free for this model"
        turns = math.ceil(self.pays_after) if math.isfinite(self.pays_after) else "no number of"
        left = f"; about {self.turns_left:.0f} are left" if self.turns_left is not None else ""
        return f"rewriting {self.behind:,} tokens costs ${self.cost:.4f} and pays after {turns} turns{left}"


def rewrite(
    taken: int, behind: int, price: Price | None, *, cached: int, before_edit: int, now: int, limit: int, growth: float
) -> Rewrite:
    """The cost of taking `taken` tokens away with `behind` kept behind the first edit.

    `cached`: tokens the last request reported as cached; only what of them stands behind the `before_edit` tokens in
    front of the edit is lost. `now` of `limit` tokens are used, and a turn adds `growth` on average (0: not known).
    """
    turns = max(0.0, limit - now) / growth if growth > 0 else None
    warm = max(0, min(behind, cached - before_edit))
    if not warm:
        return Rewrite(taken, 0, 0.0, None, 0.0, turns)
    if price is None:
        return Rewrite(taken, warm, None, None, None, turns)
    write, read = price.cache_write, price.cache_read
    cost = warm * (write - read) / 1e6
    saving = taken * read / 1e6
    pays = cost / saving if saving > 0 else (math.inf if cost > 0 else 0.0)
    return Rewrite(taken, warm, cost, saving, pays, turns)
