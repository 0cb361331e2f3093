"""A conversation with branches, asked of a scripted server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.store import Store

MODEL = "claude-sonnet-5-5"


@pytest.fixture
def server() -> Scripted:
    return Scripted()


@pytest.fixture
def session(tmp_path: Path, server: Scripted) -> Iterator[Session]:
    with Store.open(tmp_path / "history.db") as store:
        yield Session.open("mixtures", store, MODEL, client=Client(transport=server))


@pytest.fixture
def long(session: Session, server: Scripted) -> Session:
    """Ten turns of 800 words with file names in them."""
    for n in range(10):
        server.reply(f"Finding {n}: sample B{n} at -{60 + n} degrees, file /data/run_{n:03d}/assay.csv. " * 80)
        session.send(f"What did run {n} show?")
    return session
