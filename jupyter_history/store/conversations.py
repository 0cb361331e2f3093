"""Conversations: made, found, listed, named. All that a list shows is in one row each."""

from __future__ import annotations

import difflib
import time
from collections.abc import Mapping
from itertools import starmap
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, or_, select, update

from ..errors import BadInput, NotFound
from ..transcript import Maker
from . import bodies, collector, ids
from .records import Conversation, Listed
from .schema import AnyRow, visit
from .schema import conversation as table

_NEWEST = select(func.max(visit.c.seq)).where(visit.c.conversation == table.c.id).correlate(table).scalar_subquery()
_STATE = table.c.changes + func.coalesce(visit.c.seq, 0)
"""The revision: both parts only grow."""
_ALL = select(
    table.c.id,
    table.c.name,
    table.c.title,
    table.c.created,
    table.c.updated,
    visit.c.turn,
    _STATE,
    table.c.turns,
    table.c.cost,
    table.c.origin,
    table.c.origin_turn,
    table.c.maker_notebook,
    table.c.maker_cell,
    table.c.maker_ordinal,
    table.c.settings,
    table.c.archived,
).select_from(table.outerjoin(visit, visit.c.seq == _NEWEST))
_BY_ID = _ALL.where(table.c.id == bindparam("id"))
_LOCK = select(table.c.id).where(table.c.id == bindparam("id")).with_for_update()
_BY_EITHER = _ALL.where(or_(table.c.id == bindparam("text"), table.c.name == bindparam("text")))
_LIST = (
    select(*(table.c[name] for name in Listed._fields))
    .where(table.c.archived == bindparam("archived"))
    .order_by(table.c.updated.desc())
    .limit(bindparam("limit"))
)
_REVISION = (
    select(_STATE).select_from(table.outerjoin(visit, visit.c.seq == _NEWEST)).where(table.c.id == bindparam("id"))
)
_CHANGE = update(table).where(table.c.id == bindparam("key")).values(changes=table.c.changes + 1)
_LONGEST = 200
_WHOLE_LIST = 2**31 - 1


def create(
    connection: Connection,
    name: str | None,
    *,
    title: str = "",
    origin: str | None = None,
    origin_turn: str | None = None,
    maker: Maker | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Conversation:
    name = _free(connection, name)
    now = time.time()
    id = ids.draw(ids.CONVERSATION)
    while connection.execute(_BY_ID, {"id": id}).first():
        id = ids.draw(ids.CONVERSATION)
    connection.execute(
        insert(table),
        {
            "id": id,
            "name": name,
            "title": bodies.title(title),
            "created": now,
            "updated": now,
            "changes": 0,
            "turns": 0,
            "cost": 0.0,
            "origin": origin,
            "origin_turn": origin_turn,
            "maker_notebook": maker.notebook if maker else None,
            "maker_cell": maker.cell if maker else None,
            "maker_ordinal": maker.ordinal if maker else None,
            "made_as": name,
            "settings": bodies.pack_settings(settings or {}),
            "archived": False,
        },
    )
    return get(connection, id)


def get(connection: Connection, id: str) -> Conversation:
    """By id alone."""
    return _record(_found(connection, _BY_ID, id))


def lock(connection: Connection, id: str) -> Conversation:
    """By id, and until the end of this transaction nobody else writes to it."""
    if connection.dialect.name == "postgresql":  # a statement of its own: what was read before the wait is old
        connection.execute(_LOCK, {"id": id})
    return get(connection, id)


def find(connection: Connection, text: str) -> Conversation:
    """By id or name."""
    rows = connection.execute(_BY_EITHER, {"text": text}).all()
    if not rows:
        raise _not_found(connection, text)
    return _record(next((row for row in rows if row[0] == text), rows[0]))


def list_(connection: Connection, archived: bool, limit: int | None) -> list[Listed]:
    bounds = {"archived": archived, "limit": _WHOLE_LIST if limit is None else limit}
    with collector.paused():
        return list(starmap(Listed, connection.execute(_LIST, bounds).all()))


def revision(connection: Connection, id: str) -> int:
    return int(_found(connection, _REVISION, id)[0])


def made_by(connection: Connection, maker: Maker, name: str | None) -> Conversation | None:
    query = _ALL.where(
        table.c.maker_cell == maker.cell,
        table.c.maker_notebook == maker.notebook,
        table.c.maker_ordinal == maker.ordinal,
        table.c.made_as.is_(None) if name is None else table.c.made_as == name,
    ).order_by(table.c.created.desc())
    row = connection.execute(query).first()
    return _record(row) if row else None


def rename(connection: Connection, id: str, name: str | None) -> None:
    if lock(connection, id).name != name:
        change(connection, id, name=_free(connection, name))


def archive(connection: Connection, id: str, on: bool) -> None:
    lock(connection, id)
    change(connection, id, archived=on)


def configure(connection: Connection, id: str, settings: Mapping[str, Any]) -> None:
    lock(connection, id)
    change(connection, id, settings=bodies.pack_settings(settings))


def change(connection: Connection, id: str, **values: Any) -> None:
    """Set columns of a conversation that is locked, and count its changes."""
    connection.execute(_CHANGE, {"key": id, **values})


def _free(connection: Connection, name: str | None) -> str | None:
    """The name as it is kept. BadInput if it cannot be one or is taken."""
    if name is None:
        return None
    if connection.dialect.name == "postgresql":  # elsewhere a writer is alone: two may not both find a name free
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('name of ' || current_user))")
    clean = bodies.one_line(name)
    if not clean or len(clean) > _LONGEST:
        raise BadInput(f"A conversation's name has 1 to {_LONGEST} characters; {name[:40]!r} does not fit.")
    row = connection.execute(_BY_EITHER, {"text": clean}).first()
    if row:
        raise BadInput(
            f"The name {clean!r} is taken by the conversation {row[0]}. Open that one, or take another name."
        )
    return clean


def _found(connection: Connection, query: Any, id: str) -> AnyRow:
    row = connection.execute(query, {"id": id}).first()
    if row is None:
        raise _not_found(connection, id)
    return row


def _not_found(connection: Connection, text: str) -> NotFound:
    newest = connection.execute(_LIST, {"archived": False, "limit": 1000}).all()
    known = [row.name or row.id for row in newest]
    near = difflib.get_close_matches(text, known, n=5, cutoff=0.5) or known[:5]
    hint = f"Near it: {', '.join(near)}." if near else "There is none yet."
    return NotFound(f"No conversation has the id or name {text!r}. {hint}")


def _record(row: AnyRow) -> Conversation:
    notebook, cell, ordinal, settings, archived = row[-5:]
    maker = Maker(notebook, cell, ordinal) if cell is not None else None
    return Conversation._make((*row[:-5], maker, bodies.unpack_settings(settings), archived))
