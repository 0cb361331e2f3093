"""Paths: from the root to a turn, of any length (rule 6).

The walk goes up over (parent, depth), one recursive query without bodies. Each step must lower the depth by one, so a
cycle ends it instead of never ending; whatever ends it before the root is an error that names both turns.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from sqlalchemy import CTE, BigInteger, ColumnElement, Connection, Select, bindparam, func, literal, or_, select

from ..errors import BrokenChain, NotFound
from ..transcript import TurnRecord
from . import collector, turns
from .schema import SPAN, AnyRow, blob
from .schema import message as messages
from .schema import turn as table

TOKEN = 3
"""Bytes of a stored message that count as a token: an estimate that needs no text."""
_ALL = 2**62


def _query(size: ColumnElement[int]) -> Select[Any]:
    """The turn `:id` and those above it, the farthest being the first with which they are too many (`over`).

    `size`: the bytes of a turn.
    """
    tip = select(table.c.n, table.c.parent, table.c.depth, table.c.messages.label("seen"), size.label("bytes"))
    walk = tip.where(table.c.id == bindparam("id")).cte("walk", recursive=True)
    up = select(table.c.n, table.c.parent, table.c.depth, walk.c.seen + table.c.messages, walk.c.bytes + size)
    walk = walk.union_all(up.where(table.c.id == walk.c.parent, table.c.depth == walk.c.depth - 1, ~_over(walk)))
    return select(*turns.COLUMNS, _over(walk).label("over")).select_from(walk.join(table, table.c.n == walk.c.n))


def _over(walk: CTE) -> ColumnElement[bool]:
    most = {name: bindparam(name, type_=BigInteger) for name in ("messages", "bytes")}
    return or_(walk.c.seen > most["messages"], walk.c.bytes > most["bytes"])


_BYTES = (
    select(func.sum(func.length(func.coalesce(messages.c.body, blob.c.data))))
    .select_from(messages.outerjoin(blob))
    .where(messages.c.n.between(table.c.n * SPAN, table.c.n * SPAN + (SPAN - 1)))
    .correlate(table)
    .scalar_subquery()
)
_PATH = _query(literal(0, BigInteger))
_WEIGHED = _query(_BYTES)
_EXISTS = select(table.c.id).where(table.c.id == bindparam("id"))


def path(connection: Connection, turn: str | None, limit: int | None, tokens: int | None) -> list[TurnRecord]:
    """See `Store.path`."""
    if turn is None:
        return []
    with collector.paused():
        return turns.records(connection, rows(connection, turn, limit, tokens))


def rows(connection: Connection, turn: str, limit: int | None = None, tokens: int | None = None) -> list[AnyRow]:
    """The path's rows, which begin with `turns.COLUMNS`, from the root down."""
    bounds = {"messages": _ALL if limit is None else limit, "bytes": _ALL if tokens is None else tokens * TOKEN}
    query = _PATH if tokens is None else _WEIGHED
    path = sorted(connection.execute(query, {"id": turn, **bounds}).all(), key=itemgetter(1))  # by depth
    if not path:
        raise NotFound(f"No turn has the id {turn!r}. `%chat tree` lists them.")
    top = path[0]
    if not top.over and top.parent is not None:
        raise _broken(connection, top.id, top.parent)
    return path[1:] if top.over and len(path) > 1 else path


def _broken(connection: Connection, child: str, parent: str) -> BrokenChain:
    there = connection.execute(_EXISTS, {"id": parent}).first() is not None
    how = "which does not stand above it: the two are in a cycle" if there else "which is not in the store"
    return BrokenChain(f"The turn {child} continues from {parent}, {how}. The other branches are whole: `%chat tree`.")
