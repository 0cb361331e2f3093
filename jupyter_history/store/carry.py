"""All conversations of one database copied into another under their own ids: what was kept in memory comes home.

Ids stay, since people and notebooks know them; only the numbers, which are a database's own, are drawn again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, insert, select

from . import conversations, notebooks
from .records import Notebook
from .schema import SPAN, blob, checkpoint, conversation, failure, label, message, notebook, overlay, turn, visit
from .turns import KEEP

_POINTERS = ("tip", "origin", "origin_turn")


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
    for row in source.execute(select(blob)):
        target.execute(KEEP, {"sha": row.sha, "data": row.data})
    turns = [
        dict(row) for row in source.execute(select(turn).order_by(turn.c.n)).mappings() if row["conversation"] in mine
    ]
    numbers: dict[int | None, int | None] = {None: None}
    for row in turns:
        result = target.execute(insert(turn), {key: value for key, value in row.items() if key != "n"})
        assert result.inserted_primary_key is not None
        numbers[row["n"]] = result.inserted_primary_key[0]

    def place(n: int | None) -> int | None:
        """Where a message is now."""
        if n is None:
            return None
        home = numbers[n // SPAN]
        return None if home is None else home * SPAN + n % SPAN

    messages = [dict(row) for row in source.execute(select(message)).mappings() if row["turn"] in numbers]
    _insert(target, message, [{**row, "n": place(row["n"]), "turn": numbers[row["turn"]]} for row in messages])
    for table, key in ((visit, "seq"), (label, None), (failure, "n"), (checkpoint, "n"), (overlay, "n")):
        query = select(table).order_by(table.c[key]) if key else select(table)
        rows = [row for row in source.execute(query).mappings() if row["conversation"] in mine]
        references = {fk.parent.name for fk in table.foreign_keys if fk.column is message.c.n}
        _insert(target, table, [_moved(row, key, references, place) for row in rows])


def _moved(row: Mapping[Any, Any], key: str | None, references: set[str], place: Any) -> dict[str, Any]:
    return {name: place(value) if name in references else value for name, value in row.items() if name != key}


def _insert(target: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        target.execute(insert(table), rows)
