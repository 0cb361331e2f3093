"""Paths: from the root to a turn, of any length (rule 6).

The walk goes up over (parent, depth), one recursive query without bodies. Each step must lower the depth by one, so a
cycle ends it instead of never ending; whatever ends it before the root is an error that names both turns.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from sqlalchemy import CTE, Connection, bindparam, select

from ..errors import BrokenChain, NotFound
from ..transcript import TurnRecord
from . import collector, turns
from .schema import SPAN, AnyRow, blob
from .schema import message as messages
from .schema import turn as table

_EVERYTHING = 2**31 - 1


def _ancestors() -> CTE:
    """The turn `:id` and those above it, until they hold `:limit` messages."""
    tip = select(table.c.n, table.c.parent, table.c.depth, table.c.messages.label("seen"))
    walk = tip.where(table.c.id == bindparam("id")).cte("walk", recursive=True)
    up = select(table.c.n, table.c.parent, table.c.depth, walk.c.seen + table.c.messages)
    return walk.union_all(
        up.where(table.c.id == walk.c.parent, table.c.depth == walk.c.depth - 1, walk.c.seen < bindparam("limit"))
    )


_WALK = _ancestors()
_TURNS = select(*turns.COLUMNS).select_from(_WALK.join(table, table.c.n == _WALK.c.n))
_BODIES = select(*turns.BODIES).select_from(
    _WALK.join(messages, messages.c.n.between(_WALK.c.n * SPAN, _WALK.c.n * SPAN + (SPAN - 1))).outerjoin(blob)
)
_EXISTS = select(table.c.id).where(table.c.id == bindparam("id"))


def path(connection: Connection, turn: str | None, limit: int | None) -> list[TurnRecord]:
    if turn is None:
        return []
    with collector.paused():
        return turns.records(rows(connection, turn, limit), bodies(connection, turn, limit))


def rows(connection: Connection, turn: str, limit: int | None = None) -> list[AnyRow]:
    """The path's rows of `turns.COLUMNS`, from the root down."""
    found = connection.execute(_TURNS, _bounds(turn, limit)).all()
    if not found:
        raise NotFound(f"No turn has the id {turn!r}. `%chat tree` lists them.")
    path = sorted(found, key=itemgetter(1))  # by depth
    top = path[0]
    enough = limit is not None and sum(row.messages for row in path) >= limit
    if top.parent is not None and not enough:
        raise _broken(connection, top.id, top.parent)
    return path


def bodies(connection: Connection, turn: str, limit: int | None = None) -> list[AnyRow]:
    """The path's rows of `turns.BODIES`, in no order."""
    return list(connection.execute(_BODIES, _bounds(turn, limit)).all())


def _bounds(turn: str, limit: int | None) -> dict[str, Any]:
    return {"id": turn, "limit": _EVERYTHING if limit is None else limit}


def _broken(connection: Connection, child: str, parent: str) -> BrokenChain:
    there = connection.execute(_EXISTS, {"id": parent}).first() is not None
    how = "which does not stand above it: the two are in a cycle" if there else "which is not in the store"
    return BrokenChain(f"The turn {child} continues from {parent}, {how}. The other branches are whole: `%chat tree`.")
