"""An answer of a batch into the tree, under the prompt it answers; one that came to nothing beside the tree.

Invariant: a request's `custom_id` is the id of the turn it becomes, so that filing twice changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..model import catalog
from ..model import errors as said
from ..session import beside
from ..store import records
from ..transcript import Block, Maker, Message, TurnRecord, Usage, clean_json
from .estimate import BATCH

if TYPE_CHECKING:
    from ..session.session import Session


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch whose answers are not all filed. `points`: turn id -> what the turn will be made of."""

    id: str
    """Ours."""
    provider: str | None
    """The provider's id; None where the kernel ended before it could be noted."""
    created: float
    model: str
    prompt: str
    under: str | None
    maker: Maker
    points: Mapping[str, Mapping[str, Any]]
    content: list[Block] = field(default_factory=list)
    """What was sent for the prompt, where that is more than its text."""
    status: str = ""
    """How far it is, as a line."""

    @classmethod
    def of(cls, held: records.Batch) -> Batch:
        asked = held.asked
        own = {name: asked[name] for name in ("model", "prompt", "under", "points", "content")}
        return cls(id=held.id, provider=held.provider, created=held.created, maker=Maker(*asked["maker"]), **own)

    @property
    def asked(self) -> dict[str, Any]:
        """What the store keeps of it from before it is sent."""
        own = {name: getattr(self, name) for name in ("model", "prompt", "under", "points", "content")}
        return {**own, "maker": [self.maker.notebook, self.maker.cell, self.maker.ordinal]}

    @property
    def answers(self) -> str:
        return f"{len(self.points)} answer{'s' * (len(self.points) > 1)} of {self.model}"

    @property
    def line(self) -> str:
        return f"`{self.provider or self.id}`: {self.answers}, {self.status or 'not asked yet'}"


def file(session: Session, batch: Batch, result: Any) -> str:
    """File one result as the provider gives it; "" where it is a turn now, else the line that says why it is none.

    What came to nothing is kept beside the tree: the cell that sent it asks again. StoreUnavailable: nothing was filed.
    """
    point = batch.points[result.custom_id]
    content = tuple(batch.content) or ({"type": "text", "text": batch.prompt},)
    prompt = Message("user", content, result.custom_id, 0)
    record = TurnRecord(
        id=result.custom_id,
        conversation=session.id,
        parent=batch.under,
        prompt=batch.prompt,
        messages=(prompt,),
        model=point["model"],
        created=time.time(),
        maker=batch.maker,
        settings=point["settings"],
        inherited={**point["inherited"], "batch": batch.provider},
        window=point["window"],
    )
    outcome = result.result
    why = _why(outcome)
    if why:
        error = said.one_line(f"In batch {batch.provider}: {why}.")
        session.store.fail(replace(record, outcome="failed", error=error))
        return f"{point['variant']}: {said.one_line(why)}."
    usage = _usage(outcome.message.usage)
    cost = catalog.cost(record.model, usage)
    answer = Message("assistant", tuple(_content(outcome.message)), record.id, 1)
    beside.file(
        session,
        replace(
            record,
            messages=(prompt, answer),
            usage=usage,
            cost=cost * BATCH if cost is not None else None,
            context=usage.prompt + usage.output,
            stop_reason=outcome.message.stop_reason,
        ),
    )
    return ""


def _why(outcome: Any) -> str:
    """Why there is no answer; "" where there is one."""
    match outcome.type:
        case "succeeded":
            return "" if _content(outcome.message) else "answered with nothing"
        case "errored":
            return f"errored, {outcome.error.error.message}"
        case other:  # canceled, expired
            return str(other)


def _content(message: Any) -> list[Block]:
    blocks = [clean_json(block.model_dump(mode="json", exclude_none=True)) for block in message.content]
    kept = [block for block in blocks if block["type"] != "tool_use"]
    return kept if any(block["type"] == "text" and block["text"].strip() for block in kept) else []


def _usage(usage: Any) -> Usage:
    longer = getattr(usage.cache_creation, "ephemeral_1h_input_tokens", 0) or 0
    written = (usage.cache_creation_input_tokens or 0) - longer
    return Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens or 0, max(0, written), longer)
