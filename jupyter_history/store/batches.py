"""Message Batches: prompts whose answers come later, perhaps to another kernel.

A batch is in the store before it is sent, so that a kernel that ends meanwhile leaves word of it. It belongs to its
conversation and does not travel: a fork or an export has none.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, insert, select, update

from ..errors import NotFound
from . import bodies, conversations, ids
from .records import Batch, BatchState
from .schema import batch as table

_INSERT = insert(table)
_CHANGE = update(table).where(table.c.id == bindparam("key"), table.c.state.in_(("sending", "waiting")))
_COLUMNS = (table.c.id, table.c.conversation, table.c.asked, table.c.created, table.c.provider, table.c.state)
_TAKEN = select(table.c.n).where(table.c.id == bindparam("id"))
_OF = select(*_COLUMNS).where(table.c.conversation == bindparam("conversation")).order_by(table.c.n)
_OPEN = _OF.where(table.c.state.in_(("sending", "waiting")))


def begin(connection: Connection, conversation: str, asked: Mapping[str, Any]) -> Batch:
    """See `Store.begin_batch`."""
    conversations.get(connection, conversation)
    id = ids.draw(ids.CONVERSATION)
    while connection.execute(_TAKEN, {"id": id}).first():
        id = ids.draw(ids.CONVERSATION)
    packed = bodies.pack(dict(asked)).encode()
    made = Batch(id, conversation, bodies.unpack(packed), time.time())
    connection.execute(_INSERT, {**made._asdict(), "asked": packed})
    return made


def sent(connection: Connection, id: str, provider: str) -> None:
    _change(connection, id, provider=provider, state="waiting")


def close(connection: Connection, id: str, state: Literal["filed", "refused", "dropped"]) -> None:
    _change(connection, id, state=state)


def of(connection: Connection, conversation: str, closed: bool) -> list[Batch]:
    rows = connection.execute(_OF if closed else _OPEN, {"conversation": conversation})
    return [Batch(id, home, bodies.unpack(asked), *rest) for id, home, asked, *rest in rows]


def _change(connection: Connection, id: str, **values: str) -> None:
    if connection.execute(_CHANGE, {"key": id, **values}).rowcount == 0 and _state(connection, id) is None:
        raise NotFound(f"No batch has the id {id!r} here. `%chat batches` lists those that are on their way.")


def _state(connection: Connection, id: str) -> BatchState | None:
    return connection.execute(select(table.c.state).where(table.c.id == id)).scalar()
