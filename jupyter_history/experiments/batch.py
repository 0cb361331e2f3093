"""A grid sent through the provider's Message Batches: half the price, the answers within a day.

Invariants: what was submitted is noted in the conversation before this returns, so that another kernel can file the
answers; a request's `custom_id` is the id of the turn it will be, so that filing twice changes nothing; nothing that
is on its way is sent again. The tip stays where it is while answers are filed.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, ChatError
from ..model import catalog
from ..model import errors as said
from ..model.client import prepared
from ..progress import Note, Watch
from ..session import beside
from ..session.cells import question_key
from ..transcript import Block, Maker, Message, TurnRecord, Usage, clean_json
from . import sweep
from .estimate import BATCH, BUDGET, Estimate

if TYPE_CHECKING:
    from ..session.session import Session
    from .sweep import Experiment

SETTING = "batches"
"""The conversation's setting that holds what is on its way. No part of any question."""
LARGEST = 200_000_000
"""Bytes of a batch; the provider takes 256 MB."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch on its way. `points`: turn id -> what the turn will be made of. `id` is "" where a kernel ended while
    it was being sent: nobody knows whether it arrived."""

    id: str
    conversation: str
    model: str
    created: float
    prompt: str
    under: str | None
    maker: Maker
    points: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    status: str = ""
    """What the provider said last."""
    content: list[Block] = field(default_factory=list)
    """What was sent for the prompt, where that is more than its text."""

    def json(self) -> dict[str, Any]:
        maker = [self.maker.notebook, self.maker.cell, self.maker.ordinal]
        names = ("id", "conversation", "model", "created", "prompt", "under", "points", "status", "content")
        return {**{name: getattr(self, name) for name in names}, "maker": maker}

    @property
    def line(self) -> str:
        waits = f"{len(self.points)} answer{'s' * (len(self.points) > 1)}"
        if not self.id:
            return f"A batch of {waits} was being sent when its kernel ended; whether it arrived is not known here."
        return f"`{self.id}`: {waits} of {self.model}, {self.status or 'not asked yet'}"


@dataclass(frozen=True, slots=True)
class Collected:
    """What came of asking for batches: turns filed, lines about failures, and what is still on its way."""

    filed: tuple[str, ...]
    failed: tuple[str, ...]
    waiting: tuple[Batch, ...]


def batches(session: Session) -> list[Batch]:
    """The conversation's batches whose answers are not filed yet, oldest first. Asks nobody."""
    session.refresh()
    found = []
    for each in session.conversation.settings.get(SETTING, ()):
        if each["conversation"] == session.id:  # a fork copies settings; the answers belong to the source
            notebook, cell, ordinal = each["maker"]
            found.append(Batch(**{**each, "maker": Maker(notebook, cell, ordinal)}))
    return found


def submit(made: Experiment, *, budget: float = BUDGET) -> None:
    """Send what is neither stored nor on its way as one batch; file what has arrived of earlier ones.

    BadInput where the estimate is over the budget, or a model takes no batches; ModelError where the server refuses.
    """
    session = made.session
    collected = collect(session)
    _note_stored(made)
    missing = _note_waiting(made, collected.waiting)
    made.estimate = Estimate()
    told: list[str] = []
    if missing:
        _send(made, missing, budget, lambda event: told.append(event.text) if isinstance(event, Note) else None)
    sweep.settle(made)
    made.note = " ".join(filter(None, (_hint(made), *told, *collected.failed, made.note)))


def collect(session: Session) -> Collected:
    """Ask for the batches on their way and file the answers of those that ended, each under its parent."""
    filed: list[str] = []
    failed: list[str] = []
    waiting: list[Batch] = []
    for batch in batches(session):
        if not batch.id:
            failed.append(batch.line)
            continue
        try:
            state = session.client.sdk(batch.model).messages.batches.retrieve(batch.id)
            counts = state.request_counts
            done = counts.succeeded + counts.errored + counts.canceled + counts.expired
            status = f"{state.processing_status.replace('_', ' ')}, {done} of {len(batch.points)} done"
            if state.processing_status != "ended" or not state.results_url:
                waiting.append(replace(batch, status=status))
                continue
            for result in session.client.sdk(batch.model).messages.batches.results(batch.id):
                _file(session, batch, result, filed, failed)
        except ChatError:
            raise
        except Exception as error:
            explained = said.explain(error, model=batch.model, server=session.client.server(batch.model))
            failed.append(f"Batch `{batch.id}` was not read: {explained}")
            waiting.append(batch)
    _keep(session, waiting)
    return Collected(tuple(filed), tuple(failed), tuple(waiting))


# -- sending ----------------------------------------------------------------------------------------------------------


def _send(made: Experiment, missing: Sequence[int], budget: float, watch: Watch) -> None:
    session = made.session
    content = made.attached.content if made.attached is not None else ()
    if any(block["type"] == "image" for block in content):
        raise BadInput("A batch takes no images with the prompt; leave --batch out.")
    requests, points = [], {}
    wanted = Estimate()
    for n in missing:
        point = made.points[n]
        body, about, kept = _request(made, point.settings)
        wanted += about
        turn = session.store.new_id()
        requests.append({"custom_id": turn, "params": body})
        settings = beside.settings_of(session, point.settings, made.attached)
        points[turn] = {"settings": settings, "variant": point.variant, **kept}
    made.estimate = wanted.half()
    made.estimate.check(budget, sweep.option(made.estimate))
    needed = _summaries(made, missing, watch)
    for request, n in zip(requests, missing, strict=True):
        if n in needed:
            request["params"] = _request(made, made.points[n].settings)[0]
    size = len(json.dumps(requests, ensure_ascii=False).encode("utf-8", "replace"))
    if size > LARGEST:
        raise BadInput(f"Nothing was sent: the batch would have {size / 1e6:,.0f} MB, and the provider takes 256.")
    model = str(requests[0]["params"]["model"])  # type: ignore[index]
    batch = Batch(
        "", session.id, model, time.time(), made.prompt, made.under, made.maker, points, content=list(content)
    )
    _keep(session, [*batches(session), batch])
    try:
        sent = session.client.sdk(model).messages.batches.create(requests=requests)  # type: ignore[arg-type]
    except Exception as error:
        _keep(session, batches(session)[:-1])
        raise said.explain(error, model=model, server=session.client.server(model)) from error
    batch = replace(batch, id=sent.id, status=sent.processing_status.replace("_", " "))
    _keep(session, [*batches(session)[:-1], batch])
    for n in missing:
        made.runs[n].status = f"in batch {batch.id}"


