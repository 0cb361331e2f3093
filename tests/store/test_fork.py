"""Rule 4: a fork copies a path under new ids, through one map; the source is byte-identical before and after."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from builders import PLACE, Writer, assistant, tool_exchange, user
from hypothesis import given, settings
from hypothesis import strategies as st
from raw import everything, execute, rows

from jupyter_history.errors import BadInput, NotFound
from jupyter_history.store import Overlay, Store, schema
from jupyter_history.transcript import Maker

REFERENCES = (  # every column that names a turn or a message, and the table it points at
    ("turn", "parent"), ("visit", "turn"), ("label", "turn"), ("message", "turn"), ("checkpoint", "turn"),
    ("checkpoint", "message"),
    ("overlay", "anchor"), ("overlay", "first"), ("overlay", "last"),
)  # fmt: skip


def of(store: Store, conversation: str) -> dict[str, list[tuple]]:
    """Every row of a conversation, by table, bytes and all."""
    tables = ("turn", "visit", "label", "checkpoint", "overlay", "failure")
    found = {
        table: rows(store, f"SELECT * FROM {table} WHERE conversation = :id ORDER BY 1, 2", id=conversation)
        for table in tables
    }
    found["conversation"] = rows(store, "SELECT * FROM conversation WHERE id = :id", id=conversation)
    found["message"] = rows(
        store,
        "SELECT m.* FROM message m JOIN turn t ON t.n = m.turn WHERE t.conversation = :id ORDER BY m.n",
        id=conversation,
    )
    return found


def furnish(writer: Writer) -> list[str]:
    """A path of four turns with everything that may hang on one, and a branch that a fork leaves behind."""
    ids = [writer.ask(f"Question {n}", messages=tool_exchange(f"Question {n}"), cost=0.5) for n in range(4)]
    beside = writer.ask("Beside", at=ids[1], messages=(user("Beside"), assistant("y" * 70_000)))
    store = writer.store
    for turn, name in ((ids[1], "start"), (ids[3], "late"), (beside, "other")):
        store.label(turn, name)
    store.add_overlays(
        writer.conversation,
        [
            Overlay("", "elision", f"{ids[0]}.0", f"{ids[0]}.2", "p1", "f", {"stub": "at the root"}, 1.0),
            Overlay(f"{ids[2]}.3", "summary", f"{ids[0]}.1", f"{ids[1]}.3", "p2", "f", {"text": "…"}, 2.0),
            Overlay(f"{beside}.1", "elision", f"{ids[0]}.1", f"{beside}.0", "p3", "f", {}, 3.0),
        ],
    )
    for label, turn in (("mark", ids[1]), ("gone", beside)):
        execute(
            store,
            "INSERT INTO checkpoint (conversation, label, message, turn, consumed, created)"
            " SELECT conversation, :label, n * 65536 + 1, id, false, 5.0 FROM turn WHERE id = :turn",
            label=label,
            turn=turn,
        )
    return ids


def test_a_fork_is_the_path_under_new_ids(writer: Writer) -> None:
    ids = furnish(writer)
    fork, new = writer.store.fork(writer.conversation, ids[2], name="tried", place="nb-2")
    assert list(new) == ids[:3]
    assert not set(new.values()) & set(ids)
    source, copy = writer.store.path(ids[2]), writer.store.path(new[ids[2]])
    for before, after in zip(source, copy, strict=True):
        assert after.id == new[before.id]
        assert after.conversation == fork.id
        assert after.parent == (new[before.parent] if before.parent else None)
        assert [message.wire() for message in after.messages] == [message.wire() for message in before.messages]
        assert (after.prompt, after.cost, after.usage, after.maker) == (
            before.prompt, before.cost, before.usage, before.maker
        )  # fmt: skip
    assert (fork.origin, fork.origin_turn, fork.tip) == (writer.conversation, ids[2], new[ids[2]])
    assert (fork.name, fork.turns, fork.cost, fork.title) == ("tried", 3, 1.5, "Question 0")
    assert writer.store.place("nb-2", fork.id) == (True, new[ids[2]])
    assert writer.store.problems() == []


def test_the_source_of_a_fork_is_byte_identical(writer: Writer) -> None:
    ids = furnish(writer)
    before = of(writer.store, writer.conversation)
    writer.store.fork(writer.conversation, ids[3])
    assert of(writer.store, writer.conversation) == before


def test_a_fork_shares_no_rows_and_refers_to_none_of_the_source(writer: Writer) -> None:
    ids = furnish(writer)
    fork, _ = writer.store.fork(writer.conversation, ids[3])
    source, copy = of(writer.store, writer.conversation), of(writer.store, fork.id)
    names = {table: schema.metadata.tables[table].columns.keys() for table in source}
    theirs = {row[names["turn"].index("id")] for row in source["turn"]}
    theirs |= {row[names["message"].index("n")] for row in source["message"]}
    theirs |= {row[names["turn"].index("n")] for row in source["turn"]}
    for table, column in REFERENCES:
        rows = copy[table]
        assert rows, f"the fork has no {table}: nothing was tested"
        values = {row[names[table].index(column)] for row in rows} - {None}
        assert not values & theirs, (table, column)


def test_a_fork_takes_labels_checkpoints_and_overlays_of_its_path_and_no_others(writer: Writer) -> None:
    ids = furnish(writer)
    fork, new = writer.store.fork(writer.conversation, ids[2])
    assert writer.store.topology(fork.id).labels == {"start": new[ids[1]]}
    assert [(o.anchor, o.first, o.last, o.policy) for o in writer.store.overlays(fork.id)] == [
        ("", f"{new[ids[0]]}.0", f"{new[ids[0]]}.2", "p1"),
        (f"{new[ids[2]]}.3", f"{new[ids[0]]}.1", f"{new[ids[1]]}.3", "p2"),
    ]
    marks = rows(
        writer.store,
        "SELECT c.label, c.turn, c.message % 65536, t.id, c.created FROM checkpoint c"
        " JOIN turn t ON t.n = c.message / 65536 WHERE c.conversation = :id",
        id=fork.id,
    )
    assert marks == [("mark", new[ids[1]], 1, new[ids[1]], 5.0)]


def test_large_bodies_are_shared_by_hash(writer: Writer) -> None:
    id = writer.ask(messages=(user("q"), assistant("z" * 100_000)))
    _, new = writer.store.fork(writer.conversation, id)
    assert rows(writer.store, "SELECT count(*) FROM blob") == [(1,)]
    assert rows(writer.store, "SELECT count(*) FROM message WHERE body IS NULL") == [(2,)]
    assert writer.store.turn(new[id]).text == "z" * 100_000


def test_a_fork_at_the_root_is_empty(writer: Writer) -> None:
    writer.ask()
    fork, new = writer.store.fork(writer.conversation, None)
    assert (fork.tip, fork.turns, new) == (None, 0, {})
    assert writer.store.topology(fork.id).heads == ()


def test_a_fork_for_a_copied_notebook_renames_its_maker(writer: Writer) -> None:
    id = writer.ask(maker=Maker(PLACE, "cell-1"))
    other = writer.ask(maker=Maker("somebody", "cell-2"))
    bare = writer.ask(maker=None)
    _, new = writer.store.fork(writer.conversation, bare, notebooks={PLACE: "the-copy"})
    makers = [record.maker for record in writer.store.turns([new[id], new[other], new[bare]])]
    assert makers == [Maker("the-copy", "cell-1"), Maker("somebody", "cell-2"), None]


def test_the_cell_that_forked_finds_its_fork_again_whatever_its_name_is_now(writer: Writer) -> None:
    id, maker = writer.ask(), Maker(PLACE, "cell-9")
    fork, _ = writer.store.fork(writer.conversation, id, name="tried", maker=maker)
    writer.store.rename(fork.id, "kept")
    found = writer.store.made_by(maker, "tried")
    assert found is not None
    assert (found.id, found.name, found.maker) == (fork.id, "kept", maker)
    assert writer.store.made_by(maker, None) is None
    assert writer.store.made_by(Maker(PLACE, "cell-9", 1), "tried") is None


def test_a_fork_that_cannot_be_leaves_nothing(writer: Writer) -> None:
    id = writer.ask()
    writer.store.create("taken")
    other = writer.store.create()
    before = everything(writer.store)
    with pytest.raises(BadInput, match="taken"):
        writer.store.fork(writer.conversation, id, name="taken")
    with pytest.raises(NotFound, match=id):
        writer.store.fork(other.id, id)
    with pytest.raises(NotFound, match="zzzzzz"):
        writer.store.fork(writer.conversation, "zzzzzz")
    assert everything(writer.store) == before


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(0, 100))
def test_a_fork_of_any_tree_is_one_connected_path_with_new_ids(parents: list[int], at: int) -> None:
    """Turn n continues from turn `parents[n]` of those before it, or from the root."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "history.db") as store:
        writer = Writer(store, store.create().id)
        ids: list[str] = []
        for parent in parents:
            known = [None, *ids]
            ids.append(writer.ask(at=known[parent % len(known)]))
        source = ids[at % len(ids)]
        before = of(store, writer.conversation)
        fork, new = store.fork(writer.conversation, source)
        assert of(store, writer.conversation) == before
        path = [record.id for record in store.path(source)]
        heads = store.topology(fork.id).heads
        assert [head.id for head in heads] == [new[id] for id in path]
        assert [head.parent for head in heads] == [None, *(new[id] for id in path[:-1])]
        assert not set(new.values()) & set(ids)
        assert store.problems() == []
