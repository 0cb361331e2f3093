"""Labels: a name points at one turn of its conversation, and looks like nothing else."""

from __future__ import annotations

import pytest
from builders import Writer

from jupyter_history.errors import BadInput, NotFound


def labels(writer: Writer) -> dict[str, str]:
    return dict(writer.store.topology(writer.conversation).labels)


def test_a_label_moves_to_the_turn_that_got_it_last(writer: Writer) -> None:
    first, second = writer.ask(), writer.ask()
    writer.store.label(first, "start")
    writer.store.label(first, "good")
    writer.store.label(second, "start")
    assert labels(writer) == {"start": second, "good": first}


def test_none_removes_the_labels_of_one_turn(writer: Writer) -> None:
    first, second = writer.ask(), writer.ask()
    for turn, name in ((first, "a-1"), (first, "a-2"), (second, "b-1")):
        writer.store.label(turn, name)
    writer.store.label(first, None)
    assert labels(writer) == {"b-1": second}


def test_the_same_label_may_be_in_two_conversations(writer: Writer) -> None:
    other = Writer(writer.store, writer.store.create().id)
    mine, theirs = writer.ask(), other.ask()
    writer.store.label(mine, "start")
    writer.store.label(theirs, "start")
    assert (labels(writer), labels(other)) == ({"start": mine}, {"start": theirs})


@pytest.mark.parametrize("name", ["abc123", "tip", "root", "", "  ", "two words", "x" * 81])
def test_a_label_that_could_be_mistaken_is_refused(writer: Writer, name: str) -> None:
    turn = writer.ask()
    with pytest.raises(BadInput):
        writer.store.label(turn, name)
    assert labels(writer) == {}


def test_a_label_needs_a_turn(writer: Writer) -> None:
    with pytest.raises(NotFound, match="zzzzzz"):
        writer.store.label("zzzzzz", "start")


def test_another_kernel_sees_by_the_revision_that_a_label_changed(writer: Writer) -> None:
    turn = writer.ask()
    before = writer.store.revision(writer.conversation)
    writer.store.label(turn, "start")
    assert writer.store.revision(writer.conversation) > before
