"""Notebooks that talk, recognised by the cells that made turns; their path is only a hint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, insert, select, update

from . import turns
from .records import Notebook
from .schema import conversation as home
from .schema import notebook as table
from .schema import turn

_BY_ID = select(table.c.id, table.c.path, table.c.conversation).where(table.c.id == bindparam("key"))
_AT = (
    select(table.c.id, table.c.path, table.c.conversation)
    .select_from(table.outerjoin(home, table.c.conversation == home.c.id))
    .where(table.c.path == bindparam("path"))
    .order_by(func.coalesce(home.c.updated, 0.0).desc())
)
_UPDATE = update(table).where(table.c.id == bindparam("key"))
_INSERT = insert(table)
_CELLS = (
    select(turn.c.maker_notebook, turn.c.maker_cell)
    .where(turn.c.maker_cell.in_(bindparam("cells", expanding=True)))
    .distinct()
)


def notebook(connection: Connection, id: str) -> Notebook | None:
    row = connection.execute(_BY_ID, {"key": id}).first()
    return Notebook(*row) if row else None


def save(connection: Connection, notebook: Notebook) -> None:
    """Add the notebook, or set its path and conversation."""
    values = {"path": notebook.path, "conversation": notebook.conversation}
    if connection.execute(_UPDATE, {"key": notebook.id, **values}).rowcount == 0:
        connection.execute(_INSERT, {"id": notebook.id, **values})


def having(connection: Connection, cells: Sequence[str]) -> list[tuple[Notebook, int]]:
    counted: Counter[str] = Counter()
    for some in turns.chunks(sorted(set(cells))):
        counted.update(row[0] for row in connection.execute(_CELLS, {"cells": some}))
    found = ((notebook(connection, id), count) for id, count in counted.most_common())
    return [(known, count) for known, count in found if known is not None]


def at(connection: Connection, path: str) -> list[Notebook]:
    return [Notebook(*row) for row in connection.execute(_AT, {"path": path})]
