"""A whole conversation out of a database and into one, in one transaction each: what export and import stand on.

Ids are new in the database that takes it, through one map that is applied to every reference, as in a fork.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, insert, select

from ..errors import BadInput
from ..transcript import Overlay, TurnRecord, whole
from . import bodies, checkpoints, conversations, failures, labels, overlays, topology, turns
from .records import Bundle, Conversation, Marks
from .schema import conversation as conversations_table
from .schema import label, visit

_NAMING = ("pinned", "favourites", "hidden")
"""The settings that are lists of turns."""
_KEPT = re.compile(r"\br[0-9a-f]{16}\b")


def read(connection: Connection, id: str) -> Bundle:
    """The conversation `id` with all that belongs to it."""
    shape = topology.topology(connection, id, 0, 0)
    told = tuple(turns.load(connection, [head.id for head in shape.heads]))
    return Bundle(
        shape.conversation,
        told,
        tuple(failures.failed(connection, id)),
        dict(shape.labels),
        tuple(checkpoints.of(connection, id)),
        tuple(overlays.overlays(connection, id)),
        tuple((each.place, each.turn) for each in shape.visits),
        _kept(connection, told),
    )


def write(connection: Connection, bundle: Bundle, name: str | None) -> tuple[Conversation, dict[str, str]]:
    """Store it as a new conversation called `name`; also the map of its ids to new ones. BadInput if it is unsound."""
    old = [turn.id for turn in bundle.turns]
    ids: dict[str, str] = dict(zip(old, turns.fresh_ids(connection, len(old)), strict=True))
    if len(ids) != len(old):
        raise BadInput("Two turns have the same id; nothing was imported.")
    source = bundle.conversation
    made = conversations.create(
        connection, _free(connection, name), title=source.title, settings=renamed(source.settings, ids)
    )
    _turns(connection, bundle.turns, ids, made.id)
    for failed in bundle.failed:
        parent = _new(ids, failed.parent)
        failures.fail(connection, replace(failed, id=_unused(connection), conversation=made.id, parent=parent))
    for text, turn in bundle.labels.items():
        connection.execute(
            insert(label), {"conversation": made.id, "name": labels.proper(text), "turn": _new(ids, turn)}
        )
    marks = (
        replace(mark, target=_new(ids, mark.target), turn=_new(ids, mark.turn) or "", n=0)
        for mark in bundle.checkpoints
    )
    checkpoints.leave(connection, made.id, Marks(kept=bundle.kept, checkpoints=tuple(marks)))
    overlays.add(connection, made.id, [_over(overlay, ids) for overlay in bundle.overlays])
    been = list(bundle.visits)
    if source.tip is not None and (not been or been[-1][1] != source.tip):
        been.append(("", source.tip))
    visits = [{"conversation": made.id, "place": place, "turn": _new(ids, turn)} for place, turn in been]
    if visits:
        connection.execute(insert(visit), visits)
    conversations.change(
        connection,
        made.id,
        turns=len(old),
        cost=sum(turn.cost or 0.0 for turn in bundle.turns),
        title=source.title or bodies.title(bundle.turns[0].prompt if bundle.turns else ""),
        created=source.created or made.created,
        updated=time.time(),
    )
    return conversations.get(connection, made.id), ids


def renamed(settings: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """A conversation's settings with the turns that they name under their new ids; those left behind are left out."""
    named = {key: [ids[turn] for turn in settings.get(key, ()) if turn in ids] for key in _NAMING}
    rest = {key: value for key, value in settings.items() if key not in _NAMING}
    return rest | {key: turns for key, turns in named.items() if turns}


def _turns(connection: Connection, told: Iterable[TurnRecord], ids: Mapping[str, str], home: str) -> None:
    depths: dict[str | None, int] = {None: 0}
    for turn in told:
        if turn.parent not in depths:
            raise BadInput(f"The turn {turn.id} continues from {turn.parent}, which is not above it; nothing imported.")
        if not whole(turn):
            raise BadInput(f"The turn {turn.id} does not end at a turn boundary; nothing was imported.")
        depths[turn.id] = depths[turn.parent] + 1
        new = replace(turn, id=ids[turn.id], conversation=home, parent=_new(ids, turn.parent))
        turns.insert_turn(connection, new, depths[turn.id])


def _new(ids: Mapping[str, str], turn: str | None) -> str | None:
    if turn is not None and turn not in ids:
        raise BadInput(f"Something points at the turn {turn}, which is not there; nothing was imported.")
    return ids[turn] if turn is not None else None


def _over(overlay: Overlay, ids: Mapping[str, str]) -> Overlay:
    def message(id: str) -> str:
        turn, dot, number = id.partition(".")
        return f"{_new(ids, turn)}{dot}{number}" if id else ""

    return replace(overlay, anchor=message(overlay.anchor), first=message(overlay.first), last=message(overlay.last))


def _unused(connection: Connection) -> str:
    return turns.fresh_ids(connection, 1)[0]


def _free(connection: Connection, name: str | None) -> str | None:
    """The name, or the first of name-2, name-3 ... that is not taken."""
    if name is None:
        return None
    taken = set(connection.execute(select(conversations_table.c.name)).scalars())
    names = itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2)))
    return next(each for each in names if each not in taken)


def _kept(connection: Connection, told: Iterable[TurnRecord]) -> dict[str, str]:
    """The whole texts behind the stubs of shortened results."""
    found: dict[str, str] = {}
    for turn in told:
        for message in turn.messages:
            for block in message.results:
                for name in _KEPT.findall(bodies.pack(block.get("content"))):
                    text = checkpoints.kept(connection, name)
                    if text is not None:
                        found[name] = text
    return found
