"""Rule 6: a path is whole, however long, or an error that names both ids."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders import Writer, assistant, tool_exchange, user

from jupyter_history.errors import BrokenChain, NotFound
from jupyter_history.store import Store


@contextmanager
def vandal(file: Path) -> Iterator[sqlite3.Connection]:
    """A hand in the database that keeps none of its rules."""
    raw = sqlite3.connect(file)
    raw.execute("DROP TRIGGER turn_never_changes")
    yield raw
    raw.commit()
    raw.close()


def test_a_path_runs_from_the_root_to_the_turn(writer: Writer) -> None:
    ids = [writer.ask(f"Question {n}") for n in range(5)]
    writer.ask("Beside", at=ids[1])
    assert [record.id for record in writer.store.path(ids[3])] == ids[:4]
    assert [record.prompt for record in writer.store.path(ids[1])] == ["Question 0", "Question 1"]


def test_the_path_of_the_root_is_empty(store: Store) -> None:
    assert store.path(None) == []


def test_an_unknown_turn_has_no_path(store: Store) -> None:
    with pytest.raises(NotFound, match="zzzzzz"):
        store.path("zzzzzz")
    with pytest.raises(NotFound, match="zzzzzz"):
        store.turn("zzzzzz")


def test_turns_come_in_the_order_asked(writer: Writer) -> None:
    ids = [writer.ask() for _ in range(3)]
    asked = [ids[2], ids[0], ids[2]]
    assert [record.id for record in writer.store.turns(asked)] == asked
    assert writer.store.turns([]) == []


def test_a_limited_path_is_the_newest_whole_turns_that_hold_at_most_so_many_messages(writer: Writer) -> None:
    ids = [writer.ask(messages=tool_exchange("q")) for _ in range(5)]
    for limit, turns in ((1, 1), (4, 1), (7, 1), (8, 2), (11, 2), (12, 3), (19, 4), (20, 5), (10**6, 5)):
        assert [record.id for record in writer.store.path(ids[-1], limit)] == ids[-turns:]


def test_a_path_is_bounded_in_tokens_too_and_never_empty(writer: Writer) -> None:
    """A third of the stored bytes, large bodies and all their turn's messages counted."""
    sizes = (3_000, 300, 300_000, 300, 300)
    ids = [writer.ask(messages=(user("q"), assistant("é" * (size // 2)))) for size in sizes]
    for tokens, turns in ((0, 1), (100, 1), (200, 1), (300, 2), (50_000, 2), (101_000, 4), (10**9, 5)):
        assert [record.id for record in writer.store.path(ids[-1], tokens=tokens)] == ids[-turns:], tokens
    assert [record.id for record in writer.store.path(ids[2], tokens=1)] == [ids[2]]
    assert [record.id for record in writer.store.path(ids[-1], limit=6, tokens=10**9)] == ids[-3:]
    assert [record.id for record in writer.store.path(ids[-1], limit=6, tokens=300)] == ids[-2:]


def test_what_is_left_out_of_a_path_is_not_looked_at(writer: Writer, file: Path) -> None:
    """A damaged beginning does not keep one from its end."""
    ids = [writer.ask() for _ in range(5)]
    with vandal(file) as raw:
        raw.execute("DELETE FROM turn WHERE id = ?", [ids[1]])
    for bounds in ({"limit": 4}, {"tokens": 60}, {"limit": 4, "tokens": 10**6}):
        assert [record.id for record in writer.store.path(ids[-1], **bounds)] == ids[-2:]
    with pytest.raises(BrokenChain, match=f"{ids[2]}.*{ids[1]}"):
        writer.store.path(ids[-1], limit=100, tokens=10**6)


def test_a_missing_parent_names_both_ids(writer: Writer, file: Path) -> None:
    ids = [writer.ask() for _ in range(4)]
    with vandal(file) as raw:
        raw.execute("DELETE FROM turn WHERE id = ?", [ids[1]])
    with pytest.raises(BrokenChain, match=f"{ids[2]}.*{ids[1]}.*not in the store"):
        writer.store.path(ids[3])
    assert [record.id for record in writer.store.path(ids[0])] == ids[:1]
    assert any(ids[2] in line and ids[1] in line for line in writer.store.problems())


def test_a_cycle_names_both_ids(writer: Writer, file: Path) -> None:
    ids = [writer.ask() for _ in range(4)]
    with vandal(file) as raw:
        raw.execute("UPDATE turn SET parent = ? WHERE id = ?", [ids[3], ids[1]])
    with pytest.raises(BrokenChain, match=f"{ids[1]}.*{ids[3]}.*cycle"):
        writer.store.path(ids[3])
    assert writer.store.problems() != []


def test_a_turn_that_lost_a_message_is_an_error_not_a_shorter_turn(writer: Writer, file: Path) -> None:
    id = writer.ask(messages=tool_exchange("q"))
    with vandal(file) as raw:
        raw.execute("DELETE FROM message WHERE n % 65536 = 2")
    with pytest.raises(BrokenChain, match=id):
        writer.store.path(id)
    assert any(id in line for line in writer.store.problems())


def test_a_path_has_no_depth_limit(writer: Writer, file: Path) -> None:
    """100,000 turns, written behind the store's back: only the reading is under test."""
    depth = 100_000
    writer.store.close()
    raw = sqlite3.connect(file)
    names = [f"t{n:05d}" for n in range(depth)]
    raw.executemany(
        "INSERT INTO turn (n, id, conversation, parent, depth, messages, question, title, model, outcome, input,"
        " output, cache_read, cache_write, cache_write_1h, seconds, created, context)"
        " VALUES (?, ?, ?, ?, ?, 1, '', '', '', 'complete', 0, 0, 0, 0, 0, 0, 0, 0)",
        ((n + 1, names[n], writer.conversation, names[n - 1] if n else None, n + 1) for n in range(depth)),
    )
    raw.executemany(
        "INSERT INTO message (n, turn, role, body) VALUES (?, ?, 'assistant', ?)",
        (((n + 1) * 65536, n + 1, b'[{"type":"text","text":"%d"}]' % n) for n in range(depth)),
    )
    raw.commit()
    raw.close()
    path = writer.store.path(names[-1])
    assert len(path) == depth
    assert (path[0].text, path[-1].text) == ("0", str(depth - 1))
    start = time.process_time()
    assert len(writer.store.path(names[-1], limit=200)) == 200
    assert time.process_time() - start < 0.5, "the tail does not cost the whole path"
