"""Labels: a user's own names for turns. A name points at one turn of its conversation."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, insert, select

from ..errors import BadInput, NotFound
from . import bodies, conversations, ids
from .schema import label as table
from .schema import turn as turns

RESERVED = ("tip", "root")
"""Words that `--at` understands."""
_LONGEST = 80
_HOME = select(turns.c.conversation).where(turns.c.id == bindparam("id"))
_CLEAR_TURN = delete(table).where(table.c.conversation == bindparam("home"), table.c.turn == bindparam("id"))
_CLEAR_NAME = delete(table).where(table.c.conversation == bindparam("home"), table.c.name == bindparam("label"))
_INSERT = insert(table)


def label(connection: Connection, turn: str, name: str | None) -> None:
    home = connection.execute(_HOME, {"id": turn}).scalar()
    if home is None:
        raise NotFound(f"No turn has the id {turn!r}. `%chat tree` lists them.")
    conversations.lock(connection, home)
    if name is None:
        connection.execute(_CLEAR_TURN, {"home": home, "id": turn})
    else:
        clean = proper(name)
        connection.execute(_CLEAR_NAME, {"home": home, "label": clean})
        connection.execute(_INSERT, {"conversation": home, "name": clean, "turn": turn})
    conversations.change(connection, home)


def proper(name: str) -> str:
    """The label as it is kept. BadInput if it could be mistaken for something else."""
    clean = bodies.one_line(name)
    if not clean or len(clean) > _LONGEST or " " in clean:
        raise BadInput(f"A label is one word of 1 to {_LONGEST} characters; {name[:40]!r} does not fit.")
    if ids.looks_like_turn(clean) or clean in RESERVED:
        raise BadInput(
            f"The label {clean!r} reads like a turn's id or a word of `--at`. Choose another, like {clean}-1."
        )
    return clean
