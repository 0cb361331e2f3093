"""Whether the database is sound inside: what its constraints cannot say, and whether they were kept."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, func, or_, select

from . import bodies
from .schema import SPAN, blob, conversation, label, message, turn, visit

_parent = turn.alias("parent")
_EDGES = (
    select(turn.c.id, turn.c.parent, _parent.c.id)
    .select_from(turn.outerjoin(_parent, _parent.c.id == turn.c.parent))
    .where(
        turn.c.parent.is_not(None),
        or_(
            _parent.c.id.is_(None),
            turn.c.depth != _parent.c.depth + 1,
            turn.c.conversation != _parent.c.conversation,
            turn.c.n <= _parent.c.n,
        ),
    )
)
_SHORT = (
    select(turn.c.id, turn.c.messages, func.count(message.c.n))
    .select_from(turn.outerjoin(message, message.c.n.between(turn.c.n * SPAN, turn.c.n * SPAN + (SPAN - 1))))
    .group_by(turn.c.id, turn.c.messages, turn.c.n)
    .having(
        or_(
            func.count(message.c.n) != turn.c.messages,
            func.max(message.c.n) != turn.c.n * SPAN + turn.c.messages - 1,
        )
    )
)
_POINTERS = tuple(
    (
        f"a {table.name}",
        select(table.c.conversation, table.c.turn)
        .select_from(table.outerjoin(turn, turn.c.id == table.c.turn))
        .where(table.c.turn.is_not(None), turn.c.conversation.is_distinct_from(table.c.conversation)),
    )
    for table in (visit, label)
)
_COUNTS = (
    select(conversation.c.id, conversation.c.turns, func.count(turn.c.n))
    .select_from(conversation.outerjoin(turn, turn.c.conversation == conversation.c.id))
    .group_by(conversation.c.id, conversation.c.turns)
    .having(func.count(turn.c.n) != conversation.c.turns)
)
_BLOBS = select(blob.c.sha, blob.c.data)


def problems(connection: Connection) -> list[str]:
    return list(_problems(connection))


def _problems(connection: Connection) -> Iterator[str]:
    if connection.dialect.name == "sqlite":
        for line in connection.exec_driver_sql("PRAGMA quick_check").scalars():
            if line != "ok":
                yield f"the file is damaged: {line}"
        for table, row, target, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            yield f"row {row} of {table} points at a {target} that is not there"
    for id, parent, found in connection.execute(_EDGES):
        why = "is not there" if found is None else "does not stand above it"
        yield f"the turn {id} continues from {parent}, which {why}"
    for id, stated, counted in connection.execute(_SHORT):
        yield f"the turn {id} was stored with {stated} messages and has {counted}, or not those"
    for what, query in _POINTERS:
        for home, target in connection.execute(query):
            yield f"{what} of the conversation {home} is {target}, which is not one of its turns"
    for id, stated, counted in connection.execute(_COUNTS):
        yield f"the conversation {id} says it has {stated} turns and has {counted}"
    for sha, data in connection.execute(_BLOBS):
        if bodies.sha(bytes(data)) != bytes(sha):
            yield f"the large body {bytes(sha).hex()[:12]} is not what was stored"
