"""A PostgreSQL server that goes away and comes back: rule 7, as on a disk of one's own."""

from __future__ import annotations

from collections.abc import Iterator

import postgres
import pytest
from kernels import opened

from jupyter_history.errors import StoreUnavailable
from jupyter_history.progress import Note
from jupyter_history.session.session import Session
from jupyter_history.store import Store


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    with postgres.running() as server:
        server.psql("CREATE ROLE ada LOGIN")
        server.psql("CREATE DATABASE history OWNER ada")
        yield server


def test_turns_are_kept_while_the_server_is_away_and_saved_when_it_is_back(server: postgres.Server) -> None:
    where, lines = server.url("history", "ada"), list[str]()

    def listen(event: object) -> None:
        if isinstance(event, Note):
            lines.append(event.text)

    session = opened(where)
    session.send("one")
    server.stop()
    session.send("two", watch=listen)
    assert "Not saved: " in " ".join(lines)
    assert "does not answer" in " ".join(lines)
    assert not any("\n" in line for line in lines)
    with pytest.raises(StoreUnavailable) as reason:
        Store.open(where)
    store = Store.stand_in(where, reason.value)
    other = Session.open("aside", store, "claude-sonnet-5-5", client=session.client)
    other.send("meanwhile")
    server.start()
    session.send("three")
    assert session.unsaved == ()
    store._next_try = 0.0
    other.send("and on")
    with Store.open(where) as kept:
        paths = {
            item.name: [turn.prompt for turn in kept.path(kept.conversation(item.id).tip)]
            for item in kept.conversations()
        }
        assert paths == {"notes": ["one", "two", "three"], "aside": ["meanwhile", "and on"]}
        assert kept.problems() == []
