"""Rule 7, as a user meets it: no room, a read-only home, a lost, newer or torn database. One line, nothing claimed
saved that is not, and what was kept is saved as soon as it can be."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kernels import opened
from mounts import Disk

from jupyter_history.errors import StoreUnavailable
from jupyter_history.model.scripted import Scripted
from jupyter_history.progress import Note
from jupyter_history.session.session import Session
from jupyter_history.store import Store

LONG = "x" * 50_000


def told(send: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """What was sent, and the lines that were told meanwhile."""
    lines: list[str] = []
    done = send(*arguments, watch=lambda event: lines.append(event.text) if isinstance(event, Note) else None)
    assert all("\n" not in line and len(line) < 500 for line in lines)
    return done, "\n".join(lines)


def prompts(file: Path) -> list[str]:
    """The path as another kernel finds it."""
    with Store.open(file) as store:
        assert store.problems() == []
        return [turn.prompt for turn in store.path(store.conversation("notes").tip)]


def fails_and_flushes(
    session: Session, file: Path, script: Scripted, *words: str, repair: Callable[[], object]
) -> None:
    """Two turns that cannot be saved are answered, kept and said; when the fault is gone, the next one saves all."""
    script.reply(LONG).reply(LONG)
    lost, lines = told(session.send, "two")
    assert "Not saved: " in lines
    assert "kept in memory" in lines
    for word in (str(file), *words):
        assert word in lines
    assert lost.text == LONG
    _, lines = told(session.send, "three")
    assert "Not saved: " in lines
    assert len(session.unsaved) == 2
    assert [turn.prompt for turn in session.path()] == ["one", "two", "three"]
    assert [message["content"][0]["text"] for message in script.requests[-1]["messages"]][::2] == [
        "one",
        "two",
        "three",
    ]
    repair()
    told(session.send, "four")
    assert session.unsaved == ()
    assert prompts(file) == ["one", "two", "three", "four"]


def test_a_full_disk(disk: Disk) -> None:
    """A real one: a tmpfs of 4 MB without a free byte."""
    script = Scripted()
    session = opened(file := disk.path / "home" / "history.db", script)
    session.send("one")
    disk.fill()
    fails_and_flushes(session, file, script, repair=disk.empty)


def test_a_full_disk_as_sqlite_tells_it(session: Session, file: Path, script: Scripted) -> None:
    """SQLITE_FULL, injected: the database may not grow by a page."""

    def pages(most: int | None = None) -> None:
        with session.store._database.read() as connection:
            now = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {most or now}")

    session.send("one")
    pages()
    fails_and_flushes(session, file, script, "room", "Free some", repair=lambda: pages(1_000_000))


def test_a_disk_that_becomes_read_only(disk: Disk) -> None:
    script = Scripted()
    session = opened(file := disk.path / "home" / "history.db", script)
    session.send("one")
    session.store.close()
    disk.remount("ro")
    again = opened(file, script)
    assert [turn.prompt for turn in again.path()] == ["one"], "what is there can still be read"
    fails_and_flushes(again, file, script, "read-only", "JUPYTER_HISTORY_STORE", repair=lambda: disk.remount("rw"))


def test_a_database_that_was_deleted(session: Session, file: Path, script: Scripted) -> None:
    session.send("one")
    session.store.close()
    session.refresh()
    away = file.with_name("away.db")
    file.rename(away)
    fails_and_flushes(session, file, script, "deleted or moved", "Put it back", repair=lambda: shutil.move(away, file))


def test_a_database_that_a_newer_version_took_over(session: Session, file: Path, script: Scripted) -> None:
    session.send("one")

    def version(number: int) -> None:
        session.store.close()
        raw = sqlite3.connect(file)
        raw.execute(f"PRAGMA user_version = {number}")
        raw.close()

    with sqlite3.connect(file) as raw:
        (mine,) = raw.execute("PRAGMA user_version").fetchone()
    version(99)
    fails_and_flushes(session, file, script, "newer", "pip install -U", repair=lambda: version(mine))


def test_a_torn_file(session: Session, file: Path, script: Scripted) -> None:
    script.reply(LONG)
    session.send("one")
    session.store.close()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    fails_and_flushes(session, file, script, "damaged", repair=lambda: restore(session, file, whole))


def restore(session: Session, file: Path, whole: bytes) -> None:
    """From a backup, as the line says."""
    session.store.close()
    for left in file.parent.iterdir():
        left.unlink()
    file.write_bytes(whole)


def test_a_store_that_cannot_be_made_stands_in_memory_until_it_can(tmp_path: Path, script: Scripted) -> None:
    (tmp_path / "home").write_text("a file in the way")
    file = tmp_path / "home" / "history.db"
    with pytest.raises(StoreUnavailable) as reason:
        Store.open(file)
    store = Store.stand_in(file, reason.value)
    session = Session.open("notes", store, "claude-sonnet-5-5", client=opened(":memory:", script).client, place="nb")
    first = session.send("one")
    session.label(first.id, "start")
    session.again()
    session.send("two")
    assert str(file) in store.waiting
    assert "\n" not in store.waiting
    (tmp_path / "home").unlink()
    with Store.open(file) as real:
        real.create("notes")  # another kernel was there first
        other = opened(file, name="other")
        other.send("elsewhere")
        other.store.close()
    store._next_try = 0.0
    _, lines = told(session.send, "three")
    assert f"Saved now, in {file}" in lines
    assert f"`notes` is called `notes-{session.id[:4]}` there" in lines
    assert store.waiting == ""
    assert store.url.endswith("history.db")
    assert [turn.prompt for turn in session.path()] == ["one", "two", "three"]
    with Store.open(file) as real:
        assert real.problems() == []
        conversation = real.conversation(session.id)
        assert [turn.prompt for turn in real.path(conversation.tip)] == ["one", "two", "three"]
        assert real.topology(session.id).labels == {"start": first.id}
        assert real.place("nb", session.id) == (True, session.tip)
        assert len(real.topology(session.id).heads) == 4
    session.branch("start")
    assert opened(file, name=session.id, place="nb").tip == first.id


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_whatever_happens_directory_and_files_are_private(session: Session, file: Path, script: Scripted) -> None:
    umask = os.umask(0)
    try:
        script.reply("x" * 200_000)
        session.send("one")
        session.store.close()
        session.send("two")
        modes = {path.name: path.stat().st_mode & 0o777 for path in file.parent.iterdir()}
    finally:
        os.umask(umask)
    assert set(modes) >= {"history.db", "history.db-wal", "history.db-shm"}
    assert set(modes.values()) == {0o600}
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_short_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(b"x")
    with pytest.raises(StoreUnavailable, match="is not a database, and was left alone"):
        Store.open(file)
    assert file.read_bytes() == b"x"
