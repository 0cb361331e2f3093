"""Which notebook is this, and which conversation does it use (DESIGN section 4)?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_history.notebook.answers import MIME
from jupyter_history.notebook.identity import (
    CellCounter,
    Copied,
    Decision,
    Known,
    New,
    Renamed,
    Same,
    answers_of,
    cell_id,
    cells_of,
    decide,
    notebook_path,
    recognise,
)
from jupyter_history.store import Basis, Notebook, Store
from jupyter_history.transcript import Maker, Message, TurnRecord

HERE, THERE = "/home/me/here.ipynb", "/home/me/there.ipynb"
A, B = Notebook("a", HERE, "ca"), Notebook("b", THERE, "cb")


def told(
    *known: Known,
    path: str | None = HERE,
    file: frozenset[str] | None = frozenset({"c1"}),
    running: str | None = "c1",
    makers: frozenset[str] = frozenset(),
    at_path: tuple[Notebook, ...] = (),
) -> Decision:
    return decide(path, file, running, known, makers, at_path)


def test_a_notebook_that_was_never_seen_is_new() -> None:
    assert told() == New()


def test_without_a_path_each_kernel_has_a_new_conversation() -> None:
    assert told(Known(A, 3, 1.0), path=None) == New()


def test_the_same_path_with_a_known_cell_is_the_same_notebook() -> None:
    assert told(Known(A, 1, None), at_path=(A,)) == Same(A)


def test_a_recreated_untitled_is_new_and_says_what_was_there() -> None:
    assert told(at_path=(A,)) == New(A)


def test_known_cells_under_a_new_path_are_a_renamed_notebook_if_the_old_one_is_gone() -> None:
    assert told(Known(B, 3, None)) == Renamed(B)


def test_known_cells_under_a_new_path_are_a_copy_if_the_old_one_is_still_there() -> None:
    assert told(Known(B, 3, 1.0)) == Copied(B)


def test_a_cell_that_was_cut_from_another_notebook_makes_no_copy_of_it() -> None:
    assert told(Known(B, 1, 0.0)) == New(like=B)
    assert told(Known(B, 1, 0.4), at_path=(A,)) == New(A, like=B)


def test_a_copy_is_told_from_what_it_shares_with_others() -> None:
    c = Notebook("c", "/home/me/c.ipynb", "cc")
    assert told(Known(c, 2, 0.1), Known(B, 1, 0.5)) == Copied(B)
    assert told(Known(c, 2, 0.1), Known(B, 1, None)) == Renamed(B)


def test_a_copy_is_itself_the_next_time() -> None:
    assert told(Known(B, 3, 1.0), Known(A, 2, 1.0)) == Same(A)


def test_the_notebook_with_the_most_cells_counts() -> None:
    c = Notebook("c", "/home/me/c.ipynb", "cc")
    assert told(Known(B, 3, 1.0), Known(c, 1, None)) == Copied(B)


def test_a_renamed_copy_goes_before_copying_its_original() -> None:
    c = Notebook("c", "/home/me/c.ipynb", "cc")
    assert told(Known(B, 3, 1.0), Known(c, 3, None)) == Renamed(c)


def test_copies_that_share_all_ids_are_told_apart_by_the_answers_in_the_file() -> None:
    original, copy = Known(A, 3, None, shown=1.0), Known(B, 3, 1.0, shown=2.0)
    assert told(original, copy) == Copied(B), "a copy of the copy, where the original was"
    assert told(original, Known(B, 3, None, shown=2.0)) == Renamed(B)
    assert told(original, Known(B, 3, None)) == Same(A)
    assert told(Known(A, 3, None), Known(B, 3, 1.0)) == Same(A), "its outputs were cleared"


def test_a_notebook_from_before_cell_ids_is_known_by_its_path() -> None:
    assert told(file=None, running=None, at_path=(A,)) == Same(A)
    assert told(file=None, running=None) == New()


def test_a_cell_that_is_not_saved_yet_is_known_by_the_store() -> None:
    assert told(Known(A, 1, None), file=frozenset(), running="c9", makers=frozenset("a"), at_path=(A,)) == Same(A)


def test_a_renamed_notebook_whose_kernel_knows_the_old_path_is_told_from_the_new_one_there() -> None:
    other = Notebook("n", HERE, "cn")
    known = (Known(other, 2, 1.0), Known(A, 1, None))
    assert told(*known, file=frozenset({"n1", "n2"}), running="c1", makers=frozenset("a"), at_path=(other, A)) == Same(
        A
    )


def test_a_cell_cut_from_another_notebook_does_not_bring_its_conversation() -> None:
    known = (Known(B, 1, 1.0), Known(A, 1, None))
    assert told(*known, file=frozenset({"c1"}), running="b7", makers=frozenset("b"), at_path=(A,)) == Same(A)


# -- reading ------------------------------------------------------------------------------------------------------


def write(path: Path, *cells: str, minor: int = 5) -> str:
    content = {"nbformat": 4, "nbformat_minor": minor, "metadata": {}, "cells": [{"id": cell} for cell in cells]}
    path.write_text(json.dumps(content))
    return str(path)


def test_cell_ids_are_read_from_the_file(tmp_path: Path) -> None:
    assert cells_of(write(tmp_path / "new.ipynb", "a", "b")) == {"a", "b"}
    assert cells_of(write(tmp_path / "empty.ipynb")) == frozenset()
    assert cells_of(write(tmp_path / "old.ipynb", "a", minor=4)) is None
    assert cells_of(str(tmp_path / "missing.ipynb")) is None
    (tmp_path / "broken.ipynb").write_text("{")
    assert cells_of(str(tmp_path / "broken.ipynb")) is None
    (tmp_path / "odd.ipynb").write_text("[1]")
    assert cells_of(str(tmp_path / "odd.ipynb")) is None


def test_answers_are_read_from_the_file_with_their_cells(tmp_path: Path) -> None:
    outputs = [{"output_type": "stream", "text": "hi"}, {"data": {MIME: {"id": "k1"}}}, {"data": {"text/plain": "x"}}]
    content = {"cells": [{"id": "c1", "outputs": outputs}, {"id": "c2"}, {"id": "c3", "outputs": outputs[:1]}]}
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(content))
    assert answers_of(str(path)) == {"k1": "c1"}
    for broken in ("{", "[1]", '{"cells": [{"outputs": [1]}]}'):
        path.write_text(broken)
        assert answers_of(str(path)) == {}
    assert answers_of(str(tmp_path / "missing.ipynb")) == {}


def test_the_path_comes_from_the_front_end() -> None:
    assert notebook_path({}, {"JPY_SESSION_NAME": HERE}) == HERE
    assert notebook_path({"__vsc_ipynb_file__": THERE}, {"JPY_SESSION_NAME": HERE}) == THERE
    assert notebook_path({}, {}) is None
    assert notebook_path({}, {"JPY_SESSION_NAME": "/home/me/5f0c1c5e-console"}) is None


def test_a_uri_is_known_by_its_fragment_for_as_long_as_the_notebook_is_open() -> None:
    assert cell_id({"cellId": "c1"}) == ("c1", True)
    assert cell_id({"cellId": "vscode-notebook-cell:/home/me/a.ipynb#W2sZmlsZQ%3D%3D"}) == ("W2sZmlsZQ%3D%3D", False)
    assert cell_id({}) == (None, False)
    assert cell_id({"cellId": None}) == (None, False)


def test_the_chat_calls_of_one_execution_are_counted() -> None:
    parent = {"header": {"msg_id": "m1"}, "metadata": {"cellId": "c1"}}
    counter = CellCounter(lambda: parent)
    assert counter.peek() == ("c1", True)
    assert [counter.count(), counter.count()] == [0, 1]
    parent = {"header": {"msg_id": "m2"}, "metadata": {"cellId": "c1"}}
    assert [counter.count(), counter.count(), counter.peek()] == [0, 1, ("c1", True)]


# -- with a store --------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "history.db") as store:
        yield store


def known(store: Store, path: str, *cells: str) -> Notebook:
    """A notebook in the store, with a turn made by each of these cells."""
    conversation = store.create()
    notebook = Notebook(f"nb-{path}", path, conversation.id)
    store.save_notebook(notebook)
    for cell in cells:
        turn = store.new_id()
        messages = (
            Message("user", ({"type": "text", "text": "hi"},), turn, 0),
            Message("assistant", ({"type": "text", "text": "ho"},), turn, 1),
        )
        record = TurnRecord(turn, conversation.id, None, "hi", messages, "offline", maker=Maker(notebook.id, cell))
        store.commit(record, place=notebook.id, basis=Basis(store.revision(conversation.id), 0, None))
    return notebook


def test_a_notebook_is_recognised_in_the_store(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", "c1", "c2")
    notebook = known(store, path, "c1", "c2")
    assert recognise(store, path, "c2", lasting=True) == Same(notebook)
    copy = write(tmp_path / "copy.ipynb", "c1", "c2")
    assert recognise(store, copy, "c1", lasting=True) == Copied(notebook)
    Path(path).unlink()
    assert recognise(store, copy, "c1", lasting=True) == Renamed(notebook)


def test_a_conversation_in_which_nothing_was_asked_yet_is_kept_for_its_path(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", "c1")
    talked = known(store, path, "gone")
    assert recognise(store, path, "c1", lasting=True) == New(talked)
    fresh = Notebook("fresh", path, store.create().id)
    store.save_notebook(fresh)
    assert recognise(store, path, "c1", lasting=True) == Same(fresh)
    asked = TurnRecord("tttttt", fresh.conversation or "", None, "hi", (), "offline", maker=Maker("fresh", "c1"))
    store.fail(asked)
    later = Notebook("later", path, store.create().id)
    store.save_notebook(later)
    assert recognise(store, path, "c1", lasting=True) == Same(fresh), "its cell asked there, and failed"
    assert recognise(store, path, None, lasting=True) == Same(fresh)
    write(tmp_path / "a.ipynb", "other")
    assert recognise(store, path, "other", lasting=True) == Same(later), "nothing was asked in that"
    store.fail(replace(asked, id="uuuuuu", conversation=later.conversation or ""))
    assert isinstance(recognise(store, path, "other", lasting=True), New)


def test_a_notebook_into_which_a_cell_was_moved_is_new_and_knows_where_it_was(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", "c1", "c2", "c3")
    notebook = known(store, path, "c1", "c2", "c3")
    write(tmp_path / "a.ipynb", "c1", "c2")
    other = write(tmp_path / "b.ipynb", "n1", "c3")
    assert recognise(store, other, "n1", lasting=True) == New(like=notebook)
    assert recognise(store, other, "c3", lasting=True) == New(like=notebook)


def test_a_copy_from_which_many_cells_were_deleted_is_still_one(store: Store, tmp_path: Path) -> None:
    """What talked in the original once, and is gone from its file, is no part of the comparison."""
    path = write(tmp_path / "a.ipynb", "c1", "c2", "text")
    notebook = known(store, path, "c1", "c2", *(f"gone{n}" for n in range(20)))
    copy = write(tmp_path / "copy.ipynb", "c1", "text", "new")
    assert recognise(store, copy, "c1", lasting=True) == Copied(notebook)


def test_a_notebook_that_is_handed_out_is_a_copy_in_each_place(store: Store, tmp_path: Path) -> None:
    for folder in ("one", "two", "three"):
        (tmp_path / folder).mkdir()
    first = write(tmp_path / "one" / "class.ipynb", "c1", "c2")
    notebook = known(store, first, "c1")
    second = write(tmp_path / "two" / "class.ipynb", "c1", "c2")
    assert recognise(store, second, "c1", lasting=True) == Copied(notebook)
    mine = known(store, second, "c1")
    assert recognise(store, second, "c2", lasting=True) == Same(mine)
    assert isinstance(
        recognise(store, write(tmp_path / "three" / "class.ipynb", "c1", "c2"), "c2", lasting=True), Copied
    )


def test_a_renamed_notebook_whose_place_another_took_is_renamed_not_copied(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "Untitled.ipynb", "c1")
    notebook = known(store, path, "c1")
    moved = write(tmp_path / "analysis.ipynb", "c1")
    write(tmp_path / "Untitled.ipynb", "other")
    assert recognise(store, moved, "c1", lasting=True) == Renamed(notebook)
    assert recognise(store, path, "other", lasting=True) == New(notebook)


def test_ids_that_do_not_outlive_a_session_never_recognise_a_notebook(store: Store, tmp_path: Path) -> None:
    notebook = known(store, str(tmp_path / "a.ipynb"), "W0sZmlsZQ")
    assert recognise(store, str(tmp_path / "b.ipynb"), "W0sZmlsZQ", lasting=False) == New()
    assert recognise(store, str(tmp_path / "a.ipynb"), "W0sZmlsZQ", lasting=False) == Same(notebook)
