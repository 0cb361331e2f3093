"""The ladder's decisions (rule 10): beside the transcript, each pointing at the messages it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select

from ..errors import NotFound
from ..transcript import Overlay
from . import bodies, conversations
from .schema import SPAN, message, turn
from .schema import overlay as table

_INSERT = insert(table)
_OF = (
    select(
        table.c.anchor,
        table.c.kind,
        table.c.first,
        table.c.last,
        table.c.policy,
        table.c.profile,
        table.c.payload,
        table.c.created,
    )
    .where(table.c.conversation == bindparam("conversation"))
    .order_by(table.c.n)
)
_TURN = select(turn.c.n).where(turn.c.id == bindparam("id"), turn.c.conversation == bindparam("conversation"))
_MESSAGE = select(message.c.n).where(message.c.n == bindparam("n"))
_NAME = select(turn.c.id).where(turn.c.n == bindparam("n"))


def add(connection: Connection, conversation: str, overlays: Sequence[Overlay]) -> None:
    conversations.lock(connection, conversation)
    for overlay in overlays:
        connection.execute(
            _INSERT,
            {
                "conversation": conversation,
                "anchor": _number(connection, conversation, overlay.anchor) if overlay.anchor else None,
                "kind": overlay.kind,
                "first": _number(connection, conversation, overlay.first),
                "last": _number(connection, conversation, overlay.last),
                "policy": overlay.policy,
                "profile": overlay.profile,
                "payload": bodies.pack(dict(overlay.payload)).encode(),
                "created": overlay.created,
            },
        )
    if overlays:
        conversations.change(connection, conversation)


def overlays(connection: Connection, conversation: str) -> list[Overlay]:
    names: dict[int, str] = {}

    def name(n: int | None) -> str:
        if n is None:
            return ""
        home, index = divmod(n, SPAN)
        if home not in names:
            names[home] = connection.execute(_NAME, {"n": home}).scalar_one()
        return f"{names[home]}.{index}"

    rows = connection.execute(_OF, {"conversation": conversation}).all()
    return [
        Overlay(name(anchor), kind, name(first), name(last), policy, profile, bodies.unpack(payload), created)
        for anchor, kind, first, last, policy, profile, payload, created in rows
    ]


def _number(connection: Connection, conversation: str, id: str) -> int:
    """The row of the message `<turn>.<index>` of this conversation."""
    home, _, index = id.partition(".")
    known = connection.execute(_TURN, {"id": home, "conversation": conversation}).scalar()
    if known is not None and index.isdecimal():
        found: Any = connection.execute(_MESSAGE, {"n": known * SPAN + int(index)}).scalar()
        if found is not None:
            return int(found)
    raise NotFound(f"The conversation {conversation} has no message {id!r}; the decision about it was not stored.")
