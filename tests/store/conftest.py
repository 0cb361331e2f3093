from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import Writer

from jupyter_history.store import Store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "history.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    with Store.open(file) as store:
        yield store


@pytest.fixture
def writer(store: Store) -> Writer:
    """A notebook in a new conversation."""
    return Writer(store, store.create().id)
