"""The index of words, written in the turn's transaction.

SQLite keeps it in an FTS5 table without contents, PostgreSQL in a column of lexemes; both get the same words. Copies
that a fork makes are not indexed: what is found is the turn that was copied.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

from ..transcript import TurnRecord
from . import words

_MINE = "owner = current_user"
_MAKE = {
    "sqlite": ("CREATE VIRTUAL TABLE words USING fts5 (held, content='', detail=none, columnsize=0, tokenize=ascii)",),
    "postgresql": (
        "CREATE TABLE words (turn bigint PRIMARY KEY REFERENCES turn (n), words tsvector NOT NULL,"
        " owner text NOT NULL DEFAULT current_user)",
        "CREATE INDEX words_of_owner ON words (owner, turn)",  # row-level security forbids asking a GIN index first
        "ALTER TABLE words ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE words FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY words_is_its_owners ON words USING ({_MINE}) WITH CHECK ({_MINE})",
    ),
}
_ADD = {
    "sqlite": text("INSERT INTO words (rowid, held) VALUES (:turn, :words)"),
    "postgresql": text("INSERT INTO words (turn, words) VALUES (:turn, array_to_tsvector(CAST(:words AS text[])))"),
}


def make(connection: Connection) -> None:
    for statement in _MAKE[connection.dialect.name]:
        connection.exec_driver_sql(statement)


def add(connection: Connection, n: int, record: TurnRecord) -> None:
    """Index the turn whose number is `n`."""
    found = words.of(record)
    kind = connection.dialect.name
    connection.execute(_ADD[kind], {"turn": n, "words": " ".join(found) if kind == "sqlite" else found})
