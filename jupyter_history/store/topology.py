"""The shape of a conversation without its texts: first for a tree view, then for what is new since."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from ..transcript import Maker
from . import collector, conversations
from .records import Head, Topology, Visit
from .schema import label, turn, visit

_HEADS = (
    select(
        turn.c.id,
        turn.c.n,
        turn.c.parent,
        turn.c.depth,
        turn.c.maker_notebook,
        turn.c.maker_cell,
        turn.c.maker_ordinal,
        turn.c.question,
        turn.c.title,
        turn.c.outcome,
        turn.c.model,
        turn.c.created,
        turn.c.cost,
        turn.c.seconds,
        turn.c.context,
    )
    .where(turn.c.conversation == bindparam("conversation"), turn.c.n > bindparam("after"))
    .order_by(turn.c.n)
)
_VISITS = (
    select(visit.c.seq, visit.c.place, visit.c.turn)
    .where(visit.c.conversation == bindparam("conversation"), visit.c.seq > bindparam("after"))
    .order_by(visit.c.seq)
)
_LABELS = (
    select(label.c.name, label.c.turn).where(label.c.conversation == bindparam("conversation")).order_by(label.c.name)
)


def topology(connection: Connection, conversation: str, after_turn: int, after_visit: int) -> Topology:
    found = conversations.get(connection, conversation)
    with collector.paused():
        heads = connection.execute(_HEADS, {"conversation": conversation, "after": after_turn}).all()
        visits = connection.execute(_VISITS, {"conversation": conversation, "after": after_visit}).all()
        labels = connection.execute(_LABELS, {"conversation": conversation})
        return Topology(
            found,
            tuple(
                Head(id, n, parent, depth, Maker(notebook, cell, ordinal) if cell is not None else None, *rest)
                for id, n, parent, depth, notebook, cell, ordinal, *rest in heads
            ),
            tuple(Visit(*row) for row in visits),
            dict(labels.all()),
        )
