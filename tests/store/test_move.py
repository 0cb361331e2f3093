"""Rules 3 and 5: a branch moves the tip and nothing else; each place has its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Writer
from raw import everything

from jupyter_history.errors import NotFound
from jupyter_history.store import Store


def test_a_branch_adds_one_row_and_changes_none_rule_3(writer: Writer) -> None:
    first, _ = writer.ask("First"), writer.ask("Second")
    before = everything(writer.store)
    writer.move(first)
    after = everything(writer.store)
    assert {table for table in after if after[table] != before[table]} == {"visit"}
    assert set(before["visit"]) < set(after["visit"])
    assert len(after["visit"]) == len(before["visit"]) + 1
    assert writer.store.conversation(writer.conversation).tip == first


def test_a_bare_branch_survives_a_restart(writer: Writer, where: str | Path) -> None:
    first, _ = writer.ask("First"), writer.ask("Second")
    writer.move(first)
    writer.store.close()
    with Store.open(where) as store:
        assert store.place(writer.place, writer.conversation) == (True, first)


def test_the_path_that_was_left_stays_whole(writer: Writer) -> None:
    first, second = writer.ask("First"), writer.ask("Second")
    left = writer.store.path(second)
    writer.move(first)
    writer.ask("Another way")
    assert writer.store.path(second) == left


def test_a_move_to_the_root_is_none(writer: Writer) -> None:
    writer.ask()
    writer.move(None)
    assert writer.store.conversation(writer.conversation).tip is None
    assert writer.store.place(writer.place, writer.conversation) == (True, None)
    assert writer.store.place("elsewhere", writer.conversation) == (False, None)


def test_a_move_to_another_conversation_is_refused(writer: Writer) -> None:
    mine = writer.ask()
    other = Writer(writer.store, writer.store.create().id)
    with pytest.raises(NotFound, match=mine):
        other.move(mine)
    with pytest.raises(NotFound, match="zzzzzz"):
        writer.move("zzzzzz")
    assert writer.store.conversation(writer.conversation).tip == mine


def test_each_place_keeps_its_own_tip_rule_5(writer: Writer) -> None:
    first, second = writer.ask("First"), writer.ask("Second")
    other = Writer(writer.store, writer.conversation, place="notebook-2")
    other.move(first)
    assert writer.store.place(writer.place, writer.conversation) == (True, second)
    assert writer.store.place(other.place, writer.conversation) == (True, first)
    assert writer.store.conversation(writer.conversation).tip == first


def test_a_move_from_a_stale_place_happens_and_is_told(writer: Writer) -> None:
    first, second = writer.ask("First"), writer.ask("Second")
    Writer(writer.store, writer.conversation).move(None)
    done = writer.move(first)
    assert (done.moved, done.elsewhere) == (True, None)
    assert second in {head.id for head in writer.store.topology(writer.conversation).heads}


def test_a_reader_asks_only_for_what_is_new(writer: Writer) -> None:
    first = writer.ask("First")
    known = writer.store.topology(writer.conversation)
    second = writer.ask("Second")
    writer.move(first)
    new = writer.store.topology(writer.conversation, known.heads[-1].n, known.visits[-1].seq)
    assert [head.id for head in new.heads] == [second]
    assert [visit.turn for visit in new.visits] == [second, first]
    assert new.conversation.revision == writer.store.revision(writer.conversation) > known.conversation.revision
