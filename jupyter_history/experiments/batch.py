"""A grid sent through the provider's Message Batches: half the price, the answers within a day.

Invariants: what is going to be sent is in the store before it is, and the provider's id after, so that any kernel can
file the answers; nothing that is on its way, or may be, is sent again. Filing moves no tip.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, ChatError, NotFound, StoreUnavailable
from ..model import catalog
from ..model import errors as said
from ..model.client import prepared
from ..progress import Note, Watch
from ..session import beside
from ..session.cells import question_key
from . import lost, sweep
from .estimate import BUDGET, Estimate
from .filing import Batch, file

if TYPE_CHECKING:
    from ..session.session import Session
    from .sweep import Experiment

LARGEST = 200_000_000
"""Bytes of a batch; the provider takes 256 MB."""
UNSURE = ("connection", "server", "overloaded", "cut")
"""Kinds of failure after which the provider may have the batch all the same."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What came of asking for batches: turns filed, lines about failures, and what is still on its way."""

    filed: tuple[str, ...]
    failed: tuple[str, ...]
    waiting: tuple[Batch, ...]


def batches(session: Session) -> list[Batch]:
    """The conversation's batches whose answers are not filed yet, oldest first. Asks nobody."""
    return [Batch.of(held) for held in session.store.batches(session.id)]


def drop(session: Session, name: str) -> Batch:
    """Forget a batch, by its id or the provider's: its cell may send it again. NotFound lists those on their way."""
    known = batches(session)
    for batch in known:
        if name in (batch.id, batch.provider):
            session.store.close_batch(batch.id, "dropped")
            return batch
    names = ", ".join(batch.provider or batch.id for batch in known) or "none"
    raise NotFound(f"No batch on its way is called {name!r}; there are {names}.")


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
    session.refresh()
    filed: list[str] = []
    failed: list[str] = []
    waiting: list[Batch] = []
    for batch in batches(session):
        if batch.provider is None:
            found = lost.look_for(session, batch)
            if found.what == "never":
                session.store.close_batch(batch.id, "dropped")
                failed.append(found.line)
            if found.what == "unknown":
                waiting.append(replace(batch, status=found.line))
            if found.what != "it":
                continue
            session.store.batch_sent(batch.id, found.provider)
            batch = replace(batch, provider=found.provider)
        try:
            status = _file_all(session, batch, filed, failed)
        except ChatError:
            raise
        except Exception as error:
            explained = said.explain(error, model=batch.model, server=session.client.server(batch.model))
            failed.append(f"Batch `{batch.provider}` was not read: {explained}")
            waiting.append(batch)
            continue
        if status:
            waiting.append(replace(batch, status=status))
        else:
            session.store.close_batch(batch.id, "filed")
    return Collected(tuple(filed), tuple(failed), tuple(waiting))


def _file_all(session: Session, batch: Batch, filed: list[str], failed: list[str]) -> str:
    """File the answers of a batch that has ended; how far it is where it has not."""
    assert batch.provider is not None
    sdk = session.client.sdk(batch.model).messages.batches
    state = sdk.retrieve(batch.provider)
    if state.processing_status != "ended" or not state.results_url:
        counts = state.request_counts
        done = counts.succeeded + counts.errored + counts.canceled + counts.expired
        return f"{state.processing_status.replace('_', ' ')}, {done} of {len(batch.points)} done"
    for result in sdk.results(batch.provider):
        if result.custom_id not in batch.points or result.custom_id in session.tree:
            continue
        why = file(session, batch, result)
        if why:
            failed.append(why)
        else:
            filed.append(result.custom_id)
    return ""


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
    batch = Batch("", None, time.time(), model, made.prompt, made.under, made.maker, points, list(content))
    held = session.store.begin_batch(session.id, batch.asked)
    try:
        sent = session.client.sdk(model).messages.batches.create(requests=requests)  # type: ignore[arg-type]
    except Exception as error:
        told = said.explain(error, model=model, server=session.client.server(model))
        if told.kind not in UNSURE:
            session.store.close_batch(held.id, "refused")
        raise told from error
    try:
        session.store.batch_sent(held.id, sent.id)
    except StoreUnavailable as error:
        watch(Note(f"Batch `{sent.id}` was sent, but that could not be noted; it is looked for later. {error}"))
    for n in missing:
        made.runs[n].status = f"in batch {sent.id}"


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


# -- what is on its way -----------------------------------------------------------------------------------------------


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
            found = coming[key].pop(0)
            run.status = f"in batch {found.provider or found.id}"
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
