from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.store import Store


@pytest.fixture
def script() -> Scripted:
    return Scripted()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "history.db") as opened:
        yield opened


@pytest.fixture
def session(store: Store, script: Scripted) -> Session:
    return Session.open("notes", store, "claude-sonnet-5-5", client=Client(transport=script, pauses=(0.01,)))
