"""Where the database is, who may read it, and what opening and closing it leave behind."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from builders import Writer, turn

from jupyter_history.errors import BadInput, StoreUnavailable
from jupyter_history.store import Basis, Store

SQLITE_ONLY = True


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_directory_and_all_files_are_private_whatever_the_umask(file: Path) -> None:
    umask = os.umask(0)
    try:
        store = Store.open(file)
        Writer(store, store.create().id).ask()
        names = {path.name for path in file.parent.iterdir()}
        assert names == {"history.db", "history.db-wal", "history.db-shm"}
        assert {mode(path) for path in file.parent.iterdir()} == {0o600}
        assert mode(file.parent) == 0o700
        store.close()
    finally:
        os.umask(umask)


def test_a_database_that_was_readable_to_others_is_made_private(file: Path, store: Store) -> None:
    store.close()
    file.chmod(0o644)
    Store.open(file).close()
    assert mode(file) == 0o600


def test_a_directory_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    Store.open(tmp_path / "mine.db").close()
    assert mode(tmp_path) == 0o755


def test_closing_leaves_one_whole_file(file: Path, store: Store) -> None:
    writer = Writer(store, store.create("kept").id)
    id = writer.ask()
    store.close()
    assert [path.name for path in file.parent.iterdir()] == ["history.db"]
    copy = file.with_name("copy.db")
    copy.write_bytes(file.read_bytes())
    with Store.open(copy) as other:
        assert other.conversation("kept").tip == id


def test_closing_does_not_wait_for_another_kernel(file: Path, store: Store) -> None:
    store.create()
    reader = sqlite3.connect(file, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM conversation").fetchall()
    store.create()
    before = os.times().elapsed
    store.close()
    assert os.times().elapsed - before < 3
    reader.close()


def test_a_closed_store_opens_again_when_used(store: Store) -> None:
    made = store.create("kept")
    store.close()
    assert store.conversation("kept") == made


def test_the_file_says_whose_it_is_and_of_which_version(file: Path, store: Store) -> None:
    store.close()
    raw = sqlite3.connect(file)
    assert raw.execute("PRAGMA application_id").fetchone() == (0x4A484953,)
    assert raw.execute("PRAGMA user_version").fetchone() == (2,)
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_store_in_memory_works_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store.open(":memory:")
    conversation = store.create().id
    store.commit(turn(conversation, "aaaaaa"), place="nb", basis=Basis(0, 0, None))
    store.close()
    assert [record.id for record in store.path("aaaaaa")] == ["aaaaaa"]
    assert list(tmp_path.iterdir()) == []


def test_the_place_is_an_argument_then_the_variable_then_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("JUPYTER_HISTORY_STORE", raising=False)
    assert "jupyter_history" in Store().url
    assert Store().url.endswith("history.db")
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", str(tmp_path / "variable.db"))
    assert Store().url == f"sqlite:///{tmp_path}/variable.db"
    assert Store(tmp_path / "argument.db").url.endswith("argument.db")
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", f"sqlite:///{tmp_path}/url.db")
    with Store.open() as store:
        store.create()
    assert (tmp_path / "url.db").exists()


def test_making_a_store_touches_nothing(tmp_path: Path) -> None:
    Store(tmp_path / "a" / "b.db")
    assert list(tmp_path.iterdir()) == []


def test_a_url_that_cannot_work_is_refused_in_one_line() -> None:
    for url in ("mysql://host/db", "nonsense://x", "postgresql+nodriver://host/db"):
        with pytest.raises(BadInput) as told:
            Store(url)
        assert "\n" not in str(told.value)


def test_the_password_of_a_url_is_never_shown_rule_20() -> None:
    pytest.importorskip("psycopg")
    secret = "hunter2-secret"
    store = Store(f"postgresql+psycopg://someone:{secret}@127.0.0.1:1/db?connect_timeout=2")
    assert secret not in store.url + repr(store)
    with pytest.raises(StoreUnavailable) as told:
        store.create()
    assert secret not in str(told.value)
    assert "127.0.0.1" in str(told.value)
    assert "\n" not in str(told.value)


def test_the_records_can_be_had_without_sqlalchemy() -> None:
    code = (
        "import sys; from jupyter_history.store import Basis, Conversation; import jupyter_history.store.records;"
        "assert 'sqlalchemy' not in sys.modules, 'imported'; from jupyter_history.store import Store;"
        "assert 'sqlalchemy' in sys.modules and 'IPython' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
