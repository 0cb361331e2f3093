"""All conversations of one database copied into another under their own ids: what was kept in memory comes home.

Ids stay, since people and notebooks know them; only the numbers, which are a database's own, are drawn again.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, insert, select

from . import conversations, index, notebooks, turns
from .records import Notebook
from .schema import SPAN, batch, blob, checkpoint, conversation, failure, label, message, notebook, overlay, turn, visit

_POINTERS = ("origin", "origin_turn")


def carry(source: Connection, target: Connection) -> dict[str, str]:
    """Copy every conversation that `target` does not have; the new names of those whose name was taken there."""
    renamed: dict[str, str] = {}
    rows = [dict(row) for row in source.execute(select(conversation).order_by(conversation.c.created)).mappings()]
    here = set(target.execute(select(conversation.c.id)).scalars())
    taken = set(target.execute(select(conversation.c.name)).scalars())
    new = [row for row in rows if row["id"] not in here]
    for row in new:
        if row["name"] in taken and row["name"] is not None:
            renamed[row["name"]] = f"{row['name']}-{row['id'][:4]}"
        target.execute(
            insert(conversation), {**row, **dict.fromkeys(_POINTERS), "name": renamed.get(row["name"], row["name"])}
        )
    _copy(source, target, {row["id"] for row in new})
    for row in new:
        pointers = {key: row[key] for key in _POINTERS}
        conversations.change(target, row["id"], **pointers)
    for kept in source.execute(select(notebook)):
        notebooks.save(target, Notebook(*kept))
    return renamed


def _copy(source: Connection, target: Connection, mine: set[str]) -> None:
    for shared in source.execute(select(blob)):
        target.execute(turns.KEEP, {"sha": shared.sha, "data": shared.data})
    numbers: dict[int | None, int | None] = {None: None}
    for row in _rows(source, turn, "n", mine):
        result = target.execute(insert(turn), {name: value for name, value in row.items() if name != "n"})
        assert result.inserted_primary_key is not None
        numbers[row["n"]] = result.inserted_primary_key[0]

    def place(n: int | None) -> int | None:
        """Where a message is now."""
        home = numbers[None if n is None else n // SPAN]
        return None if n is None or home is None else home * SPAN + n % SPAN

    told = [dict(row) for row in source.execute(select(message)).mappings() if row["turn"] in numbers]
    _insert(target, message, [{**row, "n": place(row["n"]), "turn": numbers[row["turn"]]} for row in told])
    for table, key in (
        (visit, "seq"),
        (label, "name"),
        (failure, "n"),
        (batch, "n"),
        (checkpoint, "n"),
        (overlay, "n"),
    ):
        moved = {reference.parent.name for reference in table.foreign_keys if reference.column is message.c.n}
        drawn = {key} - {"name"}
        _insert(
            target,
            table,
            [
                {name: place(row[name]) if name in moved else row[name] for name in row if name not in drawn}
                for row in _rows(source, table, key, mine)
            ],
        )
    ids = [row["id"] for row in _rows(source, turn, "n", mine)]
    for old, record in zip(_rows(source, turn, "n", mine), turns.load(source, ids), strict=True):
        index.add(target, numbers[old["n"]] or 0, record)


def _rows(source: Connection, table: Table, key: str, mine: set[str]) -> list[dict[str, Any]]:
    """The rows of those conversations, in their order."""
    found = source.execute(select(table).order_by(table.c[key])).mappings()
    return [dict(row) for row in found if row["conversation"] in mine]


def _insert(target: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        target.execute(insert(table), rows)
