"""Conversations: made, found by id or name, listed newest first, named once."""

from __future__ import annotations

import pytest
from builders import Writer

from jupyter_history.errors import BadInput, NotFound
from jupyter_history.store import Store
from jupyter_history.transcript import Maker


def test_a_conversation_is_found_by_its_id_and_by_its_name(store: Store) -> None:
    made = store.create("mixtures", title="A title", settings={"model": "x"}, maker=Maker("nb", "cell", 1))
    assert store.conversation("mixtures") == store.conversation(made.id) == made
    assert (made.tip, made.revision, made.turns, made.settings) == (None, 0, 0, {"model": "x"})
    assert len(made.id) == 8


def test_an_unknown_name_lists_near_ones(store: Store) -> None:
    store.create("mixtures")
    store.create("unrelated")
    with pytest.raises(NotFound, match=r"'mixture'.*mixtures\.$"):
        store.conversation("mixture")
    for ask in (store.topology, store.revision, store.archive):
        with pytest.raises(NotFound):
            ask("nowhere")


def test_a_name_is_one_conversations(store: Store) -> None:
    first, second = store.create("one"), store.create("two")
    with pytest.raises(BadInput, match="'one' is taken"):
        store.create("one")
    with pytest.raises(BadInput, match="'one' is taken"):
        store.rename(second.id, "one")
    store.rename(first.id, "one")
    store.rename(first.id, "three")
    store.rename(second.id, " one\n")
    assert store.conversation("one").id == second.id
    store.rename(second.id, None)
    assert store.conversation(second.id).name is None


@pytest.mark.parametrize("name", ["", " \n", "x" * 201])
def test_a_name_that_cannot_be_read_is_refused(store: Store, name: str) -> None:
    with pytest.raises(BadInput, match="name"):
        store.create(name)


def test_the_list_is_newest_first_and_leaves_out_the_archived(store: Store) -> None:
    ids = [store.create(f"c{n}").id for n in range(4)]
    Writer(store, ids[1]).ask()
    store.archive(ids[2])
    assert [found.id for found in store.conversations()] == [ids[1], ids[3], ids[0]]
    assert [found.id for found in store.conversations(limit=1)] == [ids[1]]
    assert [found.id for found in store.conversations(archived=True)] == [ids[2]]
    store.archive(ids[2], on=False)
    assert len(store.conversations()) == 4


def test_explicit_settings_are_replaced_whole(store: Store) -> None:
    made = store.create(settings={"model": "x", "system": "y"})
    store.configure(made.id, {"system": "z\ud800"})
    assert store.conversation(made.id).settings == {"system": "z\ufffd"}
    store.configure(made.id, {})
    assert store.conversation(made.id).settings == {}


def test_what_a_cell_made_afresh_is_found_again(store: Store) -> None:
    maker = Maker("nb", "cell")
    assert store.made_by(maker, None) is None
    made = store.create(maker=maker)
    assert store.made_by(maker, None) == made
    assert store.made_by(maker, "name") is None
