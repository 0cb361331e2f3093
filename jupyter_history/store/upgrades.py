"""A database of an older version brought to this one, in place and in one transaction: all of it, or nothing.

1 -> 2: a conversation's tip is its newest visit, and no column of its own; batches have a table.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, update

from ..errors import StoreUnavailable
from . import schema

_TIPS = """
    INSERT INTO visit (conversation, place, turn{owner})
    SELECT id, '', tip{owner} FROM conversation
    WHERE tip IS NOT NULL AND tip IS DISTINCT FROM
        (SELECT v.turn FROM visit AS v WHERE v.conversation = conversation.id{same} ORDER BY v.seq DESC LIMIT 1)
"""
"""The tips that no visit tells of: those of conversations that were imported."""


def upgrade(connection: Connection, version: int, name: str) -> None:
    """From `version` to `schema.VERSION`. StoreUnavailable where only the tables' owner may do that."""
    if connection.dialect.name == "postgresql":
        _mind_owner(connection, version, name)
    for step in range(version, schema.VERSION):
        _STEPS[connection.dialect.name, step](connection)
    connection.execute(update(schema.store).values(version=schema.VERSION))


def _mind_owner(connection: Connection, version: int, name: str) -> None:
    mine = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'store'::regclass"
    if not connection.exec_driver_sql(mine).scalar_one():
        raise StoreUnavailable(
            f"{name} was made by an older jupyter_history (schema {version}). Ask who runs the server to open it once "
            f"as the owner of its tables (docs/hub.md)."
        )


def _sqlite_from_1(connection: Connection) -> None:
    """SQLite drops no column that is a foreign key: the old tip stays, empty, and nothing names it."""
    schema.batch.create(connection)
    connection.exec_driver_sql("CREATE INDEX visit_of_conversation ON visit (conversation, seq)")
    connection.exec_driver_sql("DROP INDEX visit_by_place")
    connection.exec_driver_sql(_TIPS.format(owner="", same=""))
    connection.exec_driver_sql("ALTER TABLE conversation RENAME COLUMN revision TO changes")
    connection.exec_driver_sql("UPDATE conversation SET tip = NULL")


def _postgresql_from_1(connection: Connection) -> None:
    """Row-level security is lifted inside this transaction, which nobody sees: the rows are those of all owners."""
    from . import owners

    owners.tables().tables["batch"].create(connection)
    for statement in (
        "CREATE INDEX visit_of_conversation ON visit (owner, conversation, seq)",
        "DROP INDEX visit_by_place",
        *(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY" for table in ("conversation", "visit", "turn")),
        _TIPS.format(owner=", owner", same=" AND v.owner = conversation.owner"),
        *(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in ("conversation", "visit", "turn")),
        "ALTER TABLE conversation DROP COLUMN tip",
        "ALTER TABLE conversation RENAME COLUMN revision TO changes",
    ):
        connection.exec_driver_sql(statement)


_STEPS: dict[tuple[str, int], Callable[[Connection], None]] = {
    ("sqlite", 1): _sqlite_from_1,
    ("postgresql", 1): _postgresql_from_1,
}
