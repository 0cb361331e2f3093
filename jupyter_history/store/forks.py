"""Forks: a path copied under new ids into a new conversation (rule 4).

One map from old ids to new ones is applied to every reference: turns, parents, messages, labels, checkpoints, overlays.
What points off the path stays behind. The source is only read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select

from ..errors import NotFound
from ..transcript import Maker
from . import bundles, checkpoints, conversations, moves, paths, turns
from .records import Basis, Conversation
from .schema import SPAN, AnyRow, label, message, overlay, turn

_WHOLE_TURNS = select(turn).where(turn.c.id.in_(bindparam("ids", expanding=True)))
_MESSAGES = (
    select(message.c.n, message.c.turn, message.c.role, message.c.body, message.c.blob)
    .select_from(turn.join(message, message.c.n.between(turn.c.n * SPAN, turn.c.n * SPAN + (SPAN - 1))))
    .where(turn.c.id.in_(bindparam("ids", expanding=True)))
)
_INSERT_TURNS = insert(turn)
_INSERT_MESSAGES = insert(message)
_NUMBERS = select(turn.c.id, turn.c.n).where(turn.c.conversation == bindparam("conversation"))


def fork(
    connection: Connection,
    source: str,
    at: str | None,
    name: str | None,
    maker: Maker | None,
    place: str,
    notebooks: Mapping[str, str],
) -> tuple[Conversation, dict[str, str]]:
    origin = conversations.lock(connection, source)
    path = paths.rows(connection, at) if at is not None else []
    if any(row.conversation != source for row in path):
        raise NotFound(f"The turn {at} is not in the conversation {origin.name or source}; nothing was forked.")
    old = [row.id for row in path]
    ids = dict(zip(old, turns.fresh_ids(connection, len(old)), strict=True))
    new = conversations.create(
        connection,
        name,
        title=origin.title,
        origin=source,
        origin_turn=at,
        maker=maker,
        settings=bundles.renamed(origin.settings, ids),
    )
    copied = _copy_turns(connection, old, ids, new.id, notebooks)
    numbers = _copy_messages(connection, path, ids, new.id)
    _copy_marks(connection, source, new.id, ids, numbers)
    moves.settle(
        connection,
        new,
        ids[at] if at is not None else None,
        place,
        Basis(0, 0, None),
        turns=len(copied),
        cost=sum(row["cost"] or 0.0 for row in copied),
    )
    return conversations.get(connection, new.id), ids


def _copy_turns(
    connection: Connection, old: list[str], ids: dict[str, str], new: str, notebooks: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Copies of the turns, inserted from the root down, so that a parent is there before its child."""
    found: dict[str, dict[str, Any]] = {}
    for some in turns.chunks(old):
        found.update((row["id"], dict(row)) for row in connection.execute(_WHOLE_TURNS, {"ids": some}).mappings().all())
    copies = []
    for id in old:
        copy = found[id]
        del copy["n"]
        notebook = copy["maker_notebook"]
        copy |= {
            "id": ids[id],
            "conversation": new,
            "parent": ids[copy["parent"]] if copy["parent"] is not None else None,
            "maker_notebook": notebooks.get(notebook, notebook),
        }
        copies.append(copy)
    if copies:
        connection.execute(_INSERT_TURNS, copies)
    return copies


def _copy_messages(connection: Connection, path: list[AnyRow], ids: dict[str, str], new: str) -> dict[int, int]:
    """Copies of the messages; the map of their old numbers to new ones. Large bodies stay where they are, by hash."""
    numbered = dict(connection.execute(_NUMBERS, {"conversation": new}).all())
    homes = {row.n: numbered[ids[row.id]] for row in path}
    numbers: dict[int, int] = {}
    for some in turns.chunks(list(ids)):
        copies = []
        for n, home, role, body, blob in connection.execute(_MESSAGES, {"ids": some}).all():
            numbers[n] = homes[home] * SPAN + n % SPAN
            copies.append({"n": numbers[n], "turn": homes[home], "role": role, "body": body, "blob": blob})
        connection.execute(_INSERT_MESSAGES, copies)
    return numbers


def _copy_marks(connection: Connection, source: str, new: str, ids: dict[str, str], numbers: dict[int, int]) -> None:
    """Labels, checkpoints and overlays that stand on the path."""
    maps: dict[str, Mapping[Any, Any]] = {
        "turn": ids, "anchor": numbers | {None: None}, "first": numbers, "last": numbers
    }  # fmt: skip
    checkpoints.copy(connection, source, new, ids, numbers)
    for table in (label, overlay):
        copies = []
        for row in connection.execute(select(table).where(table.c.conversation == source)).mappings():
            references = [column for column in row if column in maps]
            if all(row[column] in maps[column] for column in references):
                mapped = {column: maps[column][row[column]] for column in references}
                copies.append({k: v for k, v in row.items() if k != "n"} | mapped | {"conversation": new})
        if copies:
            connection.execute(insert(table), copies)
