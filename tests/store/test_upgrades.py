"""A database of an older version is brought to this one when it is opened. Those in `version_1/` were written by it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import postgres
import pytest
from builders import Writer
from raw import rows
from sqlalchemy.exc import OperationalError

from jupyter_history.errors import StoreUnavailable
from jupyter_history.store import Store, schema

OLD = Path(__file__).parent / "version_1"


@pytest.fixture
def old(kind: str, request: pytest.FixtureRequest) -> str | Path:
    """Where a database of version 1 is, as a session left it."""
    if kind == "sqlite":
        file: Path = request.getfixturevalue("tmp_path") / "old.db"
        raw = sqlite3.connect(file)
        raw.executescript((OLD / "sqlite.sql").read_text())
        raw.close()
        return file
    server: postgres.Server = request.getfixturevalue("server")
    return server.url(old_server(server), "user")


def old_server(server: postgres.Server) -> str:
    """The name of a database of version 1; its rows and its tables are those of the role `user`."""
    name = f"t{uuid4().hex}"
    server.psql(f'CREATE DATABASE {name} OWNER "user"')
    server.psql("SET check_function_bodies = false;\n" + (OLD / "postgresql.sql").read_text(), name, "user")
    return name


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", ["sqlite", "postgresql"], scope="session")


def test_nothing_is_lost_and_every_tip_stays(old: str | Path) -> None:
    with Store.open(old) as store:
        tips = {each.name: store.conversation(each.id).tip for each in store.conversations()}
        notes = store.conversation("notes")
        assert (notes.tip, tips["empty"], notes.turns, notes.title) == ("aaaaaa", None, 3, "first")
        assert [turn.prompt for turn in store.path(tips["copy"])] == ["first", "second"]
        assert [turn.prompt for turn in store.path(tips["brought"])] == ["first"]
        assert [turn.prompt for turn in store.path("bbbbbb")] == ["first", "second"]
        assert store.place("nb1", notes.id) == (True, "bbbbbb")
        assert store.place("nb2", notes.id) == (True, "aaaaaa")
        assert store.topology(notes.id).labels == {"kept": "bbbbbb"}
        assert [(each.label, each.target) for each in store.checkpoints(notes.id)] == [("start", "aaaaaa")]
        assert [each.prompt for each in store.failed(notes.id)] == ["came to nothing"]
        assert store.notebooks_at("/a.ipynb")[0].conversation == notes.id
        assert store.problems() == []


def test_it_is_written_to_like_a_new_one(old: str | Path) -> None:
    with Store.open(old) as store:
        notes = store.conversation("notes")
        writer = Writer(store, notes.id, "nb1")
        asked = writer.ask("third")
        assert store.conversation("notes").tip == asked
        assert store.conversation("notes").revision > notes.revision
        assert writer.move("aaaaaa").revision > store.conversation("copy").revision
        store.begin_batch(notes.id, {})
        store.fork(notes.id, asked)
        assert [found.turn for found in store.find("third")] == [asked]
        assert store.problems() == []


def test_it_is_upgraded_once(old: str | Path) -> None:
    Store.open(old).close()
    with Store.open(old) as store:
        before = rows(store, "SELECT * FROM visit")
    with Store.open(old) as store:
        assert rows(store, "SELECT * FROM visit") == before
        assert rows(store, "SELECT version FROM store") == [(schema.VERSION,)]


def test_an_upgrade_that_fails_leaves_the_old_database(tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    raw = sqlite3.connect(file)
    raw.executescript((OLD / "sqlite.sql").read_text())
    raw.execute("CREATE TABLE visit_of_conversation (in_the_way)")
    questions = (
        "SELECT * FROM sqlite_master",
        "SELECT * FROM conversation",
        "SELECT * FROM visit",
        "PRAGMA user_version",
    )
    before = [raw.execute(question).fetchall() for question in questions]
    with pytest.raises(OperationalError, match="visit_of_conversation"):
        Store.open(file)
    assert [raw.execute(question).fetchall() for question in questions] == before
    raw.close()


def test_kernels_that_open_it_at_once_upgrade_it_once(old: str | Path) -> None:
    code = "import sys; from jupyter_history.store import Store; print(Store.open(sys.argv[1]).problems())"
    kernels = [subprocess.Popen([sys.executable, "-c", code, str(old)], stdout=subprocess.PIPE) for _ in range(4)]
    assert [kernel.communicate(timeout=60)[0] for kernel in kernels] == [b"[]\n"] * 4
    with Store.open(old) as store:
        assert [visit.turn for visit in store.topology(store.conversation("brought").id).visits] == [
            store.conversation("brought").tip
        ]


def test_on_a_hub_the_tables_owner_upgrades_for_all_and_nobody_else(server: postgres.Server) -> None:
    name = old_server(server)
    server.psql('CREATE ROLE keeper LOGIN;\nREASSIGN OWNED BY "user" TO keeper;', name)
    server.psql(
        'GRANT ALL ON ALL TABLES IN SCHEMA public TO "user";\nGRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO "user";',
        name,
    )
    with pytest.raises(StoreUnavailable, match="older") as told:
        Store.open(server.url(name, "user"))
    assert "\n" not in str(told.value)
    assert "owner" in str(told.value)
    with Store.open(server.url(name, "keeper")) as store:
        assert store.conversations() == []
    with Store.open(server.url(name, "user")) as store:
        assert [turn.prompt for turn in store.path(store.conversation("brought").tip)] == ["first"]
        assert store.problems() == []
