"""A hub's database: one for all, and no user reads another's conversations. Set up by the commands in docs/hub.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import postgres
import pytest
from builders import Writer, assistant, turn, user
from raw import execute, rows
from sqlalchemy.exc import DBAPIError

from jupyter_history.errors import NotFound, StoreUnavailable
from jupyter_history.store import Notebook, Overlay, Store, schema

GUIDE = Path(__file__).parents[2] / "docs" / "hub.md"
LARGE = "z" * 100_000


def commands() -> list[str]:
    """The guide's SQL: making the database, the grants, a user, and the end of one."""
    return re.findall(r"```sql\n(.*?)```", GUIDE.read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def hub() -> Iterator[postgres.Server]:
    with postgres.running() as server:
        database, grants, alice, _ = commands()
        server.psql(database)
        Store.open(server.url("jupyter_history", "jupyter_history")).close()
        server.psql(grants, "jupyter_history", "jupyter_history")
        server.psql(alice + alice.replace("alice", "bob"))
        yield server


@pytest.fixture
def alice(hub: postgres.Server) -> Iterator[Store]:
    with Store.open(hub.url("jupyter_history", "alice")) as store:
        yield store


@pytest.fixture
def bob(hub: postgres.Server) -> Iterator[Store]:
    with Store.open(hub.url("jupyter_history", "bob")) as store:
        yield store


@pytest.fixture(scope="module")
def secret(hub: postgres.Server) -> Writer:
    """Something of everything, Alice's."""
    store = Store.open(hub.url("jupyter_history", "alice"))
    writer = Writer(store, store.create("thesis").id)
    something_of_everything(writer, "secret", "Alice's secret")
    store.close()
    return writer


def something_of_everything(writer: Writer, id: str, prompt: str) -> None:
    """A row of the user's own in every table."""
    store, home = writer.store, writer.conversation
    store.attempt(turn(home, id, None, prompt))
    writer.ask(prompt, id=id, messages=(user(prompt), assistant(LARGE)))
    store.label(id, "start")
    store.fail(turn(home, "failed", id, prompt))
    store.add_overlays(home, [Overlay("", "elision", f"{id}.0", f"{id}.1", "policy", "profile")])
    store.mark(home, "mark", id)
    store.batch_sent(store.begin_batch(home, {"prompt": prompt}).id, "msgbatch_1")
    store.keep_pictures({b"key": b"png"})
    store.save_notebook(Notebook("notebook", "/a.ipynb", home))
    for table in (*schema.metadata.tables, "words"):
        assert rows(store, f"SELECT * FROM {table}"), f"{table} has no row: nothing would be tested"


def test_a_user_sees_none_of_anothers_rows_in_any_table(secret: Writer, alice: Store, bob: Store) -> None:
    assert [item.name for item in alice.conversations()] == ["thesis"]
    assert bob.conversations() == []
    with pytest.raises(NotFound, match="There is none yet"):
        bob.conversation("thesis")
    with pytest.raises(NotFound):
        bob.turn("secret")
    with pytest.raises(NotFound):
        bob.topology(secret.conversation)
    assert [each.turn for each in alice.find("secret")] == ["secret"]
    assert bob.find("secret") == []
    for table in (*schema.metadata.tables, "words"):
        if table != "store":
            assert rows(bob, f"SELECT * FROM {table}") == [], table
    assert rows(alice, "SELECT count(*) FROM blob") == [(1,)]


def test_the_owner_of_the_tables_sees_no_rows_either(secret: Writer, hub: postgres.Server) -> None:
    with Store.open(hub.url("jupyter_history", "jupyter_history")) as store:
        assert rows(store, "SELECT * FROM turn") == []


def test_names_ids_and_large_bodies_are_ones_own(secret: Writer, alice: Store, bob: Store) -> None:
    writer = Writer(bob, bob.create("thesis").id)
    writer.ask("Bob's", id="secret", messages=(user("Bob's"), assistant(LARGE)))
    assert (bob.turn("secret").prompt, alice.turn("secret").prompt) == ("Bob's", "Alice's secret")
    assert bob.turn("secret").text == alice.turn("secret").text == LARGE
    assert bob.problems() == alice.problems() == []
    fork, _ = bob.fork(writer.conversation, "secret")
    assert fork.turns == 1


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO notebook (id, owner) VALUES ('mine', 'alice')",
        "INSERT INTO notebook (id, conversation) SELECT 'mine', :theirs",
        "INSERT INTO label (conversation, name, turn) VALUES (:theirs, 'mine', 'secret')",
        "INSERT INTO store (version) VALUES (99)",
        "UPDATE store SET version = 99",
        "UPDATE turn SET prompt = NULL",
        "DELETE FROM message",
        "ALTER TABLE turn DISABLE ROW LEVEL SECURITY",
        "DROP POLICY turn_is_its_owners ON turn",
        "SET ROLE alice",
        "SET ROLE jupyter_history",
    ],
)
def test_sql_of_a_users_own_does_not_get_around_it(secret: Writer, bob: Store, statement: str) -> None:
    binds = {"theirs": secret.conversation} if ":theirs" in statement else {}
    with pytest.raises((DBAPIError, StoreUnavailable)):
        execute(bob, statement, **binds)


def test_what_is_hidden_cannot_be_changed(secret: Writer, alice: Store, bob: Store) -> None:
    execute(bob, "UPDATE conversation SET title = 'taken over'")
    execute(bob, "UPDATE batch SET state = 'dropped'")
    execute(bob, "DELETE FROM label")
    execute(bob, "DELETE FROM failure")
    assert [each.state for each in alice.batches(secret.conversation)] == ["waiting"]
    assert [each.prompt for each in alice.failed(secret.conversation)] == ["Alice's secret"]
    assert alice.conversation("thesis").title == "Alice's secret"
    assert alice.topology(secret.conversation).labels == {"start": "secret"}


def test_a_user_who_leaves_leaves_nothing_and_takes_nothing_of_others(hub: postgres.Server, bob: Store) -> None:
    hub.psql(commands()[2].replace("alice", "carol"))
    with Store.open(hub.url("jupyter_history", "carol")) as store:
        writer = Writer(store, store.create("mine").id)
        something_of_everything(writer, "carols", "Carol's")
        store.fork(writer.conversation, "carols")
        Writer(bob, bob.create().id).ask("Bob's own")
        before = len(rows(bob, "SELECT * FROM turn"))
        hub.psql(commands()[3].replace("alice", "carol"), "jupyter_history")
        for table in (*schema.metadata.tables, "words"):
            assert table == "store" or rows(store, f"SELECT * FROM {table}") == [], table
    assert len(rows(bob, "SELECT * FROM turn")) == before


def test_a_role_that_is_no_user_is_told_in_one_line(hub: postgres.Server) -> None:
    hub.psql("CREATE ROLE mallory LOGIN")
    with pytest.raises(StoreUnavailable, match=r"permission denied|does not let you") as told:
        Store.open(hub.url("jupyter_history", "mallory")).conversations()
    assert "\n" not in str(told.value)


def test_a_server_that_is_away_is_told_in_one_line_without_the_password() -> None:
    with pytest.raises(StoreUnavailable, match="does not answer") as told:
        Store.open("postgresql+psycopg://alice:hush@127.0.0.1:9/history")
    assert "\n" not in str(told.value)
    assert "hush" not in str(told.value)
