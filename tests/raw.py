"""A look at the rows themselves, on any database, past all that the store would say."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from jupyter_history.store import Store, schema


def rows(store: Store, statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with store._database.read() as connection:
        return [tuple(row) for row in connection.execute(text(statement), values)]


def execute(store: Store, statement: str, **values: Any) -> None:
    with store._database.write() as connection:
        connection.execute(text(statement), values)


def everything(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, bytes and all."""
    tables = schema.metadata.tables
    return {name: sorted(rows(store, f"SELECT * FROM {name}"), key=repr) for name in tables}
