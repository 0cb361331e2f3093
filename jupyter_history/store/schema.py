"""The tables, the same on SQLite and PostgreSQL.

    conversation 1-n turn 1-n message n-1 blob
         |            |          |
   visit, batch     label    checkpoint, overlay

A turn names the turn it continues from; within a turn each message continues from the one before it, and the first
from the parent's last. So a tip, which is a turn, always stands at a boundary, and a message's parent cannot be wrong
without its turn's. Turns, messages and blobs are never updated: triggers forbid it.

A move is one row, a visit. A conversation's tip is its newest visit, a place's tip is that place's newest.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Row,
    Table,
    Text,
    event,
)
from sqlalchemy.schema import ExecutableDDLElement

APPLICATION = 0x4A484953
"""SQLite's `application_id` of our files."""
VERSION = 2
"""Of this schema. A database with a higher one is refused, one with a lower one brought here by `upgrades`."""
SPAN = 1 << 16
"""Messages a turn may have. Message number = turn number * SPAN + index: one range of the primary key is one turn."""

AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"
"""A result's row of any columns; its reader unpacks it by name."""

metadata = MetaData()


class Bytes(LargeBinary):
    """Bytes as both drivers take and give them: nothing to convert, by the thousand."""

    cache_ok = True

    def bind_processor(self, dialect: object) -> None:
        return None

    def result_processor(self, dialect: object, coltype: object) -> None:
        return None


_Key = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER is SQLite's rowid, which needs no index of its own

store = Table("store", metadata, Column("version", Integer, nullable=False))

conversation = Table(
    "conversation",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, unique=True),
    Column("title", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("cost", Double, nullable=False),
    Column("origin", Text, ForeignKey("conversation.id")),
    Column("origin_turn", Text, ForeignKey("turn.id", use_alter=True)),
    Column("maker_notebook", Text),
    Column("maker_cell", Text),
    Column("maker_ordinal", Integer),
    Column("made_as", Text),  # the NAME of the cell's --fork, whatever it was renamed to since
    Column("settings", Text),
    Column("archived", Boolean, nullable=False),
)
Index("conversation_by_time", conversation.c.archived, conversation.c.updated)
Index("conversation_by_maker", conversation.c.maker_cell)

turn = Table(
    "turn",
    metadata,
    Column("n", _Key, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False),
    Column("parent", Text, ForeignKey("turn.id")),
    Column("depth", Integer, nullable=False),
    Column("messages", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("prompt", Bytes),  # NULL where it is the text of the first message, as it mostly is
    Column("model", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("input", Integer, nullable=False),
    Column("output", Integer, nullable=False),
    Column("cache_read", Integer, nullable=False),
    Column("cache_write", Integer, nullable=False),
    Column("cache_write_1h", Integer, nullable=False),
    Column("cost", Double),
    Column("seconds", Double, nullable=False),
    Column("created", Double, nullable=False),
    Column("maker_notebook", Text),
    Column("maker_cell", Text),
    Column("maker_ordinal", Integer),
    Column("settings", Text),
    Column("inherited", Text),
    Column("context", Integer, nullable=False),
    Column("window", Integer),
    Column("stop_reason", Text),
    Column("error", Text),
    CheckConstraint("(parent IS NULL) = (depth = 1)", name="depth_of_root"),
    CheckConstraint("outcome IN ('complete', 'stopped')", name="only_answered_turns_are_in_the_tree"),
    CheckConstraint(f"messages BETWEEN 1 AND {SPAN}", name="span"),
)
Index("turn_by_parent", turn.c.conversation, turn.c.parent)
Index("turn_by_cell", turn.c.maker_cell, turn.c.maker_notebook)

blob = Table(
    "blob",
    metadata,
    Column("sha", Bytes, primary_key=True),
    Column("data", Bytes, nullable=False),
)

page = Table(
    "page",
    metadata,
    Column("key", Bytes, primary_key=True),
    Column("png", Bytes, nullable=False),
)

message = Table(
    "message",
    metadata,
    Column("n", _Key, primary_key=True, autoincrement=False),
    Column("turn", _Key, ForeignKey("turn.n"), nullable=False),
    Column("role", Text, nullable=False),
    Column("body", Bytes),
    Column("blob", Bytes, ForeignKey("blob.sha")),
    CheckConstraint(f"n / {SPAN} = turn", name="number_of_turn"),
    CheckConstraint("(body IS NULL) <> (blob IS NULL)", name="one_body"),
)

visit = Table(
    "visit",
    metadata,
    Column("seq", _Key, primary_key=True),
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False),
    Column("place", Text, nullable=False),
    Column("turn", Text, ForeignKey("turn.id")),
)
Index("visit_of_conversation", visit.c.conversation, visit.c.seq)

label = Table(
    "label",
    metadata,
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("turn", Text, ForeignKey("turn.id"), nullable=False),
    PrimaryKeyConstraint("conversation", "name"),
)

failure = Table(
    "failure",
    metadata,
    Column("n", _Key, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False, index=True),
    Column("parent", Text, ForeignKey("turn.id")),
    Column("record", Bytes, nullable=False),
)

checkpoint = Table(
    "checkpoint",
    metadata,
    Column("n", _Key, primary_key=True),
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False, index=True),
    Column("label", Text, nullable=False),
    Column("message", _Key, ForeignKey("message.n")),  # NULL: the root
    Column("turn", Text, ForeignKey("turn.id"), nullable=False),  # the one that set it
    Column("consumed", Boolean, nullable=False),
    Column("created", Double, nullable=False),
)

overlay = Table(
    "overlay",
    metadata,
    Column("n", _Key, primary_key=True),
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False, index=True),
    Column("anchor", _Key, ForeignKey("message.n")),  # NULL: the root
    Column("kind", Text, nullable=False),
    Column("first", _Key, ForeignKey("message.n"), nullable=False),
    Column("last", _Key, ForeignKey("message.n"), nullable=False),
    Column("policy", Text, nullable=False),
    Column("profile", Text, nullable=False),
    Column("payload", Bytes, nullable=False),
    Column("created", Double, nullable=False),
)

batch = Table(
    "batch",
    metadata,
    Column("n", _Key, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False, index=True),
    Column("asked", Bytes, nullable=False),
    Column("created", Double, nullable=False),
    Column("provider", Text),  # NULL until the provider has answered with its id
    Column("state", Text, nullable=False),
)

notebook = Table(
    "notebook",
    metadata,
    Column("id", Text, primary_key=True),
    Column("path", Text, index=True),
    Column("conversation", Text, ForeignKey("conversation.id")),
)


def forbid_updates(table: Table) -> None:
    """Triggers that make the rows of `table` immutable."""
    name = f"{table.name}_never_changes"
    on = f"CREATE TRIGGER {name} BEFORE UPDATE ON {table.name}"
    text = f"'a stored {table.name} never changes'"
    function = (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql "
        f"AS $$ BEGIN RAISE EXCEPTION {text}; END $$"
    )
    for dialect, statement in (
        ("sqlite", f"{on} BEGIN SELECT RAISE(ABORT, {text}); END"),
        ("postgresql", function),
        ("postgresql", f"{on} FOR EACH ROW EXECUTE FUNCTION {name}()"),
    ):
        ddl: ExecutableDDLElement = DDL(statement)  # type: ignore[no-untyped-call]
        event.listen(table, "after_create", ddl.execute_if(dialect=dialect))


IMMUTABLE = ("turn", "message", "blob")

for _name in IMMUTABLE:
    forbid_updates(metadata.tables[_name])
