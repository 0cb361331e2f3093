"""Rule 7: when the database cannot be used, one line says which file and what to do; nothing is half stored."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import Writer, assistant, turn, user

from jupyter_history.errors import StoreUnavailable
from jupyter_history.store import Basis, Store, schema

SQLITE_ONLY = True


def one_line(told: pytest.ExceptionInfo[StoreUnavailable], *parts: str) -> None:
    text = str(told.value)
    assert "\n" not in text
    assert len(text) < 400
    for part in parts:
        assert part in text


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Permissions do not bind root: these tests run as nobody."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def open_to_all(path: Path) -> None:
    """So that `nobody` reaches it."""
    for part in (path, *path.parents):
        if str(part).startswith("/tmp/"):
            part.chmod(0o755)


def test_a_full_disk_rolls_the_turn_back_and_the_next_one_saves_it(writer: Writer, file: Path) -> None:
    """SQLITE_FULL is injected: the database may not grow by a page."""
    first = writer.ask()
    with writer.store._database.read() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    record = turn(writer.conversation, "bbbbbb", first, "Large", (user("Large"), assistant("x" * 60_000)))
    with pytest.raises(StoreUnavailable) as told:
        writer.commit(record)
    one_line(told, str(file), "room", "Free some")
    assert writer.store.conversation(writer.conversation).tip == first
    assert [head.id for head in writer.store.topology(writer.conversation).heads] == [first]
    with writer.store._database.read() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    writer.commit(record)
    assert [kept.id for kept in writer.store.path("bbbbbb")] == [first, "bbbbbb"]
    assert writer.store.problems() == []


def test_an_unwritable_directory(tmp_path: Path, unprivileged: None) -> None:
    if os.getuid() == 0:
        os.seteuid(0)
        open_to_all(tmp_path)
        os.seteuid(65534)
    else:
        tmp_path.chmod(0o555)
    with pytest.raises(StoreUnavailable) as told:
        Store.open(tmp_path / "below" / "history.db")
    one_line(told, "history.db", "permission denied", "JUPYTER_HISTORY_STORE")
    with pytest.raises(StoreUnavailable) as told:
        Store.open(tmp_path / "history.db")
    one_line(told, "history.db", "JUPYTER_HISTORY_STORE")


def test_a_read_only_database(file: Path, store: Store) -> None:
    store.create()
    store.close()
    with Store.open(f"sqlite:///file:{file}?mode=ro&uri=true") as reader:
        assert len(reader.conversations()) == 1
        with pytest.raises(StoreUnavailable) as told:
            reader.create()
    one_line(told, "read-only", str(file), "JUPYTER_HISTORY_STORE")


def test_a_directory_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "history.db").mkdir()
    with pytest.raises(StoreUnavailable) as told:
        Store.open(tmp_path / "history.db")
    one_line(told, "history.db")


def test_a_file_that_is_no_database_is_left_alone(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"Dear diary, this is no database at all.\n" * 100)
    before = file.read_bytes()
    with pytest.raises(StoreUnavailable) as told:
        Store.open(file)
    one_line(told, str(file), "not a database", "Move it away")
    assert file.read_bytes() == before


def test_another_programs_database_is_left_alone(file: Path) -> None:
    file.parent.mkdir()
    raw = sqlite3.connect(file)
    raw.execute("CREATE TABLE theirs (a)")
    raw.close()
    before = file.read_bytes()
    with pytest.raises(StoreUnavailable) as told:
        Store.open(file)
    one_line(told, str(file), "another program's")
    assert file.read_bytes() == before


def test_a_newer_database_is_refused_and_left_alone(file: Path, store: Store) -> None:
    store.close()
    raw = sqlite3.connect(file)
    raw.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    raw.close()
    before = file.read_bytes()
    with pytest.raises(StoreUnavailable) as told:
        Store.open(file)
    one_line(told, str(file), "newer", f"schema {schema.VERSION + 1}", "pip install -U")
    assert file.read_bytes() == before


def test_a_torn_file_is_an_error_not_a_shorter_history(file: Path, store: Store) -> None:
    writer = Writer(store, store.create().id)
    ids = [writer.ask(messages=(user("q"), assistant("x" * 5000))) for _ in range(20)]
    store.close()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(StoreUnavailable) as told, Store.open(file) as torn:
        torn.path(ids[-1])
    one_line(told, str(file), "damaged")


def test_a_database_that_was_deleted_while_open_takes_no_more_turns(writer: Writer, file: Path) -> None:
    first = writer.ask()
    kept = file.with_name("kept.db")
    writer.store.close()
    writer.refresh()
    file.rename(kept)
    record = turn(writer.conversation, "bbbbbb", first)
    with pytest.raises(StoreUnavailable) as told:
        writer.commit(record)
    one_line(told, str(file), "deleted or moved", "Put it back")
    kept.rename(file)
    writer.commit(record)
    assert [kept.id for kept in writer.store.path("bbbbbb")] == [first, "bbbbbb"]


def test_a_writer_that_waits_too_long_is_told(file: Path, store: Store) -> None:
    with store._database.read() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable) as told:
        store.create()
    one_line(told, str(file), "Run the cell again")
    other.execute("ROLLBACK")
    store.create()
    other.close()


def test_an_id_is_given_out_while_the_database_is_away(tmp_path: Path) -> None:
    (tmp_path / "history.db").mkdir()
    store = Store(tmp_path / "history.db")
    assert len(store.new_id()) == 6
    with pytest.raises(StoreUnavailable):
        store.commit(turn("nowhere", "aaaaaa"), place="nb", basis=Basis(0, 0, None))
