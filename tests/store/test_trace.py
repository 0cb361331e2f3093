"""What reaches SQLite (rule 2): every transaction is begun in words, reads too, and nothing runs outside one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from builders import Writer, tool_exchange, turn

from jupyter_history.errors import BadInput, NotFound
from jupyter_history.store import Store

SQLITE_ONLY = True


def trace(store: Store, act: Callable[[], Any]) -> list[str]:
    """The statements that SQLite's driver ran while `act` did; the first words of each."""
    engine = store._database._engine
    assert engine is not None
    raw = engine.raw_connection()
    driver: Any = raw.driver_connection
    raw.close()
    seen: list[str] = []
    driver.set_trace_callback(seen.append)
    try:
        act()
    finally:
        driver.set_trace_callback(None)
    return [" ".join(statement.split()) for statement in seen if not statement.startswith("--")]


def kinds(statements: list[str]) -> list[str]:
    return [statement.split()[0] for statement in statements]


def test_a_commit_is_one_immediate_transaction(writer: Writer) -> None:
    record = turn(writer.conversation, "aaaaaa", messages=tool_exchange("q"))
    seen = trace(writer.store, lambda: writer.commit(record))
    assert seen[0] == "BEGIN IMMEDIATE"
    assert seen[-1] == "COMMIT"
    assert kinds(seen).count("COMMIT") == 1
    assert not any(statement.startswith("BEGIN") for statement in seen[1:])
    assert kinds(seen).count("INSERT") == 7  # the turn, its four messages, its words, the visit
    assert kinds(seen).count("UPDATE") == 1  # the conversation


def test_a_branch_writes_one_row_and_nothing_else_rule_3(writer: Writer) -> None:
    first, _ = writer.ask(), writer.ask()
    seen = trace(writer.store, lambda: writer.move(first))
    assert seen[0] == "BEGIN IMMEDIATE"
    writes = [statement.split()[:3] for statement in seen if statement.split()[0] in ("INSERT", "UPDATE", "DELETE")]
    assert writes == [["INSERT", "INTO", "visit"]]


@pytest.mark.parametrize(
    "read",
    [
        lambda store, conversation, turn: store.topology(conversation),
        lambda store, conversation, turn: store.path(turn),
        lambda store, conversation, turn: store.turn(turn),
        lambda store, conversation, turn: store.conversations(),
        lambda store, conversation, turn: store.place("nb", conversation),
        lambda store, conversation, turn: store.problems(),
    ],
    ids=["topology", "path", "turn", "conversations", "place", "problems"],
)
def test_a_read_is_one_transaction_that_writes_nothing(writer: Writer, read: Callable[..., Any]) -> None:
    id = writer.ask()
    seen = trace(writer.store, lambda: read(writer.store, writer.conversation, id))
    assert seen[0] == "BEGIN"
    assert seen[-1] == "COMMIT"
    assert set(kinds(seen[1:-1])) <= {"SELECT", "WITH", "PRAGMA"}
    assert kinds(seen).count("BEGIN") == 1


def test_what_is_refused_is_rolled_back(writer: Writer) -> None:
    def refused() -> None:
        with pytest.raises(NotFound):
            writer.move("zzzzzz")

    seen = trace(writer.store, refused)
    assert (seen[0], seen[-1]) == ("BEGIN IMMEDIATE", "ROLLBACK")
    assert "COMMIT" not in seen


def test_a_list_is_one_query_that_reads_no_turn(writer: Writer) -> None:
    writer.ask()
    seen = trace(writer.store, writer.store.conversations)
    assert kinds(seen) == ["BEGIN", "SELECT", "COMMIT"]
    assert "FROM turn" not in seen[1]
    assert "FROM message" not in seen[1]


def test_the_shape_of_a_tree_is_read_without_its_texts(writer: Writer) -> None:
    writer.ask()
    seen = trace(writer.store, lambda: writer.store.topology(writer.conversation))
    assert not any("message" in statement or "prompt" in statement for statement in seen)


def test_a_connection_syncs_fully_and_keeps_its_foreign_keys(store: Store) -> None:
    with store._database.read() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("synchronous", "foreign_keys", "busy_timeout", "journal_mode")
        }
    assert pragmas == {"synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000, "journal_mode": "wal"}


def test_an_interrupt_in_the_middle_leaves_nothing(writer: Writer) -> None:
    def interrupted() -> None:
        with writer.store._database.write() as connection:
            connection.exec_driver_sql("UPDATE conversation SET title = 'half'")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert writer.store.conversation(writer.conversation).title == ""
    with pytest.raises(BadInput):
        writer.ask(messages=())
