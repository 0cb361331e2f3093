from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.store import Store


@pytest.fixture
def script() -> Scripted:
    """What the model answers: queued replies, then `ok N`."""
    return Scripted()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def opened(script: Scripted, place: Path) -> Iterator[Callable[..., Session]]:
    """Sessions on one database, each over a store of its own, as in kernels of their own."""
    stores: list[Store] = []

    def open(name: str = "notes", **options: object) -> Session:
        stores.append(Store.open(place))
        settings = {"model": "claude-sonnet-5-5", "client": Client(transport=script), **options}
        return Session.open(name, stores[-1], **settings)  # type: ignore[arg-type]

    yield open
    for store in stores:
        store.close()


@pytest.fixture
def session(opened: Callable[..., Session]) -> Session:
    return opened()
