"""Turns that came to nothing: kept beside the tree, to be tried again, and never on a path (rule 9).

A prompt that is on its way has such a record too, without an error: that is what is left where the kernel is killed.
The transaction that stores its turn takes the record away.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from ..transcript import Maker, TurnRecord, Usage
from . import bodies, conversations
from .schema import failure as table

_AWAY = delete(table).where(table.c.id == bindparam("key"))
_INSERT = insert(table)
_OF = select(table.c.record).where(table.c.conversation == bindparam("conversation")).order_by(table.c.n)


def fail(connection: Connection, turn: TurnRecord) -> None:
    """Record it, once: the last word counts."""
    conversations.lock(connection, turn.conversation)
    attempt(connection, turn)
    conversations.change(connection, turn.conversation)


def attempt(connection: Connection, turn: TurnRecord) -> None:
    """Record a prompt that is on its way, in place of what was known of it."""
    record = asdict(turn) | {"messages": [], "outcome": "failed"}
    away(connection, turn.id)
    connection.execute(
        _INSERT,
        {
            "id": turn.id,
            "conversation": turn.conversation,
            "parent": turn.parent,
            "record": bodies.pack(record).encode(),
        },
    )


def away(connection: Connection, id: str) -> None:
    connection.execute(_AWAY, {"key": id})


def failed(connection: Connection, conversation: str) -> list[TurnRecord]:
    return [_record(bodies.unpack(data)) for data in connection.execute(_OF, {"conversation": conversation}).scalars()]


def _record(stored: dict[str, Any]) -> TurnRecord:
    maker = stored.pop("maker")
    usage = stored.pop("usage")
    stored["messages"] = ()
    return TurnRecord(**stored, usage=Usage(**usage), maker=Maker(**maker) if maker else None)
