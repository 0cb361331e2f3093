"""What a turn leaves besides itself, in its transaction: checkpoints, and whole texts of results that were shortened.

A checkpoint is a label on a turn boundary: the last message of a turn, or (NULL) the root, set by a first turn. It
never moves; it is consumed once, by the rewind that goes back to it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, insert, select, text, update

from ..errors import NotFound
from . import bodies, conversations
from .records import Checkpoint, Marks
from .schema import SPAN, blob
from .schema import checkpoint as table
from .schema import turn as turns

_INSERT = insert(table)
_CONSUME = (
    update(table)
    .where(table.c.n == bindparam("number"), table.c.conversation == bindparam("home"), table.c.consumed.is_(False))
    .values(consumed=True)
)
_END = select(turns.c.n, turns.c.messages).where(
    turns.c.id == bindparam("id"), turns.c.conversation == bindparam("conversation")
)
_OF = (
    select(table.c.n, table.c.label, turns.c.id, table.c.turn, table.c.consumed, table.c.created)
    .select_from(table.outerjoin(turns, table.c.message // SPAN == turns.c.n))
    .where(table.c.conversation == bindparam("conversation"))
    .order_by(table.c.n)
)
_KEEP = text("INSERT INTO blob (sha, data) VALUES (:sha, :data) ON CONFLICT DO NOTHING")
_KEPT = select(blob.c.data).where(blob.c.sha.between(bindparam("low"), bindparam("high")))


def leave(connection: Connection, conversation: str, marks: Marks) -> None:
    """Store what a turn leaves; the turn itself is stored already."""
    for each in marks.checkpoints:
        _insert(connection, conversation, each)
    for number in marks.consumed:
        connection.execute(_CONSUME, {"number": number, "home": conversation})
    for whole in marks.kept.values():
        data = bodies.pack_text(whole)
        connection.execute(_KEEP, {"sha": bodies.sha(data), "data": data})


def mark(connection: Connection, conversation: str, label: str, turn: str) -> None:
    """A checkpoint at the end of a turn, set by hand."""
    conversations.lock(connection, conversation)
    _insert(connection, conversation, Checkpoint(label, turn, turn, created=time.time()))
    conversations.change(connection, conversation)


def consume(connection: Connection, conversation: str, number: int) -> None:
    connection.execute(_CONSUME, {"number": number, "home": conversation})


def of(connection: Connection, conversation: str) -> list[Checkpoint]:
    """All checkpoints of a conversation, consumed ones too, oldest first."""
    found = connection.execute(_OF, {"conversation": conversation}).all()
    return [
        Checkpoint(label, target, turn, consumed, created, n) for n, label, target, turn, consumed, created in found
    ]


def kept(connection: Connection, name: str) -> str | None:
    """The whole text of a shortened result, by the name its stub gives: r and the beginning of its hash."""
    try:
        low = bytes.fromhex(name[1:])
    except ValueError:
        return None
    if name[:1] != "r" or len(low) != 8:
        return None
    data = connection.execute(_KEPT, {"low": low, "high": low + b"\xff" * 24}).scalar()
    return data.decode() if data is not None else None


def copy(connection: Connection, source: str, new: str, ids: Mapping[str, str], numbers: Mapping[int, int]) -> None:
    """Take the checkpoints along into a fork: those whose target is on its path, or is the root."""
    rows = connection.execute(select(table).where(table.c.conversation == source).order_by(table.c.n)).mappings()
    first = next(iter(ids.values()), None)
    copies = []
    for row in rows:
        if first is None or (row["message"] is not None and row["message"] not in numbers):
            continue
        copied = {key: value for key, value in row.items() if key != "n"}
        message = numbers[row["message"]] if row["message"] is not None else None
        # the turn that set it may be on a branch that stays behind; the target is what counts
        copies.append(copied | {"conversation": new, "message": message, "turn": ids.get(row["turn"], first)})
    if copies:
        connection.execute(_INSERT, copies)


def _insert(connection: Connection, conversation: str, each: Checkpoint) -> None:
    message = None
    if each.target is not None:
        row = connection.execute(_END, {"id": each.target, "conversation": conversation}).first()
        if row is None:
            raise NotFound(f"The turn {each.target}, where {each.label!r} was set, is not in this conversation.")
        message = row[0] * SPAN + row[1] - 1
    connection.execute(
        _INSERT,
        {
            "conversation": conversation,
            "label": each.label,
            "message": message,
            "turn": each.turn,
            "consumed": each.consumed,
            "created": each.created,
        },
    )
