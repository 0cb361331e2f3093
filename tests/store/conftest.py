from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import postgres
import pytest
from builders import Writer

from jupyter_history.store import Store


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What the store promises it promises on both databases. A test that asks for `file` is about SQLite's, and so is
    a module that says `SQLITE_ONLY`."""
    if "where" in metafunc.fixturenames:
        sqlite = "file" in inspect.signature(metafunc.function).parameters or hasattr(metafunc.module, "SQLITE_ONLY")
        metafunc.parametrize("kind", ["sqlite"] if sqlite else ["sqlite", "postgresql"], scope="session")


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """With a role `user` and a database `ready` in which it made the tables."""
    with postgres.running() as server:
        server.psql('CREATE ROLE "user" LOGIN; CREATE DATABASE ready OWNER "user"'.replace("; ", ";\n"))
        Store.open(server.url("ready", "user")).close()
        yield server


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "history.db"


@pytest.fixture
def where(kind: str, request: pytest.FixtureRequest) -> str | Path:
    """A place for a store: a file that is not there yet, or the URL of an empty database."""
    if kind == "sqlite":
        return request.getfixturevalue("file")
    server: postgres.Server = request.getfixturevalue("server")
    name = f"t{uuid4().hex}"
    server.psql(f'CREATE DATABASE {name} TEMPLATE ready OWNER "user"')
    return server.url(name, "user")


@pytest.fixture
def store(where: str | Path) -> Iterator[Store]:
    with Store.open(where) as store:
        yield store


@pytest.fixture
def writer(store: Store) -> Writer:
    """A notebook in a new conversation."""
    return Writer(store, store.create().id)
