"""Two, then four kernels write to one conversation at once (rule 5)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from kernels import Kernel, Say, opened

from jupyter_history.progress import Note
from jupyter_history.store import Store

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork here"),
    pytest.mark.usefixtures("warmed"),
]
TURNS = 12


@pytest.mark.parametrize("writers", [2, 4])
def test_every_acknowledged_turn_is_reachable_and_conflicts_are_named(file: Path, writers: int) -> None:
    first = opened(file)
    root = first.send("Root").id
    first.store.close()
    start = time.time() + 1.0

    def work(place: str, say: Say) -> None:
        notes: list[str] = []
        session = opened(file, place=place)
        time.sleep(max(0.0, start - time.time()))
        for n in range(TURNS):
            turn = session.send(
                f"{place} asks {n}", watch=lambda event: notes.append(event.text) if isinstance(event, Note) else None
            )
            say(turn.id)
        for note in notes:
            say(f"note {note}")
        while len(session.tree) < writers * TURNS + 1:
            time.sleep(0.01)
            session.refresh()
        say(f"sees {len(session.turns())}")

    kernels = [Kernel(lambda say, place=place: work(place, say)) for place in "abcd"[:writers]]
    said = [kernel.rest() for kernel in kernels]
    assert [kernel.status for kernel in kernels] == [0] * writers
    acknowledged = {root} | {line for lines in said for line in lines if " " not in line}
    assert len(acknowledged) == writers * TURNS + 1
    with Store.open(file) as store:
        conversation = store.conversation("notes")
        heads = store.topology(conversation.id).heads
        parents = {head.parent for head in heads}
        leaves = [head.id for head in heads if head.id not in parents]
        assert {turn.id for leaf in leaves for turn in store.path(leaf)} == acknowledged
        assert store.problems() == []
    told = " ".join(line for lines in said for line in lines if line.startswith("note "))
    rivals = [head.id for head in heads if head.parent == root]
    assert len(rivals) == writers, "all began at the same tip"
    assert told.count("Another writer was faster") >= writers - 1
    assert sum(f"`{id}`" in told for id in rivals) >= writers - 1
    assert "locked" not in told
    assert "Not saved" not in told
    assert all(f"sees {writers * TURNS + 1}" in lines for lines in said), "each sees the others' branches"
