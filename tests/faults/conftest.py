from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import kernels
from mounts import Disk, mounted

from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session


@pytest.fixture(scope="session")
def warmed(tmp_path_factory: pytest.TempPathFactory) -> None:
    kernels.warm(tmp_path_factory.mktemp("warm"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "history.db"


@pytest.fixture
def script() -> Scripted:
    return Scripted()


@pytest.fixture
def session(file: Path, script: Scripted) -> Iterator[Session]:
    session = kernels.opened(file, script)
    yield session
    session.store.close()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A small disk of its own, where one may be mounted here."""
    with mounted(tmp_path / "disk") as disk:
        yield disk