def _request(made: Experiment, settings: Mapping[str, Any]) -> tuple[dict[str, Any], Estimate, dict[str, Any]]:
    """One point's request, what it will cost at the full price, and what its turn has to remember."""
    from ..session.asking import took
    from .estimate import of_plan

    plan, terms = beside.planned(made.session, made.prompt, settings, made.under, made.attached)
    plan.check()
    if catalog.is_offline(terms.model):
        raise BadInput("The offline reader takes no batches; leave --batch out, or name a hosted model with -m.")
    if plan.overlays and plan.need is None:
        beside.decide(made.session, plan.overlays)
    body = prepared(beside.request(made.session, plan, terms))
    if body.get("tools"):
        body["tool_choice"] = {"type": "none"}  # nobody is there to answer a call
    kept = {
        "model": terms.model,
        "window": plan.window,
        "inherited": {
            key: value
            for key, value in {
                "ladder": terms.ladder,
                "system": terms.system,
                "explicit": terms.explicit or None,
                "epoch": plan.epoch,
                "took": took(plan) or None,
            }.items()
            if value is not None and key not in settings
        },
    }
    return body, of_plan(plan, terms.model, terms.room), kept


def _summaries(made: Experiment, missing: Sequence[int], watch: Watch) -> set[int]:
    """Write the summaries that some points need, live and once: which points those are."""
    session, found = made.session, set()
    for n in missing:
        plan, terms = beside.planned(session, made.prompt, made.points[n].settings, made.under, made.attached)
        if plan.need is not None:
            beside.summarise(session, plan, terms, watch)
        if plan.need is not None or any(taken.rung == "summary" and taken.applied for taken in plan.rungs):
            found.add(n)
    return found


# -- filing -----------------------------------------------------------------------------------------------------------


def _file(session: Session, batch: Batch, result: Any, filed: list[str], failed: list[str]) -> None:
    """One answer into the tree; one that came to nothing beside it, so that the cell asks again."""
    point = batch.points.get(result.custom_id)
    if point is None:
        return
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
        inherited={**point["inherited"], "batch": batch.id},
        window=point["window"],
    )
    outcome = result.result
    blocks = _content(outcome.message) if outcome.type == "succeeded" else []
    if not blocks:
        why = outcome.type if outcome.type != "errored" else f"errored, {outcome.error.error.message}"
        why = "answered with nothing" if outcome.type == "succeeded" else why
        session.store.fail(replace(record, outcome="failed", error=said.one_line(f"In batch {batch.id}: {why}.")))
        failed.append(f"{point['variant']}: {said.one_line(why)}.")
        return
    usage = _usage(outcome.message.usage)
    cost = catalog.cost(record.model, usage)
    answer = Message("assistant", tuple(blocks), record.id, 1)
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
    filed.append(record.id)


def _content(message: Any) -> list[Block]:
    blocks = [clean_json(block.model_dump(mode="json", exclude_none=True)) for block in message.content]
    kept = [block for block in blocks if block["type"] != "tool_use"]
    return kept if any(block["type"] == "text" and block["text"].strip() for block in kept) else []


def _usage(usage: Any) -> Usage:
    longer = getattr(usage.cache_creation, "ephemeral_1h_input_tokens", 0) or 0
    written = (usage.cache_creation_input_tokens or 0) - longer
    return Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens or 0, max(0, written), longer)


# -- what is on its way -----------------------------------------------------------------------------------------------


def _keep(session: Session, left: Sequence[Batch]) -> None:
    kept = [batch.json() for batch in left]
    if kept != list(session.conversation.settings.get(SETTING, ())):
        beside.note(session, **{SETTING: kept or None})


def _note_stored(made: Experiment) -> None:
    for point, run in zip(made.points, made.runs, strict=True):
        known = sweep.stored(made, point)
        if known is not None:
            run.state, run.turn, run.status = "stored", known, ""


def _note_waiting(made: Experiment, waiting: Sequence[Batch]) -> list[int]:
    """Mark the points that are on their way; the others have to be sent."""
    coming: dict[str, list[Batch]] = defaultdict(list)
    for batch in waiting:
        if batch.under == made.under and batch.maker == made.maker:
            for point in batch.points.values():
                coming[question_key(batch.prompt, point["settings"])].append(batch)
    missing = []
    for n, (wanted, run) in enumerate(zip(made.points, made.runs, strict=True)):
        if run.ended:
            continue
        key = sweep.key(made, wanted)
        if coming[key]:
            run.status = f"in batch {coming[key].pop(0).id}"
        else:
            missing.append(n)
    return missing


def _hint(made: Experiment) -> str:
    left = sum(not run.ended for run in made.runs)
    if not left:
        return ""
    return (
        f"{left} of {len(made.runs)} are on their way: run this cell again, or `%chat batches`, to file what arrived."
    )
