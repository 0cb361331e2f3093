"""A batch whose kernel ended between "it is going to be sent" and "this is its id": did it arrive?

The provider lists batches with their size, and no names of ours. Once one has ended its results carry our ids, which is
proof; before that, one of the same size may be it. Nothing is sent again while one may be it: that would be paid twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..model import errors as said
from .filing import Batch

if TYPE_CHECKING:
    from ..session.session import Session

APART = 86_400.0
"""Seconds that the provider's clock and ours may differ."""
GRACE = 120.0
"""Seconds in which another kernel may still be sending it."""

_ENDED = "its kernel ended while it was being sent"


@dataclass(frozen=True, slots=True)
class Found:
    """`provider`: the id of the batch that is proved to be it. `never`: it did not arrive. `line`: what is known."""

    what: Literal["it", "never", "unknown"]
    provider: str = ""
    line: str = ""


def look_for(session: Session, batch: Batch) -> Found:
    """Ask the provider, who is only read. A server that lists no batches leaves it unknown."""
    drop = f"`%chat batches drop {batch.id}` lets the cell send it anew"
    age = time.time() - batch.created
    try:
        sdk = session.client.sdk(batch.model).messages.batches
        known = {held.provider for held in session.store.batches(session.id, closed=True)}
        maybe = ""
        for each in sdk.list(limit=100):
            if each.created_at.timestamp() < batch.created - APART:
                break  # newest first
            if each.id in known or _size(each) != len(batch.points):
                continue
            if each.processing_status != "ended":
                maybe = maybe or each.id
            elif each.results_url and _holds(sdk, each.id, batch):
                return Found("it", each.id)
    except Exception as error:
        explained = said.explain(error, model=batch.model, server=session.client.server(batch.model))
        return Found("unknown", line=f"{_ENDED}; whether it arrived is not known: {explained} {drop}.")
    if maybe:
        return Found("unknown", line=f"{_ENDED}; `{maybe}` may be it, which is known once that has ended")
    if age < GRACE:
        return Found("unknown", line=f"is being sent for {age:.0f} s; if its kernel has ended, {drop}")
    return Found("never", line=f"A batch of {batch.answers} never arrived: its kernel ended before. Its cell sends it.")


def _size(each: Any) -> int:
    counts = each.request_counts
    return int(counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired)


def _holds(sdk: Any, id: str, batch: Batch) -> bool:
    """Whether its results are those of our requests."""
    results = sdk.results(id)
    try:
        return any(result.custom_id in batch.points for result in results)
    finally:
        results.close()
